"""What a command shows of a file: whoever has seen it so may edit it, as after Read."""

import posixpath
from functools import partial
from pathlib import Path

from gantlet.messages.value import value
from gantlet.shell import Analysis, NotKnown, SimpleCommand, judge
from gantlet.system import digest_of, locate, open_file, run_in_thread, stamp_of
from gantlet.tool import FileKnowledge, Seen

#: Programs that show a file from its beginning to its end.
_WHOLE = frozenset({"cat", "nl", "bat", "batcat"})
#: Programs that show a part of it; of these sed only if told to print nothing else.
_PART = frozenset({"head", "tail", "sed", "grep", "egrep", "fgrep", "rg"})
#: Programs that our tables do not know; one word that is no option is their file.
_PLAIN = frozenset({"bat", "batcat"})
#: Of a larger file only the time of its change is remembered.
_MAX_BYTES = 8 * 1024 * 1024
#: Some lines of a file, nobody knows which.
_SOME = ((1, 0),)


@value
class View:
    """A file that a command line shows, before it does."""

    path: str
    real_path: str
    is_whole: bool
    stamp: tuple[int, int, int, int]


class Views:
    """Takes note of the files that commands show."""

    def __init__(self, knowledge: FileKnowledge) -> None:
        self._knowledge = knowledge

    async def look(self, analysis: Analysis, cwd: str) -> View | None:
        """Return the one file that a command line will show, or None."""
        command = _only_command(analysis)
        path = _shown_path(command) if command is not None else ""
        if command is None or not path:
            return None
        is_whole = command.program in _WHOLE
        return await run_in_thread(partial(_look, posixpath.join(cwd, path), is_whole=is_whole))

    async def note(self, view: View, call_id: str, *, is_all_shown: bool) -> None:
        """Take note that a call has shown a file, unless it has changed meanwhile."""
        is_whole = view.is_whole and is_all_shown
        await run_in_thread(partial(self._note, view, call_id, is_whole=is_whole))

    def _note(self, view: View, call_id: str, *, is_whole: bool) -> None:
        """Remember the file as it is now. Blocks."""
        try:
            with open_file(locate(view.path, "/")) as opened:
                is_small = opened.facts.st_size <= _MAX_BYTES
                content = opened.read(_MAX_BYTES + 1) if is_small else None
                is_same = stamp_of(opened.facts) == view.stamp
        except (OSError, ValueError):
            return
        if not is_same or (content is None and is_whole):
            return
        digest = digest_of(content) if content is not None else ""
        lines = () if is_whole else _SOME
        seen = Seen(digest, view.stamp, content, lines, shown_by=call_id)
        self._knowledge.note(view.real_path, seen)


def _only_command(analysis: Analysis) -> SimpleCommand | None:
    """Return the one command of a line, if there is no other, no pipe and no redirection."""
    if not analysis.is_proved or len(analysis.commands) != 1:
        return None
    command = analysis.commands[0]
    is_plain = not (command.redirects or command.assignments or command.via)
    return command if is_plain and command.program in _WHOLE | _PART else None


def _shown_path(command: SimpleCommand) -> str:
    """Return the one file that a command shows, seen from where it runs, or nothing."""
    words = [word.text for word in command.argv[1:]]
    if command.program == "sed" and not {"-n", "--quiet", "--silent"} & set(words):
        return ""
    judgement = judge(command)
    if isinstance(judgement, NotKnown):
        files = [word for word in words if not word.startswith("-")]
        is_told = command.program in _PLAIN and all(word.is_literal for word in command.argv)
        return _at_home(files[0]) if is_told and len(files) == 1 else ""
    if len(judgement.reads) != 1 or judgement.reads[0].is_glob:
        return ""
    return _at_home(judgement.reads[0].path)


def _at_home(path: str) -> str:
    """Return a path with the home directory written out."""
    return str(Path.home()) + path[1:] if path == "~" or path.startswith("~/") else path


def _look(path: str, *, is_whole: bool) -> View | None:
    """Return a file as it stands now, or None where there is none that could be shown. Blocks."""
    try:
        place = locate(path, "/")
        with open_file(place) as opened:
            return View(path, place.real_text, is_whole, stamp_of(opened.facts))
    except (OSError, ValueError):
        return None
