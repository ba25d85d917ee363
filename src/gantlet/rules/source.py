"""Where a rule was read: which kind of settings, which file, line and key, and its directories."""

from enum import StrEnum

from gantlet.messages.value import value


class SourceKind(StrEnum):
    """The kinds of settings, the strongest first. Strength decides which rule is reported."""

    POLICY = "policy"
    COMMAND_LINE = "command line"
    LOCAL = "local"
    PROJECT = "project"
    USER = "user"
    SESSION = "session"

    @property
    def rank(self) -> int:
        """The place in the order of strength; the smallest is the strongest."""
        return _RANKS[self]

    @property
    def is_repository(self) -> bool:
        """Whether the files of a project decide, so that what widens needs trust."""
        return self in {SourceKind.PROJECT, SourceKind.LOCAL}


_RANKS = {kind: rank for rank, kind in enumerate(SourceKind)}


@value
class Anchors:
    """The directories that path patterns are seen from, each by every name it is known under.

    They are fixed when a rule is loaded, so that changing the directory later moves no rule.

    Attributes:
        base: What a leading `/` means: the directory of the settings' source.
        cwd: What a pattern without an anchor is seen from.
        home: What a leading `~/` means.
    """

    base: tuple[str, ...] = ()
    cwd: tuple[str, ...] = ()
    home: tuple[str, ...] = ()

    @classmethod
    def at(cls, cwd: str, *, base: str = "", home: str = "") -> "Anchors":
        """Return anchors that have one name each; without a base it is `cwd`."""
        return cls((base or cwd,), (cwd,), (home,) if home else ())


NO_ANCHORS = Anchors()


@value
class Source:
    """Where a rule was read."""

    kind: SourceKind
    file: str = ""
    line: int = 0
    key: str = ""
    anchors: Anchors = NO_ANCHORS

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}" if self.file and self.line else self.file
        details = ", ".join(filter(None, (where, self.key)))
        name = f"{self.kind} settings" if self.file else str(self.kind)
        return f"{name} ({details})" if details else name
