"""A fence round the working directories, where the settings want one."""

from collections.abc import Iterator
from typing import ClassVar

from gantlet.messages.value import value
from gantlet.permissions.case import Case
from gantlet.permissions.facts import Target
from gantlet.permissions.verdict import Ballot
from gantlet.permissions.workspace import Directory
from gantlet.tool import Ask, Deny


@value
class FenceLayer:
    """Paths outside of the working directories, in a session that has to stay inside."""

    name: ClassVar[str] = "fence"

    def vote(self, case: Case) -> Ballot | None:
        """Deny what lies outside; ask about what may."""
        fence = case.context.fence
        if not (fence.reads or fence.writes):
            return None
        ballots = [ballot for target in case.targets for ballot in self._about(case, target)]
        denials = (ballot for ballot in ballots if isinstance(ballot.vote, Deny))
        return next(denials, None) or next(iter(ballots), None)

    def _about(self, case: Case, target: Target) -> Iterator[Ballot]:
        """Yield an objection to a touched path that is not known to lie inside."""
        fence, context = case.context.fence, case.context
        if target.touch.kind == "read":
            if not fence.reads:
                return
            inside: tuple[Directory, ...] = (*context.readable_directories, *fence.exempt)
        else:
            if not fence.writes:
                return
            inside = context.working_directories
        for path in {path for place in target.places for path in (place.lexical, place.real)}:
            if any(directory.holds(path) for directory in inside):
                continue
            reason = f"{path} lies outside of the working directories, which the settings forbid."
            vote = Ask(reason, self.name) if target.touch.is_guess else Deny(reason, self.name)
            yield Ballot(self.name, vote)
