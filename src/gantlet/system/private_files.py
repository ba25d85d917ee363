"""Write files that only their owner may read."""

import hashlib
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_PRIVATE_FOLDER = 0o700
_PRIVATE_FILE = 0o600


def make_private_folder(folder: Path) -> None:
    """Make a folder and those above it that are missing, for nobody else, whatever the umask.

    Folders that are already there keep their mode.

    Raises:
        OSError: It could not be made, or something else is in its place.
    """
    missing: list[Path] = []
    while not folder.is_dir():
        missing.append(folder)
        if folder.parent == folder:
            break
        folder = folder.parent
    for path in reversed(missing):
        try:
            path.mkdir(mode=_PRIVATE_FOLDER)
        except FileExistsError:
            if not path.is_dir():
                raise
        else:
            path.chmod(_PRIVATE_FOLDER)


def write_private(path: Path, text: str) -> int:
    """Write a new file in one go and return its size in bytes; an existing one is replaced whole.

    A link in the file's place is replaced, not followed.

    Raises:
        OSError: It could not be written; nothing is left behind.
    """
    encoded = _encoded(text)
    with _drafted(path.parent, encoded) as draft:
        draft.replace(path)
    return len(encoded)


def keep_bytes(path: Path, content: bytes) -> None:
    """Write a new file in one go; an existing one is replaced whole.

    Raises:
        OSError: It could not be written; nothing is left behind.
    """
    with _drafted(path.parent, content) as draft:
        draft.replace(path)


def keep_private(path: Path, text: str) -> Path:
    """Write a text so that no other text is lost, and return where it is.

    That is `path`, or a file beside it if a different text is there already.

    Raises:
        OSError: It could not be written; nothing is left behind.
    """
    encoded = _encoded(text)
    with _drafted(path.parent, encoded) as draft:
        if _is_claimed(path, draft, encoded):
            return path
        digest = hashlib.sha256(encoded).hexdigest()[:16]
        return draft.replace(path.with_name(f"{path.stem}-{digest}{path.suffix}"))


@contextmanager
def _drafted(folder: Path, encoded: bytes) -> Iterator[Path]:
    """Write a draft under a name that nobody can guess; it is gone afterwards."""
    draft = folder / f".{secrets.token_hex(16)}.part"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    descriptor = os.open(draft, flags, _PRIVATE_FILE)
    try:
        with os.fdopen(descriptor, "wb") as file:
            os.fchmod(file.fileno(), _PRIVATE_FILE)  # the umask may have taken even that
            file.write(encoded)
        yield draft
    finally:
        with suppress(OSError):
            draft.unlink()


def _is_claimed(path: Path, draft: Path, encoded: bytes) -> bool:
    """Put a draft in its place, unless another text is there or comes there meanwhile."""
    if path.is_symlink():
        path.unlink(missing_ok=True)
    try:
        path.hardlink_to(draft)
    except FileExistsError:
        if not _holds(path, encoded):
            return False
        draft.replace(path)  # the same text, though perhaps not private
    except OSError:  # a file system without second names
        if path.exists() and not _holds(path, encoded):
            return False
        draft.replace(path)
    return True


def _holds(path: Path, encoded: bytes) -> bool:
    """Return whether a file has just these bytes."""
    try:
        facts = path.lstat()
        if not stat.S_ISREG(facts.st_mode) or facts.st_size != len(encoded):
            return False
        return path.read_bytes() == encoded
    except OSError:
        return False


def _encoded(text: str) -> bytes:
    """Return a text's bytes; bytes that were never text come back as they were."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
