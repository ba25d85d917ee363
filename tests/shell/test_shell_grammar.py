"""How a command line is taken apart: words, quotes, redirections, lists."""

import pytest

from gantlet.shell import Analysis, Redirect, SimpleCommand, Word, analyse, text_of
from shell.shell_kit import words


def literal(text: str, raw: str | None = None) -> Word:
    return Word(text, is_literal=True, raw=text if raw is None else raw)


def test_a_plain_command_is_one_part_and_one_command() -> None:
    command = SimpleCommand((literal("ls"), literal("-la")), raw="ls -la")

    assert analyse("ls -la") == Analysis("ls -la", (command,), (command,))


@pytest.mark.parametrize(
    "written",
    [
        "ls",
        "'ls'",
        '"ls"',
        "l\\s",
        "l''s",
        'l"s"',
        "$'ls'",
        "$'\\x6cs'",
        "$'\\154s'",
        "$'\\u006cs'",
    ],
)
def test_quotes_do_not_change_a_word(written: str) -> None:
    analysis = analyse(f"{written} -la")

    assert [word.text for word in analysis.parts[0].argv] == ["ls", "-la"]
    assert analysis.parts[0].program == "ls"
    assert analysis.is_proved


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("'a b'", "a b"),
        ('"a b"', "a b"),
        ("a\\ b", "a b"),
        ("'a'\\''b'", "a'b"),
        ('"a\\"b"', 'a"b'),
        ('"a\\$b"', "a$b"),
        ('"a\\qb"', "a\\qb"),
        ("$'a\\nb\\tc'", "a\nb\tc"),
        ("$'a\\'b'", "a'b"),
        ("$'\\101\\x42\\u0043'", "ABC"),
        ("''", ""),
        ("a''", "a"),
        ("HEAD@{1}", "HEAD@{1}"),
        ("{}", "{}"),
        ("a#b", "a#b"),
        ("a=b", "a=b"),
        ("é", "é"),
        ("\\*", "*"),
        ("'*'", "*"),
        ("[", "["),
        ("a~b", "a~b"),
        ("--x=~/y", "--x=~/y"),
    ],
)
def test_a_word_is_decoded(written: str, text: str) -> None:
    analysis = analyse(f"echo {written}")

    assert analysis.parts[0].argv[1] == literal(text, written)
    assert analysis.is_proved


@pytest.mark.parametrize("written", ["*.py", "a?", "[ab]c", "src/*/x", '"a b"*'])
def test_a_glob_is_not_literal(written: str) -> None:
    word = analyse(f"ls {written}").parts[0].argv[1]

    assert (word.is_literal, word.has_glob, word.raw) == (False, True, written)


@pytest.mark.parametrize(
    ("written", "splits"),
    [
        ("$X", True),
        ('"$X"', False),
        ("${X}", True),
        ('"$@"', True),
        ("$(ls)", True),
        ("`ls`", True),
    ],
)
def test_an_expansion_is_not_literal(written: str, splits: bool) -> None:
    word = analyse(f"echo {written}").parts[0].argv[1]

    assert (word.is_literal, word.can_split) == (False, splits)


def test_a_process_substitution_is_a_pipe() -> None:
    analysis = analyse("cat <(ls) a<(ls)")

    assert [word.is_process for word in analysis.parts[0].argv] == [False, True, False]


def test_home_is_literal_and_keeps_its_mark() -> None:
    unquoted, quoted, other = analyse("cat ~/a '~/a' ~bob/a").parts[0].argv[1:]

    assert (unquoted.is_literal, unquoted.text, unquoted.raw) == (True, "~/a", "~/a")
    assert (quoted.is_literal, quoted.text, quoted.raw) == (True, "~/a", "'~/a'")
    assert not other.is_literal


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("a; b", [["a"], ["b"]]),
        ("a && b || c", [["a"], ["b"], ["c"]]),
        ("a | b |& c", [["a"], ["b"], ["c"]]),
        ("a & b", [["a"], ["b"]]),
        ("a\nb\n\nc\n", [["a"], ["b"], ["c"]]),
        ("a # b\nc", [["a"], ["c"]]),
        ("# a\nb", [["b"]]),
        ("a \\\n b", [["a", "b"]]),
        ("a &&\n\n b", [["a"], ["b"]]),
        ("a |\n b", [["a"], ["b"]]),
        ("(a; b)", [["a"], ["b"]]),
        ("{ a; b; }", [["a"], ["b"]]),
        ("! a", [["a"]]),
        ("time -p a | b", [["a"], ["b"]]),
        ("if a; then b; elif c; then d; else e; fi", [["a"], ["b"], ["c"], ["d"], ["e"]]),
        ("while a; do b; done", [["a"], ["b"]]),
        ("until a; do b; done", [["a"], ["b"]]),
        ("for i in 1; do a; done", [["a"]]),
        ("case x in a|b) c;; (d) e;; esac", [["c"], ["e"]]),
        ("case x in a) b", [["b"]]),
        ("a;", [["a"]]),
        ("echo if then fi", [["echo", "if", "then", "fi"]]),
        ("[[ a == b && -f c ]]", [["[[", "a", "==", "b", "&&", "-f", "c", "]]"]]),
    ],
)
def test_a_list_is_taken_apart(command: str, expected: list[list[str]]) -> None:
    assert words(command) == expected


