"""Where commands run, with which values, and by which way they are reached."""

import pytest

from gantlet.shell import analyse, text_of


def places(command: str, program: str = "cat") -> list[str | None]:
    """Return the directories in which a program may run."""
    return [part.cwd for part in analyse(command).parts if part.program == program]


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("cat f", ["."]),
        ("cd src && cat f", ["src"]),
        ("cd src; cat f", ["src", "."]),
        ("cd src || exit; cat f", ["src"]),
        ("cd src || exit 1\ncat f", ["src"]),
        ("cd src && cd sub && cat f", ["src/sub"]),
        ("cd src && cd .. && cat f", ["."]),
        ("cd /etc && cat f", ["/etc"]),
        ("cd ./a//b/ && cat f", ["a/b"]),
        ("cd -- src && cat f", ["src"]),
        ("(cd src); cat f", ["."]),
        ("(cd src && cat f)", ["src"]),
        ("{ cd src; } && cat f", ["src"]),
        ("cd src | cat f", ["."]),
        ("cd src & cat f", ["."]),
        ("! cd src && cat f", ["."]),
        ("if cd src; then cat f; else cat f; fi", ["src", "."]),
        ("if true; then cd src; fi; cat f", ["src", "."]),
        ("command cd src && cat f", ["src"]),
        ("pushd src && cat f", ["src"]),
        ("d=src; cd $d && cat f", ["src"]),
        ("for d in a b; do (cd $d && cat f); done", ["a", "b"]),
        ("cd ~ && cat f", ["~"]),
        ("cd && cat f", ["~"]),
        ("cd ~/src && cat f", ["~/src"]),
        ("cd ~/src && cd .. && cat f", ["~"]),
        ("cd ~ && cd .. && cat f", [None]),
        ('cd "$HOME/src" && cat f', ["~/src"]),
        ("cd '~' && cat f", [None]),
        ("cd ~root && cat f", [None]),
        ("pushd && cat f", [None]),
        ("cd - && cat f", [None]),
        ("cd $X && cat f", [None]),
        ("cd 'a'* && cat f", [None]),
        ("cd -P src && cat f", [None]),
        ("popd && cat f", [None]),
        ("cd a b && cat f", [None]),
        ("CDPATH=/etc cd src && cat f", [None]),
        ("CDPATH=/etc; cd src && cat f", [None]),
        ("while true; do cd a; cat f; done", [None]),
        ("for d in a b; do cd $d; cat f; done", [None]),
        ("eval 'cd /etc'; cat f", [None]),
        ("source x; cat f", [None]),
        ("source .venv/bin/activate && cat f", ["."]),
        ('. "$X/bin/activate" && cat f', [None]),
        ("f() { cd /etc; }; f; cat f", [None]),
        ("exec ls; cat f", [None]),
        ("cd a; cd b; cd c; cat f", [None]),
        ("printf x; cd src && cat f", ["src"]),
        ("export FOO=1; cd src && cat f", ["src"]),
        ("export HOME=/x; cd src && cat f", [None]),
        ("set -e; cd src && cat f", ["src"]),
    ],
)
def test_the_directory_is_followed(command: str, expected: list[str | None]) -> None:
    assert places(command) == expected


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("for f in a b; do cat $f; done", ["cat a", "cat b"]),
        ('for f in a b; do cat "x/$f.py"; done', ["cat x/a.py", "cat x/b.py"]),
        ("f=a; cat $f", ["cat a"]),
        ("f='a b'; cat \"$f\"", ["cat 'a b'"]),
        ("f='a b'; cat $f", ["cat $f"]),
        ("f=a; f=b; cat $f", ["cat b"]),
        ("f=a; f+=b; cat $f", ["cat $f"]),
        ("f=a; (f=b); cat $f", ["cat a"]),
        ("f=a; if x; then f=b; fi; cat $f", ["cat $f"]),
        ("f=a; read f; cat $f", ["cat $f"]),
        ("f=a; unset f; cat $f", ["cat $f"]),
        ("f=a; printf -v f b; cat $f", ["cat $f"]),
        ("f=a; eval f=b; cat $f", ["cat $f"]),
        ("f=a; while x; do cat $f; f=b; done", ["cat $f"]),
        ("for f in a; do :; done; cat $f", ["cat $f"]),
        ("for f in $(ls); do cat $f; done", ["cat $f"]),
        ('for f in ~/a; do cat "$f"; done', ['cat "$f"']),
        (
            "for f in a b; do for g in c d; do cat $f$g; done; done",
            ["cat ac", "cat ad", "cat bc", "cat bd"],
        ),
    ],
)
def test_values_that_are_written_are_followed(command: str, expected: list[str]) -> None:
    shown = [text_of(part) for part in analyse(command).parts if part.program == "cat"]

    assert shown == expected


