"""One setting as one file has it: its value, and where it stands."""

from collections.abc import Iterator, Mapping

from gantlet.messages import JsonValue
from gantlet.messages.frozen import FrozenValue
from gantlet.messages.value import value
from gantlet.rules import Source


@value
class SettingsProblem:
    """Something in a settings file that does not count as written."""

    file: str
    line: int
    message: str
    key: str = ""

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}" if self.line else self.file
        return f"{where}: {self.message}"


@value
class Setting(FrozenValue):
    """A value and its source.

    Attributes:
        key: The key with dots, as `sandbox.network.allowedDomains`.
        lines: Where each item of a list, or each member of a map, stands.
    """

    key: str
    content: JsonValue
    source: Source
    lines: tuple[int, ...] = ()

    def items(self) -> "Iterator[Setting]":
        """Yield each item of a list, or each member of a map, with its own line and key."""
        for at, (name, content) in enumerate(self._parts()):
            line = self.lines[at] if at < len(self.lines) else self.source.line
            yield Setting(f"{self.key}{name}", content, _moved(self.source, line, self.key + name))

    def _parts(self) -> list[tuple[str, JsonValue]]:
        """Return the parts, with what their key adds to this one."""
        if isinstance(self.content, Mapping):
            return [(f".{name}", part) for name, part in self.content.items()]
        if isinstance(self.content, list):
            return [(f"[{at}]", part) for at, part in enumerate(self.content)]
        return []


def _moved(source: Source, line: int, key: str) -> Source:
    """Return a source of the same file, at another line and key."""
    return Source(source.kind, source.file, line, key, source.anchors)


@value
class Ignored:
    """A setting that stands in a file and does not count, and why; `trust` would let it count."""

    setting: Setting
    reason: str
    trust: bool = False

    def __str__(self) -> str:
        source = self.setting.source
        where = f"{source.file}:{source.line}" if source.line else source.file
        return f"{where}: {self.setting.key!r} does not count: {self.reason}."
