"""Files that give every command variables: the user's own one, and the one that hooks write."""

import os
from collections.abc import Mapping, Sequence

from gantlet.messages.value import value
from gantlet.system import run_child
from gantlet.tools.shell.variables import is_kept_from_commands

#: Each file is read by the shell itself, so that quotes, `$PATH` and conditions mean what they say.
_READ = 'for file; do [ -s "$file" ] && . "$file" >/dev/null; done; command -p env -0'
_SECONDS = 10.0
#: What the shell that reads has of its own.
_ITS_OWN = frozenset({"_", "SHLVL", "PWD", "OLDPWD"})

_Print = tuple[int, int, int] | None


@value
class EnvRead:
    """What files say: the variables that are new or other than before, and what went wrong."""

    variables: Mapping[str, str]
    problem: str = ""


_NOTHING = EnvRead({})


class EnvFiles:
    """Reads files of variables when one of them has changed; else it only looks at them."""

    def __init__(self, files: Sequence[str]) -> None:
        self._files = tuple(file for file in files if file)
        self._prints: tuple[_Print, ...] = (None,) * len(self._files)
        self._read = _NOTHING

    def known(self) -> EnvRead | None:
        """Return what the files say if that is known; None if they have to be read."""
        prints = self._look()
        if prints != self._prints and not any(one is not None and one[1] for one in prints):
            self._prints, self._read = prints, _NOTHING
        return self._read if prints == self._prints else None

    async def read(self, shell: Sequence[str], given: Mapping[str, str], cwd: str) -> EnvRead:
        """Read the files and return what they say.

        Args:
            shell: The shell's words, up to the script.
            given: The variables a command has without the files.
            cwd: Where the files are read.
        """
        prints = self._look()
        self._read = await self._run(shell, given, cwd)
        self._prints = prints
        return self._read

    def _look(self) -> tuple[_Print, ...]:
        """Return what tells these versions of the files from others."""
        return tuple(_print_of(file) for file in self._files)

    async def _run(self, shell: Sequence[str], given: Mapping[str, str], cwd: str) -> EnvRead:
        """Have the shell read the files."""
        words = (*shell, "-c", _READ, "env-files", *self._files)
        try:
            said = await run_child(words, env=given, cwd=cwd, seconds=_SECONDS)
        except (OSError, ValueError) as error:
            return EnvRead({}, _problem(self._files, str(error)))
        if said.exit_code != 0 or not said.is_clean:
            why = said.stderr.decode("utf-8", "replace").strip().splitlines()
            return EnvRead(
                {}, _problem(self._files, why[0][:300] if why else "it did not end well")
            )
        found = dict(
            pair.split("=", 1)
            for pair in said.stdout.decode("utf-8", "surrogateescape").split("\0")
            if "=" in pair
        )
        return EnvRead(
            {
                name: text
                for name, text in found.items()
                if given.get(name) != text
                and name not in _ITS_OWN
                and not is_kept_from_commands(name)
            }
        )


def _problem(files: Sequence[str], why: str) -> str:
    """Return what is wrong, in words for whoever reads the result."""
    return f"The variables in {' and '.join(files)} are not used: {why}."


def _print_of(file: str) -> _Print:
    """Return what tells one version of a file from another."""
    try:
        facts = os.stat(file)  # noqa: PTH116 - asked before each command
    except OSError:
        return None
    return (facts.st_mtime_ns, facts.st_size, facts.st_ino)
