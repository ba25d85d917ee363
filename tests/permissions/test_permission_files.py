"""Paths are judged as written and as they really are; rules, directories and protection agree."""

from dataclasses import replace

import pytest

from gantlet.messages import Behaviour
from gantlet.permissions import Directory, evaluate
from gantlet.rules import SourceKind
from gantlet.system import FileKind
from gantlet.tool import READS_ONLY, Covered, Mode, Proof
from permissions.permission_kit import (
    ALLOW,
    APP,
    ASK,
    DENY,
    EDIT_TOOL,
    GREP_TOOL,
    READ_TOOL,
    WRITE_TOOL,
    FileTool,
    Judge,
    NamedTool,
    PaperEyes,
    context,
    judge,
    request_for,
)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a.py", ALLOW),
        ("./deep/../a.py", ALLOW),
        ("/work/app/a.py", ALLOW),
        ("/work/extra/a.py", ALLOW),
        ("/work/app-evil/a.py", ASK),
        ("/work/application", ASK),
        ("../other/a.py", ASK),
        ("/work/app/../../etc/passwd", ASK),
        ("~/notes", ASK),
        ("/etc/passwd", ASK),
    ],
)
def test_reading_inside_the_working_directories_needs_no_question(
    path: str, expected: Behaviour
) -> None:
    assert judge(directories=["/work/extra"]).read(path) is expected


def test_an_allowed_reading_names_what_covers_it() -> None:
    verdict = judge().verdict(READ_TOOL, file_path="a.py")

    assert verdict.proof == Proof((Covered("/work/app/a.py", "inside /work/app"),))
    assert verdict.layer == "safe"


def test_a_search_without_a_path_is_a_search_where_it_is() -> None:
    assert judge().verdict(GREP_TOOL, pattern="x").behaviour is ALLOW
    assert judge().verdict(GREP_TOOL, pattern="x", path="/etc").behaviour is ASK
    assert judge(deny=["Read(//work/app)"]).verdict(GREP_TOOL, pattern="x").behaviour is DENY


@pytest.mark.parametrize(
    ("rules", "reading", "editing"),
    [
        ({"deny": ["Read(.env)"]}, DENY, DENY),
        ({"deny": ["Edit(.env)"]}, ALLOW, DENY),
        ({"ask": ["Read(.env)"]}, ASK, ASK),
        ({"ask": ["Edit(.env)"], "allow": ["Edit(.env)"]}, ALLOW, ASK),
        ({"allow": ["Edit(.env)"]}, ALLOW, ALLOW),
        ({"allow": ["Read(.env)"]}, ALLOW, ASK),
        ({"deny": ["Read"]}, DENY, ASK),
        ({"allow": ["Edit"]}, ALLOW, ALLOW),
        ({"deny": ["Read(*)"]}, DENY, DENY),
        ({"deny": ["Write(.env)"]}, ALLOW, DENY),
        ({"deny": ["Read(.ENV)"]}, DENY, DENY),
        ({"allow": ["Edit(.ENV)"]}, ALLOW, ASK),
    ],
)
def test_rules_about_paths(
    rules: dict[str, list[str]], reading: Behaviour, editing: Behaviour
) -> None:
    assert judge(**rules).read(".env") is reading
    assert judge(**rules).edit(".env") is editing


@pytest.mark.parametrize(
    ("tool", "kind"),
    [("Write", "edit"), ("NotebookEdit", "edit"), ("Glob", "read"), ("LSP", "read")],
)
def test_path_rules_bind_every_tool_that_declares_paths(tool: str, kind: str) -> None:
    made = FileTool(tool, "edit" if kind == "edit" else "read")

    assert judge(deny=["Read(.env)"]).verdict(made, file_path="x/.env").behaviour is DENY
    rule = f"{'Edit' if kind == 'edit' else 'Read'}(//data/**)"
    assert judge(allow=[rule]).verdict(made, file_path="/data/x").behaviour is ALLOW
    assert judge(allow=[rule]).verdict(made, file_path="/date/x").behaviour is ASK


def test_a_bare_name_means_that_tool_and_no_other() -> None:
    assert judge(allow=["Edit"]).verdict(WRITE_TOOL, file_path="a").behaviour is ASK
    assert judge(deny=["Write"]).verdict(WRITE_TOOL, file_path="a").behaviour is DENY
    assert judge(deny=["Write"]).edit("a") is ASK


def test_who_must_not_read_a_file_is_told_that_it_cannot_be_changed_either() -> None:
    covered = "File is covered by a Read deny rule in your permission settings and cannot be"
    rule = "The rule Read(.env) denies .env."
    by_read, by_edit = judge(deny=["Read(.env)"]), judge(deny=["Edit(.env)"])

    assert by_read.verdict(EDIT_TOOL, file_path=".env").reason == f"{covered} edited. {rule}"
    assert by_read.verdict(READ_TOOL, file_path=".env").reason == rule
    assert "covered" not in by_edit.verdict(EDIT_TOOL, file_path=".env").reason


