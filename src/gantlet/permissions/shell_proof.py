"""The proof for a command line: every command, redirect, directory and path, covered."""

from collections.abc import Sequence

from gantlet.permissions.case import Case
from gantlet.permissions.facts import Target, Touch
from gantlet.permissions.files import cover
from gantlet.permissions.proof import Draft, Gap, Means, Proved, Proving
from gantlet.permissions.protected import NO_DEVICE
from gantlet.permissions.seeing import comes_apart
from gantlet.permissions.shell_reading import Part, Reading
from gantlet.rules import CommandPattern, Rule
from gantlet.shell import ReadOnly, Writes
from gantlet.tool import Ask, Covered

#: Longer commands are shown to a person, unless a rule allows the shell as a whole.
_MAX_CHARS = 10_000


def prove_command(case: Case, means: Means) -> Proving:
    """Return the proof for a command line, or what nothing covers."""
    reading = case.reading
    assert reading is not None
    source = reading.analysis.source.strip()
    exact = _exact_rule(case, source) if means.with_rules else None
    if exact is not None:
        return Proved((Covered(source, f"rule {exact.text}"),), (exact,))
    if len(source) > _MAX_CHARS:
        return Gap(f"runs a command of more than {_MAX_CHARS} characters")
    if not reading.analysis.is_proved:
        doubt = reading.analysis.doubts[0].rstrip(".")
        return Gap(f"runs what cannot be proved harmless: {doubt}")
    draft = Draft(means)
    for part in reading.parts:
        gap = _cover_part(case, part, draft) if part.must_be_covered else None
        if gap is not None:
            return gap
    if not draft.covered:
        return Gap("runs no command that could be proved harmless")
    return draft.proved()


def _exact_rule(case: Case, source: str) -> Rule | None:
    """Return an allow rule that is the whole line, letter by letter."""
    found = case.context.counted_allow.commands_matching(case.names, source)
    return next((rule for rule in found if _is_exact(rule, source)), None)


def _is_exact(rule: Rule, text: str) -> bool:
    """Return whether a rule is a command letter by letter, also where a letter is a star."""
    return isinstance(rule.spec, CommandPattern) and rule.spec.text.strip() == text


def _cover_part(case: Case, part: Part, draft: Draft) -> Gap | None:
    """Cover one command with all that is around it, or return what nothing covers."""
    if part.obstacle:
        return Gap(f"runs `{part.shown}`, of which {part.obstacle}")
    gap = _cover_words(case, part, draft)
    if gap is not None:
        return gap
    if part.directory is not None:
        gap = _cover_touch(case, part, part.directory, draft)
    for touch in part.redirects:
        gap = gap or _cover_touch(case, part, touch, draft)
    return gap


def _cover_words(case: Case, part: Part, draft: Draft) -> Gap | None:
    """Cover a command's own words: by a rule, or by what is known of the program."""
    rule = _allowing_rule(case, part) if draft.means.with_rules else None
    if rule is not None:
        draft.by_rule(part.shown, rule)
        return None
    reading = case.reading
    assert reading is not None
    doubt = case.doubt
    if doubt is not None and _is_doubted(part, reading, doubt):
        return Gap(f"runs `{part.shown}`, which no rule allows. {doubt.reason.rstrip('.')}")
    if part.otherwise is not None and reading.holds(part, case.request.facts):
        draft.by(part.shown, f"only reads here ({part.otherwise.read_only.entry})")
        return _cover_all(case, part, part.reads_otherwise, draft)
    match part.judgement:
        case ReadOnly(entry):
            draft.by(part.shown, f"only reads ({entry})")
        case Writes(entry, is_edit=True) if draft.means.edits_inside:
            draft.by(part.shown, f"edits files ({entry})")
        case _:
            return Gap(f"runs `{part.shown}`, which no rule allows")
    return _cover_all(case, part, part.operands, draft)


def _is_doubted(part: Part, reading: Reading, doubt: Ask) -> bool:
    """Return whether a command is doubted itself, or may carry one that is."""
    carried = {one.command.program for one in reading.parts if one.command.is_carried}
    return part.command.program in doubt.programs or not carried.isdisjoint(doubt.programs)


def _cover_all(case: Case, part: Part, touches: Sequence[Touch], draft: Draft) -> Gap | None:
    """Cover every path of a command, or return the first that nothing covers."""
    for touch in touches:
        gap = _cover_touch(case, part, touch, draft)
        if gap is not None:
            return gap
    return None


def _allowing_rule(case: Case, part: Part) -> Rule | None:
    """Return an allow rule that means the command; some take one that is exact."""
    allow = case.context.counted_allow
    for form in part.allow_forms:
        for rule in allow.commands_matching(case.names, form.text):
            if not form.needs_exact or _is_exact(rule, form.text):
                return rule
    return None


def _cover_links(case: Case, touch: Touch, draft: Draft) -> Gap | None:
    """Cover what the links in a tree lead to."""
    links = case.request.facts.links.get(touch)
    if links is None or not links.is_complete:
        return Gap(f"follows links below {touch.path}, and not all of them could be looked at")
    for link in links.paths:
        if not cover(case.context, Target(touch, (link,), is_known=True), draft):
            return Gap(f"reads {link.real} by the link {link.lexical}, which no rule allows")
    return None


def _why_apart(case: Case, touch: Touch) -> Gap | None:
    """Return that a name is not taken for one by the program it is fed to, so may be any path."""
    found = case.request.facts.apart.get(touch)
    if found is None or not found.is_complete:
        return Gap(f"is fed the names below {touch.path}, and not all of them could be looked at")
    names = [one.lexical for one in found.paths]
    if comes_apart(touch.path):
        names = [touch.path]
    if not names:
        return None
    return Gap(f"takes the name {names[0]!r} apart: end names with a NUL (-print0, -z, xargs -0)")


def _cover_touch(case: Case, part: Part, touch: Touch, draft: Draft) -> Gap | None:
    """Cover one path of a command."""
    if touch.kind == "read" and touch.spot == NO_DEVICE:
        draft.by(touch.path, "there is nothing in it")
        return None
    if cover(case.context, Target.of(touch, case.request.facts), draft):
        gap = _why_apart(case, touch) if touch.is_split else None
        return gap or (_cover_links(case, touch, draft) if touch.follows else None)
    if touch is part.directory:
        return Gap(f"runs `{part.shown}` in {touch.path}, outside the working directories")
    does = "changes" if touch.kind == "edit" else "reads"
    return Gap(f"{does} {touch.path}, which no rule allows")
