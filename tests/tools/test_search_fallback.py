"""Where no ripgrep runs, the answers are the same."""

import json
import subprocess
from dataclasses import replace
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gantlet.tools.search.counts import Counts, count_keys
from gantlet.tools.search.fallback import types
from gantlet.tools.search.fallback.answering import answer
from gantlet.tools.search.fallback.rejected import RejectedError
from gantlet.tools.search.lines import Style, written
from gantlet.tools.search.programs import FALLBACK
from gantlet.tools.search.query import Mode, Query
from gantlet.tools.search.records import by_file, parsed, read_lines, read_paths
from tools.search_world import RIPGREP, make_tree, ripgrep_says

NAMES = ("a.py", "b.py", "c.txt", "d.md", ".e", "f.PY", "g h.txt", "#x.py", "!y.py", "é.txt")
FOLDERS = ("", "src/", "src/deep/", "build/", ".hid/", "a.py.d/", ".git/")
WORDS = ("foo", "bar", "Foo(1)", "x = 1", "héllo", "", "  foo", "foo bar foo", "{a}", "a-b_c", "-x")
PATTERNS = (
    "foo", "FOO", "^foo", "foo$", "ba[rz]", r"\bfoo\b", "(?i)foo|x", "o+", r"\w+ = \d", "a.b",
    "^$", ".*", "[^a-z ]", r"\{a\}", r"h\S+o", "(?:fo){1,2}o?", "x*", "foo(?P<n> bar)?", "-x",
    r"[[:upper:]]\w", r"foo\s*$", r"^\s*$", r"\s", r"\W$", r"[^x]$", r"\r", r"\r$", "$", "foo.",
    r"foo[\r ]", r"o\z", "(?-m)foo$", r"\x66oo", "(?-i:F)oo", "fo(?i)O|B", "é",
    r"[\w-]+_c", r"\(1\)", r"o{2,}?",
)  # fmt: skip
GLOBS = (
    "*.py", "*.{py,md}", "src/*", "src/**", "**/deep/*", "/a.py", "!*.py", "!src", "[ab].py",
    "**/*.txt", "d*", "?.md", "src/**/b.py", "**", "*", "!.git", "g\\ h.txt", "*.d/**",
    "\\#*", "\\!y*", "[!a]*.py", "!**/deep/**", "src/", "*/*.py",
)  # fmt: skip
IGNORES = (*GLOBS, "build/", "build", "# words", "", "*.tmp", "/src", "!a.py", ".e", "deep/b.py")


def texts() -> st.SearchStrategy[str]:
    lines = st.lists(st.sampled_from(WORDS), max_size=6)
    breaks = st.sampled_from(["\n", "\n", "\r\n", "\r"])
    ends = st.sampled_from(["\n", "\r\n", "\r", ""])
    return st.builds(lambda found, between, end: between.join(found) + end, lines, breaks, ends)


def trees() -> st.SearchStrategy[dict[str, str]]:
    paths = st.builds(str.__add__, st.sampled_from(FOLDERS), st.sampled_from(NAMES))
    files = st.dictionaries(paths, texts(), max_size=8)
    ignore_names = st.sampled_from([".gitignore", ".ignore", ".rgignore"])
    ignore_paths = st.builds(str.__add__, st.sampled_from(["", "src/", "build/"]), ignore_names)
    ignored = st.lists(st.sampled_from(IGNORES), max_size=3).map("\n".join)
    ignores = st.dictionaries(ignore_paths, ignored, max_size=2)
    repository = st.sampled_from([{}, {".git/HEAD": ""}, {"src/.git/HEAD": ""}, {".jj/x": ""}])
    return st.builds(
        lambda *parts: dict(chain(*(p.items() for p in parts))), files, ignores, repository
    )


def queries() -> st.SearchStrategy[Query]:
    return st.builds(
        Query,
        mode=st.sampled_from(Mode),
        pattern=st.sampled_from(PATTERNS),
        globs=st.lists(st.sampled_from(GLOBS), max_size=2).map(tuple),
        file_type=st.sampled_from(["", "", "", "py", "md"]),
        before=st.integers(0, 2),
        after=st.integers(0, 2),
        ignores_case=st.booleans(),
        hidden=st.booleans(),
        honours_ignores=st.booleans(),
    )


def meaning(raw: bytes, mode: Mode) -> object:
    """Return what an output says, in the order of paths."""
    if mode is Mode.COUNT:
        return list(Counts(count_keys(raw)))
    if mode is not Mode.CONTENT:
        return sorted(read_paths(raw))
    files = sorted(by_file(raw.split(b"\n")), key=lambda file: file.path)
    return [[read_lines(file.path, held) for held in parsed(file.records)] for file in files]


