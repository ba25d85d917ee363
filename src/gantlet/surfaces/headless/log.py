"""The log of a run: for whoever looks for what went wrong."""

import logging
import os

from gantlet.surfaces.headless.flags import FlagError
from gantlet.system import Masker

MAX_LINE_CHARS = 2_000


class _Masked(logging.Formatter):
    """Writes lines without secrets, none of them endless."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")
        self._masker = Masker(os.environ)

    def format(self, record: logging.LogRecord) -> str:
        """Return one line, or a line and a traceback."""
        text = self._masker.text(super().format(record))
        return (
            text if len(text) <= MAX_LINE_CHARS or record.exc_info else f"{text[:MAX_LINE_CHARS]}…"
        )


def log_handler(file: str, wanted: str) -> logging.Handler:
    """Return what writes the log to a file, else to standard error.

    `wanted` holds words with commas; only loggers whose name holds one of them count.

    Raises:
        FlagError: The file cannot be written.
    """
    handler: logging.Handler = logging.StreamHandler()
    if file:
        try:
            os.close(os.open(file, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600))
            handler = logging.FileHandler(file, encoding="utf-8", errors="backslashreplace")
        except OSError as error:
            raise FlagError(f"--debug-file {file} cannot be written: {error.strerror}.") from None
    words = [word.strip() for word in wanted.split(",") if word.strip()]
    if words:
        handler.addFilter(lambda record: any(word in record.name for word in words))
    handler.setFormatter(_Masked())
    return handler
