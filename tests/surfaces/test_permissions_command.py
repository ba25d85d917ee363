"""`gantlet permissions` as people and programs use it: the real command, real files."""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from surfaces.permission_cases import CASES, SanityCase

GANTLET = str(Path(sys.executable).with_name("gantlet"))


@dataclass(frozen=True)
class Ended:
    """How a process ended."""

    code: int
    out: str
    err: str


@dataclass(frozen=True)
class Desk:
    """A project and a home of its own, and the command in them."""

    cwd: Path
    home: Path

    def run(self, *words: str, sent: str | bytes = "", path: str = "") -> Ended:
        """Run `gantlet permissions`."""
        return self.command("permissions", *words, sent=sent, path=path)

    def command(self, *words: str, sent: str | bytes = "", path: str = "") -> Ended:
        """Run `gantlet`."""
        done = subprocess.run(
            [GANTLET, *words],
            input=sent.encode() if isinstance(sent, str) else sent,
            capture_output=True,
            cwd=self.cwd,
            env={"PATH": path or os.environ["PATH"], "HOME": str(self.home)},
            timeout=60,
            check=False,
        )
        return Ended(done.returncode, done.stdout.decode(), done.stderr.decode())

    def check(self, *cases: object) -> list[dict[str, object]]:
        """Judge cases, each on a line of its own."""
        sent = "".join(f"{json.dumps(case)}\n" for case in cases)
        ended = self.run("check", "--batch", "-", sent=sent)
        assert (ended.code, ended.err) == (0, "")
        return [json.loads(line) for line in ended.out.splitlines()]

    def settings(self, text: str, name: str = "settings.json") -> Path:
        """Write a settings file of the project."""
        file = self.cwd / ".claude" / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
        return file

    def user_settings(self, text: str) -> Path:
        """Write the user's settings file."""
        file = self.home / ".claude" / "settings.json"
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
        return file

    def trust(self) -> None:
        """Say yes to the project."""
        projects = {str(self.cwd): {"hasTrustDialogAccepted": True}}
        (self.home / ".claude.json").write_text(json.dumps({"projects": projects}))


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """Return a project with a few files, and a home."""
    project, home = tmp_path / "app", tmp_path / "home"
    for folder in (project / "src", project / "sub", home):
        folder.mkdir(parents=True)
    for name in (".env", "sub/.env", "a.txt", "b.txt", "README.md", "x"):
        (project / name).touch()
    return Desk(project.resolve(), home.resolve())


def _as_line(case: SanityCase, number: int) -> dict[str, object]:
    """Return a case as it is sent."""
    return {
        "id": number,
        "tool": case.tool,
        "input": case.given,
        "rules": case.rules,
        "mode": case.mode,
    }


def test_every_sanity_case_comes_out_as_it_must(desk: Desk) -> None:
    answers = desk.check(*(_as_line(case, number) for number, case in enumerate(CASES)))

    wrong = [
        f"{case.title}: expected {case.expected}, got {answer['decision']} ({answer['reason']})"
        for case, answer in zip(CASES, answers, strict=True)
        if (answer["decision"] == "allow") != (case.expected == "allow")
        or (case.expected in {"ask", "deny"} and answer["decision"] != case.expected)
    ]
    assert wrong == []
    assert [answer["id"] for answer in answers] == list(range(len(CASES)))


def test_an_answer_names_the_rule_and_the_layer(desk: Desk) -> None:
    case = {
        "id": "a",
        "tool": "Bash",
        "input": {"command": "rm x"},
        "rules": {"deny": ["Bash(rm *)"]},
    }

    assert desk.check(case) == [
        {
            "id": "a",
            "decision": "deny",
            "reason": "The rule Bash(rm *) denies rm x.",
            "layer": "deny rules",
            "rule": "Bash(rm *)",
        }
    ]


