"""Which tools come into the pool, and in which order."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gantlet import Pool, assemble
from gantlet.system import Environment
from gantlet.tool import AnyTool, McpIdentity, Problem
from pool.made_up_tools import MadeUp, names, of_server, pools_of, tool_names


def test_own_tools_come_first_then_those_of_servers_each_sorted_by_name() -> None:
    own = [MadeUp("Write"), MadeUp("Bash"), MadeUp("zip")]
    served = [of_server("slack", "send"), of_server("git", "log")]

    pool = assemble(own, served)

    assert names(pool.own) == ["Bash", "Write", "zip"]
    assert names(pool.mcp) == ["mcp__git__log", "mcp__slack__send"]
    assert names(pool.tools) == names(list(pool)) == names(pool.own) + names(pool.mcp)
    assert len(pool) == 5


@given(st.lists(tool_names, unique=True, max_size=8).flatmap(st.permutations), st.data())
def test_the_order_does_not_depend_on_the_order_of_the_input(
    shuffled: list[str], data: st.DataObject
) -> None:
    own = [MadeUp(name) for name in shuffled]
    served = [of_server("srv", f"tool{index}") for index in range(len(shuffled))]

    pool = assemble(own, served)
    again = assemble(data.draw(st.permutations(own)), data.draw(st.permutations(served)))

    assert pool.tools == again.tools
    assert pool.problems == ()


@given(pools_of())
def test_a_name_is_borne_once_by_an_own_tool_if_there_is_one_else_by_the_first(
    tools: list[AnyTool],
) -> None:
    pool = assemble(tools)

    own_first = [tool for tool in tools if not tool.mcp] + [tool for tool in tools if tool.mcp]
    bearers: dict[str, AnyTool] = {}
    for tool in own_first:
        bearers.setdefault(tool.name, tool)
    assert set(pool) == set(bearers.values())
    assert len(pool.problems) == len(tools) - len(bearers)


def test_a_second_tool_of_a_name_is_left_out_with_a_problem() -> None:
    first, second = MadeUp("Same"), MadeUp("Same")
    served = MadeUp("Same", mcp=McpIdentity("srv", "Same"))

    pool = assemble([first, second], [served])

    taken = Problem("Same", "another tool has this name already")
    assert pool == Pool((first,), (), (taken, taken))


def test_a_tool_with_an_identity_counts_as_a_servers_whichever_way_it_was_handed_over() -> None:
    plain, served = MadeUp("Plain"), of_server("srv", "tool")

    pool = assemble([served], [plain])

    assert pool == Pool((plain,), (served,))


DENIALS = [
    ("Bash", ["Bash"]),
    ("Bash(*)", ["Bash"]),
    ("Bash()", ["Bash"]),
    ("Task", ["Agent"]),  # an alias
    ("mcp__git", ["mcp__git__log", "mcp__git__push"]),
    ("mcp__git__*", ["mcp__git__log", "mcp__git__push"]),
    ("mcp__git__push", ["mcp__git__push"]),
    ("mcp__*", ["mcp__git__log", "mcp__git__push", "mcp__slack__send"]),
    ("*__push", ["mcp__git__push"]),
    ("*", ["Agent", "Bash", "mcp__git__log", "mcp__git__push", "mcp__slack__send"]),
    ("Bash(rm *)", []),
    ("Agent(explore)", []),
    ("mcp__gi", []),
    ("bash", []),
    ("", []),
]


@pytest.mark.parametrize(("rule", "missing"), DENIALS)
def test_a_deny_rule_takes_away_exactly_the_tools_it_names_as_a_whole(
    rule: str, missing: list[str]
) -> None:
    tools = [
        MadeUp("Agent", aliases=("Task",)),
        MadeUp("Bash"),
        of_server("git", "log"),
        of_server("git", "push"),
        of_server("slack", "send"),
    ]

    pool = assemble(tools, denied=[rule])

    assert pool.tools == tuple(tool for tool in tools if tool.name not in missing)
    assert pool.problems == ()


@pytest.mark.parametrize("rule", ["mcp__my_files", "mcp__my files", "mcp__my_files__*", "read-it"])
def test_a_rule_finds_a_servers_tool_whose_name_does_not_say_where_it_is_from(rule: str) -> None:
    tool = MadeUp("read-it", mcp=McpIdentity("my files", "read it"))

    pool = assemble([tool], denied=[rule])

    assert pool.tools == ()


def test_a_single_deny_rule_that_is_no_list_still_denies() -> None:
    pool = assemble([MadeUp("Bash"), MadeUp("Read")], denied="Bash")

    assert names(pool.tools) == ["Read"]


def test_a_denied_tool_leaves_its_name_to_nobody_else() -> None:
    pool = assemble([MadeUp("Bash")], [MadeUp("Bash", mcp=McpIdentity("s", "t"))], denied=["Bash"])

    assert pool == Pool()


def test_a_tool_exists_only_while_the_flag_it_requires_is_on() -> None:
    cron = MadeUp("CronCreate", requires_flag="scheduling")

    assert assemble([cron], environment=Environment()).tools == ()
    assert assemble([cron], environment=Environment(flags=frozenset({"scheduling"}))).own == (cron,)


def test_a_tool_does_not_exist_while_the_flag_that_hides_it_is_on() -> None:
    grep = MadeUp("Grep", hidden_by_flag="embedded_search")

    assert assemble([grep], environment=Environment()).own == (grep,)
    hidden = assemble([grep], environment=Environment(flags=frozenset({"embedded_search"})))
    assert hidden == Pool()


class NeedsWindows(MadeUp):
    """A tool that looks at where it runs."""

    def is_enabled(self, environment: Environment) -> bool:
        return environment.platform == "win32" and environment.is_set("SHELL_ON")


def test_a_tool_decides_by_the_environment_whether_it_exists() -> None:
    tool = NeedsWindows("PowerShell")
    windows = Environment("win32", {"SHELL_ON": "1"})

    assert assemble([tool], environment=windows).own == (tool,)
    assert assemble([tool], environment=Environment("linux", {"SHELL_ON": "1"})) == Pool()


class Raising(MadeUp):
    """A tool that fails when it is asked whether it exists."""

    def is_enabled(self, environment: Environment) -> bool:
        raise RuntimeError("who knows")


class UnspeakableError(Exception):
    """An error that cannot even be shown."""

    def __repr__(self) -> str:
        raise ValueError("no")


class RaisingUnspeakably(MadeUp):
    """A tool whose failure fails when it is shown."""

    def is_enabled(self, environment: Environment) -> bool:
        raise UnspeakableError


class Nameless(MadeUp):
    """A tool whose name cannot be read."""

    @property
    def name(self) -> str:
        raise RuntimeError("no name")

    @name.setter
    def name(self, value: str) -> None:
        pass


class Timid(MadeUp):
    """A tool that fails when it is asked whether it may be deferred."""

    @property
    def should_defer(self) -> bool:  # type: ignore[override]  # what a stranger may write
        raise OSError("not now")


class Elsewhere:
    """An attribute that a class has, and its tools cannot give."""

    def __get__(self, tool: object, kind: type) -> bool:
        if tool is not None:
            raise OSError("not here")
        return False


class Aloof(MadeUp):
    """A tool that fails when it is asked whether it is strict, though its class answers."""

    strict = Elsewhere()


ILLEGAL = "its name is not 1 to 64 letters, digits, '_' or '-'"
ALIASES = "its aliases are not a list of names"
BAD_TOOLS: list[tuple[object, Problem]] = [
    (MadeUp(""), Problem("", ILLEGAL)),
    (MadeUp("two words"), Problem("two words", ILLEGAL)),
    (MadeUp("Bash\n"), Problem("'Bash\\n'", ILLEGAL)),
    (MadeUp("\x1b[31mred"), Problem("'\\x1b[31mred'", ILLEGAL)),
    (MadeUp("naïve"), Problem("naïve", ILLEGAL)),
    (MadeUp("x" * 65), Problem("x" * 65, ILLEGAL)),
    (MadeUp("x" * 5000), Problem("'" + "x" * 198 + "…", ILLEGAL)),
    (MadeUp("A", name=7), Problem("7", ILLEGAL)),
    (MadeUp("A", name=None), Problem("MadeUp", ILLEGAL)),
    (MadeUp("A", name=["A"]), Problem("['A']", ILLEGAL)),
    (Nameless("A"), Problem("Nameless", "asking about it failed: RuntimeError('no name')")),
    (Raising("A"), Problem("A", "asking about it failed: RuntimeError('who knows')")),
    (
        RaisingUnspeakably("A"),
        Problem("A", "asking about it failed: a UnspeakableError that cannot be shown"),
    ),
    (Timid("A"), Problem("A", "asking about it failed: OSError('not now')")),
    (Aloof("A"), Problem("A", "asking about it failed: OSError('not here')")),
    (MadeUp("A", aliases=None), Problem("A", ALIASES)),
    (MadeUp("A", aliases="Task"), Problem("A", ALIASES)),
    (MadeUp("A", aliases=[7]), Problem("A", ALIASES)),
    (MadeUp("A", search_hint=None), Problem("A", "its search_hint is not a text")),
    (
        MadeUp("A", mcp="server"),
        Problem(
            "A",
            "asking about it failed: AttributeError(\"'str' object has no attribute 'server'\")",
        ),
    ),
    (None, Problem("NoneType", "it is a NoneType, not a tool")),
    (MadeUp, Problem("type", "it is a type, not a tool")),
]


@pytest.mark.parametrize(("bad", "problem"), BAD_TOOLS)
def test_a_bad_tool_is_left_out_with_its_problem_and_takes_nobody_with_it(
    bad: AnyTool, problem: Problem
) -> None:
    good, served = MadeUp("Good"), of_server("srv", "good")

    pool = assemble([bad, good], [served], denied=["Nothing"])

    assert pool == Pool((good,), (served,), (problem,))


@pytest.mark.parametrize("name", ["a\nb", "\n", "a\n", "", "x" * 65, "é", "a b", None, 7], ids=repr)
def test_a_bad_name_is_found_among_good_ones(name: object) -> None:
    bad = MadeUp("to be named")
    bad.name = name  # type: ignore[assignment]

    pool = assemble([MadeUp("First"), bad, MadeUp("Last")])

    assert names(pool.tools) == ["First", "Last"]
    assert [one.reason for one in pool.problems] == [
        "its name is not 1 to 64 letters, digits, '_' or '-'"
    ]


def test_any_number_of_bad_tools_is_survived() -> None:
    bad: list[object] = [tool for tool, _ in BAD_TOOLS]

    pool = assemble([*bad, MadeUp("Good"), *bad])  # type: ignore[list-item]  # what strangers give

    assert names(pool.tools) == ["Good"]
    assert len(pool.problems) == 2 * len(BAD_TOOLS)


def test_a_tool_is_found_by_its_name_and_by_its_aliases() -> None:
    agent = MadeUp("Agent", aliases=("Task", "Delegate"))
    pool = assemble([agent, MadeUp("Bash")])

    assert [pool.find(name) for name in ("Agent", "Task", "Delegate")] == [agent] * 3
    assert [pool.find(name) for name in ("agent", "T", "", "Nope")] == [None] * 4


def test_a_pool_made_by_hand_finds_its_tools_too() -> None:
    agent = MadeUp("Agent", aliases=("Task",))

    assert Pool((agent,)).find("Task") is agent


def test_an_alias_that_is_anothers_name_belongs_to_the_other() -> None:
    stop, kill = MadeUp("TaskStop", aliases=("KillShell",)), MadeUp("KillShell")

    pool = assemble([stop, kill])

    assert pool.find("KillShell") is kill
    assert pool.problems == (Problem("TaskStop", "its alias 'KillShell' belongs to KillShell"),)
    assert pool.own == (kill, stop)


def test_of_two_tools_with_one_alias_the_first_in_order_keeps_it() -> None:
    later, earlier = MadeUp("B", aliases=("Old",)), MadeUp("A", aliases=("Old",))
    served = of_server("srv", "tool", aliases=("Old",))

    pool = assemble([later, earlier], [served])

    assert pool.find("Old") is earlier
    assert pool.problems == (
        Problem("B", "its alias 'Old' belongs to A"),
        Problem("mcp__srv__tool", "its alias 'Old' belongs to A"),
    )


def test_a_part_of_a_pool_keeps_order_and_problems_and_finds_only_what_is_left() -> None:
    pool = assemble([MadeUp("C"), MadeUp("B", aliases=("Bee",)), MadeUp("A"), MadeUp("A")])

    part = pool.kept(lambda tool: tool.name != "B")

    assert names(part.tools) == ["A", "C"]
    assert (part.find("B"), part.find("Bee")) == (None, None)
    assert part.problems == pool.problems


@pytest.mark.parametrize(
    ("missed", "near"),
    [
        ("bash", ["Bash"]),
        ("Raed", ["Read"]),
        ("read_file", ["Read"]),
        ("TodoWritee", ["TodoWrite", "Write"]),
        ("mcp__git_log", ["mcp__git__log"]),
        ("", []),
        ("?", []),
        ("x" * 1_000_000, []),
    ],
)
def test_the_nearest_names_are_offered_for_a_call_that_missed(missed: str, near: list[str]) -> None:
    tools = [MadeUp(name) for name in ("Bash", "Read", "Write", "TodoWrite")]
    pool = assemble(tools, [of_server("git", "log")])

    assert pool.nearest(missed) == near


def test_the_nearest_names_are_the_same_in_a_crowd() -> None:
    crowd = [of_server(f"server{index % 50}", f"do_thing_{index}") for index in range(2_000)]
    pool = assemble([MadeUp("Read"), MadeUp("Write")], crowd)

    assert pool.nearest("Raed", count=1) == ["Read"]
    assert pool.nearest("mcp__server7__do_thng_1207", count=1) == ["mcp__server7__do_thing_1207"]


@given(st.text(max_size=100), st.lists(tool_names, unique=True, max_size=5))
def test_what_is_near_is_always_a_name_of_the_pool(missed: str, known: list[str]) -> None:
    near = assemble([MadeUp(name) for name in known]).nearest(missed)

    assert set(near) <= set(known)
    assert len(near) <= 3
