"""Patterns of command lines: `npm run build`, `git log *`, `git push:*`, `* --version`."""

from dataclasses import field

from gantlet.messages.value import value
from gantlet.rules.globs import TextGlob

_COLON_STAR = ":*"
_SPACE_STAR = " *"


@value
class CommandPattern:
    """What stands in the brackets of a rule about a shell.

    Without a star it is one exact command. A star stands for any characters. A star after a space
    at the very end is a word boundary: `ls *` means `ls` and `ls -la`, not `lsof`; `ls:*` says the
    same.
    """

    text: str
    _globs: tuple[TextGlob, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        spec = self.text.strip()
        if spec.endswith(_COLON_STAR):
            spec = spec.removesuffix(_COLON_STAR).rstrip() + _SPACE_STAR
        globs: tuple[TextGlob, ...] = (TextGlob(spec),)
        if spec.endswith(_SPACE_STAR):
            globs = (TextGlob(spec.removesuffix(_SPACE_STAR).rstrip()), *globs)
        object.__setattr__(self, "_globs", globs)

    @property
    def is_exact(self) -> bool:
        """Whether one command alone is meant."""
        return len(self._globs) == 1 and not self._globs[0].has_star

    @property
    def first_word(self) -> str | None:
        """The word every matching command begins with, or None where a star stands in it."""
        word = self._globs[0].text.split(maxsplit=1)[:1]
        return None if not word or "*" in word[0] else word[0]

    def matches(self, command: str) -> bool:
        """Return whether a command, as one line of words, is meant."""
        return any(glob.matches(command) for glob in self._globs)

    def covers(self, other: "CommandPattern") -> bool:
        """Return whether every command the other means is meant here too; no is not certain."""
        return all(any(mine.covers(theirs) for mine in self._globs) for theirs in other._globs)
