"""The ways to make a sandbox, each behind the same few words."""

from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from gantlet.messages.value import replace
from gantlet.system.sandbox.bubblewrap import Tools, bubblewrap_words, step_words
from gantlet.system.sandbox.facts import DiskFacts, Facts
from gantlet.system.sandbox.planned import Planned
from gantlet.system.sandbox.policy import Policy
from gantlet.system.sandbox.views import Plan, View, plan_views, view_of


class SandboxError(Exception):
    """A command could not be sandboxed. It must not run without, unless somebody decides so."""


class Backend(Protocol):
    """One way to make a sandbox."""

    @property
    def name(self) -> str:
        """What it is called."""

    @property
    def walls(self) -> tuple[str, ...]:
        """What holds a command, for a person to read."""

    @property
    def python(self) -> str:
        """A Python that can be run inside."""

    @property
    def identity(self) -> str:
        """What else than its programs decides whether it holds."""

    @property
    def programs(self) -> tuple[Path, ...]:
        """The files it is made with."""

    @property
    def expected_status(self) -> tuple[str, ...]:
        """What the kernel says of a process inside."""

    def plan(
        self, policy: Policy, cwd: str, *, kept: tuple[int, ...] = (), socket: str | None = None
    ) -> Planned:
        """Return how a command is started under a policy."""


class Bubblewrap:
    """Namespaces and mounts by bubblewrap; Landlock and seccomp behind them."""

    name = "bubblewrap"

    def __init__(self, tools: Tools, facts: Facts | None = None) -> None:
        self._tools = tools
        self._facts = facts or DiskFacts()

    @property
    def walls(self) -> tuple[str, ...]:
        """Name the walls that this machine has."""
        optional = (("Landlock", self._tools.has_landlock), ("seccomp", bool(self._tools.filter)))
        return (
            f"bubblewrap ({self._tools.bwrap})",
            *(f"{name}{'' if there else ': not here'}" for name, there in optional),
        )

    @property
    def python(self) -> str:
        """The Python of the last step."""
        return self._tools.interpreter

    @property
    def identity(self) -> str:
        """Everything found out about this machine."""
        return repr(self._tools)

    @property
    def programs(self) -> tuple[Path, ...]:
        """Bubblewrap and the last step."""
        return Path(self._tools.bwrap), Path(self._tools.step)

    @property
    def expected_status(self) -> tuple[str, ...]:
        """No capability, no way to gain any, and a filter where we have one."""
        facts = ("CapEff=0000000000000000", "NoNewPrivs=1")
        return (*facts, "Seccomp=2") if self._tools.filter else facts

    def plan(
        self, policy: Policy, cwd: str, *, kept: tuple[int, ...] = (), socket: str | None = None
    ) -> Planned:
        """Return the words of bubblewrap and of the last step."""
        plan = plan_views(policy, self._facts)
        tools = replace(self._tools, socket=socket)
        prefix = (
            *bubblewrap_words(policy, plan, tools, cwd),
            *step_words(policy, plan, tools, kept),
        )
        return Planned(prefix, plan.fillers, (*plan.problems, *self._hidden(cwd, plan)), plan.notes)

    def _hidden(self, cwd: str, plan: Plan) -> Iterator[str]:
        """Say what a command needs and could not see."""
        if view_of(self._facts.real(cwd), plan) in {View.EMPTY, View.HIDDEN}:
            yield f"{cwd} cannot be seen from inside the sandbox. Run the command elsewhere."
        if view_of(self._tools.interpreter, plan) is View.HIDDEN:
            yield f"{self._tools.interpreter} is denied, and the sandbox is started with it."
