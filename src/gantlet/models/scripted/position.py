"""Which reply comes next, found from nothing but the messages of the request."""

from collections.abc import Callable
from dataclasses import field

from gantlet.messages import AssistantMessage
from gantlet.messages.value import slotted, value
from gantlet.models.scripted.received import ReceivedRequest
from gantlet.models.scripted.scene import Scene
from gantlet.models.scripted.script import Again, Instruction, Jump, Reply, Say, Script, Test, Words


@value
class Position:
    """The reply to a request, what has happened before it, and whether no other follows it."""

    reply: Reply
    scene: Scene
    is_last: bool


def find_position(script: Script, request: ReceivedRequest) -> Position:
    """Play the script along the messages of a request and return where it stands.

    Each reply in the messages counts as one that the script gave, whatever it says.
    """
    scene = Scene(system=request.system, model=request.model)
    walk = _Walk(script)
    for message in request.messages:
        if isinstance(message, AssistantMessage):
            walk.step(scene)
        scene.add(message)
    reply = walk.step(scene)
    return Position(reply or _over(script), scene, is_last=walk.is_over())


@slotted
class _Walk:
    """Where a conversation is in its script."""

    script: Script
    at: int = 0
    rounds: dict[int, int] = field(default_factory=dict)

    def step(self, scene: Scene) -> Reply | None:
        """Return the next reply and move on, or None at the end."""
        for aside in self.script.asides:
            if scene.meets(aside.condition):
                return aside.reply
        found = self._seek(scene.meets)
        if found is None:
            return None
        self._go(found.following)
        return found.reply

    def is_over(self) -> bool:
        """Say whether the end comes next, whatever happens before it."""
        ahead = _Walk(self.script, self.at, dict(self.rounds))
        try:
            return ahead._seek(_unforeseeable) is None
        except _UnforeseeableError:
            return False

    def _seek(self, holds: Callable[..., bool]) -> Say | None:
        """Go on to the next thing that is said; silent ways round were refused when loading."""
        gone_back: set[int] = set()
        while self.at < len(self.script.program) or self.script.loops:
            if self.at == len(self.script.program):
                self._go(0)
            instruction = self.script.program[self.at]
            if isinstance(instruction, Say):
                return instruction
            self._pass(instruction, holds, gone_back)
        return None

    def _pass(
        self, instruction: Instruction, holds: Callable[..., bool], gone_back: set[int]
    ) -> None:
        """Follow an instruction that says nothing."""
        match instruction:
            case Test(condition, otherwise):
                self._go(self.at + 1 if holds(condition) else otherwise)
            case Jump(target):
                self._go(target)
            case Again(start, times):
                self._go_again(start, times, gone_back)

    def _go_again(self, start: int, times: int, gone_back: set[int]) -> None:
        """Begin another round, unless all are done or the last one said nothing."""
        here = self.at
        done = self.rounds.get(here, 0) + 1
        if done >= times or here in gone_back:
            self.rounds.pop(here, None)
            self._go(here + 1)
            return
        gone_back.add(here)
        self.rounds[here] = done
        self._go(start)

    def _go(self, target: int) -> None:
        """Go there, and forget the rounds of every repeat that is left by it."""
        self.at = target
        self.rounds = {
            at: done
            for at, done in self.rounds.items()
            if _start_of(self.script.program[at]) <= target <= at
        }


class _UnforeseeableError(Exception):
    """What comes next depends on what happens."""


def _unforeseeable(condition: object) -> bool:
    """Refuse to say whether a condition will hold."""
    raise _UnforeseeableError


def _start_of(instruction: Instruction) -> int:
    """Return where a repeat begins."""
    return instruction.start if isinstance(instruction, Again) else 0


def _over(script: Script) -> Reply:
    """Return what is said after the last reply."""
    text = f"The script {script.name} is over: it has no further reply. Add one, or `loop: true`."
    return Reply((Words((text.replace("{{", "{{!"),)),), where=script.name)
