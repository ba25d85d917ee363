"""With real files and real eyes: links, hard links, patterns and trees cannot hide anything."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from gantlet.messages import Behaviour
from gantlet.permissions import (
    ContextHolder,
    Directory,
    Engine,
    PermissionContext,
    Workspace,
    evaluate,
)
from gantlet.permissions.seeing import Sight
from gantlet.rules import Source, SourceKind, parse_rule
from gantlet.system import Found, Scout, directory_names
from gantlet.tool import Mode, Surroundings
from permissions.permission_kit import (
    ALLOW,
    ASK,
    DENY,
    EDIT_TOOL,
    READ_TOOL,
    SHELL_TOOL,
    Judge,
    request_for,
)


def judge_in(folder: Path, *, mode: Mode = Mode.DEFAULT, **rules: list[str]) -> Judge:
    here = Directory(directory_names(str(folder)))
    workspace = Workspace(here, here)
    source = Source(SourceKind.USER, anchors=workspace.anchors(SourceKind.SESSION))
    made = PermissionContext(workspace, mode, bypass_available=True).with_rules(
        parse_rule(text, Behaviour(behaviour), source)
        for behaviour, texts in rules.items()
        for text in texts
    )
    return Judge(made, Scout(), surroundings=Surroundings(str(folder)))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    project = tmp_path / "project"
    (project / "src").mkdir(parents=True)
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "key").write_text("key")
    (project / ".env").write_text("secret")
    (project / "src" / "a.py").write_text("a")
    return project


@pytest.mark.parametrize("mode", [Mode.DEFAULT, Mode.BYPASS])
def test_no_name_of_a_denied_file_is_let_pass(folder: Path, mode: Mode) -> None:
    (folder / "link").symlink_to(".env")
    (folder / "chain").symlink_to("link")
    (folder / "hard").hardlink_to(folder / ".env")
    (folder / "dir").symlink_to(".")
    denying = judge_in(folder, mode=mode, deny=["Read(.env)"])

    for path in (".env", "link", "chain", "hard", "dir/.env", "src/../.env", "dir/dir/link"):
        assert denying.read(path) is DENY, path
        assert denying.edit(path) is DENY, path
        assert denying.bash(f"cat {path}") is DENY, path
        assert denying.bash(f"unknown-tool {path}") is DENY, path


def test_a_link_out_of_the_directory_is_outside(folder: Path) -> None:
    (folder / "out").symlink_to("../outside")
    (folder / "new").symlink_to("../outside/new-file")
    plain = judge_in(folder)
    editing = judge_in(folder, mode=Mode.ACCEPT_EDITS)

    assert plain.read("out/key") is ASK
    assert plain.bash("cat out/key") is ASK
    assert editing.edit("new") is ASK
    assert editing.edit("out/other") is ASK
    assert editing.bash("touch out/x") is ASK
    assert editing.bash("echo x > new") is ASK
    assert editing.edit("src/new.py") is ALLOW


def test_a_pattern_stands_for_what_it_would_find(folder: Path) -> None:
    (folder / "notes.txt").write_text("x")
    (folder / "leak.txt").symlink_to("../outside/key")
    denying = judge_in(folder, deny=["Read(.env)"])

    assert denying.bash("cat .e*") is DENY
    assert denying.bash("cat .[a-e]nv") is DENY
    assert denying.bash("cat s*/*.py") is ALLOW
    assert denying.bash("cat n*.txt") is ALLOW
    assert denying.bash("cat *.txt") is ASK


def test_a_tree_is_searched_for_what_is_denied(folder: Path) -> None:
    denying = judge_in(folder, deny=["Read(.env)"])

    assert denying.bash("grep -r secret .") is ASK
    assert denying.bash("grep -r secret src") is ALLOW
    assert denying.bash("find . -name a.py") is ALLOW
    (folder / ".env").unlink()
    assert denying.bash("grep -r secret .") is ALLOW


def test_git_is_asked_about_only_where_it_keeps_what_is_denied(folder: Path) -> None:
    denying = judge_in(folder, deny=["Read(.env)"])
    git(folder, "init", "--quiet")
    git(folder, "add", "src")

    assert denying.bash("git diff") is ALLOW
    git(folder, "add", "--force", ".env")
    assert denying.bash("git diff") is ASK


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True)


def test_a_file_with_two_harmless_names_is_read(folder: Path) -> None:
    (folder / "copy.py").hardlink_to(folder / "src" / "a.py")

    assert judge_in(folder, deny=["Read(.env)"]).read("copy.py") is ALLOW


def test_a_folder_reached_through_a_link_is_inside_by_both_names(
    folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "shortcut").symlink_to(folder)
    linked = judge_in(tmp_path / "shortcut", allow=["Edit(src/**)"])

    assert linked.read("src/a.py") is ALLOW
    assert linked.edit("src/a.py") is ALLOW
    assert linked.edit("other.py") is ASK


def test_a_sibling_that_shares_the_beginning_of_the_name_is_outside(folder: Path) -> None:
    (folder.parent / "project-evil").mkdir()
    (folder.parent / "project-evil" / "a").write_text("x")

    assert judge_in(folder).read(f"{folder}-evil/a") is ASK
    assert judge_in(folder).bash("cat ../project-evil/a") is ASK


@pytest.mark.anyio
async def test_the_engine_looks_before_it_judges(folder: Path) -> None:
    (folder / "hard").hardlink_to(folder / ".env")
    made = judge_in(folder, deny=["Read(.env)"])
    engine = Engine(ContextHolder(made.context), eyes=Scout())
    where = Surroundings(str(folder))

    async def decided(tool: object, **given: str) -> Behaviour:
        request = replace(request_for(tool, **given), surroundings=where)  # type: ignore[arg-type]
        return (await engine.decide(request)).behaviour

    assert await decided(READ_TOOL, file_path="src/a.py") is ALLOW
    assert await decided(READ_TOOL, file_path="hard") is DENY
    assert await decided(EDIT_TOOL, file_path="hard") is DENY
    assert await decided(SHELL_TOOL, command="ls src") is ALLOW
    assert await decided(SHELL_TOOL, command="grep -r x .") is DENY


@pytest.mark.parametrize("command", ["git -C src status", "cd src && git log --oneline"])
def test_git_is_read_below_the_start_unless_a_repository_stands_there(
    folder: Path, command: str
) -> None:
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    here = judge_in(folder)

    assert here.verdict(SHELL_TOOL, command=command).behaviour is ALLOW
    assert here.verdict(SHELL_TOOL, command=f"touch x; {command}").behaviour is ASK
    assert judge_in(folder, mode=Mode.PLAN).verdict(SHELL_TOOL, command=command).behaviour is ALLOW
    subprocess.run(["git", "init", "-q", str(folder / "src")], check=True)
    assert judge_in(folder).verdict(SHELL_TOOL, command=command).behaviour is ASK


@pytest.mark.parametrize("odd", ["a bare repository", "a link", "nothing"])
def test_git_elsewhere_is_asked_about(folder: Path, odd: str) -> None:
    place = folder / "place"
    if odd == "a bare repository":
        subprocess.run(["git", "init", "-q", "--bare", str(place)], check=True)
    elif odd == "a link":
        place.symlink_to(folder.parent / "outside")

    assert judge_in(folder).verdict(SHELL_TOOL, command="git -C place status").behaviour is ASK


@pytest.mark.parametrize(
    "file", ["rust-toolchain", "rust-toolchain.toml", ".cargo/config", ".cargo/config.toml"]
)
def test_cargo_is_read_unless_a_file_names_a_compiler(folder: Path, file: str) -> None:
    before = judge_in(folder).verdict(SHELL_TOOL, command="cargo tree --depth 1")
    (folder / file).parent.mkdir(exist_ok=True)
    (folder / file).write_text("x")
    after = judge_in(folder).verdict(SHELL_TOOL, command="cargo tree --depth 1")
    in_bypass = judge_in(folder, mode=Mode.BYPASS).verdict(SHELL_TOOL, command="cargo tree")

    assert (before.behaviour, after.behaviour, in_bypass.behaviour) == (ALLOW, ASK, ALLOW)


def test_a_search_that_passes_over_hidden_files_is_not_asked_about(folder: Path) -> None:
    here = judge_in(folder, deny=["Read(.env)"])

    assert here.verdict(SHELL_TOOL, command="rg needle").behaviour is ALLOW
    for command in ("rg --hidden needle", "rg -uu needle", "rg -nu needle", "grep -r needle ."):
        assert here.verdict(SHELL_TOOL, command=command).behaviour is ASK


def searched(folder: Path) -> list[str]:
    """Return which files ripgrep itself finds, with no home that says anything."""
    place = f"{Path(sys.executable).parent}{os.pathsep}{os.defpath}"
    program = shutil.which("rg", path=place)
    assert program is not None  # it is one of our own requirements
    words = [program, "--files-with-matches", "secret"]
    environment = {"HOME": str(folder / "no-home")}
    done = subprocess.run(
        words, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    return done.stdout.split()


@pytest.mark.parametrize(
    ("file", "line", "shows"),
    [
        (".gitignore", "!.env", True),
        (".gitignore", "!.e*", True),
        (".gitignore", "!/.env", True),
        (".gitignore", "*.log\n!**/.[a-e]nv  ", True),
        (".git/info/exclude", "!.env", True),
        (".ignore", "!.*", True),
        (".rgignore", "!.env", True),
        ("../.ignore", "!.env", True),
        ("../.gitignore", "!.env", False),
        (".gitignore", "!.env.example", False),
        (".gitignore", "!.vscode/settings.json\n!src/.env", False),
        (".gitignore", ".env\n#!.env", False),
        (".ignore", "build", False),
        ("src/.gitignore", "!.env", False),
    ],
)
def test_a_search_that_is_told_to_show_a_hidden_file_is_asked_about(
    folder: Path, file: str, line: str, shows: bool
) -> None:
    git(folder, "init", "--quiet")
    before = judge_in(folder, deny=["Read(.env)"]).bash("rg needle")
    (folder / file).write_text(f"{line}\n")

    assert before is ALLOW
    assert judge_in(folder, deny=["Read(.env)"]).bash("rg needle") is (ASK if shows else ALLOW)
    assert judge_in(folder, deny=["Read(.env)"]).bash("rg needle src") is ALLOW
    assert (".env" in searched(folder)) is shows


def test_a_search_may_be_told_by_a_file_below_or_by_a_worktree(folder: Path) -> None:
    git(folder, "init", "--quiet")
    git(folder, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x", "--allow-empty")
    git(folder, "worktree", "add", "-q", "../tree")
    tree = folder.parent / "tree"
    (tree / "sub").mkdir()
    (tree / "sub" / ".env").write_text("secret")
    plain = judge_in(tree, deny=["Read(.env)"]).bash("rg needle")
    (tree / "sub" / ".gitignore").write_text("!.env\n")
    below = judge_in(tree, deny=["Read(.env)"]).bash("rg needle")
    (tree / "sub" / ".gitignore").unlink()
    (folder / ".git" / "info" / "exclude").write_text("!.env\n")
    common = judge_in(tree, deny=["Read(.env)"]).bash("rg needle")

    assert (plain, below, common) == (ALLOW, ASK, ASK)


@pytest.mark.parametrize("option", ["--ignore-file=rules", "--ignore-file rules"])
def test_a_search_with_an_ignore_file_of_its_own_may_show_anything(
    folder: Path, option: str
) -> None:
    (folder / "rules").write_text("!.env\n")

    assert judge_in(folder, deny=["Read(.env)"]).bash(f"rg {option} needle") is ASK


def test_what_packs_a_tree_with_something_denied_is_asked_about(folder: Path) -> None:
    here = judge_in(folder, allow=["Bash"], deny=["Read(.env)"])

    for command in ("tar c .", "zip -r x .", "rsync -a . there", "docker build ."):
        assert here.verdict(SHELL_TOOL, command=command).behaviour is ASK
    for command in ("tar c src", "zip -r x src", "rsync -a src there", "make"):
        assert here.verdict(SHELL_TOOL, command=command).behaviour is ALLOW


def test_only_files_of_the_searched_name_are_read_behind_a_pipe(folder: Path) -> None:
    here = judge_in(folder, deny=["Read(.env)"])

    def said(found: str) -> Behaviour:
        return here.verdict(SHELL_TOOL, command=f"{found} | xargs wc -l").behaviour

    assert said("find . -name '*.py'") is ALLOW
    assert said("find . -iname '*.PY' | grep -v test") is ALLOW
    for found in ("find .", "find . -name '.*'", "find . -not -name '*.py'", "find . -name '*'"):
        assert said(found) is ASK
    assert said("find . -name '*.py' -o -type f") is ASK
    below = here.verdict(SHELL_TOOL, command="find . -name src | xargs grep -r x")
    assert below.behaviour is ASK
    (folder / "b.py").symlink_to(".env")
    assert (
        judge_in(folder, deny=["Read(.env)"])
        .verdict(SHELL_TOOL, command="find . -name '*.py' | xargs wc -l")
        .behaviour
        is ASK
    )


FOLLOWING = [
    "grep -R word .",
    "grep --dereference-recursive word src",
    "diff -r src .",
    "find . -name '*.txt' | xargs cat",
    "find -L . -type f | xargs cat",
    "find . -type f -o -name x | xargs cat",
    "find . ! -type f | xargs cat",
    "ls | xargs cat",
    "git ls-files -o | xargs cat",
    "fd word | xargs head",
]


TAKEN_APART = [
    "find . -type f | xargs cat",
    "find . -type f | sort | xargs -n1 cat",
    "grep -rl x . | xargs cat",
    "rg --files | xargs head",
    "find . -name passwd | xargs -I{} cat {}",
]


@pytest.mark.parametrize("command", TAKEN_APART)
@pytest.mark.parametrize("name", ["x /etc/passwd", "x\n/etc/passwd", "x'/passwd", "x\\/passwd"])
def test_a_name_that_is_taken_apart_may_be_any_path(folder: Path, command: str, name: str) -> None:
    before = judge_in(folder).bash(command)
    file = folder / name
    file.parent.mkdir(parents=True)
    file.write_text("x")

    assert before is ALLOW
    assert judge_in(folder).bash(command) is ASK
    assert judge_in(folder).bash("find . -type f -print0 | xargs -0 cat") is ALLOW
    assert judge_in(folder).bash("find src -type f | xargs cat") is ALLOW


class CountingScout(Scout):
    """Keeps which directories were searched."""

    def __init__(self) -> None:
        self.searched: list[str] = []

    def find(self, root: str, *tests: Callable[[str], bool]) -> tuple[Found, ...]:
        self.searched.append(root)
        return super().find(root, *tests)


def test_one_walk_answers_all_that_is_asked_about_a_tree(folder: Path) -> None:
    made = judge_in(folder, deny=["Read(.env)"])
    eyes = CountingScout()
    request = replace(
        request_for(SHELL_TOOL, command="find . | xargs cat"),
        surroundings=Surroundings(str(folder)),
    )

    Sight(request, made.context, eyes).searched(request)

    assert eyes.searched == []  # nothing was looked at, so nothing is searched
    seen = Sight(request, made.context, eyes).looked()
    Sight(request, made.context, eyes).searched(seen)
    assert eyes.searched == [str(folder)]


def test_a_blank_in_the_name_of_the_project_takes_nothing_apart(tmp_path: Path) -> None:
    project = tmp_path / "my project"
    (project / "a b").mkdir(parents=True)
    (project / "a.py").write_text("x")
    here = judge_in(project)

    assert here.bash("find . -name '*.py' | xargs cat") is ALLOW
    assert here.bash("find 'a b' | xargs cat") is ASK


@pytest.mark.parametrize("command", FOLLOWING)
def test_a_link_that_leads_outside_is_not_followed_unasked(folder: Path, command: str) -> None:
    inside = judge_in(folder).bash(command)
    (folder / "src" / "inner.txt").symlink_to("a.py")
    still_inside = judge_in(folder).bash(command)
    (folder / "src" / "notes.txt").symlink_to("../../outside/key")
    outside = judge_in(folder).bash(command)
    ruled = judge_in(folder, allow=[f"Read(/{folder.parent}/outside/**)"]).bash(command)

    assert (inside, still_inside, outside, ruled) == (ALLOW, ALLOW, ASK, ALLOW)


@pytest.mark.parametrize(
    "command",
    [
        "grep -r word .",
        "find . -type f | xargs cat",
        "find . -type f -name '*.txt' | xargs grep word",
        "find . -name '*.py' | xargs cat",
        "find . -type f ! -path '*/x/*' | xargs cat",
        "git ls-files | xargs cat",
        "diff -r --no-dereference src .",
        "rg word",
        "rg -l word | xargs head",
    ],
)
def test_what_follows_no_links_is_not_asked_about(folder: Path, command: str) -> None:
    (folder / "src" / "notes.txt").symlink_to("../../outside/key")

    assert judge_in(folder).bash(command) is ALLOW


def test_a_tree_whose_links_were_not_looked_at_is_asked_about(folder: Path) -> None:
    made = judge_in(folder)
    request = replace(
        request_for(SHELL_TOOL, command="grep -R word ."), surroundings=Surroundings(str(folder))
    )

    assert evaluate(Sight(request, made.context, Scout()).looked(), made.context).behaviour is ASK
