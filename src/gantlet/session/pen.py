"""Writes the lines of a session, and knows which of them the next one follows."""

from collections.abc import Callable

from gantlet.messages import JsonValue, dumps
from gantlet.session.entries import Line, Scene


class Pen:
    """Writes lines through `add`, which may raise `OSError`.

    Attributes:
        scene: What every line says.
        leaf: The line that the next one follows.
        tell: Told once, in words for a person, when writing has failed; nothing is written then.
    """

    def __init__(self, scene: Scene, add: Callable[[bytes], None], leaf: str | None) -> None:
        self.scene = scene
        self.leaf = leaf
        self.tell: Callable[[str], None] = lambda _: None
        self._add = add
        self._is_broken = False

    def put(self, line: Line) -> None:
        """Write a line; the first failure is told, and ends the writing."""
        if self._is_broken:
            return
        try:
            self._add(dumps(line))
        except (OSError, ValueError) as error:
            self._is_broken = True
            self.tell(f"The session is no longer written down: {error}.")

    def put_next(self, line: Line) -> str:
        """Write a line that the next one follows; return its id."""
        self.put(line)
        self.leaf = written = str(line["uuid"])
        return written

    def put_aside(self, kind: str, **fields: JsonValue) -> None:
        """Write a line that is no part of the conversation."""
        self.put(self.scene.aside(kind, **fields))
