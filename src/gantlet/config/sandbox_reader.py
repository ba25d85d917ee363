"""Reads single keys of the `sandbox` settings and says what is wrong with them."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from gantlet.messages.frozen import JsonValue

_MAX_PORT = 65_535
_GLOB = frozenset("*?[")


class SandboxReader:
    """Reads keys, written with dots, of one mapping. It collects problems as it goes."""

    def __init__(self, settings: JsonValue, workspace: Path, home: Path) -> None:
        self.problems: list[str] = []
        #: What denies something and could not be read: with it, nobody knows what is denied.
        self.broken_denial: str | None = None
        self._workspace = str(workspace)
        self._home = str(home)
        self._settings: dict[str, JsonValue] = {}
        if isinstance(settings, dict):
            self._settings = settings
        elif settings is not None:
            self._complain("sandbox must be an object.", denies=True)

    def is_given(self, key: str) -> bool:
        """Return whether a key says something."""
        return self._found(key) is not None

    def switch(self, key: str, *, missing: bool, broken: bool) -> bool:
        """Return a switch: what `missing` or `broken` say where it is."""
        found = self._found(key)
        if found is None:
            return missing
        if isinstance(found, bool):
            return found
        said = "true" if broken else "false"
        self.problems.append(f"sandbox.{key} must be true or false. It counts as {said}.")
        return broken

    def text(self, key: str) -> str | None:
        """Return a text, or None."""
        found = self._found(key)
        if found is None or isinstance(found, str):
            return found
        self._complain(f"sandbox.{key} must be a text.", denies=False)
        return None

    def port(self, key: str) -> int | None:
        """Return a port, or None."""
        found = self._found(key)
        if found is None:
            return None
        if isinstance(found, int) and not isinstance(found, bool) and 0 < found <= _MAX_PORT:
            return found
        self._complain(f"sandbox.{key} must be a port.", denies=False)
        return None

    def texts(self, key: str, *, denies: bool = False) -> tuple[str, ...]:
        """Return the texts of a list. `denies` says what an entry that cannot be read would do."""
        found = self._found(key)
        if found is None:
            return ()
        if not isinstance(found, list):
            self._complain(f"sandbox.{key} must be a list of texts.", denies=denies)
            return ()
        good = [one for one in found if isinstance(one, str) and one.strip() and "\0" not in one]
        if len(good) < len(found):
            self._complain(f"sandbox.{key} has entries that are no texts.", denies=denies)
        return tuple(good)

    def paths(self, key: str, *, denies: bool = False) -> tuple[str, ...]:
        """Return the absolute paths of a list. A pattern is no path."""
        return tuple(self._resolved(key, self.texts(key, denies=denies), denies=denies))

    def opened(self, paths: Iterable[str]) -> Iterator[str]:
        """Yield the real form of paths to open, without those behind links of the workspace."""
        for path in paths:
            real = os.path.realpath(path)
            if real != path and path.startswith(f"{os.path.realpath(self._workspace)}/"):
                self.problems.append(
                    f"sandbox.filesystem.allowWrite: {path} lies behind a link that the workspace "
                    "holds, so it does not count."
                )
            else:
                yield real

    def credentials(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the files and the variables that hold secrets."""
        files = self._named("credentials.files", "path")
        variables = self._named("credentials.envVars", "name")
        key = "credentials.files"
        return tuple(self._resolved(key, files, denies=True)), tuple(variables)

    def _named(self, key: str, field: str) -> list[str]:
        """Return the texts of a list whose entries are texts or objects with one."""
        found = self._found(key)
        if found is None:
            return []
        entries = found if isinstance(found, list) else [found]
        texts = [one.get(field) if isinstance(one, dict) else one for one in entries]
        good = [one for one in texts if isinstance(one, str) and one.strip()]
        if len(good) < len(texts):
            self._complain(f"sandbox.{key} has entries without a {field}.", denies=True)
        return good

    def _resolved(self, key: str, texts: Iterable[str], *, denies: bool) -> Iterator[str]:
        """Yield absolute paths; `~` is the home, anything relative is the workspace's."""
        for text in texts:
            path = self._absolute(text)
            if path is None:
                self._complain(f"sandbox.{key}: {text!r} is no path here.", denies=denies)
            elif _GLOB & set(path):
                self._complain(
                    f"sandbox.{key}: {text!r} is a pattern. Name a folder or a file; a rule like "
                    "Read(**/.env) under permissions.deny takes patterns.",
                    denies=denies,
                )
            else:
                yield path

    def _absolute(self, text: str) -> str | None:
        """Return a path as written in settings, made absolute and normal."""
        path = text.strip()
        if path == "~" or path.startswith("~/"):
            path = self._home + path[1:]
        elif path.startswith("~") or "\0" in path:
            return None
        elif not path.startswith("/"):
            path = f"{self._workspace}/{path}"
        return os.path.normpath(f"/{path.lstrip('/')}")

    def _complain(self, text: str, *, denies: bool) -> None:
        """Take note of a problem; one in something that denies has consequences."""
        if denies:
            text += " It may deny something, so no command runs until the settings are mended."
            self.broken_denial = self.broken_denial or text
        else:
            text += " It does not count."
        if text not in self.problems:
            self.problems.append(text)

    def _found(self, key: str) -> JsonValue:
        """Return what a key says; a part of its way that is no object is a problem."""
        found: JsonValue = self._settings
        walked: list[str] = []
        for name in key.split("."):
            if not isinstance(found, dict):
                self._complain(f"sandbox.{'.'.join(walked)} must be an object.", denies=True)
                return None
            walked.append(name)
            found = found.get(name)
            if found is None:
                return None
        return found
