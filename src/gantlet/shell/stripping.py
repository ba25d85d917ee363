"""Commands without what stands in front of them: the forms that rules are matched on."""

import re
from collections.abc import Iterator, Sequence

from gantlet.messages.value import replace
from gantlet.shell.analysis import Assignment, SimpleCommand, Word
from gantlet.shell.carriers.finding import find_command
from gantlet.shell.carriers.wrappers import ALLOW_WRAPPERS, WRAPPERS
from gantlet.shell.options import grammar_of, parse_arguments
from gantlet.shell.spellings import spellings

_PLAIN_VALUE = r"[A-Za-z0-9_.,@+-]*"
_TIME_ZONE = r"(?![:/])[A-Za-z0-9_+:/,.-]*"
#: Variables that change how things look, and the values they may have.
_SAFE_VARIABLES: dict[str, str] = {
    **dict.fromkeys(
        ("NODE_ENV", "LANG", "LANGUAGE", "NO_COLOR", "FORCE_COLOR", "TERM"), _PLAIN_VALUE
    ),
    **dict.fromkeys(
        ("CI", "COLUMNS", "LINES", "COLORTERM", "CLICOLOR", "CLICOLOR_FORCE"), _PLAIN_VALUE
    ),
    **dict.fromkeys(
        ("RUST_BACKTRACE", "RUST_LOG", "DEBUG_COLORS", "PYTHONUNBUFFERED"), _PLAIN_VALUE
    ),
    **dict.fromkeys(
        ("PYTHONDONTWRITEBYTECODE", "GIT_OPTIONAL_LOCKS", "GIT_TERMINAL_PROMPT"), _PLAIN_VALUE
    ),
    **dict.fromkeys(
        ("RAILS_ENV", "RACK_ENV", "MIX_ENV", "APP_ENV", "GOOS", "GOARCH", "CGO_ENABLED"),
        _PLAIN_VALUE,
    ),
    **dict.fromkeys(("PAGER", "GIT_PAGER", "MANPAGER"), r"cat|"),
    "TZ": _TIME_ZONE,
}
_LOCALE = re.compile(r"LC_[A-Z]+")
#: The options of git in front of its commands.
GIT_GLOBAL = (
    "-C= -c= --exec-path[=] --html-path --man-path --info-path -p,--paginate -P,--no-pager "
    "--no-replace-objects --bare --git-dir= --work-tree= --namespace= --super-prefix= "
    "--config-env= --no-optional-locks --literal-pathspecs --glob-pathspecs --noglob-pathspecs "
    "--icase-pathspecs --list-cmds= --attr-source= --no-lazy-fetch --no-advice"
)
_MAX_FORMS = 64


def are_safe(assignments: Sequence[Assignment]) -> bool:
    """Return whether variables in front of a command only change how things look."""
    return all(_is_safe(assignment) for assignment in assignments)


def _is_safe(assignment: Assignment) -> bool:
    pattern = _SAFE_VARIABLES.get(assignment.name)
    if pattern is None and _LOCALE.fullmatch(assignment.name):
        pattern = _PLAIN_VALUE
    value = assignment.value
    return (
        pattern is not None and value.is_literal and re.fullmatch(pattern, value.text) is not None
    )


def strip_for_allow(command: SimpleCommand) -> tuple[SimpleCommand, ...]:
    """Return the forms a rule that allows is matched on: as written, and behind plain wrappers.

    Seen through are timeout, time, nice, nohup, stdbuf, command, builtin, noglob and bare xargs;
    variables known to be safe are left out. The first form is the command without those.
    """
    forms: list[SimpleCommand] = []
    current: SimpleCommand | None = command
    while current is not None and len(forms) < _MAX_FORMS:
        if current.assignments and are_safe(current.assignments):
            current = replace(current, assignments=())
        forms.append(current)
        current = _inner_for_allow(current)
    return tuple(forms)


