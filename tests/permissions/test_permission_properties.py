"""What must hold for every call and every set of rules: nothing that is added ever loosens."""

from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from gantlet.permissions import PermissionContext, SubagentRequest
from gantlet.rules import Source, SourceKind, parse_rule
from gantlet.system import FileKind
from gantlet.tool import READS_ONLY, Allow, Ask, Covered, Deny, Mode, Proof, Traits
from permissions.permission_kit import (
    AGENT_TOOL,
    ALLOW,
    APP,
    ASK,
    DENY,
    EDIT_TOOL,
    FETCH_TOOL,
    GREP_TOOL,
    READ_TOOL,
    SERVER_TOOL,
    SHELL_TOOL,
    STRICTNESS,
    WRITE_TOOL,
    Judge,
    NamedTool,
    PaperEyes,
    context,
    with_rules,
)

RULES = st.sampled_from(
    [
        "Bash", "Bash(*)", "Bash(npm *)", "Bash(npm test)", "Bash(rm *)", "Bash(git push:*)",
        "Bash(*force*)", "Bash(cat *)", "Bash(run_in_background:true)", "Bash(sh *)", "Bash(rm",
        "Read", "Edit", "Write", "Read(.env)", "Read(src/**)", "Edit(src/**)", "Edit(//**)",
        "Read(//etc/**)", "Edit(~/x)", "Read(*.pem)", "Write(src/**)", "Read(!x)", "Edit(.ENV)",
        "WebFetch", "WebFetch(domain:a.test)", "WebFetch(domain:*.a.test)", "WebFetch(domain:)",
        "Agent", "Task(Explore)", "Agent(model:opus)", "mcp__db", "mcp__db__*", "mcp__*", "*",
        "(", "nonsense here", "Own(x)",
    ]
)  # fmt: skip
RULE_LISTS = st.lists(RULES, max_size=4)
COMMANDS = st.sampled_from(
    [
        "npm test", "npm install", "cat a.py", "cat .env", "cat /etc/passwd", "rm a.py", "rm -rf /",
        "git push --force", "git status", "echo hi > out.txt", "echo hi > /etc/x", "ls", "ls *.pem",
        "sh -c 'rm a'", "timeout 5 npm test", "FOO=1 npm test", "cd src && npm test", "true; ls",
        "echo $(npm test)", "eval $x", "for f in *; do npm test; done", "foo .env", "grep -r x .",
        "touch a", "mkdir -p src/x", "echo x > .git/config", "if true; then", "", "rm -rf src",
    ]
)  # fmt: skip
PATHS = st.sampled_from(
    [
        "a.py", ".env", "src/a.py", "/etc/passwd", "../x", "~/x", ".git/config", "key.pem", "link",
        "/dev/sda", ".claude/settings.json", "alias", "odd", "SRC/a.py",
    ]
)  # fmt: skip
CALLS: st.SearchStrategy[tuple[Any, dict[str, Any]]] = st.one_of(
    st.tuples(st.just(SHELL_TOOL), st.fixed_dictionaries({"command": COMMANDS})),
    st.tuples(
        st.sampled_from([READ_TOOL, EDIT_TOOL, WRITE_TOOL]),
        st.fixed_dictionaries({"file_path": PATHS}),
    ),
    st.tuples(st.just(GREP_TOOL), st.fixed_dictionaries({"pattern": st.just("x"), "path": PATHS})),
    st.tuples(
        st.just(FETCH_TOOL),
        st.fixed_dictionaries(
            {"url": st.sampled_from(["https://a.test/", "https://b.a.test/", "file:///x"])}
        ),
    ),
    st.tuples(
        st.sampled_from(
            [
                AGENT_TOOL,
                SERVER_TOOL,
                NamedTool("Own"),
                NamedTool("Look", READS_ONLY),
                NamedTool("Erase", Traits(destructive=True)),
            ]
        ),
        st.fixed_dictionaries(
            {"name": st.sampled_from(["Explore", "x"]), "model": st.sampled_from(["opus", "tiny"])}
        ),
    ),
)
EYES = PaperEyes(
    links={"/work/app/link": "/work/app/.env"},
    inodes={"/work/app/alias": (1, 2), "/work/app/.env": (1, 2)},
    kinds={"/work/app/odd": FileKind.UNKNOWN},
    below={APP: ("/work/app/.env", "/work/app/alias", "/work/app/key.pem")},
)
MODES = st.sampled_from(Mode)
VOTES = st.sampled_from(
    [None, Deny("no"), Ask("sure?"), Allow(Proof((Covered("it", "somebody"),)))]
)
CONTEXTS = st.builds(
    lambda mode, allow, ask, deny, trusted, sandboxed, quiet: context(
        mode,
        allow=allow,
        ask=ask,
        deny=deny,
        is_trusted=trusted,
        sandboxed_shell=sandboxed,
        avoid_prompts=quiet,
    ),
    MODES,
    RULE_LISTS,
    RULE_LISTS,
    RULE_LISTS,
    st.booleans(),
    st.booleans(),
    st.booleans(),
)


