"""Many rules of one behaviour, found by what they are about instead of one after the other."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field

from gantlet.messages.value import lazy, value
from gantlet.rules.commands import CommandPattern
from gantlet.rules.folding import fold
from gantlet.rules.grammar import EDIT, READ
from gantlet.rules.names import NamePattern
from gantlet.rules.paths import PathParts, PathPattern
from gantlet.rules.rule import Rule
from gantlet.rules.source import SourceKind

_MCP = "mcp__"
#: So few rules are compared one by one rather than hashed with all the others.
_FEW = 16
#: Of how many tools it is kept which rules are about them.
_MAX_NAMED = 1_000


@value
class _ByName:
    """Rules by the tool they name; those that name several by a star apart."""

    exact: dict[str, tuple[Rule, ...]]
    globs: tuple[tuple[NamePattern, Rule], ...]

    @classmethod
    def of(cls, rules: Iterable[Rule]) -> "_ByName":
        """Sort rules. Where they forbid, the case of a tool's name plays no part."""
        exact: dict[str, list[Rule]] = {}
        globs = []
        for rule in rules:
            text = fold(rule.tool.text) if rule.forbids else rule.tool.text
            if rule.tool.is_glob:
                globs.append((NamePattern(text), rule))
            else:
                exact.setdefault(text, []).append(rule)
        return cls({name: tuple(found) for name, found in exact.items()}, tuple(globs))

    def about(self, names: Sequence[str]) -> Iterator[Rule]:
        """Yield the rules about a tool with these names, some perhaps twice."""
        if not self.exact and not self.globs:
            return
        spellings = dict.fromkeys(one for name in names for one in (name, fold(name)))
        for spelling in spellings:
            keys = _keys(spelling)
            for key in keys:
                for rule in self.exact.get(key, ()):
                    if rule.forbids or (spelling in names and key in (keys[0], keys[-1])):
                        yield rule
        for pattern, rule in self.globs:
            if pattern.matches_any(spellings if rule.forbids else names):
                yield rule


def _keys(name: str) -> Sequence[str]:
    """Return under which names rules about a tool stand: its server's first, its own last.

    Between them are those it would have if the server's name held two underscores; only what
    forbids is looked for there.
    """
    if not name.startswith(_MCP):
        return (name,)
    parts = name.split("__")
    return ["__".join(parts[:end]) for end in range(2, len(parts) + 1)]


@value
class _Paths:
    """Path rules by a name that a matching path must hold."""

    keyed: dict[str, tuple[tuple[PathPattern, Rule], ...]]
    others: tuple[tuple[PathPattern, Rule], ...]

    @classmethod
    def of(cls, rules: Iterable[tuple[PathPattern, Rule]]) -> "_Paths":
        """Sort path rules."""
        keyed: dict[str, list[tuple[PathPattern, Rule]]] = {}
        others: list[tuple[PathPattern, Rule]] = []
        for pattern, rule in rules:
            key = pattern.key
            (others if key is None else keyed.setdefault(key, [])).append((pattern, rule))
        return cls({key: tuple(found) for key, found in keyed.items()}, tuple(others))

    def matching(self, path: PathParts, *, with_root: bool) -> Iterator[Rule]:
        """Yield the rules that mean the path."""
        groups = [self.keyed[name] for name in dict.fromkeys(path.folded) if name in self.keyed]
        for group in (*groups, self.others):
            for pattern, rule in group:
                if pattern.matches(path, with_root=with_root):
                    yield rule


@value
class _Commands:
    """Command rules by the word a matching command begins with."""

    keyed: dict[str, tuple[tuple[CommandPattern, Rule], ...]]
    others: tuple[tuple[CommandPattern, Rule], ...]

    @classmethod
    def of(cls, rules: Iterable[tuple[CommandPattern, Rule]]) -> "_Commands":
        """Sort command rules."""
        keyed: dict[str, list[tuple[CommandPattern, Rule]]] = {}
        others: list[tuple[CommandPattern, Rule]] = []
        for pattern, rule in rules:
            key = pattern.first_word
            (others if key is None else keyed.setdefault(key, [])).append((pattern, rule))
        return cls({key: tuple(found) for key, found in keyed.items()}, tuple(others))

    def matching(self, command: str) -> Iterator[Rule]:
        """Yield the rules that mean the command."""
        first = command.split(maxsplit=1)[:1]
        group = self.keyed.get(first[0], ()) if first else ()
        for pattern, rule in (*group, *self.others) if self.others else group:
            if pattern.matches(command):
                yield rule


