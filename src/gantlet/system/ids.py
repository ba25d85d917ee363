"""Random ids, many of them: each is a version 4 UUID, made from random bytes drawn in bulk."""

import os

_BULK = 256
_CHARS = 32
_VARIANTS = "89ab89ab89ab89ab"


class _Ids:
    """A store of random digits; a forked process begins with an empty one."""

    def __init__(self) -> None:
        self._digits = ""
        self._at = 0

    def forget(self) -> None:
        """Throw away what is left, because another process has the same."""
        self._digits, self._at = "", 0

    def take(self) -> str:
        """Return the next id."""
        at = self._at
        if at >= len(self._digits):
            self._digits, at = os.urandom(_BULK * _CHARS // 2).hex(), 0
        self._at = at + _CHARS
        own = self._digits[at : at + _CHARS]
        variant = _VARIANTS[int(own[16], 16)]
        return f"{own[:8]}-{own[8:12]}-4{own[13:16]}-{variant}{own[17:20]}-{own[20:]}"


_ids = _Ids()
os.register_at_fork(after_in_child=_ids.forget)


def new_id() -> str:
    """Return a new id."""
    return _ids.take()