def strictness(made: PermissionContext, call: tuple[Any, dict[str, Any]], **votes: Any) -> int:
    tool, given_input = call
    verdict = replace(Judge(made, EYES), **votes).verdict(tool, **given_input)
    assert (verdict.proof is not None) == (verdict.behaviour is ALLOW)
    return STRICTNESS[verdict.behaviour]


@given(CONTEXTS, CALLS, RULES, st.sampled_from(SourceKind))
def test_a_further_deny_never_loosens(
    made: PermissionContext, call: tuple[Any, dict[str, Any]], rule: str, kind: SourceKind
) -> None:
    assert strictness(with_rules(made, kind, deny=[rule]), call) >= strictness(made, call)


@given(CONTEXTS, CALLS, RULES, st.sampled_from(SourceKind))
def test_a_further_ask_never_loosens(
    made: PermissionContext, call: tuple[Any, dict[str, Any]], rule: str, kind: SourceKind
) -> None:
    assert strictness(with_rules(made, kind, ask=[rule]), call) >= strictness(made, call)


@given(CONTEXTS, CALLS, RULES)
def test_a_further_allow_never_touches_a_deny_nor_a_rule_that_asks(
    made: PermissionContext, call: tuple[Any, dict[str, Any]], rule: str
) -> None:
    tool, given_input = call
    before = Judge(made, EYES).verdict(tool, **given_input)

    after = Judge(with_rules(made, allow=[rule]), EYES).verdict(tool, **given_input)

    if any(ballot.behaviour is not ALLOW for ballot in before.ballots):
        assert after.behaviour is before.behaviour


@given(CONTEXTS, CALLS)
def test_modes_are_ordered_by_what_they_let_pass(
    made: PermissionContext, call: tuple[Any, dict[str, Any]]
) -> None:
    plan, silent, default, edits, auto, bypass = (
        strictness(replace(made, mode=mode), call)
        for mode in (
            Mode.PLAN,
            Mode.DONT_ASK,
            Mode.DEFAULT,
            Mode.ACCEPT_EDITS,
            Mode.AUTO,
            Mode.BYPASS,
        )
    )

    assert plan >= default >= edits >= bypass
    assert default >= auto >= bypass
    assert silent >= default


@given(CONTEXTS, CALLS, st.sampled_from(["hook_vote", "tool_vote"]), VOTES)
def test_a_vote_never_loosens_what_others_voted(
    made: PermissionContext, call: tuple[Any, dict[str, Any]], who: str, vote: Any
) -> None:
    tool, given_input = call
    before = Judge(made, EYES).verdict(tool, **given_input)

    after = strictness(made, call, **{who: vote})

    if not isinstance(vote, Allow) or before.ballots:
        assert after >= STRICTNESS[before.behaviour]


WISHES = st.tuples(MODES, RULE_LISTS, RULE_LISTS, st.booleans())


