"""From words about a call to a verdict on it. Nothing is run; files are looked at, never read."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from functools import lru_cache

from gantlet.messages import Behaviour, JsonValue, ToolUse
from gantlet.messages.value import replace, value
from gantlet.permissions import (
    Directory,
    PermissionContext,
    Request,
    Verdict,
    Workspace,
    evaluate,
    read_mode,
    see,
)
from gantlet.rules import BadRule, Rule, Source, SourceKind, parse_rule
from gantlet.surfaces.stand_in_tools import stand_in
from gantlet.system import (
    Found,
    PathFacts,
    Repository,
    Scout,
    absolute,
    directory_names,
    meant_path,
)
from gantlet.tool import AgentIdentity, Mode, Surroundings, UserError, ask_traits

_MAX_REMEMBERED = 50_000
_MAIN = AgentIdentity()
_BEHAVIOURS = (Behaviour.ALLOW, Behaviour.ASK, Behaviour.DENY)


@value
class RememberingEyes:
    """Sees each path once, from a home of its own: a whole run is judged on one look."""

    home: str
    _scout: Scout = field(default_factory=Scout)
    _looks: dict[tuple[str, str], PathFacts] = field(default_factory=dict)
    _finds: dict[tuple[str, str], Found] = field(default_factory=dict)

    def look(self, path: str, cwd: str) -> PathFacts:
        """Return what is known about a path."""
        known = self._looks.get((path, cwd))
        if known is None:
            if len(self._looks) >= _MAX_REMEMBERED:
                self._looks.clear()
            known = self._looks[path, cwd] = self._scout.look(self._at_home(path), cwd)
        return known

    def look_as_shown(self, path: str, cwd: str) -> PathFacts:
        """Return what is known about a path that is written as names are shown."""
        return self.look(meant_path(self._at_home(path), cwd), cwd)

    def expand(self, pattern: str, cwd: str) -> tuple[PathFacts, ...] | None:
        """Return what a shell's pattern can stand for."""
        return self._scout.expand(self._at_home(pattern), cwd)

    def find(self, root: str, *tests: Callable[[str], bool]) -> tuple[Found, ...]:
        """Return what lies below a directory; one pair of eyes serves one set of rules."""
        keys = [(root, test.__name__) for test in tests]
        new = {key: test for key, test in zip(keys, tests, strict=True) if key not in self._finds}
        if new:
            self._finds.update(zip(new, self._scout.find(root, *new.values()), strict=True))
        return tuple(self._finds[key] for key in keys)

    def find_sources(self, root: str, test: Callable[[str], bool]) -> Found:
        """Return the same, but not what programs made for themselves."""
        key = (root, f"{test.__name__} of sources")
        if key not in self._finds:
            self._finds[key] = self._scout.find_sources(root, test)
        return self._finds[key]

    def repository(self, folder: str) -> Repository | None:
        """Return the repository that a directory lies in, or None where there is none.

        Raises:
            OSError: What it keeps cannot be told.
        """
        return self._scout.repository(folder)

    def ignore_lines(self, top: str, file: str) -> tuple[tuple[str, str], ...]:
        """Return the lines that may tell git to ignore a file, each with where it counts from."""
        return self._scout.ignore_lines(top, file)

    def showing_lines(self, file: str) -> tuple[tuple[str, str], ...]:
        """Return the lines by which a search may show a hidden file, with where they count from."""
        return self._scout.showing_lines(file)

    def _at_home(self, path: str) -> str:
        """Return a path with `~` as this home."""
        if self.home and (path == "~" or path.startswith("~/")):
            return self.home + path[1:]
        return path


@value
class Judge:
    """Judges calls against one context, from one directory."""

    context: PermissionContext
    eyes: RememberingEyes

    @property
    def cwd(self) -> str:
        """The directory calls start in."""
        return self.context.workspace.cwd.path

    def request(self, tool_name: str, given: Mapping[str, JsonValue]) -> Request:
        """Return a call as it is judged, with what was seen of its paths.

        Raises:
            UserError: The input makes no sense for the tool.
        """
        tool = stand_in(tool_name)
        wrong = tool.why_wrong(given)
        if wrong:
            raise UserError(wrong)
        call = ToolUse("case", tool_name, given)
        around = Surroundings(self.cwd, mode=self.context.mode)
        traits = ask_traits(tool, call.input)
        request = Request(call, tool, call.input, traits, around, _MAIN, tool_vote=tool.own_vote)
        return see(request, self.context, self.eyes)

    def verdict(self, tool_name: str, given: Mapping[str, JsonValue]) -> Verdict:
        """Return the verdict on a call.

        Raises:
            UserError: The input makes no sense for the tool.
        """
        return evaluate(self.request(tool_name, given), self.context)