@given(tree=trees(), asked=st.lists(queries(), min_size=1, max_size=5))
def test_the_fallback_says_what_ripgrep_says_about_random_trees(
    tree: dict[str, str], asked: list[Query]
) -> None:
    with TemporaryDirectory() as name:
        root = make_tree(Path(name).resolve(), tree)
        for query in asked:
            theirs = ripgrep_says(query, root)
            ours = b"".join(answer(query, root))

            assert theirs.stderr == b""
            assert meaning(ours, query.mode) == meaning(theirs.stdout, query.mode), query


#: None that finds nothing at the very end of a text: of that ripgrep says one thing when it lists
#: files and another when it counts.
MULTILINE = (
    r"foo\r?\nbar",
    "foo$",
    r"foo$\s+^bar",
    "[^x]$",
    "foo[^\n]",
    "foo\nbar",
    r"foo\n\s*bar",
    "foo.*bar",
    "(?s)x.+?foo",
    r"bar$\n^foo",
    "o\n+b",
    "foo",
)


@given(tree=trees(), pattern=st.sampled_from(MULTILINE), mode=st.sampled_from(Mode))
def test_matches_that_span_lines_are_the_same(
    tree: dict[str, str], pattern: str, mode: Mode
) -> None:
    query = Query(mode, pattern=pattern, multiline=True, before=1, after=1)

    def meant(raw: bytes) -> object:
        if mode is not Mode.CONTENT:
            return meaning(raw, mode)
        files = sorted(by_file(raw.split(b"\n")), key=lambda file: file.path)
        return list(written([(file.path, file) for file in files], Style(with_context=True)))

    with TemporaryDirectory() as name:
        root = make_tree(Path(name).resolve(), tree)
        theirs, ours = ripgrep_says(query, root), b"".join(answer(query, root))

    assert meant(ours) == meant(theirs.stdout)


ODD_FILES: dict[str, bytes] = {
    "nul.bin": b"foo\n\0foo\n",
    "late-nul.bin": b"foo\n" + b"x\n" * 50_000 + b"\0 foo\n",
    "utf16.txt": "foo é\nbar\n".encode("utf-16"),
    "utf16be.txt": b"\xfe\xff" + "foo\n".encode("utf-16-be"),
    "bom.txt": b"\xef\xbb\xbffoo\n",
    "latin.txt": b"foo \xe9\nfoo \xc3\xa9\n",
    "crlf.txt": b"foo\r\nbar\r\n",
    "no-end.txt": b"bar\nfoo",
    "empty.txt": b"",
    "cr.txt": b"foo\rbar\n",
    "name\nwith a line end": b"foo\n",
    "long.txt": b"x" * 100_000 + b"foo" + b"y" * 100_000,
}


@pytest.mark.parametrize("mode", [Mode.LIST, Mode.FILES, Mode.CONTENT])
@pytest.mark.parametrize("pattern", ["foo", "^foo .$", "foo$", "r\\b"])
@pytest.mark.parametrize("is_long", [False, True], ids=["short", "long"])
def test_odd_files_are_the_same(tmp_path: Path, mode: Mode, pattern: str, *, is_long: bool) -> None:
    """A long line stands alone: ripgrep reads more at once after it, and finds a NUL sooner."""
    files = {name: text for name, text in ODD_FILES.items() if (name == "long.txt") is is_long}
    root = make_tree(tmp_path, files)
    query = Query(mode, pattern=pattern)

    assert meaning(b"".join(answer(query, root)), mode) == meaning(
        ripgrep_says(query, root).stdout, mode
    )


@pytest.mark.parametrize("name", sorted(ODD_FILES))
def test_a_file_that_is_named_is_searched_whatever_it_is(tmp_path: Path, name: str) -> None:
    root = make_tree(tmp_path, {**ODD_FILES, ".gitignore": "*", ".hidden": "foo"})
    query = Query(Mode.CONTENT, pattern="foo", target=f"./{name}", globs=("*.py",), hidden=False)

    assert meaning(b"".join(answer(query, root)), Mode.CONTENT) == meaning(
        ripgrep_says(query, root).stdout, Mode.CONTENT
    )


def test_links_are_not_followed(tmp_path: Path) -> None:
    root = make_tree(tmp_path / "root", {"real/a.py": "foo\n"})
    make_tree(tmp_path / "other", {"b.py": "foo\n"})
    (root / "link").symlink_to(tmp_path / "other")
    (root / "link.py").symlink_to(tmp_path / "other" / "b.py")
    for mode in (Mode.LIST, Mode.FILES):
        query = Query(mode, pattern="foo")

        assert read_paths(b"".join(answer(query, root))) == ["real/a.py"]
        assert read_paths(ripgrep_says(query, root).stdout) == ["real/a.py"]


