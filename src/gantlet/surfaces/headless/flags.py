"""The flags of the main program: which there are, and what they come to."""

import argparse
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from gantlet.messages import JsonValue, loads
from gantlet.messages.value import value
from gantlet.session import is_session_id
from gantlet.tool import Mode, UserError

FORMATS = ("text", "json", "stream-json")
NOTHING_TO_DO = (
    "There is nothing to do: give a prompt, as in gantlet -p 'What is here?', or pipe one in."
)
EFFORTS = ("low", "medium", "high", "xhigh", "max")

#: Flags with one value, by the field they fill.
_ONE: Mapping[str, tuple[str, ...]] = {
    "output_format": ("--output-format",),
    "input_format": ("--input-format",),
    "model": ("--model",),
    "fallback_model": ("--fallback-model",),
    "max_turns": ("--max-turns",),
    "max_budget_usd": ("--max-budget-usd",),
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
}
#: Flags with several values, each of which may also be a list with commas.
_SEVERAL: Mapping[str, tuple[str, ...]] = {
    "allowed_tools": ("--allowedTools", "--allowed-tools"),
    "disallowed_tools": ("--disallowedTools", "--disallowed-tools"),
    "add_dir": ("--add-dir",),
    "mcp_config": ("--mcp-config",),
    "betas": ("--betas",),
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


class FlagError(UserError):
    """A flag that cannot be used as it was given."""


@value
class Flags:
    """What the command line of the main program says."""

    prompt: str = ""
    is_print: bool = False
    output_format: str = "text"
    input_format: str = "text"
    is_verbose: bool = False
    include_partial_messages: bool = False
    include_hook_events: bool = False
    replay_user_messages: bool = False
    model: str = ""
    fallback_model: str = ""
    max_turns: int | None = None
    max_budget_usd: float | None = None
    system_prompt: str | None = None
    append_system_prompt: str = ""
    tools: str = "default"
    allowed_tools: tuple[str, ...] = ()
    disallowed_tools: tuple[str, ...] = ()
    permission_mode: Mode | None = None
    skip_permissions: bool = False
    allow_skip_permissions: bool = False
    permission_prompt_tool: str = ""
    add_dir: tuple[str, ...] = ()
    settings: str = ""
    setting_sources: tuple[str, ...] | None = None
    mcp_config: tuple[str, ...] = ()
    strict_mcp_config: bool = False
    agents: Mapping[str, JsonValue] | None = None
    is_continued: bool = False
    resume: str | None = None
    fork_session: bool = False
    session_id: str | None = None
    resume_session_at: str | None = None
    resume_drops_turn: str | None = None
    is_unrecorded: bool = False
    name: str = ""
    json_schema: Mapping[str, JsonValue] | None = None
    betas: tuple[str, ...] = ()
    max_thinking_tokens: int | None = None
    thinking: str = ""
    effort: str = ""
    debug: str | None = None
    debug_file: str = ""
    trust: bool = False
    exclude_dynamic: bool = False
    disable_slash_commands: bool = False
    is_bare: bool = False
    script: str = ""

    @property
    def is_headless(self) -> bool:
        """Whether nobody sits before a screen."""
        return self.is_print or self.input_format == "stream-json"

    @property
    def speaks_control(self) -> bool:
        """Whether a program drives us through standard input."""
        return self.input_format == "stream-json"


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Declare every flag of the main program."""
    parser.add_argument("prompt", nargs="?", default="", help="what the agent is to do")
    for field, names in _SWITCHES.items():
        parser.add_argument(*names, dest=field, action="store_true")
    for field, names in _ONE.items():
        parser.add_argument(*names, dest=field, metavar="VALUE")
    for field, names in _SEVERAL.items():
        parser.add_argument(*names, dest=field, action="append", metavar="VALUE")
    parser.add_argument("--tools", action="append", metavar="TOOLS")
    parser.add_argument("-r", "--resume", nargs="?", const="", metavar="SESSION")
    parser.add_argument("-d", "--debug", nargs="?", const="", metavar="FILTER")
    for name, takes_value in _LATER.items():
        if takes_value:
            parser.add_argument(name, dest="later", action=_Later)
        else:
            parser.add_argument(name, dest="later", action=_Later, nargs=0)


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
    several = {name for names in _SEVERAL.values() for name in names}
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


def flags_of(given: argparse.Namespace) -> Flags:
    """Return what a command line says, checked.

    Raises:
        FlagError: A value is wrong, or flags contradict each other.
    """
    fields: Collection[str] = Flags.__match_args__
    known: dict[str, Any] = {name: item for name, item in vars(given).items() if name in fields}
    known = {name: item for name, item in known.items() if item is not None}
    for name in ("allowed_tools", "disallowed_tools", "betas"):
        known[name] = tuple(split_list(known.get(name, ())))
    for name in ("add_dir", "mcp_config"):
        known[name] = tuple(known.get(name, ()))
    known["tools"] = ",".join(known.get("tools", ["default"]))
    known |= _numbers(given)
    known |= _texts_from_files(given)
    known |= _objects(given)
    if given.permission_mode is not None:
        known["permission_mode"] = _mode(given.permission_mode)
    if given.setting_sources is not None:
        known["setting_sources"] = _sources(given.setting_sources)
    flags = Flags(**known)
    _check(flags)
    for folder in flags.add_dir:
        if not Path(folder).expanduser().is_dir():
            raise FlagError(f"--add-dir {folder} is not a directory.")
    return flags


def split_list(texts: Sequence[str]) -> Iterator[str]:
    """Yield the entries of lists with commas or spaces; what stands in parentheses stays whole."""
    for text in texts:
        depth, entry = 0, ""
        for letter in text:
            depth += (letter == "(") - (letter == ")" and depth > 0)
            if depth == 0 and (letter == "," or letter.isspace()):
                if entry:
                    yield entry
                entry = ""
            else:
                entry += letter
        if entry:
            yield entry


def _numbers(given: argparse.Namespace) -> dict[str, object]:
    """Return the flags that are numbers."""
    found: dict[str, object] = {}
    kinds: tuple[tuple[str, str, type], ...] = (
        ("max_turns", "--max-turns", int),
        ("max_budget_usd", "--max-budget-usd", float),
        ("max_thinking_tokens", "--max-thinking-tokens", int),
    )
    for field, flag, kind in kinds:
        text = getattr(given, field)
        if text is None:
            continue
        try:
            number = kind(text)
        except ValueError:
            raise FlagError(f"{flag} needs a number, not '{text}'.") from None
        if not (0 < number < float("inf")) and not (field == "max_thinking_tokens" and number == 0):
            raise FlagError(f"{flag} needs a number above 0, not '{text}'.")
        found[field] = number
    return found


def _texts_from_files(given: argparse.Namespace) -> dict[str, object]:
    """Return the prompts that stand in files."""
    found: dict[str, object] = {}
    for field in ("system_prompt", "append_system_prompt"):
        path = getattr(given, f"{field}_file")
        if path is None:
            continue
        flag = f"--{field.replace('_', '-')}"
        if getattr(given, field) is not None:
            raise FlagError(f"Use {flag} or {flag}-file, not both.")
        try:
            found[field] = Path(path).read_text("utf-8")
        except (OSError, ValueError) as error:
            raise FlagError(f"{flag}-file: {path} cannot be read: {error}") from None
    return found


def _objects(given: argparse.Namespace) -> dict[str, object]:
    """Return the flags that are JSON."""
    found: dict[str, object] = {}
    if given.agents is not None:
        found["agents"] = agents = _object(given.agents, "Error: --agents is not a JSON object")
        for name, described in agents.items():
            texts = described if isinstance(described, dict) else {}
            if not all(isinstance(texts.get(key), str) for key in ("description", "prompt")):
                raise FlagError(f"--agents: '{name}' needs a description and a prompt.")
    if given.json_schema is not None:
        message = "Error: --json-schema is not a valid JSON Schema"
        found["json_schema"] = _object(given.json_schema, message)
    return found


def _object(text: str, message: str) -> Mapping[str, JsonValue]:
    """Return a JSON object."""
    try:
        parsed = loads(text)
    except ValueError as error:
        raise FlagError(f"{message}: {error}") from None
    if not isinstance(parsed, dict):
        raise FlagError(f"{message}.")
    return parsed


def _mode(text: str) -> Mode:
    """Return a mode by its name."""
    try:
        return Mode("default" if text == "manual" else text)
    except ValueError:
        names = ", ".join(Mode)
        raise FlagError(f"--permission-mode '{text}' is not known. There are: {names}.") from None


def _sources(text: str) -> tuple[str, ...]:
    """Return the settings files that count."""
    names = tuple(name.strip() for name in text.split(",") if name.strip())
    for name in names:
        if name not in ("user", "project", "local"):
            raise FlagError(f"--setting-sources '{name}' is not known: user, project or local.")
    return names


def _check(flags: Flags) -> None:
    """Refuse flags that do not fit together."""
    problems = (
        (
            flags.output_format not in FORMATS,
            f"--output-format '{flags.output_format}' is not known: {', '.join(FORMATS)}.",
        ),
        (
            flags.input_format not in ("text", "stream-json"),
            f"--input-format '{flags.input_format}' is not known: text or stream-json.",
        ),
        (
            flags.input_format == "stream-json" and flags.output_format != "stream-json",
            "--input-format stream-json needs --output-format stream-json.",
        ),
        (
            flags.speaks_control and bool(flags.prompt),
            "With --input-format stream-json the prompt comes on standard input, not as a word.",
        ),
        (
            flags.output_format == "stream-json" and not flags.is_verbose,
            "--output-format stream-json needs --verbose.",
        ),
        (
            flags.include_partial_messages and flags.output_format != "stream-json",
            "--include-partial-messages needs --output-format stream-json.",
        ),
        (
            flags.replay_user_messages and not flags.speaks_control,
            "--replay-user-messages needs --input-format stream-json.",
        ),
        (
            flags.session_id is not None and not is_session_id(flags.session_id),
            f"--session-id '{flags.session_id}' is not a UUID.",
        ),
        (
            flags.session_id is not None
            and (flags.resume is not None or flags.is_continued)
            and not flags.fork_session,
            "--session-id goes with --resume or --continue only if --fork-session is given.",
        ),
        (
            flags.is_continued and flags.resume is not None,
            "Use --continue or --resume, not both.",
        ),
        (
            flags.fork_session and not (flags.is_continued or flags.resume is not None),
            "--fork-session needs --resume or --continue.",
        ),
        (
            flags.resume_session_at is not None and flags.resume is None,
            "--resume-session-at needs --resume.",
        ),
        (
            bool(flags.effort) and flags.effort not in EFFORTS,
            f"--effort '{flags.effort}' is not known: {', '.join(EFFORTS)}.",
        ),
    )
    for is_wrong, message in problems:
        if is_wrong:
            raise FlagError(message)
