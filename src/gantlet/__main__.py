"""The door of the `gantlet` command. `--version` is answered here, before anything is imported."""

import os
import sys

from gantlet import __version__


def main() -> int:
    """Run the command line and return the exit code."""
    if sys.argv[1:] in (["--version"], ["-v"]):
        return _say(f"{__version__} (Gantlet)\n")
    from gantlet.surfaces.command_line import run  # noqa: PLC0415 - the named seam: --version pays for nothing

    return run(sys.argv[1:])


def _say(text: str) -> int:
    """Print a text at once; a pipe that nobody reads is no failure."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


if __name__ == "__main__":
    sys.exit(main())
