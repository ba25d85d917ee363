"""What a folder brings that could widen what happens, part by part, in words and as a hash."""

import errno
import hashlib
import json
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from gantlet.config.file_reader import FileRead
from gantlet.config.keys import KEYS, Exposure, Gate, Key
from gantlet.config.named_programs import places_in, programs_in
from gantlet.config.rules_reader import UnreadableError, read_settings_text
from gantlet.config.setting import Setting
from gantlet.config.variables import is_never_a_projects
from gantlet.messages import JsonValue
from gantlet.messages.value import value

_CONFIG = ".claude"
#: The parts whose settings are commands.
_RUN = frozenset({Exposure.HOOKS, Exposure.HELPERS})
#: So many programs are looked at before each call.
_MAX_WATCHED = 200
_MAX_FILES = 2000
_MAX_FRONT = 65_536
_MAX_PROGRAM = 8 * 1024 * 1024
#: What in the front matter of an agent or a skill widens. A backslash may spell any of them.
_AGENT_WORDS = ("hooks", "mcpServers", "permissionMode", "\\")
_SKILL_WORDS = ("hooks", "allowed-tools", "allowedTools", "allowed_tools", "\\")


class TooManyFilesError(Exception):
    """A folder holds more files than can be looked at, so that it cannot be trusted."""


@value
class ExposureFound:
    """One part as it is now: each thing in it as a line of text."""

    exposure: Exposure
    items: tuple[str, ...] = ()

    @property
    def digest(self) -> str:
        """A hash that changes whenever anything in it does; the order does not count."""
        listed = json.dumps(sorted(self.items), ensure_ascii=True)
        return hashlib.sha256(listed.encode()).hexdigest()


def find_exposures(
    reads: Iterable[FileRead], folders: tuple[Path, ...]
) -> dict[Exposure, ExposureFound]:
    """Return the parts of a project that are not empty.

    Args:
        reads: What its settings files say.
        folders: From its root down to where the session is.
    """
    found: dict[Exposure, list[str]] = {}
    for read in reads:
        if read.kind.is_repository:
            for exposure, item in _settings_items(read, folders):
                found.setdefault(exposure, []).append(item)
    for folder in folders:
        for exposure, items in _folder_parts(folder, folders[0], has_hooks=Exposure.HOOKS in found):
            try:
                listed = list(items)
            except TooManyFilesError:
                # Nobody can have said yes to this: it is different each time.
                listed = [f"more than {_MAX_FILES} files, too many to look at ({os.urandom(8)!r})"]
            if listed:
                found.setdefault(exposure, []).extend(listed)
    return {
        exposure: ExposureFound(exposure, tuple(dict.fromkeys(found[exposure])))
        for exposure in Exposure
        if exposure in found
    }


def hook_programs(reads: Iterable[FileRead], folders: tuple[Path, ...]) -> tuple[Path, ...]:
    """Return the programs of a project that its hooks and helper commands run, as far as is known.

    There are no more of them than can be looked at before each call.
    """
    found: list[Path] = []
    has_hooks = False
    for read in reads:
        if read.kind.is_repository:
            for setting in read.settings:
                if KEYS[setting.key].exposure in _RUN:
                    has_hooks |= setting.key == "hooks"
                    found += places_in(setting.content, folders)
    for folder in folders if has_hooks else ():
        with suppress(TooManyFilesError):
            found += _files_below(folder / _CONFIG / "hooks", "")
    return tuple(dict.fromkeys(found))[:_MAX_WATCHED]


def _settings_items(read: FileRead, folders: tuple[Path, ...]) -> Iterator[tuple[Exposure, str]]:
    """Yield what a settings file of the project would widen, with the programs it names."""
    root = folders[0]
    where = _shown_path(Path(read.file), root)
    for setting in read.settings:
        key = KEYS[setting.key]
        if key.gate is not Gate.TRUST or key.exposure is None or key.narrows_with(setting.content):
            continue
        for name, content in _parts(setting, key):
            yield key.exposure, f"{where}: {name} = {as_item(content)}"
        if key.exposure in _RUN:
            for file in programs_in(setting.content, folders):
                yield key.exposure, f"{_shown_path(file, root)}: {_digest_of(file)}"


def _parts(setting: Setting, key: Key) -> Iterator[tuple[str, JsonValue]]:
    """Yield the parts of a setting, each with its name."""
    if key.name == "hooks":
        yield from ((f"hooks.{name}", group) for name, group in _hook_groups(setting.content))
    elif key.name == "env":
        for part in setting.items():
            if not is_never_a_projects(part.key.removeprefix("env.")):  # those never count
                yield part.key, part.content
    elif key.form.is_list:
        yield from ((setting.key, part.content) for part in setting.items())
    else:
        yield setting.key, setting.content