def test_the_ignore_files_above_count_up_to_the_repository(tmp_path: Path) -> None:
    make_tree(
        tmp_path,
        {
            ".gitignore": "*.far\n",
            ".ignore": "*.near\n",
            "repo/.git/info/exclude": "*.excluded\n",
            "repo/.gitignore": "*.log\nsub/*.tmp\n!keep.log\n",
            **{f"repo/sub/keep.{end}": "foo\n" for end in ("far", "near", "excluded", "log")},
            "repo/sub/x.tmp": "foo\n",
            "repo/sub/x.log": "foo\n",
            "repo/sub/x.py": "foo\n",
        },
    )
    root = tmp_path / "repo" / "sub"
    query = Query(Mode.FILES, pattern="foo")

    found = sorted(read_paths(b"".join(answer(query, root))))

    assert found == sorted(read_paths(ripgrep_says(query, root).stdout))
    assert found == ["keep.far", "keep.log", "x.py"]


@pytest.mark.parametrize("newest", [True, False], ids=["newest first", "by path"])
def test_the_order_is_the_same(tmp_path: Path, newest: bool) -> None:
    names = ["b/z.py", "a.py", "a/y.py", "a-b.py", "c.py", "a.d/x.py", "B.py"]
    root = make_tree(tmp_path, dict.fromkeys(names, "foo\n"))
    query = Query(Mode.LIST, newest_first=newest, by_path=not newest)

    found = read_paths(b"".join(answer(query, root)))

    assert found == read_paths(ripgrep_says(query, root).stdout)
    if newest:
        assert found == names[::-1]


@pytest.mark.parametrize(
    "query",
    [
        Query(Mode.FILES, pattern="foo("),
        Query(Mode.FILES, pattern="foo)"),
        Query(Mode.FILES, pattern="*foo"),
        Query(Mode.FILES, pattern="[a-"),
        Query(Mode.FILES, pattern="(?=a)b"),
        Query(Mode.FILES, pattern="(?<!a)b"),
        Query(Mode.FILES, pattern="a{x"),
        Query(Mode.FILES, pattern="foo\\"),
        Query(Mode.FILES, pattern="a\nb"),
        Query(Mode.FILES, pattern="a\\nb"),
        Query(Mode.FILES, pattern=r"(a)\1"),
        Query(Mode.FILES, pattern="[z-a]"),
        Query(Mode.FILES, pattern="a", file_type="nothing"),
        Query(Mode.LIST, globs=("[",)),
        Query(Mode.LIST, globs=("{a",)),
        Query(Mode.LIST, globs=("a}",)),
    ],
    ids=lambda query: repr(query.pattern or query.globs),
)
def test_what_ripgrep_rejects_is_rejected(tmp_path: Path, query: Query) -> None:
    make_tree(tmp_path, {"a.py": "foo\n"})

    assert ripgrep_says(query, tmp_path).returncode == 2
    with pytest.raises(RejectedError):
        list(answer(query, tmp_path))


def test_it_knows_the_types_of_files_that_ripgrep_knows() -> None:
    listed = subprocess.run(
        [RIPGREP.path, "--no-config", "--type-list"], capture_output=True, text=True, check=True
    ).stdout
    theirs = {line.partition(": ")[0]: line.partition(": ")[2] for line in listed.splitlines()}
    kept = json.loads((Path(types.__file__).parent / types.TYPES_FILE).read_text())

    assert {name: ", ".join(globs) for name, globs in kept.items()} == theirs


def test_as_a_program_it_takes_nothing_from_the_folder_it_searches(tmp_path: Path) -> None:
    make_tree(tmp_path, {"json.py": "raise SystemExit(7)", "gantlet/__init__.py": "", "a.md": "hi"})
    query = Query(Mode.FILES, pattern="hi")

    done = subprocess.run(
        FALLBACK.command(query), cwd=tmp_path, capture_output=True, timeout=60, check=False
    )
    nothing = subprocess.run(
        FALLBACK.command(replace(query, pattern="nothing like it")), cwd=tmp_path, check=False
    )
    rejected = subprocess.run(
        FALLBACK.command(replace(query, pattern="(")),
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, b"./a.md\0", b"")
    assert nothing.returncode == 1
    assert (rejected.returncode, rejected.stderr[:21]) == (2, b"rg: regex parse error")
