"""The programs of a repository that a command line names: changing one changes what is run."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

from gantlet.messages import JsonValue

_PROJECT = re.compile(r"\$\{?CLAUDE_PROJECT_DIR\}?")
#: What separates words; quotes do not matter to somebody who looks for names of files.
_BETWEEN = re.compile(r"""[\s;|&()<>"'`=]+""")
#: What is run though nobody marked it as a program.
_SCRIPT = re.compile(r"\.(?:sh|bash|zsh|py|[mc]?[jt]s|rb|pl|php|lua|ps1|jar|exs|awk|tcl)\Z")
_MAX_TEXT = 100_000
_MAX_WORDS = 500


def programs_in(content: JsonValue, folders: tuple[Path, ...]) -> Iterator[Path]:
    """Yield the programs of a project that the commands in a setting name.

    Args:
        content: A setting that holds commands: a text, or objects with `command` and `args`.
        folders: From the project's root down to where the session is.
    """
    return (path for path in places_in(content, folders) if os.path.exists(path))  # noqa: PTH110 - which raises for no name


def places_in(content: JsonValue, folders: tuple[Path, ...]) -> Iterator[Path]:
    """Yield the programs that commands name, and the places where one may still appear."""
    seen: set[str] = set()
    roots = tuple({str(folders[0]), os.path.realpath(folders[0])})
    for text in _commands(content):
        for word in _words(text, folders[0]):
            for folder in folders:
                path = os.path.normpath(folder / word)
                if path not in seen and _may_be_program(path, roots):
                    seen.add(path)
                    yield Path(path)


def _commands(content: JsonValue) -> Iterator[str]:
    """Yield every command line in a setting."""
    if isinstance(content, str):
        yield content
    elif isinstance(content, list):
        for item in content:
            yield from _commands(item)
    elif isinstance(content, dict):
        for name, item in content.items():
            if name in {"command", "args"} or isinstance(item, dict | list):
                yield from _commands(item)


def _words(text: str, root: Path) -> Iterator[str]:
    """Yield the words of a command line that may be paths, with the project's folder filled in."""
    whole = _PROJECT.sub(lambda _: "\0", text.replace("\0", " ")[:_MAX_TEXT])
    whole = whole.replace('"\0"', "\0").replace("'\0'", "\0")
    for word in _BETWEEN.split(whole)[:_MAX_WORDS]:
        if "/" in word or _SCRIPT.search(word):
            yield word.replace("\0", str(root))


def _may_be_program(path: str, roots: tuple[str, ...]) -> bool:
    """Return whether a path lies in a project and is a program, or nothing yet."""
    if not any(path.startswith(f"{root}{os.sep}") for root in roots):
        return False
    if not os.path.exists(path):  # noqa: PTH110 - asked for every word
        return True
    is_run = _SCRIPT.search(path) is not None or os.access(path, os.X_OK)
    return is_run and not os.path.isdir(path)  # noqa: PTH112 - the same
