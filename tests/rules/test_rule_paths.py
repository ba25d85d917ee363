"""Path patterns mean what git means by them, below their anchor and nowhere else."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from pathspec import GitIgnoreSpec

from gantlet.rules import Anchors, PathParts, PathPattern, PatternError, read_path_pattern

ANCHORS = Anchors.at("/work/app", base="/work", home="/home/me")


def allowing(text: str) -> PathPattern:
    return read_path_pattern(text, ANCHORS, forbids=False)


def forbidding(text: str) -> PathPattern:
    return read_path_pattern(text, ANCHORS, forbids=True)


def means(pattern: PathPattern, path: str) -> bool:
    return pattern.matches(PathParts.of(path))


@pytest.mark.parametrize(
    ("text", "path", "is_meant"),
    [
        (".env", "/work/app/.env", True),
        (".env", "/work/app/deep/down/.env", True),
        (".env", "/work/app/.env/inside", True),
        (".env", "/work/.env", False),
        (".env", "/work/app/.envrc", False),
        ("./.env", "/work/app/.env", True),
        ("src/**", "/work/app/src/a.py", True),
        ("src/**", "/work/app/src/deep/a.py", True),
        ("src/**", "/work/app/lib/src/a.py", False),
        ("src/**", "/work/app/src", False),
        ("src/", "/work/app/lib/src/a.py", True),
        ("src/", "/work/app/src", False),
        ("src/**/", "/work/app/src/deep/a.py", True),
        ("src/**/", "/work/app/src/a.py", False),
        ("src/*.py", "/work/app/src/a.py", True),
        ("src/*.py", "/work/app/src/deep/a.py", False),
        ("src/**/*.py", "/work/app/src/a.py", True),
        ("src/**/*.py", "/work/app/src/one/two/a.py", True),
        ("**/build", "/work/app/a/b/build/c", True),
        ("*.pem", "/work/app/keys/server.pem", True),
        ("*.pem", "/work/app/keys/server.pem.txt", False),
        ("a?c", "/work/app/abc", True),
        ("a?c", "/work/app/ac", False),
        ("[a-c]x", "/work/app/bx", True),
        ("[!a-c]x", "/work/app/bx", False),
        ("[^a-c]x", "/work/app/dx", True),
        (r"a\*b", "/work/app/a*b", True),
        (r"a\*b", "/work/app/axb", False),
        ("//etc/passwd", "/etc/passwd", True),
        ("//etc/passwd", "/work/app/etc/passwd", False),
        ("//**", "/anything/at/all", True),
        ("~/.ssh/**", "/home/me/.ssh/id_rsa", True),
        ("~/.ssh/**", "/home/other/.ssh/id_rsa", False),
        ("~", "/home/me/notes", True),
        ("/docs/**", "/work/docs/a.md", True),
        ("/docs/**", "/work/app/docs/a.md", False),
        ("*", "/work/app/anything", True),
        ("*", "/work/other", False),
        ("**", "/work/app/one/two", True),
    ],
)
def test_a_pattern_means_what_lies_below_its_anchor(text: str, path: str, is_meant: bool) -> None:
    assert means(allowing(text), path) is is_meant


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("src/**", "/work/app/lib/src/a.py"),
        ("src/**", "/work/app/src"),
        ("src/", "/work/app/src"),
        (".env", "/work/app/.ENV"),
        ("Secret.txt", "/work/app/sECRET.TXT"),
        ("caf\u00e9", "/work/app/cafe\u0301"),
        (".git", "/work/app/.g\u200cit"),
        ("STRASSE", "/work/app/straße"),
        ("../shared/**", "/work/shared/key"),
        ("[A-F]x", "/work/app/bX"),
    ],
)
def test_a_pattern_that_forbids_means_more_than_one_that_allows(text: str, path: str) -> None:
    assert means(forbidding(text), path)
    if not text.startswith("../"):
        assert not means(allowing(text), path)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("!keep", "a rule cannot be negated; write the opposite rule"),
        ("a/../b", "'..' has no meaning inside a pattern; start it with '//' instead"),
        ("/", "it names no path; '//**' is every path there is"),
        ("//", "it names no path; '//**' is every path there is"),
        ("a[bc", "a '[' is never closed; write '\\[' for the character itself"),
        ("a\\", "it ends in a backslash that escapes nothing"),
        ("[[:alpha:]]", "named sets such as '[:alpha:]' are not known; write the characters"),
    ],
)
def test_a_pattern_that_means_nothing_says_why(text: str, complaint: str) -> None:
    with pytest.raises(PatternError) as raised:
        forbidding(text)

    assert str(raised.value) == complaint


def test_an_allow_cannot_climb_out_of_its_directory() -> None:
    with pytest.raises(PatternError, match="climbs out of the working directory"):
        allowing("../other/**")


def test_where_an_anchor_is_unknown_an_allow_is_refused_and_a_deny_holds_everywhere() -> None:
    nowhere = Anchors()

    with pytest.raises(PatternError, match="the home directory it is seen from is not known"):
        read_path_pattern("~/x", nowhere, forbids=False)

    assert means(read_path_pattern("~/x", nowhere, forbids=True), "/x")


def test_every_name_of_an_anchor_counts() -> None:
    linked = Anchors(("/link/app", "/data/app"), ("/link/app", "/data/app"), ())

    pattern = read_path_pattern("src/**", linked, forbids=False)

    assert means(pattern, "/link/app/src/a.py")
    assert means(pattern, "/data/app/src/a.py")


def test_the_directory_in_front_of_two_stars_is_meant_only_on_request() -> None:
    pattern, directory = allowing("src/**"), PathParts.of("/work/app/src")

    assert not pattern.matches(directory)
    assert pattern.matches(directory, with_root=True)


def test_many_stars_cost_no_more_than_their_length() -> None:
    pattern = allowing("/".join(["**", "a*a*a*a*a*b"] * 200))

    assert not means(pattern, "/work/app/" + "/".join(["a" * 60] * 400))


NAMES = st.text(alphabet="ab.*?", min_size=1, max_size=4).filter(lambda name: name.strip("."))
PATTERNS = st.lists(st.one_of(st.just("**"), NAMES), min_size=1, max_size=4).map("/".join)
PATHS = st.lists(st.text(alphabet="ab.", min_size=1, max_size=4), min_size=1, max_size=5).filter(
    lambda names: not {".", ".."} & set(names)
)


@given(pattern=PATTERNS, path=PATHS, ending=st.sampled_from(["", "/"]))
def test_an_allow_means_exactly_what_git_would_ignore(
    pattern: str, path: list[str], ending: str
) -> None:
    assume(not (pattern.endswith("/**") and ending))  # the oracle takes files for directories here
    text = pattern + ending
    git = GitIgnoreSpec.from_lines([text])

    ours = means(allowing(text), "/work/app/" + "/".join(path))

    assert ours == git.match_file("/".join(path))


@given(pattern=PATTERNS, path=PATHS)
def test_a_deny_means_at_least_what_an_allow_of_the_same_text_means(
    pattern: str, path: list[str]
) -> None:
    whole = "/work/app/" + "/".join(path)

    assert means(forbidding(pattern), whole) >= means(allowing(pattern), whole)


@given(pattern=PATTERNS, path=PATHS)
def test_a_path_that_matches_holds_the_name_it_is_found_by(pattern: str, path: list[str]) -> None:
    parts = PathParts.of("/work/app/" + "/".join(path))
    for one in (allowing(pattern), forbidding(pattern)):
        if one.matches(parts) and one.key is not None:
            assert one.key in parts.folded