def test_a_line_that_is_no_case_is_denied_and_the_run_goes_on(desk: Desk) -> None:
    good = json.dumps({"id": 9, "tool": "Read", "input": {"file_path": "a.txt"}}).encode()
    bad = [
        b"{",
        b"[]",
        b"null",
        b'{"id": NaN}',
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"id": 1}',
        b'{"id": 2, "tool": "Bash"}',
        b'{"id": 3, "tool": "Bash", "input": {"command": 4}}',
        b'{"id": 4, "tool": "Read", "input": {"file_path": "a"}, "mode": "nonsense"}',
        b'{"id": 5, "tool": "Read", "input": {"file_path": "a"}, "rules": {"deny": "Read"}}',
        b'{"id": 6, "tool": "Read", "input": {"file_path": "a"}, "rules": {"denied": []}}',
        b'{"id": 7, "tool": "Read", "input": {"file_path": "a"}, "cwd": "relative"}',
        b'{"id": 8, "tool": "Read", "input": []}',
    ]

    ended = desk.run("check", "--batch", "-", sent=b"\n".join([*bad, b"", good]))

    answers = [json.loads(line) for line in ended.out.splitlines()]
    assert (ended.code, ended.err) == (0, "")
    assert [answer["id"] for answer in answers] == [None] * 6 + list(range(1, 10))
    assert {answer["decision"] for answer in answers[:-1]} == {"deny"}
    assert all(answer["reason"] for answer in answers)
    assert answers[-1]["decision"] == "allow"


def test_a_batch_answers_a_line_before_the_next_one_comes(desk: Desk) -> None:
    case = json.dumps({"id": 1, "tool": "Read", "input": {"file_path": "a.txt"}}).encode()
    command = [GANTLET, "permissions", "check", "--batch", "-"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=desk.cwd
    ) as talking:
        assert talking.stdin is not None
        assert talking.stdout is not None
        for _ in range(2):
            talking.stdin.write(case + b"\n")
            talking.stdin.flush()
            assert json.loads(talking.stdout.readline())["decision"] == "allow"
        talking.stdin.close()
        assert talking.wait(timeout=30) == 0


def test_a_long_batch_keeps_its_order_and_takes_a_file(desk: Desk, tmp_path: Path) -> None:
    file = tmp_path / "cases.jsonl"
    lines = [
        {"id": at, "tool": "Bash", "input": {"command": "ls" if at % 2 else f"rm {at}"}}
        for at in range(3_000)
    ]
    file.write_text("\n".join(map(json.dumps, lines)))

    ended = desk.run("check", "--batch", str(file))

    answers = [json.loads(line) for line in ended.out.splitlines()]
    assert [answer["id"] for answer in answers] == list(range(3_000))
    assert [answer["decision"] for answer in answers] == ["ask", "allow"] * 1_500


def test_a_batch_ignores_settings_and_takes_the_directories_of_a_case(desk: Desk) -> None:
    desk.user_settings('{"permissions": {"deny": ["Read"]}}')
    case = {
        "id": 1,
        "tool": "Read",
        "input": {"file_path": "~/x"},
        "cwd": "/home/me",
        "home": "/home/me",
    }

    assert [one["decision"] for one in desk.check(case, {**case, "cwd": "/work"})] == [
        "allow",
        "ask",
    ]


def test_explain_shows_parts_votes_the_rule_with_its_line_and_the_verdict(desk: Desk) -> None:
    file = desk.user_settings(
        '{\n  "permissions": {\n    "deny": [\n      "Bash(rm *)"\n    ]\n  }\n}'
    )

    ended = desk.run("explain", "git log | head; sh -c 'rm x'")

    assert (ended.code, ended.err) == (0, "")
    for part in ("git log", "head", "rm x  [sh -c]", "only reads (git log)", "Votes", "Risk"):
        assert part in ended.out
    assert f"Rule     Bash(rm *) — user settings ({file}:4, permissions.deny)" in ended.out
    assert "Verdict  deny (deny rules): The rule Bash(rm *) denies rm x." in ended.out
    assert (desk.cwd / "x").exists()


