"""What a parsed command line comes to: each value read and checked."""

import argparse
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from gantlet.messages import JsonValue, loads
from gantlet.surfaces.headless.flag_checks import check_flags
from gantlet.surfaces.headless.flags import FlagError, Flags
from gantlet.tool import Mode


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
    check_flags(flags)
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
        ("max_output_tokens", "--max-output-tokens", int),
        ("max_seconds", "--max-seconds", float),
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
