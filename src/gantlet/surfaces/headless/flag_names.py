"""Which flags the main program has, and how each is written on a command line."""

import argparse
from collections.abc import Mapping, Sequence
from typing import Any

from gantlet.surfaces.headless.flag_words import WORDS
from gantlet.surfaces.headless.flags import FlagError

#: Flags with one value, by the field they fill.
_ONE: Mapping[str, tuple[str, ...]] = {
    "output_format": ("--output-format",),
    "input_format": ("--input-format",),
    "model": ("--model",),
    "fallback_model": ("--fallback-model",),
    "max_turns": ("--max-turns",),
    "max_budget_usd": ("--max-budget-usd",),
    "max_output_tokens": ("--max-output-tokens",),
    "max_seconds": ("--max-seconds",),
    "system_prompt": ("--system-prompt",),
    "system_prompt_file": ("--system-prompt-file",),
    "append_system_prompt": ("--append-system-prompt",),
    "append_system_prompt_file": ("--append-system-prompt-file",),
    "permission_mode": ("--permission-mode",),
    "permission_prompt_tool": ("--permission-prompt-tool",),
    "settings": ("--settings",),
    "setting_sources": ("--setting-sources",),
    "agents": ("--agents",),
    "session_id": ("--session-id",),
    "resume_session_at": ("--resume-session-at",),
    "resume_drops_turn": ("--resume-drops-turn",),
    "json_schema": ("--json-schema",),
    "name": ("--name", "-n"),
    "max_thinking_tokens": ("--max-thinking-tokens",),
    "thinking": ("--thinking",),
    "thinking_display": ("--thinking-display",),
    "effort": ("--effort",),
    "task_budget": ("--task-budget",),
    "debug_file": ("--debug-file",),
    "script": ("--script",),
    "record": ("--record",),
    "replay": ("--replay",),
}
#: Flags with several values, each of which may also be a list with commas.
_SEVERAL: Mapping[str, tuple[str, ...]] = {
    "allowed_tools": ("--allowedTools", "--allowed-tools"),
    "disallowed_tools": ("--disallowedTools", "--disallowed-tools"),
    "add_dir": ("--add-dir",),
    "mcp_config": ("--mcp-config",),
    "betas": ("--betas",),
    "tools": ("--tools",),
}
#: Flags whose value may be left out.
_OPTIONAL: Mapping[str, tuple[str, ...]] = {
    "resume": ("-r", "--resume"),
    "debug": ("-d", "--debug"),
}
_SWITCHES: Mapping[str, tuple[str, ...]] = {
    "is_print": ("-p", "--print"),
    "is_verbose": ("--verbose",),
    "include_partial_messages": ("--include-partial-messages",),
    "include_hook_events": ("--include-hook-events",),
    "replay_user_messages": ("--replay-user-messages",),
    "skip_permissions": ("--dangerously-skip-permissions",),
    "allow_skip_permissions": ("--allow-dangerously-skip-permissions",),
    "strict_mcp_config": ("--strict-mcp-config",),
    "is_continued": ("-c", "--continue"),
    "fork_session": ("--fork-session",),
    "is_unrecorded": ("--no-session-persistence",),
    "trust": ("--trust",),
    "forward_subagent_text": ("--forward-subagent-text",),
    "exclude_dynamic": ("--exclude-dynamic-system-prompt-sections",),
    "await_initialize": ("--await-initialize",),
    "disable_slash_commands": ("--disable-slash-commands",),
    "is_bare": ("--bare",),
}
#: Flags that exist elsewhere and mean nothing here yet; `True` if a value follows.
_LATER: Mapping[str, bool] = {
    "--agent": True,
    "--append-subagent-system-prompt": True,
    "--autocompact": True,
    "--bg": False,
    "--init": False,
    "--init-only": False,
    "--maintenance": False,
    "--plugin-dir": True,
    "--plugin-url": True,
    "--prompt-suggestions": False,
    "--safe-mode": False,
    "--session-mirror": False,
    "--worktree": False,
    "-w": False,
}


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Declare every flag of the main program, under its heading."""
    parser.add_argument("prompt", nargs="?", default="", help="what the agent is to do")
    for title, fields in WORDS.items():
        group = parser.add_argument_group(title)
        for field, (metavar, about) in fields.items():
            _add_flag(group, field, metavar, about)
    for name, takes_value in _LATER.items():
        more: dict[str, Any] = {} if takes_value else {"nargs": 0}
        parser.add_argument(name, dest="later", action=_Later, help=argparse.SUPPRESS, **more)


def _add_flag(group: Any, field: str, metavar: str, about: str) -> None:  # noqa: ANN401 - argparse gives its groups no public type
    """Declare one flag."""
    if field in _SWITCHES:
        group.add_argument(*_SWITCHES[field], dest=field, action="store_true", help=about)
    elif field in _ONE:
        group.add_argument(*_ONE[field], dest=field, metavar=metavar, help=about)
    elif field in _SEVERAL:
        names = _SEVERAL[field]
        group.add_argument(*names, dest=field, action="append", metavar=metavar, help=about)
    else:
        names = _OPTIONAL[field]
        group.add_argument(*names, dest=field, nargs="?", const="", metavar=metavar, help=about)


class _Later(argparse.Action):
    """A flag that is known and cannot be used yet."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        """Say so."""
        raise FlagError(f"{option_string} is not supported yet. Leave it out.")


def joined(argv: Sequence[str]) -> list[str]:
    """Return a command line in which each flag holds its value, whatever that begins with.

    `--add-dir a b` names two; a prompt stands before such a flag, or behind another one.
    """
    one = {name for names in _ONE.values() for name in names} | {"--tools"}
    several = {name for names in _SEVERAL.values() for name in names} - one
    words = list(argv)
    out: list[str] = []
    while words:
        word = words.pop(0)
        if word == "--":
            return [*out, "--", *words]
        if word in one and words:
            out.append(_held(word, words.pop(0)))
        elif word in several and words:
            out.append(_held(word, words.pop(0)))
            while words and not words[0].startswith("-") and len(words) > 1:
                out.append(_held(word, words.pop(0)))
        else:
            out.append(word)
    return out


def _held(flag: str, text: str) -> str:
    """Return a flag with its value in one word."""
    return f"{flag}={text}" if flag.startswith("--") else f"{flag}{text}"
