"""A session's tools, wired together."""

import json

from gantlet.assembly import Toolbox, open_toolbox
from gantlet.messages import Capabilities
from gantlet.pool import DEFAULT_FLAGS
from gantlet.system import Environment
from gantlet.tool import AnyTool, Ports, Problem, RequestView
from pool.made_up_tools import MadeUp, here, names, of_server

LOG, PUSH = of_server("git", "log"), of_server("git", "push")


def sent(box: Toolbox, request: RequestView | None = None) -> list[str]:
    """Return the names a request carries, in order."""
    part = json.loads(box.for_request(request or RequestView()).tools_part)
    return [one["name"] for one in part]


def built_in() -> list[str]:
    """Return the names of the tools that come with the program."""
    return names(open_toolbox(environment=here()).pool.own)


def test_the_built_in_tools_are_found_and_built() -> None:
    box = open_toolbox(environment=here())

    assert "ToolSearch" in names(box.pool.own)
    assert box.pool.own == tuple(sorted(box.pool.own, key=lambda tool: tool.name))
    assert box.pool.mcp == ()


def test_given_tools_stand_beside_the_built_in_ones() -> None:
    mine = MadeUp("Mine")

    box = open_toolbox([mine], [PUSH, LOG], environment=here())

    assert names(box.pool.own) == sorted([*built_in(), "Mine"])
    assert names(box.pool.mcp) == ["mcp__git__log", "mcp__git__push"]


def test_a_built_in_tool_keeps_its_name() -> None:
    box = open_toolbox([MadeUp("ToolSearch")], environment=here())

    assert not isinstance(box.pool.find("ToolSearch"), MadeUp)
    assert Problem("ToolSearch", "another tool has this name already") in box.problems


def test_every_problem_on_the_way_is_told() -> None:
    box = open_toolbox(
        [MadeUp("bad name")], environment=here(ENABLE_TOOL_SEARCH="perhaps"), selected="Nope"
    )

    assert box.problems[-3:] == (
        Problem("bad name", "its name is not 1 to 64 letters, digits, '_' or '-'"),
        Problem("Nope", "no tool has this name"),
        Problem(
            "ENABLE_TOOL_SEARCH",
            "its value 'perhaps' is none of true, false, auto, auto:N; it counts as unset",
        ),
    )


def test_a_chosen_list_leaves_only_its_tools_and_those_of_servers() -> None:
    box = open_toolbox([MadeUp("Mine")], [LOG], environment=here(), selected="Mine")

    assert names(box.pool.tools) == ["Mine", "mcp__git__log"]
    assert sent(box) == ["Mine", "mcp__git__log"]  # nothing is deferred that nobody could find


def test_a_denied_search_leaves_nothing_deferred() -> None:
    box = open_toolbox([], [LOG], environment=here(), denied=["ToolSearch"])

    assert "ToolSearch" not in sent(box)
    assert sent(box)[-1] == "mcp__git__log"
    assert box.for_request(RequestView()).announcement == ""


def test_deferral_follows_the_setting() -> None:
    served: list[AnyTool] = [LOG, PUSH]

    on = open_toolbox([], served, environment=here())
    off = open_toolbox([], served, environment=here(ENABLE_TOOL_SEARCH="false"))
    away = open_toolbox([], served, environment=here(ANTHROPIC_BASE_URL="http://localhost:1"))

    assert on.for_request(RequestView()).view.deferred == (LOG, PUSH)
    assert off.for_request(RequestView()).view.mcp == (LOG, PUSH)
    assert away.for_request(RequestView()).view.mcp == (LOG, PUSH)
    assert "ToolSearch" in sent(on)
    assert "ToolSearch" not in sent(off)


def test_servers_that_are_expected_keep_the_search_in_its_place() -> None:
    box = open_toolbox(environment=here(), expects_mcp=True)

    assert "ToolSearch" in sent(box)


def test_without_flags_nothing_is_strict_and_nothing_deferred() -> None:
    closed = {"type": "object", "properties": {}, "additionalProperties": False}
    mine = MadeUp("Mine", strict=True, input_schema=closed)
    request = RequestView(capabilities=Capabilities(strict_tools=True))

    plain = open_toolbox([mine], [LOG], environment=Environment()).for_request(request)
    usual = open_toolbox([mine], [LOG], environment=Environment(flags=DEFAULT_FLAGS))

    assert (plain.view.deferred, b'"strict"' in plain.tools_part) == ((), False)
    assert b'"strict"' in usual.for_request(request).tools_part


def test_each_session_reveals_for_itself() -> None:
    one, other = (open_toolbox([], [LOG], environment=here()) for _ in range(2))
    for box in (one, other):
        box.for_request(RequestView())

    one.catalog.reveal("mcp__git__log")

    assert (one.catalog.revealed, other.catalog.revealed) == (("mcp__git__log",), ())


def test_ports_of_the_program_are_handed_over() -> None:
    box = open_toolbox(environment=here(), ports=Ports())

    assert "ToolSearch" in names(box.pool.own)


def test_a_session_whose_model_changes_goes_on_with_what_was_revealed() -> None:
    refers = RequestView(capabilities=Capabilities(deferred_tools=True))
    box = open_toolbox([], [LOG, PUSH], environment=here())
    box.for_request(refers)

    box.catalog.reveal("mcp__git__push")

    assert box.for_request(refers).view.deferred == (LOG, PUSH)
    assert box.for_request(RequestView()).view.appended == (PUSH,)
    assert box.for_request(refers).view.deferred == (LOG, PUSH)
