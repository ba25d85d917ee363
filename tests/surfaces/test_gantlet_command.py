"""The real `gantlet` command, in processes of its own."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import pytest

from gantlet import __version__

GANTLET = str(Path(sys.executable).with_name("gantlet"))
FULL_DISK = Path("/dev/full")
SEARCH_LINE = (
    "ToolSearch  Load tools that are announced by name only,"
    " so that you know their inputs before you call them"
)
#: Runs the command with one more folder of built-in tools.
WITH_MORE_TOOLS = (
    "import sys, gantlet.tools\n"
    "gantlet.tools.__path__.append(sys.argv.pop(1))\n"
    "from gantlet.__main__ import main\n"
    "sys.exit(main())\n"
)
#: Runs the command and then tells on standard error which modules that brought in.
TELLING_IMPORTS = (
    "import sys\n"
    "before = set(sys.modules)\n"
    "from gantlet.__main__ import main\n"
    "code = main()\n"
    "print('\\n'.join(sorted(set(sys.modules) - before)), file=sys.stderr)\n"
    "sys.exit(code)\n"
)


@dataclass(frozen=True)
class Ended:
    """How a process ended."""

    code: int
    out: str
    err: str


def run(
    command: Sequence[str],
    variables: Mapping[str, str] | None = None,
    stdout: int | IO[bytes] = subprocess.PIPE,
) -> Ended:
    """Run a command in a plain environment until it ends."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    done = subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=subprocess.PIPE,
        env={**kept, **(variables or {})},
        timeout=60,
        check=False,
    )
    return Ended(done.returncode, (done.stdout or b"").decode(), done.stderr.decode())


def gantlet(*words: str) -> Ended:
    """Run the real command."""
    return run([GANTLET, *words])


@pytest.mark.parametrize("flag", ["--version", "-v"])
def test_the_version_is_a_constant(flag: str) -> None:
    assert gantlet(flag) == Ended(0, f"{__version__} (Gantlet)\n", "")


def test_the_version_is_told_beside_other_flags_too() -> None:
    assert gantlet("--version", "tools") == Ended(0, f"{__version__} (Gantlet)\n", "")


def test_the_module_is_the_command() -> None:
    assert run([sys.executable, "-m", "gantlet", "--version"]) == gantlet("--version")


def test_without_arguments_and_with_help_the_commands_are_listed() -> None:
    helped, bare = gantlet("--help"), gantlet()

    assert helped == bare == gantlet("-h")
    assert (helped.code, helped.err) == (0, "")
    assert helped.out.startswith("usage: gantlet -p PROMPT [FLAGS]\n       gantlet COMMAND ...\n")
    assert "    tools        list the tools, or show one as the model sees it\n" in helped.out
    assert max(map(len, helped.out.splitlines())) <= 80


def test_every_flag_is_told_in_one_sentence() -> None:
    helped = gantlet("-p", "--help")

    assert (helped.code, helped.err) == (0, "")
    assert helped.out.startswith("usage: gantlet -p [PROMPT] [FLAGS]\n")
    entries = re.split(r"\n  (?=-)", helped.out)[1:]
    assert len(entries) > 50
    for entry in entries:
        told = re.sub(r"^(-\S+( [A-Z][A-Z-]*| \[[A-Z]+\])?(, )?)+", "", entry.split("\n\n")[0])
        assert len(told.split()) >= 2, entry


def test_words_that_mean_nothing_to_a_command_end_with_two_and_its_usage() -> None:
    ended = gantlet("tools", "--nonsense")

    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("usage: gantlet ")
    assert "Traceback" not in ended.err


@pytest.mark.parametrize("words", [["nonsense"], ["--nonsense"]], ids=["word", "flag"])
def test_words_that_mean_nothing_end_with_two_and_one_line(words: list[str]) -> None:
    ended = gantlet(*words)

    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("gantlet: ")
    assert ended.err.count("\n") == 1