def linked(**rules: object) -> Judge:
    eyes = PaperEyes(
        links={
            "/work/app/notes": "/etc/passwd",
            "/work/app/inside": "/work/app/src",
            "/work/app/secret": "/work/app/.env",
            "/data/back": "/work/app/src",
        }
    )
    return replace(judge(**rules), eyes=eyes)


@pytest.mark.parametrize("mode", [Mode.DEFAULT, Mode.ACCEPT_EDITS, Mode.BYPASS])
def test_a_deny_of_either_name_of_a_link_denies(mode: Mode) -> None:
    for rule, path in (
        ("Read(.env)", "secret"),
        ("Read(secret)", "secret"),
        ("Read(//etc/**)", "notes"),
        ("Read(//etc/**)", "/etc/passwd"),
    ):
        assert judge_linked(mode, rule).read(path) is DENY
        assert judge_linked(mode, rule).edit(path) is DENY


def judge_linked(mode: Mode, rule: str) -> Judge:
    return replace(linked(deny=[rule]), context=context(mode, deny=[rule]))


def test_an_allow_needs_both_names_of_a_link() -> None:
    assert linked().read("notes") is ASK
    assert linked().read("inside/a.py") is ALLOW
    assert linked().read("/data/back/a.py") is ASK
    assert linked(allow=["Read(//data/**)"]).read("/data/back/a.py") is ALLOW
    assert linked(allow=["Edit(//data/**)"]).edit("/data/back/a.py") is ASK
    assert linked(allow=["Edit(notes)"]).edit("notes") is ASK
    assert linked(allow=["Edit(notes)", "Edit(//etc/passwd)"]).edit("notes") is ALLOW


def test_a_file_with_several_names_is_denied_if_one_of_them_is() -> None:
    same = {"/work/app/.env": (1, 7), "/work/app/alias": (1, 7), "/work/app/other": (1, 8)}
    eyes = PaperEyes(inodes=same, below={APP: tuple(same)})
    found = replace(judge(deny=["Read(.env)"]), eyes=eyes)

    assert found.read("alias") is DENY
    assert found.edit("alias") is DENY
    assert found.read("other") is ALLOW


def test_a_file_with_several_names_is_asked_about_where_they_cannot_all_be_found() -> None:
    eyes = PaperEyes(inodes={"/work/app/alias": (1, 7)}, is_complete=False)

    assert replace(judge(deny=["Read(.env)"]), eyes=eyes).read("alias") is ASK
    assert replace(judge(Mode.BYPASS, deny=["Read(.env)"]), eyes=eyes).edit("alias") is ASK
    assert replace(judge(), eyes=eyes).read("alias") is ALLOW


@pytest.mark.parametrize(
    "path",
    [
        ".git/config", "sub/.git/hooks/pre-commit", ".GIT/config", ".g\u200cit/config", ".vscode/x",
        ".claude/agents/a.md", "~/.config/git/config", ".bashrc", "~/.ssh/../.zshrc", ".envrc",
        "x/.npmrc", "lefthook.yml", "gradle/wrapper/gradle-wrapper.properties", ".husky/pre-push",
        ".Claude/Commands/x.md", ".claude/worktrees/a/.git/config",
    ],
)  # fmt: skip
def test_protected_paths_are_asked_about_whatever_rules_allow(path: str) -> None:
    allowing = ["Edit", "Edit(//**)"]

    for mode in (Mode.DEFAULT, Mode.ACCEPT_EDITS, Mode.AUTO):
        assert judge(mode, allow=allowing).edit(path) is ASK, mode
    assert judge(Mode.DONT_ASK, allow=allowing).edit(path) is DENY
    assert judge(Mode.BYPASS).edit(path) is ALLOW


@pytest.mark.parametrize(
    "path",
    [
        ".claude/settings.json", ".claude/settings.local.json", ".claude/hooks/check.sh", ".claude",
        ".mcp.json", "~/.claude.json", "~/.claude/settings.json", "~/.gantlet/trust.json",
        ".CLAUDE/Settings.json", "/srv/own/trust.json",
    ],
)  # fmt: skip
@pytest.mark.parametrize("mode", [Mode.DEFAULT, Mode.ACCEPT_EDITS, Mode.AUTO, Mode.BYPASS])
def test_what_decides_about_us_is_asked_about_in_every_mode(path: str, mode: Mode) -> None:
    made = context(mode, allow=["Edit", "Edit(//**)", "Read(//**)"])
    own = replace(made.workspace, own=(Directory.at("/srv/own"),))

    assert Judge(replace(made, workspace=own)).edit(path) is ASK
    assert Judge(replace(made, workspace=own)).read(path) is ALLOW


@pytest.mark.parametrize(
    "path",
    [".claude/worktrees/one/src/a.py", "src/git/config", "gitconfig", ".github/x.yml", "a.bashrc"],
)
def test_what_only_looks_protected_is_not(path: str) -> None:
    assert judge(Mode.ACCEPT_EDITS).edit(path) is ALLOW


