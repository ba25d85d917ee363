"""Walking through a tree of commands, with what is known at each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from gantlet.messages.value import replace, slotted, value
from gantlet.shell.analysis import Assignment, Redirect, SimpleCommand, Word
from gantlet.shell.carriers.carry import is_carrying
from gantlet.shell.grammar.changes import ANY_NAME
from gantlet.shell.grammar.syntax import (
    AndOr,
    Compound,
    Kind,
    Nested,
    Notes,
    Pipeline,
    RedirectNode,
    Script,
    Simple,
    WordNode,
)
from gantlet.shell.meaning.effects import effect
from gantlet.shell.meaning.resolve import loop_values, resolve, settings
from gantlet.shell.meaning.spoken import spoken
from gantlet.shell.meaning.state import UNKNOWN, Outcome, State, join, same

#: How many forms of commands are told apart; behind that, what has several values is not known.
MAX_FORMS = 1000

_READS = frozenset({"<", "<>"})
_WRITES = frozenset({">", ">>", ">|", "<>", "&>", "&>>"})
_DESCRIPTORS = frozenset("0123456789-")


@value
class Where:
    """How a command is reached, and what may be on its standard input."""

    via: tuple[str, ...] = ()
    is_part: bool = True
    depth: int = 0
    stdin: tuple[str, ...] = ()

    def inside(self, way: str) -> Where:
        """Return where the commands of a substitution stand."""
        return Where((*self.via, way), is_part=False, depth=self.depth + 1, stdin=self.stdin)


@slotted
class Met:
    """A simple command as the walk met it: the node, its possible forms, and where."""

    node: Simple
    commands: tuple[SimpleCommand, ...]
    where: Where


@slotted
class Walk:
    """Goes through a tree once; `meet` is told of each simple command."""

    notes: Notes
    meet: Callable[[Met], None]
    pipe: Callable[[Sequence[SimpleCommand], SimpleCommand], SimpleCommand]
    forms_left: int = MAX_FORMS

    def script(self, script: Script, state: State | None, where: Where) -> Outcome:
        """Go through a list; return the outcome of its last command."""
        outcome = same(state)
        for item in script.items:
            before = outcome.after
            outcome = self._and_or(item, before, where)
            if item.is_background:
                outcome = same(before)
        return outcome

    def _and_or(self, item: AndOr, state: State | None, where: Where) -> Outcome:
        outcome = same(state)
        for operator, pipeline in item.links:
            if not operator:
                outcome = self._pipeline(pipeline, state, where)
            elif operator == "&&":
                then = self._pipeline(pipeline, outcome.ok, where)
                outcome = Outcome(then.ok, join(outcome.fail, then.fail))
            else:
                then = self._pipeline(pipeline, outcome.fail, where)
                outcome = Outcome(join(outcome.ok, then.ok), then.fail)
        return outcome

    def _pipeline(self, pipeline: Pipeline, state: State | None, where: Where) -> Outcome:
        commands = pipeline.commands
        if len(commands) == 1:
            outcome = self._command(commands[0], state, where)
            return outcome.negated() if pipeline.is_negated else outcome
        before: list[SimpleCommand] = []
        is_read = _has_reader(commands)
        for command in commands:
            if isinstance(command, Simple):
                forms = self._simple(command, state or UNKNOWN, where, before)
                before.append(forms[0])
                if is_read:
                    where = replace(where, stdin=tuple(spoken(command, where.stdin)))
            else:
                self._command(command, state, where)
                before.clear()
        return same(state)

    def _command(self, command: Simple | Compound, state: State | None, where: Where) -> Outcome:
        if isinstance(command, Compound):
            return self._compound(command, state, where)
        known = state or UNKNOWN
        forms = self._simple(command, known, where, ())
        outcome = effect(command, forms, known, self.notes)
        return outcome if state is not None else same(None)

    def _simple(
        self, node: Simple, state: State, where: Where, before: Sequence[SimpleCommand]
    ) -> tuple[SimpleCommand, ...]:
        """Tell of one simple command, in all its possible forms."""
        if node.is_plain and len(state.places) == 1:
            argv = tuple([word.word for word in node.words])
            forms: tuple[SimpleCommand, ...] = (
                SimpleCommand(argv, cwd=state.places[0], raw=node.raw, via=where.via),
            )
        else:
            for nested in _nested_in(node):
                self.script(nested.script, state, where.inside(nested.way))
            forms = tuple(_forms(node, state, where.via, is_narrow=self.forms_left <= 0))
        self.forms_left -= len(forms)
        if before and node.words and node.words[0].word.text == "xargs":
            forms = tuple(self.pipe(before, form) for form in forms)
        self.meet(Met(node, forms, where))
        return forms

    def _compound(self, node: Compound, state: State | None, where: Where) -> Outcome:
        for word in node.words:
            for nested in word.nested:
                self.script(nested.script, state, where.inside(nested.way))
        if node.redirects:
            only = Simple((), (), node.redirects, node.raw)
            self._simple(only, state or UNKNOWN, where, ())
            texts = [one.target.word.text for one in node.redirects if one.operator[:2] == "<<"]
            where = replace(where, stdin=(*where.stdin, *texts))
        return _COMPOUNDS[node.kind](self, node, state, where)

    def _subshell(self, node: Compound, state: State | None, where: Where) -> Outcome:
        self.script(node.sections[0], state, where)
        return same(state)

    def _group(self, node: Compound, state: State | None, where: Where) -> Outcome:
        return self.script(node.sections[0], state, where)

    def _if(self, node: Compound, state: State | None, where: Where) -> Outcome:
        sections = list(node.sections)
        ok = fail = None
        entry = state
        while len(sections) > 1:
            condition = self.script(sections.pop(0), entry, where)
            body = self.script(sections.pop(0), condition.ok, where)
            ok, fail = join(ok, body.ok), join(fail, body.fail)
            entry = condition.fail
        if sections:
            last = self.script(sections[0], entry, where)
            return Outcome(join(ok, last.ok), join(fail, last.fail))
        return Outcome(join(ok, entry), fail)

    def _loop(self, node: Compound, state: State | None, where: Where) -> Outcome:
        inside = state.widened(node) if state else None
        for section in node.sections:
            self.script(section, inside, where)
        return same(inside)

    def _for(self, node: Compound, state: State | None, where: Where) -> Outcome:
        if state is None:
            return self._loop(node, state, where)
        inside = state.widened(node)
        is_fixed = not node.assigned & {node.name, ANY_NAME}
        values = loop_values(node.words, state.values) if is_fixed else ()
        self.script(node.sections[0], inside.assigning(node.name, values), where)
        return same(inside.assigning(node.name, ()))

    def _case(self, node: Compound, state: State | None, where: Where) -> Outcome:
        after = same(state)
        for section in node.sections:
            one = self.script(section, state, where)
            after = Outcome(join(after.ok, one.ok), join(after.fail, one.fail))
        return after

    def _function(self, node: Compound, state: State | None, where: Where) -> Outcome:
        self.script(node.sections[0], UNKNOWN, where.inside("function"))
        return same(UNKNOWN if state else None)


_COMPOUNDS: dict[Kind, Callable[[Walk, Compound, State | None, Where], Outcome]] = {
    Kind.SUBSHELL: Walk._subshell,
    Kind.GROUP: Walk._group,
    Kind.IF: Walk._if,
    Kind.LOOP: Walk._loop,
    Kind.FOR: Walk._for,
    Kind.CASE: Walk._case,
    Kind.FUNCTION: Walk._function,
    Kind.COPROCESS: Walk._subshell,
}


def _has_reader(commands: Sequence[Simple | Compound]) -> bool:
    """Return whether a later command of a pipeline may run what it reads."""
    for command in commands[1:]:
        if isinstance(command, Compound) or not command.words:
            return True
        first = command.words[0].word
        if not first.is_literal or is_carrying(first.text.rpartition("/")[2]):
            return True
    return False


def _nested_in(node: Simple) -> Iterable[Nested]:
    for word in node.words:
        yield from word.nested
    for assignment in node.assignments:
        yield from assignment.value.nested
    for redirect in node.redirects:
        yield from redirect.target.nested


def _forms(
    node: Simple, state: State, via: tuple[str, ...], *, is_narrow: bool
) -> Iterable[SimpleCommand]:
    """Yield the command once for each possible directory and value of its variables.

    With `is_narrow`, yield it only once, and what has several values is not known.
    """
    if is_narrow:
        state = State(state.places if len(state.places) == 1 else (None,))
    for setting in _settings(node, state):
        argv = tuple([resolve(word, setting) for word in node.words])
        assignments = tuple(
            [Assignment(one.name, resolve(one.value, setting)) for one in node.assignments]
        )
        redirects = tuple(
            [redirect_of(one, resolve(one.target, setting)) for one in node.redirects]
        )
        for place in state.places:
            yield SimpleCommand(argv, assignments, redirects, place, node.raw, via)


def _settings(node: Simple, state: State) -> Iterable[Mapping[str, Word]]:
    if not state.values:
        return ({},)
    nodes: list[WordNode] = [
        *node.words,
        *(one.value for one in node.assignments),
        *(one.target for one in node.redirects),
    ]
    return settings(nodes, state.values)


def redirect_of(node: RedirectNode, target: Word) -> Redirect:
    """Return a redirection with what it does to its target."""
    operator = node.operator
    writes, reads = operator in _WRITES, operator in _READS
    if operator in (">&", "<&") and not set(target.text) <= _DESCRIPTORS:
        writes, reads = operator == ">&", operator == "<&"
    return Redirect(operator, node.fd, target, reads, writes)
