"""The proof for a command line: every command, redirect, directory and path, covered."""

from gantlet.permissions.case import Case
from gantlet.permissions.files import cover, goes_nowhere
from gantlet.permissions.proof import Gap, Means, Proved, Proving
from gantlet.permissions.shell_reading import Part, Use
from gantlet.rules import CommandPattern, Rule
from gantlet.shell import ReadOnly, Writes
from gantlet.tool import Covered

#: Longer commands are shown to a person, unless a rule allows the shell as a whole.
_MAX_CHARS = 10_000
#: Programs that run what follows them in a way no prefix can vouch for.
_EXACT_ONLY = frozenset({"flock", "ionice", "setsid", "watch"})
_FIND_ACTIONS = frozenset(
    {
        "-delete", "-exec", "-execdir", "-fls", "-fprint", "-fprint0", "-fprintf", "-ok", "-okdir",
    }
)  # fmt: skip


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
    covered: list[Covered] = []
    rules: list[Rule] = []
    for part in reading.parts:
        if not part.must_be_covered:
            continue
        proving = _prove_part(case, part, means)
        if isinstance(proving, Gap):
            return proving
        covered += proving.covered
        rules += proving.rules
    if not covered:
        return Gap("runs no command that could be proved harmless")
    return Proved(tuple(covered), tuple(rules))


def _exact_rule(case: Case, source: str) -> Rule | None:
    """Return an allow rule that is the whole line, letter by letter."""
    found = case.context.counted_allow.commands_matching(case.names, source)
    return next((rule for rule in found if _is_exact(rule, source)), None)


def _is_exact(rule: Rule, text: str) -> bool:
    """Return whether a rule is a command letter by letter, also where a letter is a star."""
    return isinstance(rule.spec, CommandPattern) and rule.spec.text.strip() == text


def _prove_part(case: Case, part: Part, means: Means) -> Proving:
    """Return the proof for one command with all that is around it."""
    if part.obstacle:
        return Gap(f"runs `{part.shown}`, of which {part.obstacle}")
    command = _prove_words(case, part, means)
    if isinstance(command, Gap):
        return command
    covered, rules = list(command.covered), list(command.rules)
    around = part.redirects if part.directory is None else (part.directory, *part.redirects)
    for use in around:
        proving = _prove_use(case, part, use, means)
        if isinstance(proving, Gap):
            return proving
        covered += proving.covered
        rules += proving.rules
    return Proved(tuple(covered), tuple(rules))


def _prove_words(case: Case, part: Part, means: Means) -> Proving:
    """Return the proof for a command's own words: a rule, or what is known of the program."""
    rule = _allowing_rule(case, part) if means.with_rules else None
    if rule is not None:
        return Proved((Covered(part.shown, f"rule {rule.text}"),), (rule,))
    match part.judgement:
        case ReadOnly(entry):
            by = f"only reads ({entry})"
        case Writes(entry, is_edit=True) if means.edits_inside:
            by = f"edits files ({entry})"
        case _:
            return Gap(f"runs `{part.shown}`, which no rule allows")
    covered = [Covered(part.shown, by)]
    rules: list[Rule] = []
    for use in part.operands:
        proving = _prove_use(case, part, use, means)
        if isinstance(proving, Gap):
            return proving
        covered += proving.covered
        rules += proving.rules
    return Proved(tuple(covered), tuple(rules))


def _allowing_rule(case: Case, part: Part) -> Rule | None:
    """Return an allow rule that means the command; some take one that is exact."""
    allow = case.context.counted_allow
    for text in part.allow_texts:
        for rule in allow.commands_matching(case.names, text):
            if _is_exact(rule, text) or not _needs_exact(part):
                return rule
    return None


def _needs_exact(part: Part) -> bool:
    """Return whether no pattern can vouch for a command."""
    program = part.command.program
    if program == "find":
        return any(word.text in _FIND_ACTIONS for word in part.command.argv)
    return program is None or program in _EXACT_ONLY


def _prove_use(case: Case, part: Part, use: Use, means: Means) -> Proving:
    """Return the proof for one path of a command."""
    target = case.target_at[part.touch(use, case.request.surroundings.cwd)]
    if use.kind == "edit" and goes_nowhere(target):
        return Proved((Covered(use.path, "what is written there vanishes"),))
    found = cover(
        case.context, target, with_rules=means.with_rules, edits_inside=means.edits_inside
    )
    if found is None:
        if use is part.directory:
            return Gap(f"runs `{part.shown}` in {use.path}, outside the working directories")
        does = "changes" if use.kind == "edit" else "reads"
        return Gap(f"{does} {use.path}, which no rule allows")
    return Proved(tuple(found[0]), tuple(found[1]))
