"""Inputs that somebody wrote with their yes, and so need not be asked about again."""

from collections.abc import Mapping
from typing import Any
from weakref import WeakValueDictionary

from gantlet.messages import JsonValue, freeze


class _Written(dict[str, Any]):
    """An input as it goes into a decision, and as it was when it was approved."""

    __slots__ = ("__weakref__", "approved")

    def __init__(self, approved: Mapping[str, JsonValue]) -> None:
        super().__init__(approved)
        self.approved = approved


class Approvals:
    """Approved inputs by the id of their call, each as long as somebody keeps its decision.

    A call that is given up after the yes is never judged again, and nobody says so: its approval
    goes with the decision.

    Attributes:
        has_had_any: Whether an input was ever approved; as long as none was, there is none.
    """

    def __init__(self) -> None:
        self.has_had_any = False
        self._written: WeakValueDictionary[str, _Written] = WeakValueDictionary()

    def __contains__(self, call_id: object) -> bool:
        return call_id in self._written

    def keep(self, call_id: str, given: Mapping[str, Any]) -> Mapping[str, Any]:
        """Take note of an approved input, and return it for the decision that is to keep it.

        Raises:
            TypeError: It is no JSON.
            ValueError: It nests too deeply.
        """
        self.has_had_any = True
        written = self._written[call_id] = _Written(freeze(given))
        return written

    def take(self, call_id: str) -> Mapping[str, JsonValue] | None:
        """Return the input that was approved for a call, if there is one; it counts once."""
        written = self._written.pop(call_id, None)
        return None if written is None else written.approved