@pytest.mark.parametrize(
    "path",
    [
        "/dev/sda", "/dev/tcp/evil/80", "/proc/self/environ", "/proc/1/root/etc/shadow",
        "/proc/self/fd/3", "/proc/12/task/13/cwd/x",
    ],
)  # fmt: skip
@pytest.mark.parametrize("mode", [Mode.DEFAULT, Mode.BYPASS])
def test_devices_and_the_insides_of_processes_are_no_files(path: str, mode: Mode) -> None:
    assert judge(mode, allow=["Read", "Edit"]).read(path) is DENY
    assert judge(mode, allow=["Read", "Edit"]).edit(path) is DENY


def test_a_pipe_or_a_link_to_a_device_is_no_file() -> None:
    eyes = PaperEyes(links={"/work/app/disk": "/dev/sda"}, kinds={"/work/app/pipe": FileKind.OTHER})

    assert replace(judge(Mode.BYPASS), eyes=eyes).read("disk") is DENY
    assert replace(judge(Mode.BYPASS), eyes=eyes).edit("pipe") is DENY


def test_a_path_nobody_looked_at_is_never_allowed() -> None:
    request = request_for(READ_TOOL, file_path="a.py")

    assert evaluate(request, context()).behaviour is ASK
    assert evaluate(request, context(allow=["Read(//**)"])).behaviour is ASK
    assert evaluate(request, context(deny=["Read(a.py)"])).behaviour is DENY


def test_a_path_that_cannot_be_resolved_is_asked_about_where_something_is_forbidden() -> None:
    eyes = PaperEyes(kinds={"/work/app/x": FileKind.UNKNOWN})

    assert replace(judge(Mode.BYPASS, deny=["Edit(.env)"]), eyes=eyes).edit("x") is ASK
    assert replace(judge(Mode.BYPASS), eyes=eyes).edit("x") is ALLOW
    assert replace(judge(), eyes=eyes).read("x") is ASK


def test_a_tool_that_names_a_field_it_does_not_have_is_asked_about() -> None:
    broken = FileTool("Broken")
    broken.path_fields = ("no_such_field",)

    assert evaluate(request_for(broken, file_path="a"), context()).behaviour is ASK
    assert evaluate(request_for(broken, file_path="a"), context(Mode.BYPASS)).behaviour is ASK


def test_a_directory_of_the_repository_counts_only_with_trust() -> None:
    extra = Directory.at("/data", SourceKind.PROJECT)
    made = replace(context(), directories=(extra,))

    assert Judge(made).read("/data/x") is ASK
    assert Judge(replace(made, is_trusted=True)).read("/data/x") is ALLOW


def test_what_may_only_be_read_may_not_be_edited() -> None:
    made = context(Mode.ACCEPT_EDITS)
    workspace = replace(made.workspace, readable=(Directory.at("/spill"),))
    found = Judge(replace(made, workspace=workspace))

    assert found.read("/spill/a.txt") is ALLOW
    assert found.edit("/spill/a.txt") is ASK


def test_every_name_of_a_working_directory_is_inside() -> None:
    made = context()
    here = Directory((APP, "/data/app"))
    workspace = replace(made.workspace, cwd=here, original_cwd=here)
    eyes = PaperEyes(links={APP: "/data/app"})

    assert Judge(replace(made, workspace=workspace), eyes=eyes).read("a.py") is ALLOW
    assert Judge(made, eyes=eyes).read("a.py") is ASK


def test_an_edit_asks_with_the_changes_that_would_settle_it() -> None:
    verdict = judge().verdict(EDIT_TOOL, file_path="src/[x].py")

    assert verdict.reason == "Edit changes src/[x].py."
    assert [type(update).__name__ for update in verdict.suggestions] == ["SetMode", "AddRules"]


@pytest.mark.parametrize("mode", list(Mode))
def test_an_empty_path_names_no_file(mode: Mode) -> None:
    assert judge(mode, allow=["Read"]).verdict(READ_TOOL, file_path="").behaviour is DENY


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("write", "write(line:milk)"),
        ("Write", "Edit(./secrets/**)"),
        ("Write", "Read(./secrets/**)"),
        ("Read", "Read(./secrets/**)"),
        ("grep", "Grep(./secrets)"),
    ],
)
def test_a_rule_about_paths_denies_a_tool_of_that_name_that_declares_none(
    name: str, rule: str
) -> None:
    tool = NamedTool(name, READS_ONLY)

    assert judge(allow=[name], deny=[rule]).verdict(tool, name="x").behaviour is DENY
    assert judge(allow=[name], deny=["Bash(x)"]).verdict(tool, name="x").behaviour is ALLOW
    assert judge(deny=[rule]).verdict(NamedTool("Other", READS_ONLY)).behaviour is ALLOW
