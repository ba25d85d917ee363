"""Which tools a request carries whole, which it only names, and which it hides."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gantlet.messages import Capabilities
from gantlet.pool import Deferral, Pool, View, assemble, plan_view
from gantlet.tool import AnyTool, McpIdentity
from pool.made_up_tools import MadeUp, names, of_server, pools_of

OFF = Deferral(is_on=False)
ON = Deferral(is_on=True)
AUTO = Deferral(is_on=True, mcp_percent=10)
APPENDS = Capabilities(context_tokens=1_000)
REFERS = Capabilities(context_tokens=1_000, deferred_tools=True)

SEARCH = MadeUp("ToolSearch", always_load=True)
READ = MadeUp("Read")
RARE = MadeUp("Rare", should_defer=True)
LOG, PUSH = of_server("git", "log"), of_server("git", "push")


class SizeOf:
    """Says how long definitions are, and counts how often it was asked."""

    def __init__(self, chars: int) -> None:
        self.chars = chars
        self.asked = 0

    def __call__(self, tool: AnyTool) -> int:
        self.asked += 1
        return self.chars


def test_by_default_every_tool_of_a_server_is_deferred() -> None:
    pool = assemble([READ, SEARCH], [LOG, PUSH])

    assert plan_view(pool, ON, APPENDS, SizeOf(1)) == View((READ, SEARCH), deferred=(LOG, PUSH))
    assert plan_view(pool, ON, REFERS, SizeOf(1)) == View(
        (READ, SEARCH), deferred=(LOG, PUSH), by_reference=True
    )


def test_nothing_is_measured_where_nothing_depends_on_the_size() -> None:
    size_of = SizeOf(1)

    plan_view(assemble([READ, SEARCH], [LOG]), ON, APPENDS, size_of)

    assert size_of.asked == 0


def test_switched_off_nothing_is_deferred_and_there_is_nothing_to_search() -> None:
    pool = assemble([READ, RARE, SEARCH], [LOG])

    assert plan_view(pool, OFF, REFERS, SizeOf(9_999)) == View((RARE, READ), (LOG,))


def test_a_tool_that_must_be_loaded_is_never_deferred() -> None:
    own = MadeUp("Own", always_load=True, should_defer=True)
    served = of_server("git", "status", always_load=True)
    pool = assemble([own, SEARCH], [LOG, served])

    assert plan_view(pool, ON, APPENDS, SizeOf(9_999)) == View(
        (own, SEARCH), (served,), deferred=(LOG,)
    )


@pytest.mark.parametrize(
    ("chars", "is_deferred"),
    [(116, False), (117, True)],  # three own tools, 1,000 tokens, 3.5 characters each, 10 percent
)
def test_own_tools_that_may_wait_join_once_own_definitions_take_a_tenth_of_the_context(
    chars: int, is_deferred: bool
) -> None:
    pool = assemble([READ, RARE, SEARCH], [LOG])

    view = plan_view(pool, ON, APPENDS, SizeOf(chars))

    assert view.deferred == ((RARE, LOG) if is_deferred else (LOG,))
    assert view.own == ((READ, SEARCH) if is_deferred else (RARE, READ, SEARCH))


def test_tools_of_servers_never_move_our_own_tools_out_of_the_prefix() -> None:
    few = assemble([READ, RARE, SEARCH], [LOG])
    many = assemble(
        [READ, RARE, SEARCH], [of_server("git", f"tool{index}") for index in range(500)]
    )

    views = [plan_view(pool, ON, APPENDS, SizeOf(116)) for pool in (few, many)]

    assert [view.own for view in views] == [(RARE, READ, SEARCH)] * 2


@pytest.mark.parametrize(("chars", "is_deferred"), [(87, False), (88, True)])
def test_by_auto_tools_of_servers_wait_once_all_definitions_take_a_tenth_of_the_context(
    chars: int, is_deferred: bool
) -> None:
    pool = assemble([READ, SEARCH], [LOG, PUSH])

    view = plan_view(pool, AUTO, APPENDS, SizeOf(chars))

    expected = View((READ, SEARCH), deferred=(LOG, PUSH))
    assert view == (expected if is_deferred else View((READ, SEARCH), (LOG, PUSH)))


def test_the_share_can_be_chosen() -> None:
    pool = assemble([READ, RARE, SEARCH], [LOG])
    generous = Deferral(is_on=True, mcp_percent=100, own_percent=100)
    stingy = Deferral(is_on=True, mcp_percent=0, own_percent=0)

    assert plan_view(pool, generous, APPENDS, SizeOf(800)).deferred == ()
    assert plan_view(pool, stingy, APPENDS, SizeOf(1)).deferred == (RARE, LOG)


def test_a_model_without_a_context_is_no_reason_to_fail() -> None:
    pool = assemble([RARE, SEARCH])

    view = plan_view(pool, ON, Capabilities(context_tokens=0), SizeOf(1))

    assert view.deferred == (RARE,)


def test_the_search_is_shown_only_where_something_may_be_deferred() -> None:
    assert plan_view(assemble([READ, SEARCH]), ON, REFERS, SizeOf(1)) == View((READ,))
    assert plan_view(assemble([RARE, SEARCH]), ON, REFERS, SizeOf(1)) == View(
        (RARE, SEARCH), by_reference=True
    )


def test_the_search_stays_while_servers_are_expected() -> None:
    pool = assemble([READ, SEARCH])

    waiting = plan_view(pool, ON, APPENDS, SizeOf(1), expects_mcp=True)
    arrived = plan_view(assemble([READ, SEARCH], [LOG]), ON, APPENDS, SizeOf(1), expects_mcp=True)

    assert waiting == View((READ, SEARCH))
    assert arrived.own == waiting.own
    assert plan_view(pool, OFF, APPENDS, SizeOf(1), expects_mcp=True) == View((READ,))


def test_without_the_search_in_the_pool_nothing_is_deferred() -> None:
    pool = assemble([READ, RARE], [LOG])

    assert plan_view(pool, ON, REFERS, SizeOf(9_999)) == View((RARE, READ), (LOG,))


def test_a_servers_tool_that_calls_itself_the_search_is_not_the_search() -> None:
    impostor = MadeUp("ToolSearch", mcp=McpIdentity("evil", "ToolSearch"))
    pool = assemble([READ], [impostor, LOG])

    assert plan_view(pool, ON, REFERS, SizeOf(9_999)) == View((READ,), (impostor, LOG))


def test_the_search_itself_is_never_deferred() -> None:
    search = MadeUp("ToolSearch", should_defer=True)

    view = plan_view(assemble([search], [LOG]), ON, REFERS, SizeOf(9_999))

    assert view == View((search,), deferred=(LOG,), by_reference=True)


def test_a_hidden_tool_is_never_shown_or_announced_but_can_be_called() -> None:
    old, served = MadeUp("Old", hidden=True), of_server("git", "old", hidden=True)
    pool = assemble([old, SEARCH], [served, LOG])

    for deferral in (ON, OFF):
        view = plan_view(pool, deferral, APPENDS, SizeOf(1))

        assert {old, served}.isdisjoint(view.loaded + view.deferred)
    assert (pool.find("Old"), pool.find("mcp__git__old")) == (old, served)


def test_a_hidden_search_finds_nothing_so_nothing_is_deferred() -> None:
    pool = assemble([MadeUp("ToolSearch", hidden=True)], [LOG])

    assert plan_view(pool, ON, APPENDS, SizeOf(1)) == View((), (LOG,))


def test_revealed_tools_are_appended_in_the_order_they_were_found() -> None:
    pool = assemble([READ, SEARCH], [LOG, PUSH, of_server("a", "first")])

    view = plan_view(pool, ON, APPENDS, SizeOf(1), ("mcp__git__push", "gone", "mcp__a__first"))

    assert names(view.appended) == ["mcp__git__push", "mcp__a__first"]
    assert names(view.deferred) == ["mcp__git__log"]
    assert (view.own, view.mcp) == ((READ, SEARCH), ())


def test_where_the_api_reveals_by_reference_nothing_is_appended() -> None:
    pool = assemble([READ, SEARCH], [LOG, PUSH])

    view = plan_view(pool, ON, REFERS, SizeOf(1), ("mcp__git__push",))

    assert view == View((READ, SEARCH), deferred=(LOG, PUSH), by_reference=True)


def test_more_deferred_tools_than_the_api_takes_are_revealed_by_appending() -> None:
    crowd = [of_server("srv", f"tool{index:05}") for index in range(10_001)]
    at_limit, above = assemble([SEARCH], crowd[1:]), assemble([SEARCH], crowd)

    assert plan_view(at_limit, ON, REFERS, SizeOf(1)).by_reference
    view = plan_view(above, ON, REFERS, SizeOf(1), ("mcp__srv__tool00007",))
    assert not view.by_reference
    assert names(view.appended) == ["mcp__srv__tool00007"]


def test_the_announcement_names_what_is_deferred_one_name_a_line() -> None:
    view = View((SEARCH,), appended=(PUSH,), deferred=(RARE, LOG))

    assert view.announcement == (
        "These tools exist but are not loaded. Load what you need with ToolSearch:\n"
        "Rare\n"
        "mcp__git__log"
    )


def test_where_nothing_is_deferred_nothing_is_announced() -> None:
    assert View((READ, SEARCH), (LOG,), (PUSH,)).announcement == ""


deferrals = st.builds(
    Deferral,
    is_on=st.booleans(),
    mcp_percent=st.sampled_from([0, 10]),
    own_percent=st.sampled_from([0, 10]),
)
any_capabilities = st.builds(
    Capabilities, deferred_tools=st.booleans(), context_tokens=st.sampled_from([10, 200_000])
)


@given(pools_of(), deferrals, any_capabilities, st.booleans(), st.data())
def test_every_tool_is_shown_exactly_once_except_a_search_that_is_not_needed(
    tools: list[AnyTool],
    deferral: Deferral,
    capabilities: Capabilities,
    expects_mcp: bool,
    data: st.DataObject,
) -> None:
    pool: Pool = assemble([*tools, SEARCH])
    revealed = data.draw(st.lists(st.sampled_from(names(pool.tools)), max_size=4))

    view = plan_view(
        pool, deferral, capabilities, SizeOf(50), tuple(revealed), expects_mcp=expects_mcp
    )

    shown = [*view.loaded, *view.deferred]
    assert len(shown) == len(set(shown))
    assert set(pool) - set(shown) <= {SEARCH}
    assert SEARCH in view.own or not (view.deferred or view.appended)
    assert view.own == tuple(tool for tool in pool.own if tool in view.own)
