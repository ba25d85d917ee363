"""How the order of replies is written in a script file: branches, jumps, repeats, asides."""

from dataclasses import field
from graphlib import CycleError, TopologicalSorter

from gantlet.messages.value import slotted
from gantlet.models.scripted import reading
from gantlet.models.scripted.nodes import Fields, Item
from gantlet.models.scripted.reply_format import PIECE_KEYS, REPLY_KEYS, read_reply
from gantlet.models.scripted.script import (
    Again,
    Aside,
    Condition,
    Instruction,
    Jump,
    ResultTest,
    Say,
    Script,
    Test,
    TextTest,
)

END = "end"
_SCRIPT_KEYS = ("about", "loop", "asides", "replies")
_ENTRIES = {
    "when": ("label", "when", "then", "else"),
    "repeat": ("label", "repeat", "do"),
    "say": ("label", *REPLY_KEYS, "goto"),
    "goto": ("label", "goto"),
}
_ENTRY_KEYS = tuple(dict.fromkeys(key for keys in _ENTRIES.values() for key in keys))
_CONDITION_KEYS = ("result", "user", "system", "model", "not")
_TEXT_KEYS = ("contains", "matches")


def read_script(root: Item) -> Script:
    """Return the script that a file describes.

    Raises:
        UserError: It describes none.
    """
    if isinstance(root.content, tuple):
        root = Item({"replies": root}, root.file, root.line, root.key)
    fields = Fields(root, _SCRIPT_KEYS)
    writer = _Writer()
    asides = fields.take("asides", lambda item: tuple(map(writer.aside, reading.items(item))), ())
    writer.entries(fields["replies"])
    loops = fields.take("loop", reading.flag, default=False)
    return Script(
        program=writer.program(loops=loops),
        asides=asides,
        loops=loops,
        name=root.file,
        about=fields.take("about", reading.text, ""),
    )


