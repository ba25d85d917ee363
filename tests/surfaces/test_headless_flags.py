"""What the command line of the main program comes to."""

import argparse

import pytest

from gantlet.surfaces.headless.flag_names import add_flags, joined
from gantlet.surfaces.headless.flag_reading import flags_of, split_list
from gantlet.surfaces.headless.flags import Flags
from gantlet.tool import Mode, UserError


def parsed(*argv: str) -> Flags:
    parser = argparse.ArgumentParser(prog="gantlet", allow_abbrev=False)
    add_flags(parser)
    return flags_of(parser.parse_args(joined(argv)))


STREAM = ("--output-format", "stream-json", "--verbose")


def test_a_prompt_and_its_format() -> None:
    flags = parsed("-p", "What is here?", "--output-format", "json")

    assert (flags.prompt, flags.output_format, flags.is_headless) == ("What is here?", "json", True)


def test_what_the_agent_sdk_sends_is_understood() -> None:
    flags = parsed(
        *STREAM,
        *("--system-prompt", "", "--tools", "Read,Edit", "--allowedTools", "Bash(git log *),Read"),
        *("--max-turns", "3", "--disallowedTools", "WebFetch", "--model", "sonnet"),
        *("--permission-prompt-tool", "stdio", "--permission-mode", "acceptEdits"),
        *("--settings", '{"outputStyle":"x"}', "--add-dir", "/tmp", "--add-dir", "/"),
        *("--mcp-config", '{"mcpServers":{"calc":{"type":"sdk","name":"calc"}}}'),
        *("--include-partial-messages", "--include-hook-events", "--setting-sources=user,project"),
        *("--max-thinking-tokens", "1000", "--input-format", "stream-json"),
    )

    assert flags.system_prompt == ""
    assert flags.tools == "Read,Edit"
    assert flags.allowed_tools == ("Bash(git log *)", "Read")
    assert flags.permission_mode is Mode.ACCEPT_EDITS
    assert flags.add_dir == ("/tmp", "/")
    assert flags.setting_sources == ("user", "project")
    assert flags.is_headless
    assert flags.speaks_control


def test_no_setting_source_is_another_thing_than_none_given() -> None:
    assert parsed("-p", "x").setting_sources is None
    assert parsed("-p", "x", "--setting-sources=").setting_sources == ()


def test_a_value_may_begin_with_a_dash() -> None:
    flags = parsed("-p", "x", "--system-prompt", "--model me as a pirate")

    assert flags.system_prompt == "--model me as a pirate"


def test_several_values_behind_one_flag() -> None:
    flags = parsed("--allowedTools", "Read", "Edit", "-p", "go")

    assert flags.allowed_tools == ("Read", "Edit")
    assert flags.prompt == "go"


def test_lists_are_split_outside_of_parentheses() -> None:
    listed = split_list(["Bash(git log --format=%h, *),Read Edit", "mcp__a"])

    assert list(listed) == ["Bash(git log --format=%h, *)", "Read", "Edit", "mcp__a"]


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (("-p", "x", "--output-format", "xml"), "--output-format 'xml' is not known"),
        (("-p", "x", "--output-format", "stream-json"), "needs --verbose"),
        (("-p", "x", "--input-format", "stream-json"), "needs --output-format stream-json"),
        (("-p", "x", "--max-output-tokens", "1.5"), "--max-output-tokens needs a number"),
        (("-p", "x", "--max-seconds", "nan"), "--max-seconds needs a number above 0"),
        (("-p", "x", "--record", ""), "--record needs the name of a file"),
        (("-p", "x", "--replay", " "), "--replay needs the name of a file"),
        (("-p", "x", "--replay", "a", "--script", "b"), "Use --script or --replay"),
        (("-p", "x", "--replay", "a", "--record", "b"), "Use --record or --replay"),
        (("-p", "x", "--max-turns", "many"), "--max-turns needs a number, not 'many'"),
        (("-p", "x", "--max-turns", "0"), "--max-turns needs a number above 0"),
        (("-p", "x", "--max-budget-usd", "nan"), "--max-budget-usd needs a number above 0"),
        (("-p", "x", "--permission-mode", "yolo"), "--permission-mode 'yolo' is not known"),
        (("-p", "x", "--setting-sources", "elsewhere"), "--setting-sources 'elsewhere'"),
        (("-p", "x", "--agents", "[]"), "--agents is not a JSON object"),
        (("-p", "x", "--json-schema", "{"), "--json-schema is not a valid JSON Schema"),
        (("-p", "x", "--session-id", "1"), "'1' is not a UUID"),
        (("-p", "x", "--fork-session"), "--fork-session needs --resume or --continue"),
        (("-p", "x", "-c", "-r", "a"), "Use --continue or --resume"),
        (("-p", "x", "--resume-session-at", "u"), "--resume-session-at needs --resume"),
        (("-p", "x", "--add-dir", "/nowhere"), "--add-dir /nowhere is not a directory"),
        (("-p", "x", "--worktree"), "--worktree is not supported yet"),
        (("-p", "x", "--plugin-dir", "d"), "--plugin-dir is not supported yet"),
        (("-p", "x", "--effort", "huge"), "--effort 'huge' is not known"),
        (("-p", "x", "--system-prompt-file", "/nowhere"), "/nowhere cannot be read"),
        (("-p", "x", "--include-partial-messages"), "needs --output-format stream-json"),
        (("-p", "x", "--replay-user-messages"), "needs --input-format stream-json"),
    ],
    ids=lambda given: " ".join(given) if isinstance(given, tuple) else "",
)
def test_what_cannot_be_used_is_said(argv: tuple[str, ...], message: str) -> None:
    with pytest.raises(UserError) as caught:
        parsed(*argv)

    assert message in str(caught.value)
