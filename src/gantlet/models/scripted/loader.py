"""Scripts from files, from text, from Python values."""

from pathlib import Path

from gantlet.messages import dumps
from gantlet.models.scripted import flow_format, nodes
from gantlet.models.scripted.script import Script
from gantlet.tool import UserError


def load_script(path: str | Path) -> Script:
    """Return the script in a YAML or JSON file.

    Raises:
        UserError: There is no such file, or it is not a script; with file, line and key.
    """
    file = Path(path)
    try:
        with file.open("rb") as stream:
            source = stream.read(nodes.MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise UserError(f"The script {str(path)!r} cannot be read: {reason}.") from error
    return parse_script(source, str(path))


def parse_script(source: str | bytes, name: str = "script") -> Script:
    """Return the script in a YAML or JSON text; `name` stands for the file in messages.

    Raises:
        UserError: It is not a script; with name, line and key.
    """
    if len(source) > nodes.MAX_BYTES:
        raise UserError(
            f"{name}:1: a script has at most {nodes.MAX_BYTES} bytes. Shorten it, or use `repeat`."
        )
    try:
        text = source if isinstance(source, str) else str(source, "utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise UserError(f"{name}:{line}: this is not UTF-8. Save the file as UTF-8.") from error
    return flow_format.read_script(nodes.parse(text, name))


def script_of(*replies: object, name: str = "script") -> Script:
    """Return a script of entries that are given as Python values, in the form a file has them.

    Raises:
        UserError: They are no entries.
    """
    try:
        return parse_script(dumps({"replies": replies}), name)
    except (TypeError, ValueError) as error:
        raise UserError(f"{name}: the replies are not plain values: {error}") from error
