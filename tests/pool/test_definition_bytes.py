"""The tools part of a request: its order, its breakpoint, and bytes that never move."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gantlet.messages import Capabilities, FrozenDict
from gantlet.pool import Deferral, Definitions, View, assemble, plan_view
from gantlet.tool import AnyTool, Mode, RequestView
from gantlet.tool.inputs import InputFormat, SchemaFormat
from pool.made_up_tools import MadeUp, Talkative, names, of_server, pools_of

REQUEST = RequestView()
BREAKPOINT = b'"cache_control":{"type":"ephemeral"}'
READ, SEARCH, WRITE = MadeUp("Read"), MadeUp("ToolSearch", always_load=True), MadeUp("Write")
LOG, PUSH = of_server("git", "log"), of_server("git", "push")


def parsed(part: bytes) -> list[dict[str, object]]:
    """Return the tools part as values."""
    definitions = json.loads(part)
    assert isinstance(definitions, list)
    return definitions


def written(view: View, request: RequestView = REQUEST) -> list[dict[str, object]]:
    """Return what fresh definitions write for a view."""
    return parsed(Definitions().tools_part(view, request))


def before_the_breakpoint(part: bytes) -> bytes:
    """Return everything up to and with the cache breakpoint."""
    head, mark, _ = part.partition(BREAKPOINT)
    return head + mark


def test_a_definition_has_a_name_a_description_and_a_schema() -> None:
    tool = MadeUp("Read", "Read a file.", input_schema={"properties": {"path": {"type": "string"}}})

    assert written(View((tool, WRITE)))[0] == {
        "name": "Read",
        "description": "Read a file.",
        "input_schema": {"type": "object", "properties": {"path": {"type": "string"}}},
    }


def test_definitions_stand_in_the_order_own_servers_appended_deferred() -> None:
    view = View((READ, WRITE), (LOG,), (PUSH,), (of_server("a", "tool"),), by_reference=True)

    assert [one["name"] for one in written(view)] == [
        "Read",
        "Write",
        "mcp__git__log",
        "mcp__git__push",
        "mcp__a__tool",
    ]


def test_the_one_breakpoint_sits_on_the_last_own_tool_that_is_not_deferred() -> None:
    late = MadeUp("Zip", should_defer=True)
    view = View((READ, WRITE), (LOG,), (), (late, PUSH), by_reference=True)

    marked = [one["name"] for one in written(view) if "cache_control" in one]

    assert marked == ["Write"]
    assert Definitions().tools_part(view, REQUEST).count(b"cache_control") == 1


def test_a_tool_that_cannot_be_written_does_not_take_the_breakpoint_with_it() -> None:
    broken = MadeUp("Zip", input_schema={"type": "array"})

    marked = [one["name"] for one in written(View((READ, broken))) if "cache_control" in one]

    assert marked == ["Read"]


def test_without_own_tools_there_is_no_breakpoint() -> None:
    assert Definitions().tools_part(View((), (LOG,)), REQUEST).count(b"cache_control") == 0
    assert Definitions().tools_part(View(()), REQUEST) == b"[]"


def test_only_deferred_tools_are_marked_so_and_only_where_the_api_knows_the_mark() -> None:
    by_reference = View((SEARCH,), (LOG,), (), (PUSH,), by_reference=True)
    by_name_only = View((SEARCH,), (LOG,), (), (PUSH,))

    marks = {one["name"]: one.get("defer_loading") for one in written(by_reference)}
    assert marks == {"ToolSearch": None, "mcp__git__log": None, "mcp__git__push": True}
    assert [one["name"] for one in written(by_name_only)] == ["ToolSearch", "mcp__git__log"]


def test_a_description_is_asked_anew_for_each_request() -> None:
    definitions, tool = Definitions(), Talkative("Agent")
    planning = RequestView(mode=Mode.PLAN, tool_names=("Read", "Agent"))

    texts = [
        parsed(definitions.tools_part(View((tool,)), request))[0]["description"]
        for request in (REQUEST, planning, REQUEST)
    ]

    assert texts == [
        "Used in mode default beside .",
        "Used in mode plan beside Read, Agent.",
        "Used in mode default beside .",
    ]


class Counting(MadeUp):
    """A tool that counts how often it is asked for its input, and says more each time."""

    asked = 0
    described = 0

    @property
    def input_format(self) -> InputFormat[FrozenDict]:
        self.asked += 1
        return SchemaFormat({"type": "object"})

    def describe(self, request: RequestView) -> str:
        self.described += 1
        return "More." * self.described


def test_the_schema_of_a_tool_is_read_once_in_a_session() -> None:
    definitions, tool = Definitions(), Counting("Read")

    parts = [definitions.tools_part(View((tool,)), REQUEST) for _ in range(3)]

    assert tool.asked == 1
    assert [parsed(part)[0]["description"] for part in parts] == ["More.", "More." * 2, "More." * 3]


def test_measuring_a_tool_does_not_change_what_is_sent() -> None:
    definitions, tool = Definitions(), Talkative("Agent", should_defer=True)
    planning = RequestView(mode=Mode.PLAN)

    before = definitions.tools_part(View((tool,)), planning)
    size = definitions.size_of(tool)

    assert definitions.tools_part(View((tool,)), planning) == before
    assert definitions.size_of(tool) == size


def test_a_tool_is_measured_once_so_that_what_is_deferred_stays_so() -> None:
    definitions, tool = Definitions(), Counting("Read")

    sizes = {definitions.size_of(tool) for _ in range(3)}

    assert len(sizes) == 1
    assert tool.described == 1


def test_a_size_is_the_length_of_the_definition_and_nothing_for_a_broken_tool() -> None:
    definitions = Definitions()

    plain = definitions.tools_part(View((), (LOG,)), REQUEST)

    assert definitions.size_of(LOG) == len(plain) - len("[]")
    assert definitions.size_of(MadeUp("Zip", input_schema={"type": "array"})) == 0


@pytest.mark.parametrize("schema", [{"type": "object"}, {"type": "object", "not": {}}], ids=str)
def test_a_tool_that_takes_the_place_of_one_that_is_gone_is_measured_itself(
    schema: Mapping[str, object],
) -> None:
    definitions = Definitions()
    strict = RequestView(capabilities=Capabilities(strict_tools=True, input_examples=True))

    def size(description: str, examples: list[dict[str, object]]) -> int:
        tool = MadeUp("T", description, input_schema=schema, input_examples=examples, strict=True)
        definitions.tools_part(View((tool,)), strict)
        return definitions.size_of(tool)

    sizes = [size("x" * length, []) for length in range(50)]

    assert sizes == [sizes[0] + length for length in range(50)]


descriptions = st.text(st.characters(), max_size=20)
schemas = st.dictionaries(
    st.text("abc", min_size=1, max_size=3),
    st.sampled_from([{"type": "string"}, {"type": "integer", "default": 1}, {"enum": [1, "é"]}]),
    max_size=3,
).map(lambda fields: {"type": "object", "properties": fields})


@st.composite
def described_pools(draw: st.DrawFn) -> list[AnyTool]:
    """Pools of tools with any descriptions and fields."""
    tools = draw(pools_of())
    for tool in tools:
        tool.description = draw(descriptions)
        tool.input_schema = draw(schemas)
    return tools


@given(described_pools(), st.booleans(), st.integers(2, 4))
def test_a_request_after_the_first_has_the_same_bytes(
    tools: list[AnyTool], by_reference: bool, times: int
) -> None:
    pool = assemble([*tools, SEARCH])
    request = RequestView(capabilities=Capabilities(deferred_tools=by_reference))
    one_session = Definitions()

    def part(definitions: Definitions) -> bytes:
        view = plan_view(
            pool, Deferral(is_on=True), request.capabilities, definitions.size_of, ("A",)
        )
        return definitions.tools_part(view, request)

    first = part(one_session)

    assert [part(one_session) for _ in range(times)] == [first] * times
    assert part(Definitions()) == first
    assert len(parsed(first)) == len({str(one["name"]) for one in parsed(first)})


@given(described_pools(), st.data())
def test_appending_a_revealed_tool_changes_no_byte_before_it(
    tools: list[AnyTool], data: st.DataObject
) -> None:
    pool = assemble([*tools, SEARCH])
    order = data.draw(st.permutations(names(pool.mcp)))
    definitions = Definitions()

    def part(revealed: Sequence[str]) -> bytes:
        view = plan_view(
            pool,
            Deferral(is_on=True),
            REQUEST.capabilities,
            definitions.size_of,
            tuple(revealed),
        )
        return definitions.tools_part(view, REQUEST)

    parts = [part(order[:count]) for count in range(len(order) + 1)]

    for before, after in pairwise(parts):
        assert after.startswith(before.removesuffix(b"]"))


@given(described_pools(), described_pools(), st.booleans())
def test_tools_that_servers_add_change_no_byte_up_to_the_breakpoint(
    tools: list[AnyTool], added: list[AnyTool], by_reference: bool
) -> None:
    own = [tool for tool in tools if tool.mcp is None]
    for index, tool in enumerate(own):
        tool.should_defer = index % 2 == 0
    served = [tool for tool in added if tool.mcp is not None]
    capabilities = Capabilities(deferred_tools=by_reference, context_tokens=300)
    definitions = Definitions()

    def part(mcp: list[AnyTool]) -> bytes:
        pool = assemble([*own, SEARCH], mcp)
        view = plan_view(
            pool, Deferral(is_on=True), capabilities, definitions.size_of, expects_mcp=True
        )
        return definitions.tools_part(view, replace(REQUEST, capabilities=capabilities))

    without, with_servers = part([]), part(served)

    assert before_the_breakpoint(with_servers) == before_the_breakpoint(without)
    assert with_servers.count(BREAKPOINT) == 1


@given(st.text(st.characters(), max_size=30))
def test_any_description_gives_json_that_a_strict_reader_takes(description: str) -> None:
    part = Definitions().tools_part(View((MadeUp("Read", description),)), REQUEST)

    text = part.decode("utf-8")  # raises if a lone surrogate was let through
    pairs_joined = description.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    assert json.loads(text)[0]["description"] == pairs_joined
    assert b"\\ud" not in part.replace(b"\\\\", b"")


def test_half_a_character_becomes_the_sign_for_an_unreadable_one_wherever_it_stands() -> None:
    schema = {"properties": {"path": {"type": "string", "description": "b\udfffc"}}}
    tool = MadeUp("Read", "a\ud800", input_schema=schema)

    assert written(View((tool,))) == [
        {
            "name": "Read",
            "description": "a\ufffd",
            "input_schema": {
                "type": "object",
                "properties": {"path": {"type": "string", "description": "b\ufffdc"}},
            },
            "cache_control": {"type": "ephemeral"},
        }
    ]
