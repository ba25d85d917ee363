"""Which tools a search finds, and in which order."""

import pytest

from assembly.search_session import (
    CELL,
    CHANNELS,
    ISSUE,
    REFERS,
    SEND,
    SERVED,
    found,
    references,
    searched,
)
from gantlet.assembly import open_toolbox
from gantlet.tool import AnyTool
from pool.made_up_tools import MadeUp, here, names, of_server


async def test_words_find_tools_by_name_hint_and_description() -> None:
    assert await found(SERVED, "slack") == [CHANNELS.name, SEND.name]
    assert await found(SERVED, "notebook") == [CELL.name]
    assert await found(SERVED, "ticket") == [ISSUE.name]
    assert await found(SERVED, "NoteBook, Ticket") == [CELL.name, ISSUE.name]


async def test_a_word_of_the_name_counts_more_than_a_piece_than_the_hint_than_the_description() -> (
    None
):
    ranked: list[AnyTool] = [
        of_server("z", "task"),
        of_server("z", "taskwork"),
        of_server("z", "multitask"),
        of_server("z", "h1", search_hint="a task to do"),
        of_server("z", "h2", search_hint="multitasking"),
        of_server("z", "d1", description="Do a task."),
        of_server("z", "d2", description="For multitasking."),
    ]

    assert await found(ranked[::-1], "task", 10) == names(ranked)


async def test_a_tool_that_fits_more_of_the_words_comes_first() -> None:
    assert (await found(SERVED, "slack message"))[0] == SEND.name
    assert (await found(SERVED, "create bug"))[0] == ISSUE.name


@pytest.mark.parametrize(
    "query",
    ["mcp__a__run", "MCP__A__RUN", "mcp a run", "+mcp__a__run", "mcp +a run"],
)
async def test_the_tool_of_exactly_that_name_comes_first(query: str) -> None:
    others = [of_server("a", word, aliases=("mcp__a__run_all",)) for word in ("a_run", "and_run")]
    exact = of_server("a", "run")

    assert (await found([*others, exact], query))[0] == exact.name


async def test_ties_are_broken_by_name() -> None:
    tied: list[AnyTool] = [of_server("srv", f"make_{letter}") for letter in "dbca"]

    assert await found(tied, "make") == [f"mcp__srv__make_{letter}" for letter in "abcd"]


async def test_own_tools_stand_among_those_of_servers_by_name() -> None:
    own = MadeUp("zz_make", should_defer=True)
    served = of_server("srv", "make")
    box = open_toolbox([own], [served], environment=here(ENABLE_TOOL_SEARCH="auto:0"))
    box.for_request(REFERS)

    assert await searched(box, "make") == references(served, own)


async def test_a_word_with_a_plus_must_be_part_of_the_name() -> None:
    assert await found(SERVED, "+slack message") == [SEND.name, CHANNELS.name]
    assert await found(SERVED, "+slack +send ticket") == [SEND.name]
    assert await found(SERVED, "++slack, +list") == [CHANNELS.name]
    assert await found(SERVED, "+ticket") == []
    assert await found(SERVED, "+slack +github") == []


async def test_a_word_that_is_said_twice_counts_once() -> None:
    by_name, by_text = of_server("a", "merge"), of_server("b", "x", description="merge or mend")

    order = await found([by_name, by_text], "mend merge merge merge +merge")

    assert order == [by_name.name]
    assert await found([by_name, by_text], "mend mend mend mend mend mend merge") == [
        by_name.name,
        by_text.name,
    ]


async def test_small_words_count_only_where_there_is_no_other() -> None:
    vague = of_server("srv", "thing", description="The list of the things, for a friend.")

    assert await found([*SERVED, vague], "the name of a bug") == [ISSUE.name, CHANNELS.name]
    assert await found([*SERVED, vague], "for the") == [vague.name, CHANNELS.name]


async def test_a_description_that_is_no_text_does_not_stop_the_search() -> None:
    odd = of_server("srv", "odd", description=lambda request: 5)

    assert await found([odd, SEND], "channel") == [SEND.name]
    assert await found([odd, SEND], "odd") == [odd.name]


async def test_the_number_of_results_is_bounded() -> None:
    crowd: list[AnyTool] = [of_server("srv", f"tool{index:03}") for index in range(80)]

    assert await found(crowd, "tool") == names(crowd[:5])
    assert await found(crowd, "tool", 1) == names(crowd[:1])
    assert await found(crowd, "tool", 50) == names(crowd[:50])


async def test_only_the_first_words_of_a_flood_of_them_count() -> None:
    flood = " ".join(f"w{index}" for index in range(20))

    assert await found(SERVED, f"{flood} slack") == []
    assert await found(SERVED, f"slack {flood}") == [CHANNELS.name, SEND.name]
