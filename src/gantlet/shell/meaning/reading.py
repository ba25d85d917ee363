"""From a source to all the commands that may run."""

from collections.abc import Iterable, Sequence
from dataclasses import field

from gantlet.messages.value import replace, slotted
from gantlet.shell.analysis import ReadOnly, SimpleCommand, Word
from gantlet.shell.carriers.carry import is_carrying, load_of
from gantlet.shell.carriers.load import Load, ScriptText
from gantlet.shell.carriers.shells import SHELLS
from gantlet.shell.grammar.changes import ANY_NAME
from gantlet.shell.grammar.parser import parse
from gantlet.shell.grammar.scan import MAX_DEPTH
from gantlet.shell.grammar.syntax import Nested, Notes, Piece, Simple, WordNode
from gantlet.shell.judging import classify
from gantlet.shell.meaning.effects import governs
from gantlet.shell.meaning.guesses import guess_commands, is_positional, is_quotation
from gantlet.shell.meaning.loose import loose_commands
from gantlet.shell.meaning.spoken import spoken
from gantlet.shell.meaning.state import State
from gantlet.shell.meaning.walk import Met, Walk, Where
from gantlet.shell.pipes import with_stdin_paths
from gantlet.shell.programs.names import PROGRAM_NAMES

MAX_COMMANDS = 1000
_MAX_STEPS = 512
_MAX_LEFT = 4
_MAX_KNOWN = 8
_MAX_GUESSES = 4000

_EXPORTERS = frozenset({"export", "declare", "typeset", "local", "readonly"})


