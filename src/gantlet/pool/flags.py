"""The feature flags that have a meaning to the pool. A tool may name others of its own."""

#: The environment brings its own search commands, so Glob and Grep are not needed.
EMBEDDED_SEARCH = "embedded_search"
#: Ask the API to hold models to the schemas of tools that are written for it.
STRICT_TOOLS = "strict_tools"
#: Let tools be announced by name only.
TOOL_SEARCH = "tool_search"

DEFAULT_FLAGS = frozenset({STRICT_TOOLS, TOOL_SEARCH})
