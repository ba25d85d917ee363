"""Verdicts and rules as plain text, in which nothing can steer a terminal."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from gantlet.config import Settings
from gantlet.messages import Behaviour
from gantlet.messages.value import value
from gantlet.permissions import LAYERS, Case, PermissionContext, Request, Verdict, evaluate
from gantlet.rules import BadRule, Rule
from gantlet.shell import (
    Judgement,
    NotKnown,
    ReadOnly,
    SimpleCommand,
    Writes,
    analyse,
    judge,
    text_of,
)
from gantlet.surfaces.plain_text import plain

_MAX_PARTS = 50
_WIDTH = 32


@value
class Programs:
    """The files that the programs of a command are, by name, and why some are in doubt."""

    files: Mapping[str, str]
    doubts: Mapping[str, str]


NO_PROGRAMS = Programs(MappingProxyType({}), MappingProxyType({}))


def explanation(
    request: Request, context: PermissionContext, programs: Programs = NO_PROGRAMS
) -> Iterator[str]:
    """Yield how a call is judged: its parts and programs, each vote, the proof, the verdict."""
    verdict = evaluate(request, context)
    case = Case(request, context)
    yield plain(case.shown)
    yield plain(f"in {request.surroundings.cwd}, mode {context.mode}")
    if request.tool.runs_shell:
        yield from _parts(case.rule_text or "", request.surroundings.cwd)
    yield from _programs(programs)
    yield from _votes(verdict)
    yield from _proof(verdict)
    yield from _end(verdict)


def _parts(command: str, cwd: str) -> Iterator[str]:
    """Yield how a command line is taken apart."""
    analysis = analyse(command)
    yield "\nParts"
    listed = list(dict.fromkeys(analysis.commands))
    for number, one in enumerate(listed[:_MAX_PARTS], start=1):
        yield plain(f"  {number}. {_command(one):<{_WIDTH}}  {_told(judge(one, cwd))}")
    if len(listed) > _MAX_PARTS:
        yield f"  … and {len(listed) - _MAX_PARTS} more"
    for doubt in analysis.doubts:
        yield plain(f"  in doubt: {doubt}")


def _programs(programs: Programs) -> Iterator[str]:
    """Yield which file each program is, and why it need not be the known one."""
    if not programs.files:
        return
    yield "\nPrograms"
    width = min(max(map(len, programs.files)), _WIDTH)
    for name, file in list(programs.files.items())[:_MAX_PARTS]:
        yield plain(f"  {name:<{width}}  {file or 'is nowhere on the PATH'}")
        doubt = programs.doubts.get(name.rpartition("/")[2])
        if doubt:
            yield plain(f"  {'':<{width}}  in doubt: {doubt}")


def _command(command: SimpleCommand) -> str:
    """Return a command and how it is reached."""
    shown = text_of(command)
    for redirect in command.redirects:
        shown += f" {redirect.operator} {redirect.target.raw}"
    reached = f"  [{' > '.join(command.via)}]" if command.via else ""
    where = "" if command.cwd == "." else f"  (in {command.cwd or 'an unknown directory'})"
    return (shown.strip() or "(only assigns)") + reached + where


def _told(judgement: Judgement) -> str:
    """Return what is known of a command."""
    match judgement:
        case ReadOnly(entry):
            return f"only reads ({entry})"
        case Writes(entry, writes=writes):
            return f"changes {', '.join(path.path for path in writes)} ({entry})"
        case NotKnown(reason):
            return f"not known: {reason}"


def _votes(verdict: Verdict) -> Iterator[str]:
    """Yield every layer's vote."""
    yield "\nVotes"
    by_layer = {ballot.layer: ballot for ballot in verdict.ballots}
    width = max(len(layer.name) for layer in LAYERS)
    for layer in LAYERS:
        ballot = by_layer.get(layer.name)
        said = "-" if ballot is None else f"{ballot.behaviour:<5}  {ballot.vote.reason}"
        yield plain(f"  {layer.name:<{width}}  {said}")
        if ballot is not None and ballot.rule is not None:
            yield plain(f"  {'':<{width}}         {ballot.rule} — {ballot.rule.source}")


def _proof(verdict: Verdict) -> Iterator[str]:
    """Yield what covers each part of an allowed call."""
    if verdict.proof is None:
        return
    yield "\nProof"
    for covered in dict.fromkeys(verdict.proof.covered):
        yield plain(f"  {covered.part:<{_WIDTH}}  {covered.by}")


def _end(verdict: Verdict) -> Iterator[str]:
    """Yield the verdict, with its rule, its risk, and what would change it."""
    yield ""
    if verdict.rule:
        yield plain(f"Rule     {verdict.rule} — {verdict.source}")
    yield plain(f"Risk     {verdict.risk.level}: {verdict.risk.reason}")
    yield plain(f"Verdict  {verdict.behaviour} ({verdict.layer}): {verdict.reason}")
    texts = [text for one in verdict.suggestions for text in getattr(one, "rules", ())]
    if texts:
        yield plain(f"Would allow it: {', '.join(dict.fromkeys(texts))}")


def rules_page(settings: Settings, context: PermissionContext) -> Iterator[str]:
    """Yield the rules in force, the strictest first, and where each stands."""
    counted = set(context.counted_allow)
    strictest_first = (Behaviour.DENY, Behaviour.ASK, Behaviour.ALLOW)
    listed = [
        rule
        for behaviour in strictest_first
        for rule in settings.rules
        if rule.behaviour is behaviour
    ]
    width = min(max((len(rule.text) for rule in listed), default=0), 60)
    for rule in listed:
        where = f"{rule.source.file}:{rule.source.line}"
        line = f"{rule.behaviour:<5}  {rule.text:<{width}}  {rule.source.kind}  {where}"
        yield plain(line + _note(rule, is_counted=rule in counted))
    for directory in settings.directories:
        yield plain(f"{'dir':<5}  {directory.path:<{width}}  {directory.source}")
    yield f"mode {context.mode}; {len(listed)} rule{'' if len(listed) == 1 else 's'}"


def _note(rule: Rule | BadRule, *, is_counted: bool) -> str:
    """Return what is to be said about a rule that does not hold as written."""
    if isinstance(rule, BadRule):
        return f"  ({rule.fault})"
    return "" if rule.forbids or is_counted else "  (does not count here)"