def _hook_groups(content: JsonValue) -> Iterator[tuple[str, JsonValue]]:
    """Yield the hooks of a settings file, each with the name of its event."""
    if not isinstance(content, dict):
        return
    for event, groups in content.items():
        if isinstance(groups, list):
            yield from ((event, group) for group in groups)
        else:
            yield event, groups


def _folder_parts(
    folder: Path, root: Path, *, has_hooks: bool
) -> Iterator[tuple[Exposure, Iterator[str]]]:
    """Yield what other files of a folder would widen."""
    yield Exposure.SERVERS, _servers(folder / ".mcp.json", root)
    config = folder / _CONFIG
    if not config.is_dir():
        return
    if has_hooks:
        yield Exposure.HOOKS, _programs(config / "hooks", root)
    yield Exposure.AGENTS, _texts(config / "agents", root, _AGENT_WORDS)
    for name in ("skills", "commands"):
        yield Exposure.SKILLS, _texts(config / name, root, _SKILL_WORDS)


def _programs(folder: Path, root: Path) -> Iterator[str]:
    """Yield the files beside the hooks, which hooks mostly run."""
    for file in _files_below(folder, ""):
        yield f"{_shown_path(file, root)}: {_digest_of(file)}"


def _texts(folder: Path, root: Path, words: tuple[str, ...]) -> Iterator[str]:
    """Yield the front matter of the texts in a folder where it says more than what they are."""
    for file in _files_below(folder, ".md"):
        front = _front_matter(file)
        if any(word in front for word in words):
            yield f"{_shown_path(file, root)}: {as_item(front)}"


def _servers(file: Path, root: Path) -> Iterator[str]:
    """Yield the servers of a `.mcp.json`."""
    where = _shown_path(file, root)
    try:
        text = read_settings_text(file)
    except FileNotFoundError:
        return
    except UnreadableError as error:
        yield f"{where}: {error}"
        return
    try:
        content = json.loads(text)
        servers = content["mcpServers"]
        named = [(str(name), server) for name, server in servers.items()]
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        yield f"{where}: {as_item(text)}"
        return
    for name, server in named:
        yield f"{where}: {as_item(name)} = {as_item(server)}"
        for program in programs_in(server, (root,)):
            yield f"{_shown_path(program, root)}: {_digest_of(program)}"


def _front_matter(file: Path) -> str:
    """Return what stands between the first two lines of dashes.

    Where the end is not found, or the file cannot be read, a backslash stands for the rest.
    """
    try:
        text = _content(file, _MAX_FRONT).decode("utf-8", "backslashreplace").lstrip("\ufeff")
    except OSError:
        return "\\ cannot be read"
    lines = text.splitlines()
    if not lines or lines[0].strip() != "---":
        return ""
    for at, line in enumerate(lines[1:], start=1):
        if line.strip() == "---":
            return "\n".join(lines[1:at])
    return f"\\ no end, {_digest_of(file)}"


def _content(file: Path, limit: int) -> bytes:
    """Return the beginning of a file; whatever is no file is an error and holds nobody up.

    Raises:
        OSError: It is no file, or cannot be read.
    """
    descriptor = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as opened:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "it is no file")
        return opened.read(limit)


def _files_below(folder: Path, suffix: str) -> Iterator[Path]:
    """Yield the files below a folder, also behind links, each folder once.

    Raises:
        TooManyFilesError: There are more than can be looked at.
    """
    pending, seen, left = [folder], set[str](), _MAX_FILES
    while pending:
        try:
            entries = sorted(os.scandir(pending.pop()), key=lambda entry: entry.name)
        except OSError:
            continue
        left -= len(entries)
        if left < 0:
            raise TooManyFilesError
        for entry in entries:
            real = os.path.realpath(entry.path) if _is_folder(entry) else ""
            if real and real not in seen:
                seen.add(real)
                pending.append(Path(entry.path))
            elif not real and entry.name.endswith(suffix):
                yield Path(entry.path)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    """Return whether something is a folder, or a link to one."""
    try:
        return entry.is_dir()
    except OSError:  # links in a circle
        return False


def _digest_of(file: Path) -> str:
    """Return a file's hash, in short."""
    try:
        content = _content(file, _MAX_PROGRAM + 1)
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    if len(content) > _MAX_PROGRAM:
        return f"too long to look at ({os.urandom(8).hex()})"  # nobody can have said yes to it
    return "sha256 " + hashlib.sha256(content).hexdigest()[:32]


def _shown_path(file: Path, root: Path) -> str:
    """Return a file's name as seen from the root."""
    try:
        return file.relative_to(root).as_posix()
    except ValueError:
        return str(file)


def as_item(content: object) -> str:
    """Return a value as it stands in an item: on one line, the same for the same value."""
    return json.dumps(content, sort_keys=True, ensure_ascii=False, separators=(", ", ": "))
