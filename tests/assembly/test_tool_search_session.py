"""ToolSearch as a model meets it: through a session's toolbox and the real tool."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assembly.search_session import (
    APPENDS,
    CELL,
    CHANNELS,
    HEADING,
    ISSUE,
    REFERS,
    SEND,
    SERVED,
    found,
    references,
    searched,
    sent,
    toolbox,
)
from gantlet.assembly import open_toolbox
from gantlet.messages import Text
from gantlet.tool import Invalid, RequestView, parse
from pool.made_up_tools import MadeUp, here, names, of_server


async def test_tools_are_loaded_by_name_in_the_order_asked_for() -> None:
    answer = await searched(toolbox(), "select:mcp__slack__send_message,mcp__github__createIssue")

    assert answer == references(SEND, ISSUE)


@pytest.mark.parametrize(
    "query",
    [
        "select:mcp__slack__send_message",
        "SELECT: MCP__slack__Send_Message ",
        "  select:,mcp__slack__send_message,, mcp__slack__send_message,",
    ],
)
async def test_a_selection_does_not_mind_letters_spaces_and_repetition(query: str) -> None:
    assert await searched(toolbox(), query) == references(SEND)


async def test_a_selection_by_name_is_not_cut_by_the_number_of_results() -> None:
    names_of_all = ",".join(tool.name for tool in SERVED)

    answer = await searched(toolbox(), f"select:{names_of_all}", max_results=1)

    assert answer == references(*SERVED)


async def test_a_tool_is_selected_and_found_by_an_older_name() -> None:
    renamed = of_server("jobs", "stop", aliases=("KillShell",))
    box = toolbox(renamed, SEND)

    assert await searched(box, "select:KillShell") == references(renamed)
    assert await searched(box, "killshell") == references(renamed)
    assert await searched(box, "+kill") == references(renamed)
    assert box.catalog.revealed == (renamed.name,)


async def test_a_tool_that_is_loaded_already_is_named_as_such() -> None:
    box = toolbox()

    assert await searched(box, "select:Alpha,ToolSearch") == "Already loaded: Alpha, ToolSearch."
    assert await searched(box, f"select:Alpha,{SEND.name}") == (
        *references(SEND),
        Text("Already loaded: Alpha."),
    )


async def test_an_unknown_name_is_answered_with_the_nearest_ones() -> None:
    answer = await searched(
        toolbox(), f"select:{SEND.name},mcp__slack__send_mesage,zzz,mcp__github__create_issue"
    )

    assert answer == (
        *references(SEND),
        Text(
            "No tool is named 'mcp__slack__send_mesage'. Nearest: mcp__slack__send_message,"
            " mcp__slack__list_channels.\n"
            "No tool is named 'zzz'. Search with other words.\n"
            "No tool is named 'mcp__github__create_issue'. Nearest: mcp__github__createIssue."
        ),
    )


async def test_a_flood_of_unknown_names_is_answered_in_a_few_lines() -> None:
    crowd = [of_server("srv", f"tool{index}") for index in range(3_000)]

    answer = await searched(toolbox(*crowd), "select:" + ",".join(f"{n:x}?" for n in range(120)))

    assert isinstance(answer, str)
    lines = answer.splitlines()
    assert lines[0] == "No tool is named '0?'. Search with other words."
    assert (len(lines), lines[-1]) == (6, "115 more names are unknown.")


@pytest.mark.parametrize("max_results", [0, -1, 51, 10**9])
def test_a_number_of_results_out_of_bounds_is_no_valid_input(max_results: int) -> None:
    tool = toolbox().pool.find("ToolSearch")
    assert tool is not None

    assert isinstance(parse(tool, {"query": "x", "max_results": max_results}), Invalid)


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ("quux", "'quux'"),
        ("+", "'+'"),
        ("+ ++ +++", "'+ ++ +++'"),
        (",,,", "',,,'"),
        ("select:", "'select:'"),
        ("select: , ,", "'select: , ,'"),
        (".*", "'.*'"),
        ("(((((a+)+)+)+)+$", "'(((((a+)+)+)+)+$'"),
        ("[^", "'[^'"),
        ("日本語 ünïcödé", "'日本語 ünïcödé'"),
        ("a\x1b[31mred\x07\x00", "'a\\x1b[31mred\\x07\\x00'"),
        ("evil\u202etxt\u2028", "'evil\\u202etxt\\u2028'"),
        ("half \ud800", "'half \\ud800'"),
        (" ", "' '"),
    ],
)
def test_an_odd_query_finds_nothing_and_does_not_come_back_raw(query: str, shown: str) -> None:
    answer = toolbox().catalog.look_up(query, 5)

    assert answer == (f"Nothing fits {shown} among 4 deferred tools. Try fewer or other words.")


def test_a_query_of_any_length_is_cut_before_it_is_read_and_before_it_is_shown() -> None:
    box = toolbox()

    answers = [box.catalog.look_up(query, 5) for query in ("q" * 10_000, "q " * 5_000)]

    for answer in answers:
        assert isinstance(answer, str)
        assert answer.startswith("Nothing fits 'q")
        assert len(answer) < 300
    tool = box.pool.find("ToolSearch")
    assert tool is not None
    assert isinstance(parse(tool, {"query": "q" * 10_000}), Invalid)


@given(st.text(st.characters(), max_size=60), st.integers(1, 50))
def test_no_query_is_an_error_and_none_finds_what_is_not_there(query: str, count: int) -> None:
    box = toolbox()

    answer = box.catalog.look_up(query, count)

    assert set(box.catalog.revealed) <= set(names(SERVED))
    if isinstance(answer, str):
        assert answer.replace("\n", "").isprintable()


async def test_where_the_api_takes_references_they_are_the_answer_and_nothing_is_appended() -> None:
    box = toolbox(request=REFERS)
    before = box.for_request(REFERS).tools_part

    answer = await searched(box, "bug")

    assert answer == references(ISSUE)
    assert box.for_request(REFERS).tools_part == before


async def test_where_the_api_takes_no_references_the_answer_is_the_whole_definitions() -> None:
    box = toolbox(request=APPENDS)

    answer = await searched(box, f"select:{ISSUE.name},nope")

    definition = {
        "name": ISSUE.name,
        "description": "Open a ticket.",
        "input_schema": {"type": "object", "properties": {}},
    }
    assert answer == "\n".join(
        [
            HEADING,
            json.dumps(definition),
            "No tool is named 'nope'. Search with other words.",
        ]
    )


async def test_what_is_found_is_appended_to_the_next_request_in_the_order_found() -> None:
    box = toolbox(request=APPENDS)
    before = box.for_request(APPENDS)

    await searched(box, f"select:{SEND.name},{CELL.name}")
    await searched(box, "bug notebook")
    await searched(box, f"select:{SEND.name}")

    after = box.for_request(APPENDS)
    assert names(after.view.appended) == [SEND.name, CELL.name, ISSUE.name]
    assert after.tools_part.startswith(before.tools_part.removesuffix(b"]"))
    assert after.announcement == (
        "These tools exist but are not loaded. Load what you need with ToolSearch:\n"
        "mcp__slack__list_channels"
    )


async def test_all_that_is_found_in_one_turn_joins_at_once_and_later_finds_stand_behind() -> None:
    box = toolbox(request=APPENDS)
    own = ["Alpha", "Beta", "ToolSearch"]

    await searched(box, f"select:{SEND.name}")
    await searched(box, f"select:{CHANNELS.name}")
    first = sent(box, APPENDS)
    await searched(box, f"select:{ISSUE.name}")
    second = sent(box, APPENDS)

    assert first == [*own, SEND.name, CHANNELS.name]
    assert second == [*own, SEND.name, CHANNELS.name, ISSUE.name]
    assert sent(box, APPENDS) == second


async def test_a_revealed_tool_counts_as_loaded_once_the_next_request_carries_it() -> None:
    box = toolbox(request=APPENDS)

    first = await searched(box, f"select:{SEND.name}")
    again = await searched(box, f"select:{SEND.name}")
    box.for_request(APPENDS)
    later = await searched(box, f"select:{SEND.name}")

    assert first == again
    assert later == f"Already loaded: {SEND.name}."
    assert await searched(box, "post") == (
        "Nothing fits 'post' among 3 deferred tools. Try fewer or other words."
    )


def test_a_deferred_tool_that_is_called_by_its_exact_name_is_revealed() -> None:
    box = toolbox(request=APPENDS)

    for name in (ISSUE.name, "Alpha", "nope", SEND.name.upper()):
        box.catalog.reveal(name)

    assert box.catalog.revealed == (ISSUE.name,)
    assert sent(box, APPENDS) == ["Alpha", "Beta", "ToolSearch", ISSUE.name]
    assert box.pool.find(ISSUE.name) is ISSUE


async def test_a_tool_that_cannot_be_written_is_not_referred_to() -> None:
    broken = of_server("slack", "broken", input_schema={"type": "array"})
    remark = (
        "mcp__slack__broken cannot be loaded: The input schema's type is 'array', not 'object'."
        " Use another tool."
    )

    assert await searched(toolbox(broken), "broken") == remark
    assert await searched(toolbox(broken, SEND), "slack") == (*references(SEND), Text(remark))
    box = toolbox(broken, request=APPENDS)
    assert await searched(box, f"select:{broken.name}") == remark
    assert box.catalog.revealed == ()


async def test_a_tool_that_cannot_describe_itself_is_still_found_by_its_name() -> None:
    class Mute(MadeUp):
        def describe(self, request: RequestView) -> str:
            raise RuntimeError("no words")

    mute = Mute("mcp__srv__mute", mcp=SEND.mcp)

    assert await found([mute, SEND], "mute") == [mute.name]
    assert await found([mute, SEND], "channel") == [SEND.name]


async def test_a_hidden_tool_is_not_found() -> None:
    hidden = of_server("slack", "old_send", hidden=True)

    assert await found([hidden, SEND], "send") == [SEND.name]
    assert await found([hidden, SEND], f"select:{hidden.name}") == []


def test_before_the_first_request_there_is_nothing_to_find() -> None:
    box = open_toolbox(mcp=SERVED, environment=here())

    assert box.catalog.look_up("slack", 5) == (
        "Nothing fits 'slack' among 0 deferred tools. Try fewer or other words."
    )
