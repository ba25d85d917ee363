"""What a settings file forbade when it could last be read whole, kept for when it breaks."""

import hashlib
import json
import logging
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from gantlet.config.setting import Setting
from gantlet.messages import Behaviour, freeze
from gantlet.messages.value import value
from gantlet.rules import BadRule, Rule, Source, parse_rule
from gantlet.system import make_private_folder, write_private

_log = logging.getLogger(__name__)

_RULE_KEYS = frozenset({"permissions.deny", "permissions.ask"})


@value
class Forbidden:
    """What a file forbids: its deny and ask rules, and its switches that only narrow."""

    rules: tuple[Rule | BadRule, ...] = ()
    switches: tuple[Setting, ...] = ()

    @classmethod
    def of(cls, rules: Iterable[Rule | BadRule], settings: Iterable[Setting]) -> "Forbidden":
        """Return what only narrows among what a file says; the settings are those that do."""
        forbidding = [rule for rule in rules if rule.behaviour is not Behaviour.ALLOW]
        switches = [one for one in settings if one.key not in _RULE_KEYS]
        return cls(tuple(forbidding), tuple(switches))


@value
class LastGood:
    """A folder with one small file for each settings file that forbids something."""

    folder: Path

    def remember(self, file: Path, forbidden: Forbidden) -> None:
        """Keep what a file forbids now. Where nothing can be kept, nothing is said."""
        kept = self._kept(file)
        if not forbidden.rules and not forbidden.switches:
            with suppress(OSError):
                kept.unlink(missing_ok=True)
            return
        text = _written(file, forbidden)
        try:
            if kept.read_text() == text:
                return
        except (OSError, ValueError):
            pass
        try:
            make_private_folder(self.folder)
            write_private(kept, text)
        except OSError:
            _log.debug("What %s forbids could not be kept.", file, exc_info=True)

    def recall(self, file: Path, source: Source) -> Forbidden:
        """Return what a file forbade when it was last read whole; nothing if that is not known."""
        try:
            kept = json.loads(self._kept(file).read_text())
            if kept["file"] != os.path.realpath(file):
                return Forbidden()
            rules = [
                parse_rule(str(text), Behaviour(word), _at(source, line, f"permissions.{word}"))
                for word, text, line in kept["rules"]
            ]
            switches = [
                Setting(str(key), freeze(content), _at(source, line, str(key)))
                for key, content, line in kept["switches"]
            ]
        except (OSError, ValueError, LookupError, TypeError, RecursionError):
            return Forbidden()
        return Forbidden.of(rules, switches)

    def _kept(self, file: Path) -> Path:
        """Return where that of one file is kept."""
        name = hashlib.sha256(os.path.realpath(file).encode("utf-8", "surrogateescape"))
        return self.folder / f"{name.hexdigest()[:32]}.json"


def _at(source: Source, line: object, key: str) -> Source:
    """Return a place in the same file."""
    number = line if isinstance(line, int) else 0
    return Source(source.kind, source.file, number, key, source.anchors)


def _written(file: Path, forbidden: Forbidden) -> str:
    """Return what is kept, as text."""
    kept = {
        "file": os.path.realpath(file),
        "rules": [[str(rule.behaviour), rule.text, rule.source.line] for rule in forbidden.rules],
        "switches": [[one.key, one.content, one.source.line] for one in forbidden.switches],
    }
    return json.dumps(kept)