@slotted
class Reading:
    """Gathers commands; scripts inside scripts share one budget of characters.

    Attributes:
        budget: How many characters may still be read again, as scripts inside words.
    """

    budget: int
    parts: list[SimpleCommand] = field(default_factory=list)
    commands: list[SimpleCommand] = field(default_factory=list)
    doubts: dict[str, None] = field(default_factory=dict)
    unknowns: dict[str, None] = field(default_factory=dict)
    guesses_left: int = _MAX_GUESSES
    _positional: list[tuple[Word, ...]] = field(default_factory=list)
    _dynamic: list[tuple[Met, Notes]] = field(default_factory=list)

    def read(self, source: str, state: State, where: Where) -> None:
        """Read a source with all that is inside it."""
        notes = Notes()
        script = parse(source, notes, where.depth)
        self.doubts.update(notes.doubts)
        self._doubt_names(notes.lasting)
        walk = Walk(notes, lambda met: self._meet(met, notes), with_stdin_paths)
        walk.script(script, state, where)
        for lost in notes.lost:
            self.commands.extend(loose_commands(lost, where.via))
        self._guess(notes)

    def _meet(self, met: Met, notes: Notes) -> None:
        where = met.where
        if where.is_part:
            self.parts.extend(met.commands)
        self.commands.extend(met.commands)
        node = met.node
        if not node.words:
            self._doubt_names([assignment.name for assignment in node.assignments])
            return
        if not node.is_plain and not all(word.word.is_literal for word in node.words):
            self._note_unknown(met, notes)
        name = node.words[0].word.text
        if name in notes.functions or name == "set":
            self._positional.append(tuple(word.word for word in node.words[1:]))
        if node.is_plain and not is_carrying(name.rpartition("/")[2]):
            return
        for command in met.commands:
            self._carry(command, where)
        self._read_processes(node, met.commands[0], where)

    def _note_unknown(self, met: Met, notes: Notes) -> None:
        """Note words that are not written out, unless the command only reads whatever they are."""
        if not met.node.words[0].word.is_literal:
            self._dynamic.append((met, notes))
        for command in met.commands:
            odd = [
                index
                for index, word in enumerate(command.argv)
                if _is_unknown(word) and not is_quotation(met.node.words[index])
            ]
            if not odd or isinstance(classify(replace(command, redirects=())), ReadOnly):
                continue
            self._dynamic.append((met, notes))
            if odd[0] <= 1:
                self._doubt("The word behind the program's name is not written out.")
            for index in odd:
                self.unknowns[command.argv[index].raw] = None
                if _is_set_here(met.node.words[index], notes):
                    self._doubt("A word depends on what the command itself sets.")

    def _doubt(self, reason: str) -> None:
        self.doubts[reason] = None

    def _carry(self, command: SimpleCommand, where: Where) -> None:
        """Add what a command carries, and what that carries, and so on."""
        waiting = [(command, False)]
        for _ in range(_MAX_STEPS):
            if not waiting:
                return
            current, is_guess = waiting.pop()
            if len(current.via) - len(where.via) > MAX_DEPTH:
                waiting.append((current, is_guess))
                break
            load = load_of(current, where.stdin)
            if load is None:
                continue
            if is_guess:  # a guess inside a guess is among the guesses already
                load.guesses.clear()
            self._take(load, current, where)
            waiting.extend((inner, is_guess) for inner in load.commands)
            waiting.extend((inner, True) for inner in load.guesses)
        self._read_loosely([left for left, _ in waiting[-_MAX_LEFT:]])

    def _take(self, load: Load, command: SimpleCommand, where: Where) -> None:
        """Add what one command carries."""
        for doubt in load.doubts:
            self._doubt(doubt)
        if command.program in _EXPORTERS:
            self._doubt_names(word.text.partition("=")[0].rstrip("+") for word in command.argv[1:])
        self.commands.extend(load.commands)
        self.commands.extend(load.guesses)
        for script in load.scripts:
            self._read_script(script, command, where)
        if load.is_cut:
            self._read_loosely([command])

    def _read_loosely(self, commands: Sequence[SimpleCommand]) -> None:
        """Add all that may be a command in the words of others."""
        self._doubt("Programs that run others are nested too deeply.")
        for command in commands:
            text = " ".join(word.text for word in command.argv)
            self.budget -= len(text)
            if self.budget > -len(text):
                self.commands.extend(loose_commands(text, command.via))

    def _doubt_names(self, names: Iterable[str]) -> None:
        for name in names:
            if governs(name):
                self._doubt(f"{name} changes what later commands do.")

    def _read_script(self, script: ScriptText, carrier: SimpleCommand, where: Where) -> None:
        self.budget -= len(script.text)
        via = (*carrier.via, script.way)
        if self.budget < 0 or len(via) > MAX_DEPTH or where.depth >= MAX_DEPTH:
            self._doubt("Scripts are nested too deeply.")
            if self.budget > -len(script.text) * 2:
                self.commands.extend(loose_commands(script.text, via))
            return
        inside = Where(via, is_part=False, depth=where.depth + 1, stdin=where.stdin)
        self.read(script.text, State((script.cwd,)), inside)

    def _read_processes(self, node: Simple, command: SimpleCommand, where: Where) -> None:
        """Read what a shell gets from a process substitution that prints literal text."""
        if command.program not in SHELLS and command.program not in ("source", "."):
            return
        nested = [
            found
            for holder in (*node.words, *(one.target for one in node.redirects))
            for found in holder.nested
        ]
        for found in nested:
            self._doubt("A shell runs what another command prints.")
            for text in _printed(found):
                self._read_script(ScriptText(text, "stdin", command.cwd), command, where)

    def _guess(self, notes: Notes) -> None:
        """Add what words that are not written out may become."""
        waiting, self._dynamic = self._dynamic, []
        if not waiting:
            return
        known = self._known(notes)
        guessed: set[int] = set()
        for met, its_notes in waiting:
            if id(met) in guessed:
                continue
            guessed.add(id(met))
            if its_notes is notes:
                self._guess_one(met, known)
            else:
                self._dynamic.append((met, its_notes))

    def _known(self, notes: Notes) -> dict[str, list[str]]:
        """Return every text that a name may have been given somewhere."""
        known: dict[str, list[str]] = {}
        for assignment in (*notes.assigned, *notes.turns):
            texts = known.setdefault(assignment.name, [])
            if len(texts) < _MAX_KNOWN:
                texts.append(assignment.value.word.text)
        for words in self._positional[:_MAX_KNOWN]:
            texts = [word.text for word in words if word.text != "--"]
            for index, text in enumerate(texts, start=1):
                known.setdefault(str(index), []).append(text)
            known.setdefault("@", []).append(" ".join(texts))
            known.setdefault("*", []).append(" ".join(texts))
        return known

    def _guess_one(self, met: Met, known: dict[str, list[str]]) -> None:
        nodes = met.node.words
        if self.guesses_left <= 0 or not _is_worth_guessing(nodes, known):
            return
        base = replace(met.commands[0], cwd=None, via=(*met.where.via, "expansion"))
        for words in guess_commands(nodes, known, PROGRAM_NAMES):
            command = replace(base, argv=words)
            self.guesses_left -= 1
            self.commands.append(command)
            self._carry(command, met.where)
        if self.guesses_left <= 0:
            self._doubt("Too many words are not written out.")


def _is_unknown(word: Word) -> bool:
    """Return whether a word may be anything; a glob names files, a process a pipe."""
    return not word.is_literal and not word.is_process and (word.can_split or not word.has_glob)


def _is_set_here(node: WordNode, notes: Notes) -> bool:
    """Return whether a word names a variable that the source sets somewhere."""
    return any(
        stretch.piece is Piece.VARIABLE and (stretch.text in notes.names or ANY_NAME in notes.names)
        for stretch in node.stretches
    )


def _is_worth_guessing(nodes: Sequence[WordNode], known: dict[str, list[str]]) -> bool:
    """Return whether a word that is not written out may matter, or something is known of it."""
    first = nodes[0].word
    if not first.is_literal or is_carrying(first.text.rpartition("/")[2]):
        return True
    for node in nodes:
        if node.has_braces:
            return True
        for stretch in node.stretches:
            if stretch.text in known or is_positional(stretch.text) or stretch.text == "IFS":
                return True
            if stretch.script is not None or stretch.text.startswith("${"):
                return True
    return False


def _printed(nested: Nested) -> list[str]:
    texts: list[str] = []
    for item in nested.script.items:
        for _, pipeline in item.links:
            fed: list[str] = []
            for command in pipeline.commands:
                fed = spoken(command, fed) if isinstance(command, Simple) else []
            texts.extend(fed)
    return texts