@value
class RuleSet:
    """Rules of one behaviour, from all sources. Frozen; a change makes a new set."""

    rules: tuple[Rule, ...] = ()
    _cache: dict[tuple[str, ...], _Commands] = field(
        default_factory=dict, init=False, repr=False, compare=False, hash=False
    )
    _named: dict[tuple[str, ...], tuple[Rule | None, tuple[Rule, ...]]] = field(
        default_factory=dict, init=False, repr=False, compare=False, hash=False
    )

    def __len__(self) -> int:
        return len(self.rules)

    def __iter__(self) -> Iterator[Rule]:
        return iter(self.rules)

    def from_source(self, kind: SourceKind) -> tuple[Rule, ...]:
        """Return the rules of one kind of settings."""
        return tuple(rule for rule in self.rules if rule.source.kind is kind)

    def added(self, rules: Iterable[Rule]) -> "RuleSet":
        """Return the set with more rules; what is already there is not added twice."""
        fresh = list(dict.fromkeys(rules))
        if self.rules and fresh:
            known = self.rules if len(fresh) < _FEW else frozenset(self.rules)
            fresh = [rule for rule in fresh if rule not in known]
        return RuleSet((*self.rules, *fresh)) if fresh else self

    def kept(self, is_wanted: Callable[[Rule], bool]) -> "RuleSet":
        """Return the set without the rules that are not wanted."""
        kept = tuple(rule for rule in self.rules if is_wanted(rule))
        return self if len(kept) == len(self.rules) else RuleSet(kept)

    def whole(self, names: Sequence[str]) -> Rule | None:
        """Return the rule about every call of a tool with these names, the strongest source's."""
        return self._about(tuple(names))[0]

    def special(self, names: Sequence[str]) -> tuple[Rule, ...]:
        """Return the rules about some calls of a tool, but for commands and paths."""
        return self._about(tuple(names))[1]

    def _about(self, names: tuple[str, ...]) -> tuple[Rule | None, tuple[Rule, ...]]:
        """Return the rule about every call of a tool, and those about some of its calls."""
        known = self._named.get(names)
        if known is None:
            special = tuple(dict.fromkeys(self._special.about(names)))
            known = (strongest(self._whole.about(names)), special)
            if len(self._named) < _MAX_NAMED:
                self._named[names] = known
        return known

    def for_command(self, names: Sequence[str], command: str) -> Rule | None:
        """Return the rule that means a command, written as one line, of a shell so called."""
        return strongest(self.commands_matching(names, command))

    def commands_matching(self, names: Sequence[str], command: str) -> Iterator[Rule]:
        """Yield every rule that means a command."""
        return self._commands(tuple(names)).matching(command)

    def has_commands(self, names: Sequence[str]) -> bool:
        """Return whether there is any rule about some commands of a shell so called."""
        if not self.rules:
            return False
        commands = self._commands(tuple(names))
        return bool(commands.keyed or commands.others)

    def for_path(self, tool: str, path: PathParts, *, with_root: bool = False) -> Rule | None:
        """Return the `Read` or `Edit` rule that means a path, the strongest source's."""
        return strongest(self._paths[tool].matching(path, with_root=with_root))

    def about_paths(self, names: Sequence[str]) -> Rule | None:
        """Return a rule about some paths of a tool so called, the strongest source's."""
        return strongest(self._path_names.about(names))

    def path_patterns(self, tool: str) -> tuple[PathPattern, ...]:
        """Return the patterns of all path rules about `Read` or `Edit`."""
        return tuple(pattern for pattern, _ in self._path_rules(tool))

    @lazy
    def _whole(self) -> _ByName:
        """The rules about whole tools."""
        return _ByName.of(rule for rule in self.rules if rule.is_whole)

    @lazy
    def _special(self) -> _ByName:
        """The rules about some calls that need the call's input."""
        apart = (CommandPattern, PathPattern)
        return _ByName.of(
            rule for rule in self.rules if not rule.is_whole and not isinstance(rule.spec, apart)
        )

    @lazy
    def _command_rules(self) -> _ByName:
        """The rules about commands."""
        return _ByName.of(rule for rule in self.rules if isinstance(rule.spec, CommandPattern))

    @lazy
    def _path_names(self) -> _ByName:
        """The rules about paths, by the tool they name."""
        return _ByName.of(rule for rule in self.rules if isinstance(rule.spec, PathPattern))

    @lazy
    def path_tools(self) -> frozenset[str]:
        """Of `Read` and `Edit`, those with a rule about some paths."""
        return frozenset(tool for tool in (READ, EDIT) if any(self._path_rules(tool)))

    @lazy
    def _paths(self) -> dict[str, _Paths]:
        """The rules about paths, for reading and for editing."""
        return {tool: _Paths.of(self._path_rules(tool)) for tool in (READ, EDIT)}

    def _path_rules(self, tool: str) -> Iterator[tuple[PathPattern, Rule]]:
        """Yield the path rules about one of `Read` and `Edit`; a glob can name either."""
        for rule in self.rules:
            if isinstance(rule.spec, PathPattern) and rule.tool.matches(tool):
                yield rule.spec, rule

    def _commands(self, names: tuple[str, ...]) -> _Commands:
        """Return the command rules about a shell with these names."""
        known = self._cache.get(names)
        if known is None:
            rules = dict.fromkeys(self._command_rules.about(names))
            known = self._cache[names] = _Commands.of(
                (rule.spec, rule) for rule in rules if isinstance(rule.spec, CommandPattern)
            )
        return known


def strongest(rules: Iterable[Rule]) -> Rule | None:
    """Return the rule of the strongest source, the first of equals, or None."""
    found: Rule | None = None
    for rule in rules:  # nearly always there is none: a hot path
        if found is None or rule.source.kind.rank < found.source.kind.rank:
            found = rule
    return found
