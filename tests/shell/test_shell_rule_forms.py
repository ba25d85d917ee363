"""The forms and texts that rules are matched on, and the rules to suggest."""

import pytest

from gantlet.shell import analyse, strip_for_allow, strip_for_rules, suggest_rules, text_of


def forms(command: str) -> list[str]:
    """Return the texts a rule that allows is matched on."""
    return [text_of(form) for form in strip_for_allow(analyse(command).parts[-1])]


def all_forms(command: str) -> list[str]:
    """Return the texts a rule that forbids is matched on."""
    return [text_of(form) for form in strip_for_rules(analyse(command).parts[-1])]


@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("ls   -la", "ls -la"),
        ("'ls' \"-la\"", "ls -la"),
        ("git commit -m 'x && y'", "git commit -m 'x && y'"),
        ('git commit -m "x && y"', "git commit -m 'x && y'"),
        ("echo it\\'s", "echo 'it'\\''s'"),
        ("echo ''", "echo ''"),
        ("ls *.py", "ls *.py"),
        ("ls '*.py'", "ls '*.py'"),
        ('echo "$X"', 'echo "$X"'),
        ("A=1 B= ls", "A=1 B= ls"),
        ("ls > f", "ls"),
        ("cat ~/a", "cat ~/a"),
        ("git show HEAD@{1}", "git show HEAD@{1}"),
        ("cat <<'E'\nx\nE", "cat"),
    ],
)
def test_the_text_of_a_command_is_canonical(command: str, text: str) -> None:
    assert text_of(analyse(command).parts[0]) == text


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("npm test", ["npm test"]),
        ("timeout 5 npm test", ["timeout 5 npm test", "npm test"]),
        (
            "timeout -k 1 --signal=KILL 5 npm test",
            ["timeout -k 1 --signal=KILL 5 npm test", "npm test"],
        ),
        ("nice -n 5 nohup npm test", ["nice -n 5 nohup npm test", "nohup npm test", "npm test"]),
        ("stdbuf -oL npm test", ["stdbuf -oL npm test", "npm test"]),
        ("command npm test", ["command npm test", "npm test"]),
        ("builtin echo a", ["builtin echo a", "echo a"]),
        ("command -v npm", ["command -v npm"]),
        ("xargs npm test", ["xargs npm test", "npm test"]),
        ("xargs -n1 npm test", ["xargs -n1 npm test"]),
        ("NODE_ENV=test npm test", ["npm test"]),
        ("NODE_ENV=test timeout 5 npm test", ["timeout 5 npm test", "npm test"]),
        ("LC_ALL=C TZ=UTC npm test", ["npm test"]),
        ("FOO=1 npm test", ["FOO=1 npm test"]),
        ("FOO=1 timeout 5 npm test", ["FOO=1 timeout 5 npm test"]),
        ("PATH=. npm test", ["PATH=. npm test"]),
        ("NODE_ENV=$X npm test", ["NODE_ENV=$X npm test"]),
        ("NODE_OPTIONS=-r npm test", ["NODE_OPTIONS=-r npm test"]),
        ("env npm test", ["env npm test"]),
        ("sudo npm test", ["sudo npm test"]),
        ("npx npm test", ["npx npm test"]),
        ("setsid npm test", ["setsid npm test"]),
        ("/usr/bin/npm test", ["/usr/bin/npm test"]),
        ("/usr/bin/time -o f npm test", ["/usr/bin/time -o f npm test"]),
        ('timeout "$T" npm test', ['timeout "$T" npm test']),
        ("timeout --unknown 5 npm test", ["timeout --unknown 5 npm test"]),
    ],
)
def test_a_rule_that_allows_sees_through_plain_wrappers_only(
    command: str, expected: list[str]
) -> None:
    assert forms(command) == expected


@pytest.mark.parametrize(
    "command",
    [
        "git push",
        "FOO=1 git push",
        "PATH=. git push",
        "/usr/bin/git push",
        "timeout 5 git push",
        "env -i A=1 git push",
        "sudo -u bob git push",
        "git -C dir push",
        "git -c a=b --no-pager push",
        "git --git-dir=x --work-tree y push",
        "nohup nice /bin/git -C x push",
        "npx git push",
        "docker exec c git push",
    ],
)
def test_a_rule_that_forbids_sees_through_everything(command: str) -> None:
    assert "git push" in all_forms(command)


def test_the_command_itself_is_the_first_form() -> None:
    [part] = analyse("FOO=1 sudo ls").parts

    assert strip_for_rules(part)[0] == part


@pytest.mark.parametrize(
    ("command", "rules"),
    [
        ("npm test", ("npm test *",)),
        ("npm test -- --watch", ("npm test *",)),
        ("npm run build", ("npm run build *",)),
        ("git commit -m 'a b'", ("git commit *",)),
        ("git add . && git commit -m x", ("git add *", "git commit *")),
        ("pytest tests -q", ("pytest *",)),
        ("cd src && pytest", ("pytest *",)),
        ("ls && pytest | head", ("pytest *",)),
        ("cargo build --release", ("cargo build *",)),
        ("make test", ("make test *",)),
        ("git commit -F - <<'E'\nlong\nE", ("git commit *",)),
        ("echo $(npm test)", ("npm test *",)),
        ("a; b; c; d; e", ("a *", "b *", "c *", "d *", "e *")),
        ("a; b; c; d; e; f", ()),
        ("ls", ()),
        ("python x.py", ()),
        ("python3.11 x.py", ()),
        ("node x.js", ()),
        ("bash x.sh", ()),
        ("sh -c ls", ()),
        ("sudo npm test", ()),
        ("timeout 5 npm test", ()),
        ("env npm test", ()),
        ("xargs npm test", ()),
        ("find . -delete", ()),
        ("npx eslint", ()),
        ("uv run pytest", ()),
        ("poetry run pytest", ()),
        ("docker exec c ls", ()),
        ("docker run img", ()),
        ("go run x", ()),
        ("git -c a=b push", ()),
        ("npm", ()),
        ("rm -rf x", ()),
        ("curl http://x", ()),
        ("export A=1", ()),
        ("source x", ()),
        ("eval x", ()),
        ("FOO=1 npm test", ()),
        ("npm test > out", ()),
        ('npm "$X"', ()),
        ("npm test ${x:-y}", ()),
        ("awk 'BEGIN{system(1)}'", ()),
        ("npm test; python x.py", ()),
    ],
)
def test_rules_are_suggested_only_if_they_are_harmless_and_cover_the_line(
    command: str, rules: tuple[str, ...]
) -> None:
    assert suggest_rules(analyse(command)) == rules
