"""Commands that change files without naming them do not change what decides what is allowed."""

import subprocess
from pathlib import Path

import pytest

from gantlet.messages import Behaviour
from gantlet.tool import Mode
from permissions.permission_kit import ALLOW, ASK
from permissions.test_permission_disk import judge_in


def git(folder: Path, *words: str) -> None:
    who = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with one commit, and no settings of ours."""
    folder = tmp_path / "project"
    write(folder / "src" / "a.py", folder / "data.json", folder / "sub" / "b.txt")
    git(folder, "init", "--quiet")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "first")
    return folder


def write(*files: Path) -> None:
    for file in files:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("{}")


def bash(folder: Path, command: str, mode: Mode = Mode.BYPASS) -> Behaviour:
    return judge_in(folder, mode=mode).bash(command)


TAKES_BACK = [
    "git checkout .",
    "git checkout -- .",
    "git checkout -f",
    "git checkout HEAD -- .",
    "git checkout -f other",
    "git checkout '*.json'",
    "git checkout :/",
    'git checkout -- "$file"',
    "git restore .",
    "git restore --source=HEAD~1 -SW .",
    "git restore --source HEAD .claude",
    "git reset --hard",
    "git reset --har HEAD~1",
    "git reset --keep HEAD~1",
    "git stash",
    "git stash -k",
    "git stash push -m x",
    "git stash pop",
    "git stash --include-untracked",
    "git rm -rq .",
    "git switch -f other",
    "git switch --discard-changes other",
    "git checkout-index -fa",
    "git read-tree -u --reset HEAD",
    "cd sub && git stash",
    "cd sub && git reset --hard",
    "git -C sub reset --hard",
    "git --no-pager -c a.b=c stash",
    "sh -c 'git stash'",
    "timeout 5 git checkout .",
    "true && git restore .",
    "git ls-files | xargs sed -i s/a/b/",
]


@pytest.mark.parametrize("command", TAKES_BACK)
def test_git_takes_back_settings_only_if_it_keeps_them(project: Path, command: str) -> None:
    write(project / ".claude" / "settings.json")
    loose = bash(project, command)
    git(project, "add", "-f", ".claude/settings.json")
    kept = bash(project, command)
    (project / ".claude" / "settings.json").unlink()
    missing = bash(project, command)

    with_loose = ASK if ".claude" in command or "include-untracked" in command else ALLOW
    assert (loose, kept, missing) == (with_loose, ASK, ASK)


@pytest.mark.parametrize(
    "command",
    [
        "git checkout src",
        "git checkout main",
        "git checkout -b new",
        "git checkout '*.py'",
        "git restore src/a.py",
        "git restore --staged .",
        "git reset",
        "git reset --soft HEAD~1",
        "git reset HEAD~1",
        "git stash list",
        "git stash drop",
        "git stash push -- src",
        "git rm --cached -r .",
        "git rm src/a.py",
        "git switch main",
        "git clean -n",
        "git clean -fdx",
        "git status",
        "git commit -am x",
        "cd sub && git checkout .",
        "git -C sub restore .",
        "git -C /nowhere/at/all stash",
    ],
)
def test_git_changes_other_files_as_before(project: Path, command: str) -> None:
    write(project / ".claude" / "settings.json")
    git(project, "add", ".claude/settings.json")

    assert bash(project, command) is ALLOW


@pytest.mark.parametrize("command", [*TAKES_BACK, "git clean -fdx", "git clean -fd", "git clean"])
def test_a_project_without_settings_is_not_asked_about(project: Path, command: str) -> None:
    write(project / ".claude" / "commands" / "x.md", project / "node_modules" / ".mcp.json")
    git(project, "add", ".claude/commands")

    assert bash(project, command) is (ASK if " .claude" in command else ALLOW)


def test_settings_that_git_does_not_keep_are_cleaned_away_only_if_somebody_says_so(
    project: Path,
) -> None:
    write(project / ".claude" / "settings.local.json")

    for command in (
        "git clean -fdx",
        "git clean -fd",
        "git clean -ffdxq",
        "git clean -f .",
        "git clean -fdX",
        "git clean -fd -e other",
        "git -C . clean -fdx",
        "git stash -u",
        "git stash push --all",
        "git clean -fdx '*.json'",
    ):
        assert bash(project, command) is ASK, command
    for command in (
        "git clean -nfdx",
        "git clean -fdx --dry-run",
        "git clean -fdx sub",
        "git clean -fdx -e '*.local.json'",
        "git clean -fdx --exclude=settings.local.json",
        "cd sub && git clean -fdx",
        "git -C sub clean -fdx",
        "git stash",
    ):
        assert bash(project, command) is ALLOW, command
    git(project, "add", ".claude/settings.local.json")
    assert bash(project, "git clean -fdx") is ALLOW


@pytest.mark.parametrize(
    ("line", "is_ignored"),
    [
        (".claude/", True),
        (".claude", True),
        ("settings.local.json", True),
        ("**/.claude/settings.local.json", True),
        ("/.claude/*.local.json", True),
        ("*.local.*", True),
        ("# .claude", False),
        ("claude", False),
        ("/settings.local.json", False),
        (".claude\n!.claude", False),
        (r"\.claude", False),
    ],
)
@pytest.mark.parametrize("where", [".gitignore", ".git/info/exclude"])
def test_what_git_ignores_is_cleaned_away_only_with_x(
    project: Path, where: str, line: str, is_ignored: bool
) -> None:
    write(project / ".claude" / "settings.local.json")
    (project / where).write_text(f"build\n{line}\n")

    assert bash(project, "git clean -fd") is (ALLOW if is_ignored else ASK)
    assert bash(project, "git stash -u") is (ALLOW if is_ignored else ASK)
    assert bash(project, "git clean -fdx") is ASK
    shown = subprocess.run(
        ["git", "status", "--porcelain", "-uall"], cwd=project, capture_output=True, text=True
    ).stdout
    assert not is_ignored or "settings.local.json" not in shown  # git is of the same opinion


@pytest.mark.parametrize(
    "command",
    [
        "find . -type f -exec sed -i s/a/b/ {} +",
        "find . -name '*.json' -exec truncate -s 0 {} \\;",
        "find . -iname '*.JSON' -execdir perl -pi -e s/a/b/ {} ';'",
        "find . -name '*.py' -o -name '*.json' -exec chmod 600 {} +",
        "find . \\( -name '*.py' -o -name '*.json' \\) -exec sed -i s/a/b/ {} +",
        "find . ! -name '*.json' -exec rm -rf {} +",
        "find . -type f -not \\( -name '*.json' \\) -exec sed -i s/a/b/ {} +",
        "find . -name .claude -prune -o -name '*.json' -delete",
        "find . -maxdepth 2 -type f -exec sed -i s/a/b/ {} +",
        "find . -maxdepth 1 -name '.c*' -exec chmod -R 0 {} +",
        "find . -type f -exec sh -c 'echo > $1' _ {} \\;",
        "find .claude -type f -exec sed -i s/a/b/ {} +",
        "find $PWD -name 's*.json' -exec sed -i s/a/b/ {} +",
        "cd sub && find .. -name '*.json' -exec sed -i s/a/b/ {} +",
        "fd -H -e json -x rm",
        "find . -name '*.json' | xargs truncate -s 0",
        "find . -type f -print0 | xargs -0 sed -i s/a/b/",
        "echo .claude/settings.json | xargs truncate -s 0",
        'cd "$x" && find . -type f -exec rm {} +',
    ],
)
def test_what_is_run_for_found_files_does_not_change_settings_unasked(
    project: Path, command: str
) -> None:
    without = bash(project, command)
    write(project / ".claude" / "settings.json")

    is_named = ".claude" in command.replace("-name .claude", "")
    is_anywhere = "$x" in command or "! -name '*.json' -exec rm" in command or "-delete" in command
    assert without is (ASK if is_named or is_anywhere else ALLOW)
    assert bash(project, command) is ASK


@pytest.mark.parametrize(
    "command",
    [
        "find . -name '*.py' -exec sed -i s/a/b/ {} +",
        "find . -type f -exec grep -l x {} +",
        "find . -type f -exec cat {} \\;",
        "find src -type f -exec sed -i s/a/b/ {} +",
        "find . -type f ! -path './.claude/*' -exec sed -i s/a/b/ {} +",
        "find . -type f -not -path '*/.claude/*' -name '*.json' -exec sed -i s/a/b/ {} +",
        "find . -path './.c*' -prune -o -name '*.json' -exec sed -i s/a/b/ {} +",
        "find . -name '.cl*' -prune -o -type f -exec sed -i s/a/b/ {} +",
        "find . -maxdepth 1 -type f -exec sed -i s/a/b/ {} +",
        "find . -maxdepth 1 -name '*.json' -exec touch {} +",
        "find . -type d -name __pycache__ -exec rm -rf {} +",
        "find . -name node_modules -prune -o -name '*.ts' -exec prettier -w {} +",
        "fd -e json -x rm",
        "grep -rl old . | xargs sed -i s/old/new/",
        "find . -name '*.py' | xargs sed -i s/a/b/",
        "find . -name '*.json' | xargs wc -l",
        "git ls-files | xargs sed -i s/a/b/",
        "cd \"$x\" && find . -name '*.pyc' -exec rm {} +",
        'find "$x" -type f -exec touch {} +',
    ],
)
def test_what_is_run_for_other_files_is_not_asked_about(project: Path, command: str) -> None:
    write(project / ".claude" / "settings.json")

    assert bash(project, command) is ALLOW


def test_hooks_and_servers_count_too(project: Path) -> None:
    write(project / ".claude" / "hooks" / "guard.py", project / "sub" / ".mcp.json")

    assert bash(project, "find . -name '*.py' -exec black {} +") is ASK
    assert bash(project, "cd src && find . -name '*.py' -exec black {} +") is ALLOW
    assert bash(project, "cd sub && git clean -fd") is ASK
    assert bash(project, "cd src && git clean -fd") is ALLOW


@pytest.mark.parametrize(
    ("command", "counts"),
    [
        ("find . -exec sed -i s/a/b/ {} +", False),
        ("find . | xargs sed -i s/a/b/", False),
        ("find . -exec touch {} +", True),
        ("find . -exec some-program {} +", True),
        ("find . | xargs chmod go-w", True),
    ],
)
def test_a_folder_of_ours_counts_where_folders_are_changed(
    project: Path, command: str, counts: bool
) -> None:
    write(project / ".claude" / "commands" / "x.md")

    assert bash(project, command) is (ASK if counts else ALLOW)


def test_a_rule_that_allows_the_command_does_not_answer_for_settings(project: Path) -> None:
    write(project / ".mcp.json")
    allowed = judge_in(project, allow=["Bash(git clean *)", "Bash(git stash)"])

    assert allowed.bash("git clean -fdx") is ASK
    assert allowed.bash("git stash") is ALLOW


def test_a_worktree_is_looked_at_where_git_keeps_its_files(project: Path, tmp_path: Path) -> None:
    place = tmp_path / "place"
    git(project, "worktree", "add", "-q", str(place))

    assert bash(place, "git stash") is ALLOW
    write(place / ".mcp.json")
    git(place, "add", ".mcp.json")
    assert bash(place, "git stash") is ASK
    assert bash(project, "git stash") is ALLOW


@pytest.mark.parametrize("version", ["2", "4"])
def test_each_form_of_the_list_is_read(project: Path, version: str) -> None:
    git(project, "update-index", "--index-version", version)
    assert bash(project, "git stash") is ALLOW

    write(project / ".mcp.json", project / ".mcp.txt")
    git(project, "add", "-N", ".mcp.json", ".mcp.txt")  # a longer entry
    assert bash(project, "git stash") is ASK


@pytest.mark.parametrize("format_", ["sha1", "sha256"])
def test_each_kind_of_hash_is_known(tmp_path: Path, format_: str) -> None:
    git(tmp_path, "init", "-q", f"--object-format={format_}")
    write(tmp_path / "a", tmp_path / "b" / "c")
    git(tmp_path, "add", ".")
    before = bash(tmp_path, "git stash")
    write(tmp_path / ".mcp.json")
    loose = bash(tmp_path, "git clean -fd")
    git(tmp_path, "add", ".mcp.json")

    assert (before, loose) == (ALLOW, ASK)
    assert bash(tmp_path, "git stash") is ASK
    assert bash(tmp_path, "git clean -fd") is ALLOW


def test_a_list_in_two_files_may_hold_settings(project: Path) -> None:
    git(project, "update-index", "--split-index")

    assert bash(project, "git stash") is ASK


@pytest.mark.parametrize("content", [b"", b"DIRC", b"DIRC\0\0\0\x09\0\0\0\1", b"no list at all"])
def test_a_list_that_is_not_understood_may_hold_settings(project: Path, content: bytes) -> None:
    (project / ".git" / "index").write_bytes(content)

    assert bash(project, "git stash") is ASK
    assert bash(project, "git clean -fd") is ASK


def test_where_there_is_no_repository_git_changes_nothing(tmp_path: Path) -> None:
    write(tmp_path / ".mcp.json")

    assert bash(tmp_path, "git clean -fdx") is ALLOW


@pytest.mark.parametrize(
    "command",
    [
        'git -C "$place" stash',
        "git --git-dir=x --work-tree=. checkout -f",
        "GIT_WORK_TREE=. git stash",
        'cd "$x" && git reset --hard',
    ],
)
def test_a_repository_nobody_can_tell_may_hold_settings(project: Path, command: str) -> None:
    assert bash(project, command) is ASK


def test_what_lies_where_somebody_works_is_never_passed_over(tmp_path: Path) -> None:
    here = tmp_path / "node_modules" / "mine"
    write(here / ".claude" / "settings.json")

    assert bash(here, f"find {tmp_path} -type f -exec sed -i s/a/b/ {{}} +") is ASK