def _inner_for_allow(command: SimpleCommand) -> SimpleCommand | None:
    if command.program in ("xargs", "gxargs"):
        is_bare = len(command.argv) > 1 and not command.argv[1].text.startswith("-")
        return _peeled(command, 1) if is_bare and command.argv[1].is_literal else None
    return inner_of(command)


def inner_of(command: SimpleCommand, fed: Word | None = None) -> SimpleCommand | None:
    """Return the command behind a plain wrapper, or None if there is none to be sure of.

    With `fed`, also that of `xargs`, which gets the fed word in the place of its input.
    """
    name = command.program
    if name not in ALLOW_WRAPPERS or (name == "xargs" and fed is None) or command.assignments:
        return None
    found = find_command(command, WRAPPERS[name])
    if found is None or found.parsed.problem or found.parsed.is_unsure:
        return None
    options = {option.name for option, _ in found.parsed.found}
    if name == "xargs":
        return _fed(command, found.start, options, found.parsed.values("-I"), fed)
    if options & {"-o", "-a"} and name == "time":
        return None
    if found.start >= len(command.argv):
        return None
    if not all(word.is_literal for word in command.argv[1 : found.start + 1]):
        return None
    return _peeled(command, found.start)


_XARGS_HARMLESS = frozenset({"-0", "-r", "-t", "-x", "-d", "-I", "-L", "-n", "-P", "-s"})


def _fed(
    command: SimpleCommand, start: int, options: set[str], marks: Sequence[Word], fed: Word | None
) -> SimpleCommand | None:
    """Return the command of `xargs` with the word it is fed."""
    if not options <= _XARGS_HARMLESS or fed is None:
        return None
    words = list(command.argv[start:])
    if not words:
        words = [Word("echo", is_literal=True, raw="echo")]
    if marks:
        if any(marks[-1].text in word.text and word.text != marks[-1].text for word in words):
            return None
        words = [fed if word.text == marks[-1].text else word for word in words]
    else:
        words.append(fed)
    return replace(command, argv=tuple(words), stdin_paths=None)


def _peeled(command: SimpleCommand, start: int) -> SimpleCommand:
    name = command.program or ""
    return replace(command, argv=command.argv[start:], via=(*command.via, name))


def strip_for_rules(command: SimpleCommand) -> tuple[SimpleCommand, ...]:
    """Return the forms a rule that denies or asks is matched on.

    They are the command as written, without its variables, with the bare name of its program,
    without options before a subcommand, in other spellings, and all that again behind each wrapper.
    """
    forms = [command]
    current: SimpleCommand | None = command
    while current is not None and len(forms) < _MAX_FORMS:
        forms.extend([form for form in _variants(current) if form not in forms])
        current = _inner_for_rules(current)
    return tuple(forms)


def _inner_for_rules(command: SimpleCommand) -> SimpleCommand | None:
    wrapper = WRAPPERS.get(command.program or "")
    if wrapper is None or wrapper.joins:
        return None
    if (
        command.program == "command"
        and command.argv[1:2]
        and "v" in command.argv[1].text.lower()[:2]
    ):
        return None
    found = find_command(command, wrapper)
    if found is None or found.parsed.problem or found.start >= len(command.argv):
        return None
    return replace(_peeled(command, found.start), assignments=())


def _variants(command: SimpleCommand) -> Iterator[SimpleCommand]:
    """Yield a command without variables, with a bare name, without options, and respelt."""
    bare = replace(command, assignments=()) if command.assignments else command
    yield bare
    name = bare.program
    if name is None:
        return
    if name != bare.argv[0].text:
        bare = replace(bare, argv=(Word(name, is_literal=True, raw=name), *bare.argv[1:]))
        yield bare
    yield from spellings(bare)
    if name == "git":
        parsed = parse_arguments(
            bare.argv[1:], grammar_of(GIT_GLOBAL), permutes=False, abbreviates=True
        )
        if parsed.rest and not parsed.problem:
            yield replace(bare, argv=(bare.argv[0], *bare.argv[1 + parsed.rest :]))
