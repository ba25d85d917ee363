"""What the analysis of a command line says: frozen values, compared as values."""

from enum import StrEnum

from gantlet.messages.value import lazy, value

#: Ways by which a command stands on its own, although it is not written at the top.
_OWN_WAYS = frozenset({"substitution", "process substitution"})


@value
class PathUse:
    """One path a command reads or writes, decoded, relative to the command's directory.

    A leading `~` or `~/` is the home directory; a file of that name is written `./~`.

    Attributes:
        named: Of a tree, only what has a name like this pattern; nothing means all.
        follows: Of a tree, links in it are followed, wherever they lead.
        tracked: Of the links that are followed, only those that git keeps.
        is_split: Of a tree, the names are taken apart at blanks and quotes before they are used.
        by_content: Of a tree, only what holds something that is searched for.
        is_written: Of what may be a path: the program would change it.
        may_be_written: Of what may be a path: code names it, and may change it.
    """

    path: str
    is_tree: bool = False
    is_glob: bool = False
    is_written: bool = False
    may_be_written: bool = False
    named: str = ""
    follows: bool = False
    tracked: bool = False
    is_split: bool = False
    by_content: bool = False


@value
class Word:
    """One word of a command, as the program will get it where that is known.

    Attributes:
        text: The decoded value if literal, else the best known text. An unquoted leading `~` is
            kept, and the word counts as literal; `raw` tells it from a quoted one.
        has_glob: It holds unquoted `*`, `?` or `[`: any number of words with names of files.
        can_split: It holds an unquoted expansion: any number of words.
        is_process: It is one process substitution: the name of a pipe.
    """

    text: str
    is_literal: bool
    raw: str
    has_glob: bool = False
    can_split: bool = False
    is_process: bool = False


@value
class Redirect:
    """One redirection. The target of a here-document or here-string is its text."""

    operator: str
    fd: int | None
    target: Word
    reads: bool
    writes: bool


@value
class Assignment:
    """One `name=value` in front of a command, or standing alone."""

    name: str
    value: Word


@value
class SimpleCommand:
    """One program with its words, its assignments and its redirections.

    Attributes:
        argv: Empty for what only assigns or redirects, also for the redirections of a group.
        cwd: The directory it runs in, relative to the start: `.` is the start itself, a literal
            path follows `cd`, None is unknown.
        via: How it is reached: empty as written at the top, else the ways in order, such as
            ("substitution",) or ("timeout", "sh -c").
        stdin_paths: What the paths that reach it through a pipe lie in, or None if unknown.
    """

    argv: tuple[Word, ...]
    assignments: tuple[Assignment, ...] = ()
    redirects: tuple[Redirect, ...] = ()
    cwd: str | None = "."
    raw: str = ""
    via: tuple[str, ...] = ()
    stdin_paths: tuple[PathUse, ...] | None = None

    @lazy
    def program(self) -> str | None:
        """The last part of the program's path, or None where it is not known."""
        if not self.argv or not self.argv[0].is_literal:
            return None
        return self.argv[0].text.rpartition("/")[2]

    @property
    def is_carried(self) -> bool:
        """Whether another listed command runs it: a wrapper, a shell, an expansion."""
        return any(way not in _OWN_WAYS for way in self.via)


@value
class Analysis:
    """A command line taken apart.

    Attributes:
        parts: The simple commands of the list as written, one by one; wrappers stay on. One whose
            directory or loop variable has several possible values is listed once for each.
        commands: All simple commands that may run: the parts, those in substitutions, behind
            wrappers, in `-c` scripts, and so on.
        doubts: Why the reading is not proved.
        unknowns: Words that are not written out, of commands that may do more than read. What a
            rule allows it allows with any words, but a rule that forbids may mean them.
    """

    source: str
    parts: tuple[SimpleCommand, ...]
    commands: tuple[SimpleCommand, ...]
    doubts: tuple[str, ...] = ()
    unknowns: tuple[str, ...] = ()

    @property
    def is_proved(self) -> bool:
        """Whether the shell can only do what `commands` says."""
        return not self.doubts


@value
class ReadOnly:
    """The command is proved to change nothing, and to read only the paths it names."""

    entry: str
    reads: tuple[PathUse, ...]


@value
class Writes:
    """The command changes exactly the paths it names; `is_edit` if acceptEdits may cover it."""

    entry: str
    reads: tuple[PathUse, ...]
    writes: tuple[PathUse, ...]
    is_edit: bool


@value
class Otherwise:
    """What a command is after all, if files turn out to be as they should.

    Attributes:
        absent: Absolute paths at which nothing may stand, since it could make the program run
            others.
        place: A directory that must stand where it is written, reached through no link.
        is_start: The line starts there; nothing runs if it is missing.
    """

    read_only: ReadOnly
    absent: tuple[str, ...]
    place: str
    is_start: bool = False


@value
class NotKnown:
    """Nothing is proved about the command.

    Attributes:
        mentions: What may be paths it touches, or not; of a tree, everything below is meant.
        otherwise: What it is if files show so; whoever cannot look at them does not know.
    """

    reason: str
    mentions: tuple[PathUse, ...] = ()
    otherwise: Otherwise | None = None


Judgement = ReadOnly | Writes | NotKnown


class ExitMeaning(StrEnum):
    """What an exit code says: all went well, the answer is no, or something is broken."""

    OK = "ok"
    NO = "no"
    BROKEN = "broken"