def test_a_loop_over_a_glob_stays_a_glob() -> None:
    [part] = analyse('for f in *.py; do wc -l "$f"; done').parts

    assert [(word.text, word.has_glob) for word in part.argv] == [
        ("wc", False),
        ("-l", False),
        ("*.py", True),
    ]


@pytest.mark.parametrize(
    ("command", "via"),
    [
        ("echo $(rm x)", ("substitution",)),
        ("echo `rm x`", ("substitution",)),
        ("cat <(rm x)", ("process substitution",)),
        ("timeout 5 rm x", ("timeout",)),
        ("timeout 5 nice rm x", ("timeout", "nice")),
        ("sh -c 'rm x'", ("sh -c",)),
        ("bash -c 'rm x'", ("bash -c",)),
        ("sudo sh -c 'echo $(rm x)'", ("sudo", "sh -c", "substitution")),
        ("find . -exec rm {} +", ("find -exec",)),
        ("eval rm x", ("eval",)),
        ("echo 'rm x' | sh", ("stdin",)),
        ("f() { rm x; }", ("function",)),
    ],
)
def test_a_command_says_how_it_is_reached(command: str, via: tuple[str, ...]) -> None:
    found = [one for one in analyse(command).commands if one.program == "rm"]

    assert [one.via for one in found] == [via]
    assert [one.is_carried for one in found] == [
        not set(via) <= {"substitution", "process substitution"}
    ]


def test_parts_leave_wrappers_on_and_substitutions_out() -> None:
    analysis = analyse("timeout 5 ls $(pwd) | head")

    assert [text_of(part) for part in analysis.parts] == ["timeout 5 ls $(pwd)", "head"]


def test_words_that_may_mean_anything_are_told() -> None:
    assert analyse('npm test "$X"').unknowns == ('"$X"',)
    assert analyse('npm test "$X"').is_proved
    assert analyse('echo "$X"').unknowns == ()


@pytest.mark.parametrize(
    "command", ['git "$X"', "read x; npm run a $x", "for f in $(ls); do rm -f $f; done"]
)
def test_words_that_the_command_governs_are_doubted(command: str) -> None:
    assert analyse(command).doubts


@pytest.mark.parametrize(
    ("command", "paths"),
    [
        ("find src -name a | xargs cat", ["src"]),
        ("git ls-files | grep py | xargs cat", ["."]),
        ("rg -l foo src | head -3 | xargs cat", ["src"]),
        ("echo a b | xargs cat", ["a", "b"]),
        ("cat list | xargs cat", None),
        ("find . -printf x | xargs cat", None),
        ("find . | sed s/a/b/ | xargs cat", None),
        ("find . | grep -o a | xargs cat", None),
        ("echo \"'a'\" | xargs cat", None),
        ("xargs cat", None),
    ],
)
def test_paths_are_followed_through_a_pipe(command: str, paths: list[str] | None) -> None:
    fed = analyse(command).parts[-1].stdin_paths

    assert (fed if fed is None else [use.path for use in fed]) == paths


def test_a_message_in_a_here_document_is_written_out() -> None:
    message = "git commit -m \"$(cat <<'EOF'\nfix: a && b\n\nIt's done.\nEOF\n)\""

    assert analyse(message).is_proved
    assert analyse(message).unknowns == ()
    assert analyse('git commit -m "$(cat message)"').unknowns