def test_tools_lists_a_line_for_each_tool_and_their_number() -> None:
    lines = gantlet("tools").out.splitlines()

    *listed, total = lines
    assert SEARCH_LINE.partition(" ")[0] in [line.split()[0] for line in listed]
    assert total == f"{len(listed)} tool{'' if len(listed) == 1 else 's'}"


def test_tools_can_be_chosen() -> None:
    assert gantlet("tools", "--tools", "ToolSearch") == Ended(0, f"{SEARCH_LINE}\n1 tool\n", "")
    assert gantlet("tools", "--tools", "") == Ended(0, "0 tools\n", "")


def test_a_chosen_tool_that_does_not_exist_is_told_on_standard_error() -> None:
    assert gantlet("tools", "--tools", "ToolSearch,Noep") == Ended(
        0, f"{SEARCH_LINE}\n1 tool\n", "Noep: no tool has this name\n"
    )


@pytest.mark.parametrize("rule", ["ToolSearch", "ToolSearch(*)", "Tool*", "*"])
def test_a_denied_tool_is_not_listed(rule: str) -> None:
    listed = gantlet("tools", "--deny", "Nothing", "--deny", rule).out

    assert "ToolSearch" not in listed


def test_a_deny_rule_about_some_calls_leaves_the_tool() -> None:
    ended = gantlet("tools", "--tools", "ToolSearch", "--deny", "ToolSearch(select:*)")

    assert ended == Ended(0, f"{SEARCH_LINE}\n1 tool\n", "")


def test_one_tool_is_shown_as_the_model_sees_it() -> None:
    ended = gantlet("tools", "ToolSearch")

    definition = json.loads(ended.out)
    assert (ended.code, ended.err) == (0, "")
    assert list(definition) == ["name", "description", "input_schema"]
    assert definition["name"] == "ToolSearch"
    assert definition["input_schema"]["required"] == ["query"]
    assert gantlet("tools", "ToolSearch", "--json") == ended


def test_the_whole_tools_part_is_json() -> None:
    ended = gantlet("tools", "--json")

    part = json.loads(ended.out)
    assert (ended.code, ended.err) == (0, "")
    assert isinstance(part, list)
    assert all({"name", "description", "input_schema"} <= set(one) for one in part)


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("toolsearch", "there is no tool named 'toolsearch'. Nearest: ToolSearch."),
        ("Q", "there is no tool named 'Q'. `gantlet tools` lists them."),
        ("\x1b[31m", "there is no tool named '\\x1b[31m'. `gantlet tools` lists them."),
    ],
)
def test_an_unknown_tool_is_one_line_on_standard_error(name: str, line: str) -> None:
    ended = gantlet("tools", name, "--tools", "ToolSearch")

    assert ended == Ended(1, "", f"gantlet: {line}\n")


CLOSED_PIPE_COMMANDS = [
    ["tools", "--json"],
    ["tools"],
    ["tools", "ToolSearch"],
    ["tools", "--help"],
    ["--help"],
    [],
]


@pytest.mark.parametrize("words", CLOSED_PIPE_COMMANDS)
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_reader_that_has_left_is_no_failure(words: list[str], unbuffered: str) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        ended = run([GANTLET, *words], {"PYTHONUNBUFFERED": unbuffered}, writing)
    finally:
        os.close(writing)

    assert ended == Ended(0, "", "")


def test_a_reader_that_takes_one_byte_and_leaves_sees_no_traceback() -> None:
    ended = run(["sh", "-c", f"'{GANTLET}' tools ToolSearch | head -c 1"])

    assert ended == Ended(0, "{", "")