@slotted
class _Writer:
    """Writes instructions, and joins jumps to labels when all have been seen."""

    written: list[Instruction] = field(default_factory=list)
    labels: dict[str, int] = field(default_factory=dict)
    jumps: list[tuple[int, Item]] = field(default_factory=list)
    places: list[Item] = field(default_factory=list)
    replies: int = 0

    def entries(self, item: Item) -> None:
        """Write a list of entries."""
        for entry in reading.items(item):
            self._entry(entry)

    def aside(self, item: Item) -> Aside:
        """Return an aside."""
        fields = Fields(item, ("when", *REPLY_KEYS))
        self.replies += 1
        return Aside(read_condition(fields["when"]), read_reply(fields, self.replies))

    def program(self, *, loops: bool) -> tuple[Instruction, ...]:
        """Return the instructions, every jump joined to its label."""
        self.labels.setdefault(END, len(self.written))
        for at, name in self.jumps:
            self._join(at, name)
        self._check_that_something_is_said(loops=loops)
        return tuple(self.written)

    def _entry(self, item: Item) -> None:
        """Write one entry; a text, a piece or a list of pieces is a reply without further keys."""
        content = item.content
        if not isinstance(content, dict) or not PIECE_KEYS.isdisjoint(content):
            content = {"say": item}
        item = Item(content, item.file, item.line, item.key)
        self._label(Fields(item, _ENTRY_KEYS))
        for kind, write in (
            ("when", self._branch),
            ("repeat", self._repeat),
            ("say", self._say),
            ("goto", self._goto),
        ):
            if kind in content:
                return write(Fields(item, _ENTRIES[kind]))
        raise item.refusal(f"an entry has one of the keys {', '.join(_ENTRIES)}.")

    def _label(self, fields: Fields) -> None:
        """Take note of a label."""
        if "label" not in fields:
            return
        name = reading.text(fields["label"])
        if name in self.labels or name == END:
            raise fields["label"].refusal(f"the label {name!r} is taken. Choose another.")
        self.labels[name] = len(self.written)

    def _write(self, instruction: Instruction, item: Item) -> int:
        """Write an instruction and return its place."""
        self.written.append(instruction)
        self.places.append(item)
        return len(self.written) - 1

    def _say(self, fields: Fields) -> None:
        """Write a reply."""
        self.replies += 1
        reply = read_reply(fields, self.replies)
        at = self._write(Say(reply, len(self.written) + 1), fields.item)
        if "goto" in fields:
            self.jumps.append((at, fields["goto"]))

    def _goto(self, fields: Fields) -> None:
        """Write a jump."""
        self.jumps.append((self._write(Jump(0), fields.item), fields["goto"]))

    def _branch(self, fields: Fields) -> None:
        """Write a test and what follows from it."""
        condition = read_condition(fields["when"])
        test = self._write(Test(condition, 0), fields.item)
        self.entries(fields["then"])
        over = self._write(Jump(0), fields.item)
        self.written[test] = Test(condition, len(self.written))
        if "else" in fields:
            self.entries(fields["else"])
        self.written[over] = Jump(len(self.written))

    def _repeat(self, fields: Fields) -> None:
        """Write what is done several times."""
        start = len(self.written)
        self.entries(fields["do"])
        self._write(Again(start, reading.count(fields["repeat"])), fields.item)

    def _join(self, at: int, name: Item) -> None:
        """Point a jump at its label."""
        target = self.labels.get(reading.text(name))
        if target is None:
            known = ", ".join(self.labels)
            raise name.refusal(f"there is no label {name.shown()}. There are: {known}.")
        jump = self.written[at]
        self.written[at] = Say(jump.reply, target) if isinstance(jump, Say) else Jump(target)

    def _check_that_something_is_said(self, *, loops: bool) -> None:
        """Refuse a way round on which nothing is said: it would never end."""
        silent = {
            at: _next(at, instruction)
            for at, instruction in enumerate(self.written)
            if not isinstance(instruction, Say)
        }
        silent[len(self.written)] = {0} if loops else set()
        graph = {at: ways & silent.keys() for at, ways in silent.items()}
        try:
            TopologicalSorter(graph).prepare()
        except CycleError as error:
            place = self.places[min(error.args[1])]
            raise place.refusal(
                "there is a way round from here on which nothing is said. Say something."
            ) from None


def _next(at: int, instruction: Instruction) -> set[int]:
    """Return where an instruction may lead; going back in a repeat is left out, for it ends."""
    match instruction:
        case Test(_, otherwise):
            return {at + 1, otherwise}
        case Jump(target):
            return {target}
        case _:
            return {at + 1}


def read_condition(item: Item) -> Condition:
    """Return a condition.

    Raises:
        UserError: It is none.
    """
    fields = Fields(item, _CONDITION_KEYS)
    if not item.content:
        raise item.refusal(f"a condition has some of the keys {', '.join(_CONDITION_KEYS)}.")
    return Condition(
        result=fields.take("result", _result_test, None),
        user=fields.take("user", _text_test, None),
        system=fields.take("system", _text_test, None),
        model=fields.take("model", _text_test, None),
        excluded=fields.take("not", read_condition, None),
    )


def _result_test(item: Item) -> ResultTest:
    """Return what a result must be; an empty mapping asks that there is one."""
    fields = Fields(item, ("tool", "is_error", *_TEXT_KEYS))
    return ResultTest(
        text=_text_test_of(fields),
        tool=fields.take("tool", reading.text, None),
        is_error=fields.take("is_error", reading.flag, None),
    )


def _text_test(item: Item) -> TextTest:
    """Return what a text must hold; a plain text is one that it must contain."""
    if isinstance(item.content, str):
        return TextTest(contains=item.content)
    return _text_test_of(Fields(item, _TEXT_KEYS))


def _text_test_of(fields: Fields) -> TextTest:
    """Return what a text must hold."""
    return TextTest(
        contains=fields.take("contains", reading.text, None),
        matches=fields.take("matches", reading.pattern, None),
    )