@pytest.mark.parametrize(
    ("written", "redirect"),
    [
        ("> f", Redirect(">", None, literal("f"), reads=False, writes=True)),
        (">> f", Redirect(">>", None, literal("f"), reads=False, writes=True)),
        (">| f", Redirect(">|", None, literal("f"), reads=False, writes=True)),
        ("2>f", Redirect(">", 2, literal("f"), reads=False, writes=True)),
        ("< f", Redirect("<", None, literal("f"), reads=True, writes=False)),
        ("&> f", Redirect("&>", None, literal("f"), reads=False, writes=True)),
        ("&>> f", Redirect("&>>", None, literal("f"), reads=False, writes=True)),
        ("<> f", Redirect("<>", None, literal("f"), reads=True, writes=True)),
        ("2>&1", Redirect(">&", 2, literal("1"), reads=False, writes=False)),
        (">&2", Redirect(">&", None, literal("2"), reads=False, writes=False)),
        ("2>&-", Redirect(">&", 2, literal("-"), reads=False, writes=False)),
        (">& f", Redirect(">&", None, literal("f"), reads=False, writes=True)),
        ("<<< 'a b'", Redirect("<<<", None, literal("a b", "'a b'"), reads=False, writes=False)),
    ],
)
def test_a_redirection_says_what_it_does(written: str, redirect: Redirect) -> None:
    assert analyse(f"ls {written}").parts[0].redirects == (redirect,)
    assert analyse(f"{written} ls").parts[0].redirects == (redirect,)


def test_the_redirections_of_a_group_are_a_part_of_their_own() -> None:
    analysis = analyse("{ a; b; } > f")

    assert [(text_of(part), len(part.redirects)) for part in analysis.parts] == [
        ("", 1),
        ("a", 0),
        ("b", 0),
    ]


@pytest.mark.parametrize(
    ("command", "body"),
    [
        ("cat <<'E'\na $x `b`\nE\n", "a $x `b`\n"),
        ("cat <<E\na b\nE\n", "a b\n"),
        ("cat <<-E\n\ta\n\tE\n", "a\n"),
        ("cat <<\\E\n$x\nE", "$x\n"),
        ("cat <<E\na \\$x\nE\n", "a $x\n"),
        ('cat <<E\nit\'s "a"\nE\n', 'it\'s "a"\n'),
    ],
)
def test_a_here_document_is_text(command: str, body: str) -> None:
    analysis = analyse(command)

    assert analysis.is_proved
    assert [one.target.text for one in analysis.parts[0].redirects] == [body]


def test_what_follows_a_here_document_is_read() -> None:
    command = "cat <<'A' <<B | wc -l && ls\none\nA\ntwo\nB\nrm x"

    assert words(command) == [["cat"], ["wc", "-l"], ["ls"], ["rm", "x"]]


def test_assignments_stand_in_front_or_alone() -> None:
    alone, front = analyse("A=1 B='b c'; A=1 ls").parts

    assert [(one.name, one.value.text) for one in alone.assignments] == [("A", "1"), ("B", "b c")]
    assert (alone.argv, text_of(front)) == ((), "A=1 ls")


@pytest.mark.parametrize(
    "command",
    [
        "echo ${x:-y}",
        "echo ${x@P}",
        "echo ${!x}",
        "echo $((x))",
        "echo $[1]",
        "a=(1 2)",
        "a[0]=1",
        "f() { ls; }",
        "coproc ls",
        "select x in a; do ls; done",
        "echo {a,b}",
        "echo {1..3}",
        "ls <> f",
        "ls >& f",
        "ls {fd}> f",
        "cat <<E\n$x\nE",
        "$x",
        "$(ls)",
        "ls 'a",
        "ls )",
        "alias a=b",
        "eval $x",
        "ls\\\n-la",
        'echo $"a"',
        "PATH=.; ls",
        "export LD_PRELOAD=x",
    ],
)
def test_what_is_outside_the_grammar_is_doubted(command: str) -> None:
    assert analyse(command).doubts


def test_a_doubt_does_not_hide_other_commands() -> None:
    analysis = analyse("ls; echo ${x:-$(pwd)}; f() { whoami; }; cat <(id)")

    assert {command.program for command in analysis.commands} >= {"ls", "pwd", "whoami", "id"}


def test_a_command_without_text_has_no_parts() -> None:
    assert analyse("") == Analysis("", (), ())
    assert analyse(" \n # nothing\n") == Analysis(" \n # nothing\n", (), ())
