"""Find tools that are announced by name only."""

from pydantic import Field

from gantlet.tool import (
    TOOL_CATALOG,
    UNBOUNDED,
    Access,
    Named,
    Ports,
    ResultContent,
    Tool,
    ToolCatalog,
    ToolContext,
    ToolInput,
    Traits,
)


class ToolSearchInput(ToolInput):
    """What to look for."""

    query: str = Field(
        min_length=1,
        max_length=500,
        description=(
            "`select:Name,Name` loads tools by name. Otherwise words to look for;"
            " a word with + before it must be part of the tool's name."
        ),
    )
    max_results: int = Field(5, ge=1, le=50, description="How many tools to load at the most.")


class ToolSearch(Tool[ToolSearchInput]):
    """Loads the definitions of deferred tools, so that they need not all be in the prompt."""

    name = "ToolSearch"
    description = (
        "Load tools that are announced by name only, so that you know their inputs before you call"
        " them. Ask for all the tools you expect to need in one call: `select:A,B`. If you do not"
        " know the name, search by words: `notebook cell`, or `+github issue` where the name must"
        " hold 'github'."
    )
    input_type = ToolSearchInput
    always_load = True
    max_result_chars = UNBOUNDED

    def __init__(self, catalog: ToolCatalog) -> None:
        self._catalog = catalog

    @classmethod
    def build(cls, ports: Ports) -> "ToolSearch":
        """Take the catalog of this session."""
        return cls(ports.need(TOOL_CATALOG))

    def traits(self, args: ToolSearchInput) -> Traits:
        """Looks into a list of its own.

        Two searches keep their order, so that what they reveal does too.
        """
        access = Access(writes={Named("tool catalog")})
        return Traits(read_only=True, access=access, open_world=False)

    async def run(self, args: ToolSearchInput, context: ToolContext) -> ResultContent:
        """Look the query up."""
        return self._catalog.look_up(args.query, args.max_results)