@pytest.mark.skipif(not FULL_DISK.exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_full_disk_is_one_line(unbuffered: str) -> None:
    with FULL_DISK.open("wb") as full:
        ended = run([GANTLET, "tools"], {"PYTHONUNBUFFERED": unbuffered}, full)

    line = "gantlet: the output could not be written: No space left on device\n"
    assert ended == Ended(1, "", line)


HEAVY = {"pydantic", "anyio", "asyncio", "jsonschema_rs", "httpx2", "typing_extensions"}


def imported_by(*words: str) -> set[str]:
    """Return the modules that a command line brings in."""
    return set(run([sys.executable, "-c", TELLING_IMPORTS, *words]).err.splitlines())


def ours(modules: set[str]) -> set[str]:
    """Return those of the modules that are the program's own."""
    return {name for name in modules if name.partition(".")[0] == "gantlet"}


@pytest.mark.parametrize("flag", ["--version", "-v"])
def test_telling_the_version_imports_nothing(flag: str) -> None:
    modules = imported_by(flag)

    assert ours(modules) == {"gantlet", "gantlet.__main__"}
    assert modules.isdisjoint(HEAVY | {"argparse", "json", "dataclasses"})


def test_help_imports_nothing_but_the_command_line() -> None:
    modules = imported_by("--help")

    assert ours(modules) == {
        "gantlet",
        "gantlet.__main__",
        "gantlet.surfaces",
        "gantlet.surfaces.command_line",
    }
    assert modules.isdisjoint(HEAVY | {"json", "dataclasses"})


TOOL_FILE = """
from gantlet.tool import RequestView, Tool

class {name}(Tool[object]):
    name = "{name}"
    input_schema = {schema}

    def describe(self, request: RequestView) -> str:
        {body}
"""


def tool_file(
    folder: Path, name: str, body: str, schema: str = '{"type": "object", "properties": {}}'
) -> None:
    """Write a tool of a careless stranger."""
    text = TOOL_FILE.format(name=name, body=body, schema=schema)
    (folder / f"{name.lower()}.py").write_text(text, encoding="utf-8")


def with_more_tools(folder: Path, *words: str, **variables: str) -> Ended:
    """Run the command with the tools of one more folder."""
    return run([sys.executable, "-c", WITH_MORE_TOOLS, str(folder), *words], variables)


def test_broken_tools_cost_a_line_each_and_nothing_else(tmp_path: Path) -> None:
    tool_file(tmp_path, "Mute", 'raise RuntimeError("no words")')
    tool_file(tmp_path, "Odd", 'return "Fine. Really."', schema='{"type": "array"}')
    (tmp_path / "wrong.py").write_text("import nothing_of_that_name", encoding="utf-8")

    listed = with_more_tools(tmp_path, "tools", "--tools", "Mute,Odd")
    part = with_more_tools(tmp_path, "tools", "--tools", "Mute,Odd", "--json")
    shown = with_more_tools(tmp_path, "tools", "Odd")

    missing = "ModuleNotFoundError(\"No module named 'nothing_of_that_name'\")"
    wrong = f"gantlet.tools.wrong: importing it failed: {missing}"
    mute = "Mute: its description failed: RuntimeError('no words'); it is shown without one"
    odd = "The input schema's type is 'array', not 'object'."
    assert listed == Ended(0, "Mute  Mute\nOdd   Fine\n2 tools\n", f"{wrong}\n{mute}\n")
    assert [one["name"] for one in json.loads(part.out)] == ["Mute"]
    assert part.err == f"{wrong}\nOdd: {odd}\n{mute}\n"  # schemas are read before descriptions
    assert shown == Ended(1, "", f"gantlet: Odd cannot be shown: {odd}\n")


def test_what_could_steer_a_terminal_is_not_printed_raw(tmp_path: Path) -> None:
    tool_file(tmp_path, "Evil", r'return "Do\x1b[2J\x07 it\x9b\u202e now"')

    ended = with_more_tools(tmp_path, "tools", "--tools", "Evil,\x1b[31mred")

    assert ended == Ended(
        0,
        "Evil  Do\\x1b[2J\\x07 it\\x9b\\u202e now\n1 tool\n",
        "\\x1b[31mred: no tool has this name\n",
    )


def test_a_terminal_that_knows_few_letters_still_gets_the_list(tmp_path: Path) -> None:
    tool_file(tmp_path, "Cafe", 'return "Un café, mit Öl"')

    ended = with_more_tools(
        tmp_path, "tools", "--tools", "Cafe", PYTHONIOENCODING="ascii", PYTHONUTF8="0"
    )

    assert ended == Ended(0, "Cafe  Un caf\\xe9, mit \\xd6l\n1 tool\n", "")
