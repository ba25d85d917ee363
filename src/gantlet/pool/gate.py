"""Which tools come into a pool at all, and what is wrong with those that cannot."""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import field

from gantlet.messages.value import value
from gantlet.rules import NamePattern, whole_tool
from gantlet.system import Environment
from gantlet.tool import TOOL_NAME, AnyTool, Problem, Tool

_NOT_IN_NAMES = re.compile(r"[^a-zA-Z0-9_-]")
_MAX_SHOWN_CHARS = 200
_is_name = TOOL_NAME.fullmatch
_are_lines = re.compile(rf"(?:{TOOL_NAME.pattern}\n)*+{TOOL_NAME.pattern}").fullmatch
#: What else is asked of each tool before a request.
_ASKED_LATER = ("hidden", "should_defer", "always_load", "strict")


@value
class Gate:
    """Decides which tools come in; `problems` says why some that should could not."""

    environment: Environment
    denied: tuple[NamePattern, ...]
    problems: list[Problem] = field(default_factory=list)

    def admitted(self, tools: Iterable[AnyTool]) -> list[AnyTool]:
        """Return the tools that exist here; note the reason for those that should but cannot."""
        environment, denied = self.environment, self.denied
        tools = list(tools)
        are_usual = _are_usual(tools)
        admitted = []
        for tool in tools:
            try:
                fault = _fault(tool, is_usual=are_usual)
                if not fault:
                    may_hide = denied or tool.requires_flag or tool.hidden_by_flag
                    if may_hide and self._is_hidden(tool):
                        continue
                    if tool.is_enabled(environment):
                        admitted.append(tool)
                    continue
            except Exception as error:  # noqa: BLE001 - a foreign tool's failure becomes a value here
                fault = f"asking about it failed: {shown(error)}"
            self.problems.append(Problem(_label(tool), fault))
        return admitted

    def _is_hidden(self, tool: AnyTool) -> bool:
        """Return whether flags or rules take the whole tool away."""
        needed, hiding = tool.requires_flag, tool.hidden_by_flag
        if needed or hiding:
            flags = self.environment.flags
            if (needed and needed not in flags) or (hiding and hiding in flags):
                return True
        if not self.denied:
            return False
        names = names_of(tool)
        return any(pattern.matches_any(names) for pattern in self.denied)


def whole_tools(rules: Sequence[str]) -> tuple[NamePattern, ...]:
    """Return the rules that name whole tools. One text is one rule, not its letters."""
    listed = (rules,) if isinstance(rules, str) else rules
    patterns = (whole_tool(rule) for rule in listed)
    return tuple(pattern for pattern in patterns if pattern is not None)


def names_of(tool: AnyTool) -> list[str]:
    """Return every name by which a rule can mean `tool`.

    For one of a server that includes its full name, as the server says it and as a name may be
    written, whatever the tool itself is called here.
    """
    names = [tool.name, *tool.aliases]
    server = tool.mcp
    if server is not None:
        full = f"mcp__{server.server}__{server.tool}"
        names += [full, _NOT_IN_NAMES.sub("_", full)]
    return names


def shown(value: object) -> str:
    """Return a foreign value in a few printable characters, whatever it does when asked."""
    try:
        text = repr(value)
    except Exception:  # noqa: BLE001 - a foreign value's failure becomes a value here
        text = f"a {type(value).__name__} that cannot be shown"
    return text if len(text) <= _MAX_SHOWN_CHARS else text[: _MAX_SHOWN_CHARS - 1] + "…"


def _are_usual(tools: list[AnyTool]) -> bool:
    """Return whether many tools have good names and no surprises, by one look at all of them."""
    try:
        names = "\n".join([tool.name for tool in tools])
        kinds = set(map(type, tools))
        are_named = _are_lines(names) is not None and names.count("\n") == len(tools) - 1
        return are_named and all(map(_answers_plainly, kinds))
    except Exception:  # noqa: BLE001 - each is asked on its own, and what is wrong is noted
        return False


def _answers_plainly(kind: type) -> bool:
    """Return whether tools of a class have their attributes at hand, and asking runs no code."""
    if not issubclass(kind, Tool) or kind.__getattribute__ is not object.__getattribute__:
        return False
    held: dict[str, object] = {}  # asking the class itself could run code, too
    for base in reversed(kind.__mro__):
        held |= vars(base)
    return not any(hasattr(held[name], "__get__") for name in _ASKED_LATER)


def _fault(tool: AnyTool, *, is_usual: bool) -> str:
    """Return what is wrong with a tool, or nothing; asks all that the pool must rely on."""
    if not is_usual:
        if not isinstance(tool, Tool):
            return f"it is a {type(tool).__name__}, not a tool"
        if not isinstance(tool.name, str) or not _is_name(tool.name):
            return "its name is not 1 to 64 letters, digits, '_' or '-'"
        for name in _ASKED_LATER:
            getattr(tool, name)
    aliases = tool.aliases
    if aliases != () and not _are_names(aliases):
        return "its aliases are not a list of names"
    if not isinstance(tool.search_hint, str):
        return "its search_hint is not a text"
    if tool.mcp is not None:
        names_of(tool)
    return ""


def _are_names(aliases: object) -> bool:
    """Return whether these are several texts, and not one."""
    if isinstance(aliases, str) or not isinstance(aliases, Collection):
        return False
    return all(isinstance(alias, str) for alias in aliases)


def _label(tool: object) -> str:
    """Return what to call a tool that may not have a proper name."""
    try:
        name = getattr(tool, "name", None)
    except Exception:  # noqa: BLE001 - a foreign tool's failure becomes a value here
        name = None
    if name is None:
        return type(tool).__name__
    return name if isinstance(name, str) and _is_plain(name) else shown(name)


def _is_plain(name: str) -> bool:
    """Return whether a name can be shown as it is."""
    return name.isprintable() and len(name) <= _MAX_SHOWN_CHARS
