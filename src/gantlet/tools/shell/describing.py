"""What Bash says of itself, without loading it."""

from functools import cache
from pathlib import Path

from gantlet.tool import Ports
from gantlet.tools.shell.session import SHELL
from gantlet.tools.shell.settings import ShellSettings


def described(ports: Ports) -> str:
    """Return the description for the shell of a session."""
    return bash_description(ports.need(SHELL).settings)


def bash_description(settings: ShellSettings) -> str:
    """Return the description with the limits that hold here."""
    return _text().format(
        default_ms=settings.default_timeout_ms,
        max_ms=max(settings.default_timeout_ms, settings.max_timeout_ms),
        output_chars=settings.output_chars,
    )


@cache
def _text() -> str:
    """Return the description as it is written."""
    return Path(__file__).with_name("bash.md").read_text(encoding="utf-8").strip()
