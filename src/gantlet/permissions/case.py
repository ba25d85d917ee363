"""One call in front of one context: everything the layers ask about, found out once."""

from dataclasses import field

from gantlet.messages.value import lazy, value
from gantlet.permissions.context import PermissionContext
from gantlet.permissions.decision import Request
from gantlet.permissions.facts import Target, Touch
from gantlet.permissions.proof import Means, Proving
from gantlet.permissions.shell_reading import Reading, read_shell
from gantlet.rules import SHELL, names_of
from gantlet.shell import all_begin_with
from gantlet.tool import Ask, Mode, spot

_SHOWN_CHARS = 200


@value
class Case:
    """A request and the context it is judged against. What it says of itself may raise."""

    request: Request
    context: PermissionContext
    #: What was already tried to prove, so that no layer tries it again.
    provings: dict[Means, Proving] = field(default_factory=dict, repr=False, compare=False)

    @property
    def name(self) -> str:
        """What the tool is called."""
        return self.request.tool.name

    @lazy
    def names(self) -> tuple[str, ...]:
        """Every name a rule can mean the tool by; each shell is meant by `Bash` too."""
        names = names_of(self.request.tool)
        return tuple(dict.fromkeys((*names, SHELL))) if self.request.tool.runs_shell else names

    @lazy
    def rule_text(self) -> str | None:
        """What the text in a rule's brackets is compared with."""
        return self.request.tool.rule_text(self.request.args)

    @lazy
    def reading(self) -> Reading | None:
        """What the command means, for a call that runs one in a shell we can read."""
        if not self.request.tool.runs_shell or self.rule_text is None:
            return None
        return read_shell(self.rule_text, self.request.surroundings.cwd)

    @lazy
    def touches(self) -> tuple[Touch, ...]:
        """The paths the call names."""
        if self.reading is not None:
            return self.reading.touches
        tool, cwd = self.request.tool, self.request.surroundings.cwd
        paths = tool.paths(self.request.args)
        return tuple(
            Touch(path, spot(path, cwd), tool.path_kind, is_as_shown=True) for path in paths
        )

    @lazy
    def targets(self) -> tuple[Target, ...]:
        """The same paths with what was seen of them."""
        facts = self.request.facts
        return tuple(Target.of(one, facts) for one in self.touches if not one.is_condition)

    @lazy
    def is_read_only(self) -> bool:
        """Whether the call is known to change nothing. A shell must prove it."""
        if self.reading is not None:
            return self.reading.is_read_only(self.request.facts)
        if any(touch.kind == "edit" for touch in self.touches):
            return False
        return self.request.traits.read_only

    @property
    def doubt(self) -> Ask | None:
        """What the tool doubts of the programs of a command, which a rule may still cover."""
        vote = self.request.tool_vote
        if not isinstance(vote, Ask) or not vote.programs or self.reading is None:
            return None
        return vote

    @property
    def is_sandboxed(self) -> bool:
        """Whether a command runs where it can do no harm, and does not ask to run elsewhere."""
        if not self.context.sandboxed_shell or self.rule_text is None:
            return False
        if self.request.call.input.get("dangerouslyDisableSandbox"):
            return False
        return not all_begin_with(self.rule_text, self.context.unsandboxed)

    @property
    def plans(self) -> bool:
        """Whether only looking is allowed now, by the session or by the call's surroundings."""
        return Mode.PLAN in (self.context.mode, self.request.surroundings.mode)

    @property
    def shown(self) -> str:
        """The call in a few words, for proofs and reasons."""
        text = self.rule_text if self.rule_text is not None else ", ".join(self._paths())
        shown = f"{self.name}({text})" if text else self.name
        return shown if len(shown) <= _SHOWN_CHARS else shown[: _SHOWN_CHARS - 1] + "…"

    def _paths(self) -> list[str]:
        """Return the paths the call names, as it names them."""
        return [touch.path for touch in self.touches]
