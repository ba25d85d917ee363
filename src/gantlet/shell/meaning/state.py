"""What is known at one point of a script: the directory, and values of variables."""

import posixpath
import re
from collections.abc import Mapping
from dataclasses import field
from types import MappingProxyType

from gantlet.messages.value import replace, slotted, value
from gantlet.shell.analysis import Word
from gantlet.shell.grammar.changes import ANY_NAME
from gantlet.shell.grammar.syntax import AssignmentNode, Compound

_NO_VALUES: Mapping[str, tuple[Word, ...]] = MappingProxyType({})
_MAX_PLACES = 4
_MAX_PATH = 4096
_CD_OPTION = re.compile(r"-[LPe@]+|--")
_HOME = "~"
#: The home directory by its variable, with nothing behind it that is not written out.
_HOME_VARIABLE = re.compile(r"\"?\$(?:HOME|\{HOME\})\"?(?=(?:/[\w./-]*)?\"?$)", re.ASCII)


@value
class State:
    """Possible directories, and possible values of variables; a missing name is unknown."""

    places: tuple[str | None, ...] = (".",)
    values: Mapping[str, tuple[Word, ...]] = field(default_factory=lambda: _NO_VALUES)

    def widened(self, inside: Compound) -> "State":
        """Return what is still known wherever a loop's body may stand."""
        places = (None,) if inside.moves else self.places
        return State(places, self._without(inside.assigned))

    def _without(self, names: frozenset[str]) -> Mapping[str, tuple[Word, ...]]:
        if not self.values or not names:
            return self.values
        if ANY_NAME in names:
            return _NO_VALUES
        return {name: value for name, value in self.values.items() if name not in names}

    def assigning(self, name: str, values: tuple[Word, ...]) -> "State":
        """Return the state with possible values for a name; without any, it is unknown."""
        kept = {**self.values, name: values}
        if not values:
            del kept[name]
        return replace(self, values=kept)

    def assigned(self, assignments: tuple[AssignmentNode, ...]) -> "State":
        """Return the state after assignments that stand alone."""
        state = self
        for node in assignments:
            word = node.value.word
            is_known = node.is_exact and word.is_literal and not word.raw.startswith("~")
            state = state.assigning(node.name, (word,) if is_known else ())
        return state


UNKNOWN = State((None,))


@slotted
class Outcome:
    """The states after a command that succeeds and after one that fails; None: it does not."""

    ok: State | None
    fail: State | None

    @property
    def after(self) -> State | None:
        """What is known whether it succeeded or failed."""
        return join(self.ok, self.fail)

    def negated(self) -> "Outcome":
        """Return the outcome under `!`."""
        return Outcome(self.fail, self.ok)


def same(state: State | None) -> Outcome:
    """Return the outcome of a command that changes nothing."""
    return Outcome(state, state)


def join(first: State | None, second: State | None) -> State | None:
    """Return what is known if either may be the case."""
    if first is None or first is second:
        return second
    if second is None:
        return first
    places = tuple(dict.fromkeys((*first.places, *second.places)))
    if len(places) > _MAX_PLACES or None in places:
        places = (None,)
    values = first.values
    if first.values is not second.values:
        values = {name: value for name, value in values.items() if second.values.get(name) == value}
    return State(places, values)


def change_directory(
    state: State, words: tuple[Word, ...], *, is_plain: bool, goes_home: bool
) -> Outcome:
    """Return the outcome of `cd` or `pushd` with these operands and options.

    It is plain if no variable it looks at may have been set in the command. Without an operand
    `cd` goes home, and `pushd` elsewhere.
    """
    operands = list(words)
    is_physical = False
    while operands and operands[0].is_literal and _CD_OPTION.fullmatch(operands[0].text):
        option = operands.pop(0).text
        is_physical = is_physical or "P" in option
        if option == "--":
            break
    if len(operands) > 1 or is_physical or not is_plain:
        return Outcome(replace(state, places=(None,)), state)
    without = _HOME if goes_home else None
    target = _target(operands[0]) if operands else without
    places = tuple(dict.fromkeys(moved(place, target) for place in state.places))
    return Outcome(replace(state, places=places), state)


def _target(word: Word) -> str | None:
    """Return where `cd` is told to go, or None if that is not written out."""
    if _HOME_VARIABLE.match(word.raw):
        return _HOME_VARIABLE.sub(_HOME, word.raw).replace('"', "")
    is_home = word.raw == _HOME or word.raw.startswith(f"{_HOME}/")
    if not word.is_literal or not word.text or word.text.startswith(("+", "-")):
        return None
    return word.text if is_home or not word.text.startswith("~") else None


def moved(place: str | None, target: str | None) -> str | None:
    """Return where `cd target` leads from a place, as the shell reckons it."""
    if target is None:
        return None
    if target.startswith(("/", _HOME)):
        place = ""
    if place is None or len(place) + len(target) > _MAX_PATH:
        return None
    path = posixpath.normpath(posixpath.join(place, target))
    is_below_home = path == _HOME or path.startswith(f"{_HOME}/")
    return path if is_below_home or not f"{place}{target}".startswith(_HOME) else None
