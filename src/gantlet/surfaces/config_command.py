"""`gantlet config`: what the settings come to, and where each of them stands."""

import argparse
import json
import sys
from collections.abc import Iterator, Mapping

from gantlet.config import KEYS, Setting, Settings
from gantlet.config.schema import settings_schema
from gantlet.messages import JsonValue
from gantlet.surfaces.plain_text import plain, plain_json
from gantlet.surfaces.settings_arguments import add_settings_arguments, settings_request
from gantlet.tool import UserError

_MASKED = ("KEY", "TOKEN", "SECRET", "PASSWORD", "CREDENTIAL")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    commands = parser.add_subparsers(title="commands", dest="config_command", required=True)
    show = commands.add_parser("show", help="show the settings in force")
    show.add_argument("key", nargs="?", help="only this key, or the keys below it")
    show.add_argument("--source", action="store_true", help="with file and line of each value")
    show.add_argument("--json", action="store_true", help="as JSON")
    add_settings_arguments(show)
    commands.add_parser("schema", help="print the JSON Schema of settings files")


def run(arguments: argparse.Namespace) -> int:
    """Do what the second word says."""
    if arguments.config_command == "schema":
        print(json.dumps(settings_schema(), indent=2))
        return 0
    settings = settings_request(arguments).read()
    keys = _wanted(settings, arguments.key)
    if arguments.json:
        shown = _with_sources(settings, keys) if arguments.source else _values(settings, keys)
        print(json.dumps(shown, indent=2, ensure_ascii=False))
    else:
        lines = _sourced_lines if arguments.source else _lines
        for line in lines(settings, keys):
            print(line)
    for remark in settings.remarks:
        print(plain(remark), file=sys.stderr)
    return 0


def _wanted(settings: Settings, key: str | None) -> list[str]:
    """Return the keys to show: those that are set, in the order of the table."""
    keys = [name for name in KEYS if settings.counted.get(name)]
    if key is None:
        return keys
    if not any(name == key or name.startswith(f"{key}.") for name in KEYS):
        raise UserError(f"There is no setting {key!r}. `gantlet config schema` has all of them.")
    return [name for name in keys if name == key or name.startswith(f"{key}.")]


def _values(settings: Settings, keys: list[str]) -> Mapping[str, object]:
    """Return what is in force, in the form of a settings file."""
    whole: dict[str, object] = {}
    for key in keys:
        *groups, name = key.split(".")
        here = whole
        for group in groups:
            below = here.setdefault(group, {})
            assert isinstance(below, dict)
            here = below
        here[name] = _shown(key, settings.value(key))
    return whole


def _with_sources(settings: Settings, keys: list[str]) -> list[Mapping[str, object]]:
    """Return each value with its source."""
    return [
        {
            "key": one.key,
            "value": _shown(one.key, one.content),
            "source": str(one.source.kind),
            "file": one.source.file,
            "line": one.source.line,
        }
        for key in keys
        for one in _parts(settings, key)
    ]


def _lines(settings: Settings, keys: list[str]) -> Iterator[str]:
    """Yield a line for each key."""
    for key in keys:
        yield f"{key} = {plain_json(_shown(key, settings.value(key)))}"


def _sourced_lines(settings: Settings, keys: list[str]) -> Iterator[str]:
    """Yield a line for each value, with its source."""
    for key in keys:
        for one in _parts(settings, key):
            source = one.source
            where = f"{source.file}:{source.line}" if source.line else source.file
            shown = plain_json(_shown(one.key, one.content))
            yield f"{one.key} = {shown}  {source.kind}  {plain(where)}"


def _parts(settings: Settings, key: str) -> Iterator[Setting]:
    """Yield what makes up a value: items of lists, members of maps, objects of several files."""
    if KEYS[key].form.is_list:
        yield from settings.items(key) or ()
    elif key == "env":
        yield from settings.env.values()
    elif KEYS[key].form.value == "object":
        yield from settings.counted[key]
    else:
        yield settings.counted[key][0]


def _shown(key: str, content: JsonValue) -> JsonValue:
    """Return a value as it may be shown: variables that are named like secrets are masked."""
    if key == "env" and isinstance(content, dict):
        return {name: _shown(f"env.{name}", part) for name, part in content.items()}
    if key.startswith("env.") and any(word in key.upper() for word in _MASKED):
        return "***"
    return content
