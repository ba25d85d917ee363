"""What was shown before, so that it need not be shown again."""

from collections import OrderedDict

_MAX_KEPT = 10_000


class Showings:
    """Requests that were answered, each with what stands for the content that was shown."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[object, ...], object] = OrderedDict()

    def note(self, request: tuple[object, ...], mark: object) -> None:
        """Take note of a request that was answered."""
        self._kept[request] = mark
        self._kept.move_to_end(request)
        while len(self._kept) > _MAX_KEPT:
            self._kept.popitem(last=False)

    def has(self, request: tuple[object, ...], mark: object) -> bool:
        """Return whether the same request was answered with the same content."""
        return self._kept.get(request) == mark