@given(CONTEXTS, CALLS, WISHES)
def test_a_sub_agent_is_never_let_further_than_its_parent(
    made: PermissionContext,
    call: tuple[Any, dict[str, Any]],
    wish: tuple[Mode, list[str], list[str], bool],
) -> None:
    mode, allow, deny, quiet = wish
    source = Source(SourceKind.SESSION, anchors=made.workspace.anchors(SourceKind.SESSION))
    rules = [parse_rule(text, ALLOW, source) for text in allow]
    rules += [parse_rule(text, DENY, source) for text in deny]

    child = made.for_subagent(SubagentRequest(mode, tuple(rules), quiet))

    assert strictness(child, call) >= strictness(made, call)
    assert strictness(child.left_plan(), call) >= strictness(made.left_plan(), call)


@given(CONTEXTS, CALLS)
def test_without_trust_nothing_of_the_repository_widens(
    made: PermissionContext, call: tuple[Any, dict[str, Any]]
) -> None:
    wide = ["Bash", "Read", "Edit", "Write", "WebFetch", "Agent", "mcp__db", "Own", "Erase"]
    plain = replace(made, is_trusted=False)

    for kind in (SourceKind.PROJECT, SourceKind.LOCAL):
        assert strictness(with_rules(plain, kind, allow=wide), call) == strictness(plain, call)


@given(CONTEXTS, CALLS)
def test_where_nobody_can_be_asked_nothing_is_asked(
    made: PermissionContext, call: tuple[Any, dict[str, Any]]
) -> None:
    quiet = strictness(replace(made, avoid_prompts=True), call)
    loud = strictness(replace(made, avoid_prompts=False), call)

    assert quiet != STRICTNESS[ASK]
    assert quiet == (STRICTNESS[DENY] if loud == STRICTNESS[ASK] else loud)


@given(CONTEXTS, CALLS)
def test_every_suggestion_settles_the_call_it_is_made_for(
    made: PermissionContext, call: tuple[Any, dict[str, Any]]
) -> None:
    tool, given_input = call
    verdict = Judge(made, EYES).verdict(tool, **given_input)

    for update in verdict.suggestions:
        after = Judge(made.updated(update), EYES).verdict(tool, **given_input)
        assert after.behaviour is ALLOW


@given(CONTEXTS, CALLS)
def test_the_same_question_has_the_same_answer(
    made: PermissionContext, call: tuple[Any, dict[str, Any]]
) -> None:
    assert strictness(made, call) == strictness(made, call)


JOINTS = st.sampled_from(["; ", " && ", " || ", " | ", "\n", " & "])
WRAPS = st.sampled_from(
    ["timeout 5 {}", "nice {}", "env {}", "sudo {}", "nohup {}", "( {} )", "! {}", "X=1 {}"]
)
#: Commands that stand for themselves wherever they stand, and mean what they say.
WHOLE = COMMANDS.filter(lambda text: bool(text) and text != "if true; then")
#: Those that begin with a program, which another one can run.
SIMPLE = WHOLE.filter(lambda text: not text.startswith(("FOO=", "cd ", "for ", "true;", "eval ")))


@given(CONTEXTS, WHOLE, WHOLE, JOINTS, st.booleans())
def test_a_further_command_never_loosens(
    made: PermissionContext, command: str, other: str, joint: str, comes_first: bool
) -> None:
    line = other + joint + command if comes_first else command + joint + other
    alone = strictness(made, (SHELL_TOOL, {"command": command}))

    assert strictness(made, (SHELL_TOOL, {"command": line})) >= alone


@given(CONTEXTS, SIMPLE, WRAPS)
def test_what_stands_around_a_command_never_loosens(
    made: PermissionContext, command: str, wrap: str
) -> None:
    alone = strictness(made, (SHELL_TOOL, {"command": command}))

    assert strictness(made, (SHELL_TOOL, {"command": wrap.format(command)})) >= alone
