"""Changes of permission, written to settings files: merged under a lock, and all or nothing."""

import json
import os
import re
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from gantlet.config.file_lock import locked
from gantlet.config.json_lines import BrokenJsonError, LocatedJson
from gantlet.config.opening import SettingsRequest
from gantlet.config.rules_reader import UnreadableError, read_settings_text
from gantlet.config.settings import exposures_of
from gantlet.config.settings_files import SettingsFiles
from gantlet.config.trust import Standing, parts_after_own_change
from gantlet.messages.value import replace, value
from gantlet.permissions import (
    AddDirectories,
    AddRules,
    Destination,
    RemoveDirectories,
    RemoveRules,
    ReplaceRules,
    SetMode,
    Update,
)
from gantlet.system import run_in_thread
from gantlet.tool import UserError

_INDENT = re.compile(r"^\{\s*?\n([ \t]+)\S")
_ROUNDS = 20
_PRIVATE, _SHARED = 0o600, 0o666


@value
class RuleWriter:
    """Saves changes of permission to the user's, the project's or the local settings file.

    Attributes:
        request: How the settings are read, so that the folder's trust follows what is written;
            without one it does not.
    """

    files: SettingsFiles
    request: SettingsRequest | None = None

    async def save(self, update: Update) -> None:
        """Write a change where it says, in a thread of its own.

        Raises:
            UserError: It could not be written; the file is as it was.
        """
        await run_in_thread(lambda: self.write(update))

    def write(self, update: Update) -> None:
        """Write a change where it says. A mode, and what lasts a session only, is not written.

        Raises:
            UserError: It could not be written; the file is as it was.
        """
        path = self.files.at(update.destination)
        if path is None or isinstance(update, SetMode):
            return
        try:
            target = self._target(path, update.destination)
            target.parent.mkdir(parents=True, exist_ok=True)
            with locked(target), self._trust_kept(update):
                _merge(target, update)
        except OSError as error:
            raise UserError(f"{path} could not be written: {error.strerror}.") from error

    @contextmanager
    def _trust_kept(self, update: Update) -> Iterator[None]:
        """Keep the trust of a folder in step with what we write to its files ourselves."""
        if self.request is None or update.destination is Destination.USER:
            yield
            return
        request = replace(self.request, trusts=False)
        before = request.read(self.files).trust
        yield
        after = exposures_of(request.read(self.files).files, self.files)
        own = getattr(update, "rules", getattr(update, "directories", ()))
        changed = parts_after_own_change(before, after, own)
        if changed and request.question(self.files).store is not None:
            trusted = [part.found for part in before.parts if part.standing is Standing.TRUSTED]
            request.store.put(before.root, [*trusted, *changed], keep_others=True)

    def _target(self, path: Path, destination: Destination) -> Path:
        """Return the file itself, behind links. A project's link may not lead out of it."""
        real = Path(os.path.realpath(path))
        root = Path(os.path.realpath(self.files.project.parent.parent))
        if destination is not Destination.USER and not real.is_relative_to(root):
            raise UserError(f"{path} leads out of the project, to {real}; nothing was written.")
        return real


def _merge(target: Path, update: Update) -> None:
    """Merge a change into a file; where the file changes meanwhile, merge again."""
    for _ in range(_ROUNDS):
        before = _read(target)
        settings = _parsed(target, before)
        if not _change(settings, update):
            return
        text = _formatted(settings, before)
        with _draft(target, text, is_shared=update.destination is Destination.PROJECT) as draft:
            if _read(target) == before:
                draft.replace(target)
                return
    raise UserError(f"{target} is being changed all the time; the permission was not saved.")


def _read(target: Path) -> str | None:
    """Return a file's text, or None if there is none."""
    try:
        return read_settings_text(target)
    except FileNotFoundError:
        return None
    except UnreadableError as error:
        raise UserError(f"{target}: {error}; nothing was written.") from error


def _parsed(target: Path, text: str | None) -> dict[str, object]:
    """Return a file's settings; what cannot be kept as it is, is not touched."""
    if text is None or not text.strip():
        return {}
    try:
        root = LocatedJson(text).root.value
        settings = json.loads(text, object_pairs_hook=_without_repeats)
    except BrokenJsonError as error:
        message = f"{target}:{error.line}: this is no JSON: {error}. Mend it first"
        raise UserError(f"{message}; nothing was written.") from error
    except _RepeatedError as error:
        message = f"{target}: {error.args[0]!r} stands twice in one object. Mend it first"
        raise UserError(f"{message}; nothing was written.") from error
    if not isinstance(root, dict):
        raise UserError(f"{target}: settings are an object; nothing was written.")
    assert isinstance(settings, dict)
    return settings


class _RepeatedError(ValueError):
    """A name comes twice in one object, so that one of them would be lost."""


def _without_repeats(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Return an object each name of which comes once."""
    made: dict[str, object] = {}
    for name, content in pairs:
        if name in made:
            raise _RepeatedError(name)
        made[name] = content
    return made


def _change(settings: dict[str, object], update: Update) -> bool:
    """Change settings in place; return whether anything is different now."""
    assert not isinstance(update, SetMode)
    directories = isinstance(update, AddDirectories | RemoveDirectories)
    key = "additionalDirectories" if directories else str(getattr(update, "behaviour", ""))
    permissions = settings.get("permissions", {})
    if not isinstance(permissions, dict):
        raise UserError("'permissions' is no object there; nothing was written.")
    before = permissions.get(key, [])
    if not isinstance(before, list):
        raise UserError(f"'permissions.{key}' is no list there; nothing was written.")
    after = _changed(before, update)
    if after == before:
        return False
    permissions[key] = after
    settings["permissions"] = permissions
    return True


def _changed(before: list[object], update: Update) -> list[object]:
    """Return a list after a change."""
    match update:
        case AddRules(texts) | AddDirectories(texts):
            return [*before, *(text for text in dict.fromkeys(texts) if text not in before)]
        case ReplaceRules(texts):
            return list(dict.fromkeys(texts))
        case RemoveRules(texts) | RemoveDirectories(texts):
            gone = {text.strip() for text in texts}
            return [one for one in before if not (isinstance(one, str) and one.strip() in gone)]
        case SetMode():
            return before


def _formatted(settings: dict[str, object], before: str | None) -> str:
    """Return settings as text, indented as they were."""
    found = _INDENT.match(before.lstrip()) if before else None
    indent = found.group(1) if found else "  "
    text = json.dumps(settings, indent=indent, ensure_ascii=False)
    if any("\ud800" <= char <= "\udfff" for char in text):
        text = json.dumps(settings, indent=indent)
    return text + ("" if before and not before.endswith("\n") else "\n")


@contextmanager
def _draft(target: Path, text: str, *, is_shared: bool) -> Iterator[Path]:
    """Write a draft beside a file, with the file's mode; it is gone afterwards."""
    draft = target.with_name(f".{secrets.token_hex(16)}.part")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(draft, flags, _SHARED if is_shared else _PRIVATE)
    try:
        with os.fdopen(descriptor, "wb") as file:
            with suppress(FileNotFoundError):
                os.fchmod(file.fileno(), stat.S_IMODE(target.stat().st_mode))
            file.write(text.encode())
            file.flush()
            os.fsync(file.fileno())
        yield draft
    finally:
        with suppress(OSError):
            draft.unlink()
