"""From the text of a rule to the rule, or to what is wrong with it."""

import re

from gantlet.messages import Behaviour
from gantlet.messages.value import replace, value
from gantlet.rules.commands import CommandPattern
from gantlet.rules.grammar import EDIT, READ, Brackets, ToolGrammar, canonical, grammar_of
from gantlet.rules.hosts import read_host_pattern
from gantlet.rules.names import NamePattern
from gantlet.rules.params import ParamPattern
from gantlet.rules.paths import read_path_pattern
from gantlet.rules.rule import WHOLE_TOOL, BadRule, Fault, NameSpec, OwnSpec, Rule, Spec
from gantlet.rules.segments import PatternError
from gantlet.rules.source import Source

_NAME = re.compile(r"[^\s()]+")
#: The only globs an allow may hold: tools of one server, named in full.
_SERVER_GLOB = re.compile(r"mcp__(?:(?!__)[^\s()*])+__[^\s()]*")
_PARAM = re.compile(r"\s*(-?[A-Za-z_]\w*)\s*:\s*(.*?)\s*", re.DOTALL)
_EVERY_CALL = frozenset({"", "*"})
_HOST_PREFIX = "domain"


class _BadSpecError(ValueError):
    """The brackets of a rule hold nothing that works."""

    def __init__(self, reason: str, fault: Fault = Fault.MALFORMED, meant: str = "") -> None:
        super().__init__(reason)
        self.fault = fault
        self.meant = meant


def parse_rule(text: str, behaviour: Behaviour, source: Source) -> Rule | BadRule:
    """Return what a rule means, or what is wrong with it. Never raises for any text."""
    return _Reading(text.strip(), behaviour, source).rule()


@value
class _Reading:
    """One rule being read."""

    text: str
    behaviour: Behaviour
    source: Source

    @property
    def _forbids(self) -> bool:
        """Whether the rule narrows what may run."""
        return self.behaviour is not Behaviour.ALLOW

    def rule(self) -> Rule | BadRule:
        """Return the rule, or what is wrong with it."""
        if not self.text:
            return self._bad("it is empty", Fault.MALFORMED, None)
        written, bracket, rest = self.text.partition("(")
        found = _NAME.match(written)
        if found is None:
            return self._bad("it does not begin with a tool's name", Fault.MALFORMED, self._ask_all)
        name = canonical(found.group(), folds=self._forbids)
        pattern = NamePattern(name)
        whole = Rule(self.text, self.behaviour, self.source, pattern)
        if found.group() != written.strip():
            reason = "only brackets may follow a tool's name, as in Tool(…)"
            return self._bad(reason, Fault.MALFORMED, whole)
        if written != found.group() and not self._forbids:
            reason = "no blank may stand between a tool's name and its bracket"
            return self._bad(reason, Fault.MALFORMED, None)
        if bracket and not rest.endswith(")"):
            return self._bad("its bracket is never closed", Fault.MALFORMED, whole)
        if pattern.is_glob and not self._forbids and not _SERVER_GLOB.fullmatch(name):
            reason = "an allow may hold a star only behind a server's name, as in mcp__server__*"
            return self._bad(reason, Fault.NEVER_MATCHES, None)
        spec_text = rest.removesuffix(")").strip() if bracket else ""
        try:
            return replace(whole, spec=self._spec(name, spec_text))
        except _BadSpecError as error:
            return self._bad(str(error), error.fault, self._meant(error.meant) or whole)

    def _spec(self, name: str, text: str) -> Spec:
        """Return what the brackets mean.

        Raises:
            _BadSpecError: They mean nothing that works here.
        """
        if text in _EVERY_CALL:
            return self._every_call(name, text)
        if "\0" in text:
            raise _BadSpecError("it holds a NUL character")
        grammar = grammar_of(name)
        param = self._param(name, text, grammar)
        if param is not None:
            return param
        return self._main_spec(name, text, grammar)

    def _every_call(self, name: str, text: str) -> Spec:
        """Return the whole tool; a forbidden `Read(*)` or `Edit(*)` means every path besides."""
        if self._forbids and text and name in (READ, EDIT):
            return read_path_pattern("//**", self.source.anchors, forbids=True)
        return WHOLE_TOOL

    def _param(self, name: str, text: str, grammar: ToolGrammar) -> ParamPattern | None:
        """Return the form `field:value`, or None if that is not what stands there."""
        found = _PARAM.fullmatch(text)
        if found is None or (grammar.brackets is Brackets.COMMAND and text.endswith(":*")):
            return None
        field, value = found.groups()
        if field == grammar.primary:
            reason = f"{field!r} has a form of its own; write {name}({value})"
            raise _BadSpecError(reason, Fault.NEVER_MATCHES, f"{name}({value})")
        known = grammar.fields
        if known is not None and field not in known:
            return None
        if not self._forbids:
            reason = f"the form {field}:value works in deny and ask only"
            raise _BadSpecError(reason, Fault.NEVER_MATCHES)
        if not value:
            raise _BadSpecError(f"it names no value for {field!r}")
        return ParamPattern(field, value)

    def _main_spec(self, name: str, text: str, grammar: ToolGrammar) -> Spec:
        """Return the form the tool's own brackets take."""
        match grammar.brackets:
            case Brackets.COMMAND:
                return self._command(text)
            case Brackets.PATH:
                return self._path(name, text, grammar)
            case Brackets.HOST:
                return self._host(name, text)
            case Brackets.NAME:
                return NameSpec(CommandPattern(text))
            case Brackets.NOTHING:
                raise _BadSpecError(f"{name} takes nothing in brackets; write {name}")
            case Brackets.OWN:
                return OwnSpec(text)

    def _command(self, text: str) -> CommandPattern:
        """Return a pattern of commands."""
        if not text.removesuffix(":*").strip(" *"):
            raise _BadSpecError("it names no command; write the tool alone for every command")
        return CommandPattern(text)

    def _path(self, name: str, text: str, grammar: ToolGrammar) -> Spec:
        """Return a pattern of paths."""
        stands_for = grammar.stands_for
        if stands_for:
            reason = f"paths of {name} are never consulted; write {stands_for}({text})"
            raise _BadSpecError(reason, Fault.NEVER_MATCHES, f"{stands_for}({text})")
        try:
            return read_path_pattern(text, self.source.anchors, forbids=self._forbids)
        except PatternError as error:
            raise _BadSpecError(str(error)) from error

    def _host(self, name: str, text: str) -> Spec:
        """Return a pattern of hosts."""
        prefix, colon, host = text.partition(":")
        if not colon or prefix.strip() != _HOST_PREFIX:
            raise _BadSpecError(f"write {name}(domain:host)")
        pattern = read_host_pattern(host)
        if pattern is None:
            raise _BadSpecError(f"{host.strip()!r} can be no host")
        return pattern

    def _meant(self, text: str) -> Rule | None:
        """Return the rule its author must have meant, if it forbids and works."""
        if not text or not self._forbids:
            return None
        meant = parse_rule(text, self.behaviour, self.source)
        return meant if isinstance(meant, Rule) else meant.stand_in

    @property
    def _ask_all(self) -> Rule:
        """What holds for a deny or ask of which not even the tool can be read."""
        return Rule(self.text, Behaviour.ASK, self.source, NamePattern("*"))

    def _bad(self, reason: str, fault: Fault, stand_in: Rule | None) -> BadRule:
        """Return a rule that does not work; one that forbids still holds in some form."""
        held = stand_in if self._forbids else None
        return BadRule(self.text, self.behaviour, self.source, fault, reason, held)