def put_program(folder: Path, name: str) -> Path:
    """Put a program of one's own into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / name
    file.write_text("#!/bin/sh\necho mine\n")
    file.chmod(0o755)
    return file


def is_run(desk: Desk, command: str, path: str) -> bool:
    """Have the program run a command with nobody to ask; return whether it did."""
    script = desk.home / "script.json"
    script.write_text(json.dumps([[{"call": "Bash", "input": {"command": command}}], "Done."]))
    words = ("-p", "go", "--script", str(script), "--output-format", "json")
    ended = desk.command(*words, path=path)
    assert ended.code == 0, ended.err
    return not json.loads(ended.out)["permission_denials"]


@pytest.mark.parametrize(
    "where", ["the system", "the project", "the home", "a named folder", "a folder one works in"]
)
def test_explain_judges_the_file_that_runs(desk: Desk, where: str) -> None:
    path, file = "/usr/bin:/bin", Path("/usr/bin/wc")
    if where != "the system":
        folder = desk.cwd / "bin" if where == "the project" else desk.home / "bin"
        file, path = put_program(folder, "wc"), f"{folder}:{path}"
    settings: dict[str, object] = {}
    if where.startswith("a "):  # what is named counts, but never what one works in
        settings["shell"] = {"programFolders": ["~/bin"]}
    if where == "a folder one works in":
        settings["permissions"] = {"additionalDirectories": [str(desk.home / "bin")]}
    desk.user_settings(json.dumps(settings))

    said = desk.run("explain", "wc -l a.txt", path=path).out

    is_allowed = where in ("the system", "a named folder")
    assert f"\nPrograms\n  wc  {file}\n" in said
    assert ("in doubt: wc is" in said) is not is_allowed
    assert f"Verdict  {'allow' if is_allowed else 'ask'}" in said
    assert is_run(desk, "wc -l a.txt", path) is is_allowed


def test_explain_shows_where_every_program_of_a_line_is(desk: Desk) -> None:
    put_program(desk.cwd / "sub", "own")

    said = desk.run("explain", "cd sub && ./own; nowhere-at-all | head; echo x").out

    shown = said.partition("\nPrograms\n")[2].partition("\n\n")[0].split("\n")
    assert [line.split(maxsplit=1) for line in shown] == [
        ["./own", str(desk.cwd / "sub" / "own")],
        ["nowhere-at-all", "is nowhere on the PATH"],
        ["head", shutil.which("head")],
    ]


def test_explain_takes_other_tools_modes_and_whole_inputs(desk: Desk) -> None:
    edit = json.dumps({"file_path": "a.txt"})

    assert "Verdict  allow" in desk.run("explain", "--tool", "Read", "a.txt").out
    assert "Verdict  ask" in desk.run("explain", "--tool", "Edit", "--input", edit).out
    planned = desk.run("explain", "--tool", "Edit", "--input", edit, "--mode", "plan").out
    assert "Verdict  deny (mode)" in planned


def test_explain_lets_nothing_steer_the_terminal(desk: Desk) -> None:
    ended = desk.run("explain", "echo \x1b[31mred\u202e; \x07ls")

    assert set("\x1b\x07\u202e").isdisjoint(ended.out)
    assert "\\x1b[31mred" in ended.out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["explain"], "Name what to explain"),
        (["explain", "--input", "{"], "--input is no JSON"),
        (["explain", "--input", "[]"], "--input must be a JSON object"),
        (["explain", "ls", "--mode", "nonsense"], "There is no mode 'nonsense'"),
        (["explain", "--tool", "Skill", "x"], "Skill needs --input"),
        (["check", "--batch", "missing.jsonl"], "'missing.jsonl' cannot be read"),
        (["test", "missing.yaml"], "'missing.yaml' cannot be read"),
        (["revoke", "Bash"], "There is no rule 'Bash'"),
    ],
)
def test_what_cannot_be_done_is_one_line_on_standard_error(
    desk: Desk, words: list[str], told: str
) -> None:
    ended = desk.run(*words)

    assert (ended.code, ended.out) == (1, "")
    assert told in ended.err
    assert ended.err.count("\n") == 1


def test_list_shows_each_rule_with_its_file_and_line(desk: Desk) -> None:
    user = desk.user_settings('{"permissions": {"allow": ["Bash(ls *)"],\n"deny": ["Read(.env)"]}}')
    project = desk.settings('{"permissions": {"allow": ["Bash(make)"]}}')

    ended = desk.run("list")

    assert ended.out.splitlines() == [
        f"deny   Read(.env)  user  {user}:2",
        f"allow  Bash(ls *)  user  {user}:1",
        f"allow  Bash(make)  project  {project}:1  (does not count here)",
        "mode default; 3 rules",
    ]
    assert "this workspace has not been trusted" in ended.err
    desk.trust()
    assert "does not count" not in desk.run("list").out


def test_settings_that_do_not_parse_make_everything_a_question(desk: Desk) -> None:
    file = desk.user_settings('{\n  "permissions": {"deny": ["Bash(rm *)",]}\n}')

    ended = desk.run("explain", "ls")

    assert "Verdict  ask" in ended.out
    assert f"{file}:2: this is no JSON" in ended.err
    assert "remove the comma" in ended.err


def test_revoke_takes_a_rule_out_and_leaves_the_rest(desk: Desk) -> None:
    file = desk.user_settings('{"permissions": {"allow": ["Bash(ls *)", "Read"]}, "model": "m"}\n')
    local = desk.settings('{"permissions": {"ask": ["Bash(ls *)"]}}', "settings.local.json")

    ended = desk.run("revoke", "Bash(ls *)", "--from", "user")

    assert ended == Ended(0, f"revoked allow Bash(ls *) ({file}:1)\n", "")
    assert json.loads(file.read_text()) == {"permissions": {"allow": ["Read"]}, "model": "m"}
    assert desk.run("revoke", "Bash(ls *)") == Ended(0, f"revoked ask Bash(ls *) ({local}:1)\n", "")
    assert desk.run("revoke", "Bash(ls *)").code == 1


def test_lint_finds_what_is_odd_and_says_where(desk: Desk) -> None:
    rules = {"allow": ["Bash(rm *)", "Bash(python *)", "Bash("], "deny": ["Bash(rm *)"]}
    file = desk.user_settings(json.dumps({"permissions": rules}, indent=2))

    ended = desk.run("lint")

    assert ended.code == 1
    for line in (f"{file}:4: dead:", f"{file}:5: broad:", f"{file}:6: broken:"):
        assert line in ended.out


def test_lint_is_content_with_plain_rules(desk: Desk) -> None:
    desk.user_settings('{"permissions": {"allow": ["Bash(make build)"]}}')

    assert desk.run("lint") == Ended(0, "1 rule, nothing odd\n", "")


def test_a_file_of_cases_passes_or_says_which_one_did_not(desk: Desk, tmp_path: Path) -> None:
    file = tmp_path / "suite.yaml"
    file.write_text(
        "- name: removal\n"
        "  rules: {deny: ['Bash(rm *)']}\n"
        "  cases:\n"
        "    - {tool: Bash, input: {command: rm x}, expect: deny}\n"
        "    - {tool: Bash, input: {command: ls}, mode: plan, expect: allow}\n"
    )

    assert desk.run("test", str(file)) == Ended(0, "2 cases, 0 failed\n", "")

    file.write_text(file.read_text().replace("expect: allow", "expect: deny"))
    ended = desk.run("test", str(file))
    assert ended.code == 1
    assert ended.out.startswith(
        "removal, case 2: Bash {'command': 'ls'}: expected deny, got allow."
    )


@pytest.mark.parametrize("text", ["", "[]", "3", "- {cases: 1}", "- {cases: [{tool: x}]}", "{"])
def test_a_file_that_holds_no_cases_is_told(desk: Desk, tmp_path: Path, text: str) -> None:
    file = tmp_path / "suite.yaml"
    file.write_text(text)

    ended = desk.run("test", str(file))

    assert (ended.code, ended.out) == (1, "")
    assert ended.err.startswith("gantlet: ")
