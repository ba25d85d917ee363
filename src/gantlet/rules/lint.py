"""What is odd about a set of rules: dead, shadowed, too broad, or about nothing known."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from enum import StrEnum

from gantlet.messages import Behaviour
from gantlet.messages.value import value
from gantlet.rules.commands import CommandPattern
from gantlet.rules.grammar import EDIT, READ, SHELL
from gantlet.rules.hosts import HostPattern
from gantlet.rules.names import NamePattern
from gantlet.rules.paths import PathPattern
from gantlet.rules.rule import BadRule, NameSpec, Rule, Spec, WholeTool

#: Programs that run whatever they are told to, so that allowing them allows everything.
RUNS_ANYTHING = frozenset(
    {
        "ash", "awk", "bash", "busybox", "bun", "bunx", "chroot", "cmd", "command", "csh", "dash",
        "deno", "devbox", "direnv", "docker", "doas", "env", "eval", "exec", "expect", "fakeroot",
        "find", "fish", "flock", "gawk", "gdb", "ionice", "irb", "java", "ksh", "lua", "make",
        "mawk", "mise", "mksh", "nawk", "nice", "node", "nodejs", "nohup", "npx", "nsenter",
        "parallel", "perl", "php", "pipx", "pkexec", "pnpx", "podman", "python", "python2",
        "python3", "pwsh", "rbash", "ruby", "runuser", "script", "setsid", "sh", "source", "ssh",
        "stdbuf", "strace", "su", "sudo", "systemd-run", "tclsh", "tcsh", "time", "timeout",
        "toybox", "unshare", "uv", "uvx", "vi", "vim", "watch", "xargs", "yarn", "zsh",
    }
)  # fmt: skip


class Oddity(StrEnum):
    """What is odd about a rule."""

    BROKEN = "broken"
    DEAD = "dead"
    SHADOWED = "shadowed"
    BROAD = "broad"
    UNKNOWN_TOOL = "unknown tool"


@value
class Finding:
    """One oddity: in which rule, and which other rule makes it so."""

    oddity: Oddity
    rule: Rule | BadRule
    message: str
    by: Rule | None = None


def lint_rules(
    rules: Sequence[Rule | BadRule], known_tools: Collection[str] = ()
) -> tuple[Finding, ...]:
    """Return what is odd about rules, in their order. Without known tools, no name is unknown."""
    sound = [rule for rule in rules if isinstance(rule, Rule)]
    sound += [rule.stand_in for rule in rules if isinstance(rule, BadRule) and rule.stand_in]
    findings: list[Finding] = []
    for rule in rules:
        if isinstance(rule, BadRule):
            findings.append(Finding(Oddity.BROKEN, rule, rule.message))
            continue
        findings.extend(_overruled(rule, sound))
        findings.extend(_broad(rule))
        findings.extend(_unknown(rule, known_tools))
    return tuple(findings)


_STRICTNESS = {Behaviour.ALLOW: 0, Behaviour.ASK: 1, Behaviour.DENY: 2}


def _overruled(rule: Rule, others: Iterable[Rule]) -> Iterator[Finding]:
    """Yield the first rule that leaves this one without effect."""
    for other in others:
        if other is rule or not covers(other, rule):
            continue
        stricter = _STRICTNESS[other.behaviour] - _STRICTNESS[rule.behaviour]
        if stricter > 0:
            message = f"{rule} never counts: {other} ({other.source}) covers all of it."
            yield Finding(Oddity.DEAD, rule, message, other)
            return
        if stricter == 0 and not (covers(rule, other) and _comes_first(rule, other, others)):
            message = f"{rule} adds nothing to {other} ({other.source})."
            yield Finding(Oddity.SHADOWED, rule, message, other)
            return


def _comes_first(rule: Rule, other: Rule, others: Iterable[Rule]) -> bool:
    """Return whether, of two rules that say the same, this one is the one to keep."""
    for one in others:
        if one is rule or one is other:
            return one is rule
    return True


def covers(wide: Rule, narrow: Rule) -> bool:
    """Return whether every call that `narrow` means is meant by `wide` too; no is not certain."""
    same_tool = wide.tool.text == narrow.tool.text
    if not same_tool and (narrow.tool.is_glob or not wide.tool.matches(narrow.tool.text)):
        return False
    if wide.is_whole:
        return True
    return same_tool and _spec_covers(wide.spec, narrow.spec)


def _spec_covers(wide: Spec, narrow: Spec) -> bool:
    """Return whether one pair of brackets means all that another does."""
    match wide, narrow:
        case CommandPattern(), CommandPattern():
            return wide.covers(narrow)
        case PathPattern(), PathPattern():
            return wide.covers(narrow)
        case NameSpec(mine), NameSpec(theirs):
            return mine.covers(theirs)
        case _:
            return wide == narrow


def _broad(rule: Rule) -> Iterator[Finding]:
    """Yield a finding for an allow that allows nearly everything."""
    if rule.forbids:
        return
    reason = _breadth(rule.tool, rule.spec)
    if reason:
        yield Finding(Oddity.BROAD, rule, f"{rule} {reason}")


def _breadth(tool: NamePattern, spec: Spec) -> str:
    """Return why an allow is too broad, or nothing."""
    match spec:
        case WholeTool() if tool.text == SHELL:
            return "allows every command. Name the commands you mean."
        case CommandPattern() if spec.first_word is None:
            return "allows commands whose program it does not name."
        case CommandPattern(text) if _is_open(text) and spec.first_word in RUNS_ANYTHING:
            return f"allows whatever {spec.first_word} can be told to run. Name the whole command."
        case PathPattern() if spec.is_everything:
            return f"allows {'reading' if tool.text == READ else 'editing'} every file there is."
        case WholeTool() if tool.text == EDIT:
            return "allows editing every file there is. Name the directories you mean."
        case HostPattern(labels=("*",)):
            return "allows every host."
        case _:
            return ""


def _is_open(pattern: str) -> bool:
    """Return whether a pattern of commands says no more than the program."""
    head, star, _ = pattern.partition("*")
    return bool(star) and len(head.removesuffix(":").split()) < 2


def _unknown(rule: Rule, known_tools: Collection[str]) -> Iterator[Finding]:
    """Yield a finding for a rule about a tool that nobody has."""
    name = rule.tool.text
    if not known_tools or rule.tool.is_glob or "_" in name or rule.tool.matches_any(known_tools):
        return
    message = f"{rule} is about a tool that does not exist here: {name}."
    yield Finding(Oddity.UNKNOWN_TOOL, rule, message)