@value
class RuleTexts:
    """Rules as they are written in a case."""

    allow: tuple[str, ...] = ()
    ask: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()
    directories: tuple[str, ...] = ()

    @classmethod
    def read(cls, given: object) -> "RuleTexts":
        """Return the rules of a case.

        Raises:
            UserError: They are no lists of texts.
        """
        if given is None:
            return NO_RULES
        if not isinstance(given, Mapping):
            raise UserError("'rules' must be an object with the lists allow, ask and deny.")
        unknown = set(given) - {"allow", "ask", "deny", "additionalDirectories"}
        if unknown:
            raise UserError(f"'rules' has no part {min(map(str, unknown))!r}.")
        return cls(
            _texts(given, "allow"),
            _texts(given, "ask"),
            _texts(given, "deny"),
            _texts(given, "additionalDirectories"),
        )


NO_RULES = RuleTexts()


def _texts(given: Mapping[str, object], name: str) -> tuple[str, ...]:
    """Return one list of texts."""
    listed = given.get(name) or ()
    if not isinstance(listed, Sequence) or isinstance(listed, str):
        raise UserError(f"'rules.{name}' must be a list of texts.")
    for one in listed:
        if not isinstance(one, str):
            raise UserError(f"'rules.{name}' holds {one!r}, which is no text.")
    return tuple(listed)


def mode_named(text: object) -> Mode:
    """Return the mode of a case.

    Raises:
        UserError: There is no such mode.
    """
    if text is None:
        return Mode.DEFAULT
    mode = read_mode(text) if isinstance(text, str) else None
    if mode is None:
        raise UserError(f"There is no mode {text!r}; modes are {', '.join(Mode)}.")
    return mode


@lru_cache(maxsize=4096)
def judge_for(rules: RuleTexts, mode: Mode, cwd: str, home: str) -> Judge:
    """Return who judges under these rules alone. The same question gives the same judge.

    Raises:
        UserError: A directory is not absolute.
    """
    context = _open(_workspace(cwd, home), mode)
    extra = [absolute(_at(home, path), cwd) for path in rules.directories]
    directories = tuple(Directory(directory_names(path)) for path in extra)
    listed = (rules.allow, rules.ask, rules.deny)
    parsed = [
        _rule(text, behaviour, cwd, home)
        for behaviour, texts in zip(_BEHAVIOURS, listed, strict=True)
        for text in texts
    ]
    ruled = context.with_rules(parsed) if parsed else context
    return Judge(replace(ruled, directories=directories), RememberingEyes(home))


@lru_cache(maxsize=256)
def _workspace(cwd: str, home: str) -> Workspace:
    """Return the directories of a case."""
    for name, path in (("cwd", cwd), ("home", home)):
        if not path.startswith("/") or "\0" in path:
            raise UserError(f"{name!r} must be an absolute path, not {path!r}.")
    here = Directory(directory_names(cwd))
    return Workspace(here, here, Directory(directory_names(home)))


@lru_cache(maxsize=256)
def _open(workspace: Workspace, mode: Mode) -> PermissionContext:
    """Return a context without rules, in which every mode is available."""
    return PermissionContext(
        workspace, mode, bypass_available=True, auto_available=True, is_trusted=True
    )


@lru_cache(maxsize=16_384)
def _rule(text: str, behaviour: Behaviour, cwd: str, home: str) -> Rule | BadRule:
    """Return what a rule of a case means."""
    anchors = _workspace(cwd, home).anchors(SourceKind.SESSION)
    return parse_rule(
        text, behaviour, Source(SourceKind.SESSION, key=f"rules.{behaviour}", anchors=anchors)
    )


def _at(home: str, path: str) -> str:
    """Return a path with `~` as a home."""
    return home + path[1:] if path == "~" or path.startswith("~/") else path
