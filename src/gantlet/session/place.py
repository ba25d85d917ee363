"""Where sessions lie on disk, and what they are called there."""

import re
import unicodedata
from pathlib import Path
from uuid import UUID

from gantlet.system import Environment, home_folder

SESSIONS_VARIABLE = "GANTLET_SESSIONS_DIR"
_COMPATIBLE_VARIABLE = "CLAUDE_CONFIG_DIR"
_MAX_KEY_CHARS = 200
_NOT_IN_KEYS = re.compile(r"[^A-Za-z0-9]")
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def project_key(folder: str | Path) -> str:
    """Return the name under which a folder's sessions lie, as readers of transcripts expect it."""
    real = unicodedata.normalize("NFC", str(Path(folder).resolve()))
    key = _NOT_IN_KEYS.sub("-", real)
    return key if len(key) <= _MAX_KEY_CHARS else f"{key[:_MAX_KEY_CHARS]}-{_hash36(real)}"


def sessions_folder(environment: Environment) -> Path:
    """Return where new sessions go: `$GANTLET_SESSIONS_DIR`, else `projects` in our own folder."""
    given = environment.variables.get(SESSIONS_VARIABLE)
    return Path(given).expanduser().absolute() if given else home_folder(environment) / "projects"


def all_sessions_folders(environment: Environment) -> tuple[Path, ...]:
    """Return where a session to resume may lie: ours, and that of a compatible program if named."""
    compatible = environment.variables.get(_COMPATIBLE_VARIABLE)
    others = (Path(compatible).expanduser().absolute() / "projects",) if compatible else ()
    return (sessions_folder(environment), *others)


def is_session_id(text: str) -> bool:
    """Return whether a text is written like the id of a session."""
    try:
        return str(UUID(text)) == text.lower()
    except ValueError:
        return False


def _hash36(text: str) -> str:
    """Return the 32-bit hash that readers of transcripts put behind a long key, in base 36."""
    number = 0
    units = text.encode("utf-16-le", "surrogatepass")
    for at in range(0, len(units), 2):
        number = (number * 31 + int.from_bytes(units[at : at + 2], "little")) & 0xFFFFFFFF
    number = abs(number - (1 << 32) if number >= 1 << 31 else number)
    digits = ""
    while True:
        number, digit = divmod(number, len(_DIGITS))
        digits = _DIGITS[digit] + digits
        if not number:
            return digits
