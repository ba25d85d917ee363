"""The door of the `gantlet` command. `--version` is answered here, before anything is imported."""

import gc
import os
import sys

from gantlet import __version__

#: How much is made before garbage is looked for. What starts and runs here leaves few circles, so
#: that looking as often as Python does by itself takes time and finds nothing.
_GARBAGE = (50_000, 20, 50)


def main() -> int:
    """Run the command line and return the exit code."""
    if sys.argv[1:] in (["--version"], ["-v"]):
        return _say(f"{__version__} (Gantlet)\n")
    gc.set_threshold(*_GARBAGE)
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
