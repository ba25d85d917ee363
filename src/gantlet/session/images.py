"""Contents of files as they were, each kept once under its hash."""

import os
from pathlib import Path

from gantlet.system import digest_of, keep_bytes, make_private_folder

#: A content of more bytes is not kept; the change is written down, and cannot be undone.
MAX_IMAGE_BYTES = 256 * 1024 * 1024


class Images:
    """Contents by their hash, in a folder only its owner may enter."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def keep(self, content: bytes, digest: str) -> None:
        """Keep a content under its hash; one that is too big is not kept.

        Raises:
            OSError: It could not be written.
        """
        if len(content) > MAX_IMAGE_BYTES:
            return
        path = self.path_of(digest)
        try:
            os.utime(path)  # so that nobody takes it for one that is not needed any more
        except FileNotFoundError:
            make_private_folder(path.parent)
            keep_bytes(path, content)

    def fetch(self, digest: str) -> bytes | None:
        """Return a content, or None where it is not kept or not what it was."""
        try:
            content = self.path_of(digest).read_bytes()
        except OSError:
            return None
        return content if digest_of(content) == digest else None

    def path_of(self, digest: str) -> Path:
        """Return where a content is kept."""
        return self._folder / digest[:2] / digest[2:]
