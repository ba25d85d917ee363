"""`gantlet permissions`: what may run, why, and by which rule. Nothing is run."""

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path
from typing import cast

from gantlet.config import RuleWriter, Settings
from gantlet.messages import JsonValue
from gantlet.messages.value import replace
from gantlet.permissions import Destination, PermissionContext, RemoveRules, Request
from gantlet.rules import Rule, lint_rules
from gantlet.surfaces.permission_batch import Batch
from gantlet.surfaces.permission_judge import Judge, RememberingEyes, mode_named
from gantlet.surfaces.permission_pages import NO_PROGRAMS, Programs, explanation, rules_page
from gantlet.surfaces.permission_suites import load_suites, run_suites
from gantlet.surfaces.permission_workers import answer_all
from gantlet.surfaces.plain_text import plain
from gantlet.surfaces.settings_arguments import (
    add_settings_arguments,
    cwd_of,
    home_of,
    settings_request,
)
from gantlet.surfaces.stand_in_tools import BUILT_IN_NAMES, main_field, stand_in
from gantlet.tool import UserError, Vote

_PLACES = {
    "user": Destination.USER,
    "project": Destination.PROJECT,
    "local": Destination.LOCAL,
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    commands = parser.add_subparsers(title="commands", dest="permissions_command", required=True)
    _add_explain(commands.add_parser("explain", help="say why a call may run, or may not"))
    check = commands.add_parser("check", help="judge many calls, one JSON object a line")
    check.add_argument("--batch", required=True, metavar="FILE", help="the cases; - reads them")
    test = commands.add_parser("test", help="run a file of cases with what is expected of them")
    test.add_argument("file", help="a list of {rules, cases} in YAML or JSON")
    listing = commands.add_parser("list", help="show the rules in force and where they stand")
    revoke = commands.add_parser("revoke", help="take a rule out of the settings")
    revoke.add_argument("rule", help="as `gantlet permissions list` shows it")
    revoke.add_argument("--from", dest="place", choices=list(_PLACES), help="only from there")
    lint = commands.add_parser("lint", help="find rules that do nothing, or too much")
    for own in (check, test, listing, revoke, lint):
        add_settings_arguments(own)


def _add_explain(parser: argparse.ArgumentParser) -> None:
    """Declare what `explain` takes."""
    parser.add_argument("text", nargs="?", help="a command, or a path, a URL, a name")
    parser.add_argument("--tool", default="Bash", help="default: %(default)s")
    parser.add_argument("--input", metavar="JSON", help="the call's whole input")
    parser.add_argument("--mode", help="judge in this mode")
    add_settings_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Do what the second word says."""
    commands: Mapping[str, Callable[[argparse.Namespace], int]] = {
        "explain": _explain,
        "check": _check,
        "test": _test,
        "list": _list,
        "revoke": _revoke,
        "lint": _lint,
    }
    return commands[arguments.permissions_command](arguments)


def _explain(arguments: argparse.Namespace) -> int:
    """Show how one call is judged."""
    settings = _settings(arguments)
    wanted = mode_named(arguments.mode) if arguments.mode else None
    context = settings.context(wanted, auto_available=True)
    judge = Judge(context, RememberingEyes(str(home_of(arguments))))
    request, programs = judge.request(arguments.tool, _input(arguments)), NO_PROGRAMS
    if request.tool.runs_shell:
        programs, vote = _looked_up(arguments, settings, request, context)
        request = replace(request, tool_vote=vote)
    _tell_problems(settings)
    if wanted is not None and context.mode is not wanted:
        _complain(f"Mode {wanted} is switched off in the settings; judged in {context.mode}.")
    for line in explanation(request, context, programs):
        print(line)
    return 0


def _looked_up(
    arguments: argparse.Namespace,
    settings: Settings,
    request: Request,
    context: PermissionContext,
) -> tuple[Programs, Vote | None]:
    """Look up the programs of a command as a session would; return what the tool says of them."""
    import anyio  # noqa: PLC0415 - with the shell of a session, which only this needs

    from gantlet.assembly.program_look import look_at_programs  # noqa: PLC0415 - the same

    wanted = settings_request(arguments)
    look = anyio.run(look_at_programs, request.call.input, wanted, settings, context)
    return Programs(look.files, look.doubts), look.vote


def _input(arguments: argparse.Namespace) -> Mapping[str, JsonValue]:
    """Return the input of the call to explain."""
    if arguments.input is not None:
        try:
            given = json.loads(arguments.input)
        except (ValueError, RecursionError) as error:
            raise UserError(f"--input is no JSON: {error}.") from error
        if not isinstance(given, dict):
            raise UserError("--input must be a JSON object.")
        return given
    if arguments.text is None:
        raise UserError("Name what to explain: a command, or --input with the call's input.")
    field = main_field(stand_in(arguments.tool))
    if not field:
        raise UserError(f"{arguments.tool} needs --input with the call's input.")
    return {field: arguments.text}


def _check(arguments: argparse.Namespace) -> int:
    """Judge a case on each line."""
    batch = Batch(str(cwd_of(arguments)), str(home_of(arguments)))
    with _opened(arguments.batch) as source:
        for answers in answer_all(batch, source):
            sys.stdout.write(answers)
            sys.stdout.flush()
    return 0


@contextmanager
def _opened(file: str) -> Iterator[BufferedReader]:
    """Open a file of cases, or take those that are sent."""
    if file == "-":
        yield cast(BufferedReader, sys.stdin.buffer)
        return
    try:
        opened = Path(file).open("rb")  # noqa: SIM115 - only opening it may fail so
    except OSError as error:
        raise UserError(f"{file!r} cannot be read: {error.strerror}.") from error
    with opened:
        yield opened


def _test(arguments: argparse.Namespace) -> int:
    """Run a file of cases and show those that came out otherwise."""
    batch = Batch(str(cwd_of(arguments)), str(home_of(arguments)))
    report = run_suites(load_suites(Path(arguments.file)), batch)
    for line in report.lines:
        print(plain(line))
    return 1 if report.failed else 0


def _list(arguments: argparse.Namespace) -> int:
    """Show the rules in force."""
    settings = _settings(arguments)
    for line in rules_page(settings, settings.context(auto_available=True)):
        print(line)
    _tell_problems(settings)
    return 0


def _revoke(arguments: argparse.Namespace) -> int:
    """Take a rule out of the settings."""
    request = settings_request(arguments)
    files = request.places()
    places = [_PLACES[arguments.place]] if arguments.place else list(_PLACES.values())
    wanted = arguments.rule.strip()
    files_of = {str(files.at(place)): place for place in places}
    found = [
        rule
        for rule in _settings(arguments).rules
        if rule.text == wanted and rule.source.file in files_of and rule.source.key.count(".")
    ]
    if not found:
        where = ", ".join(plain(file) for file in files_of)
        raise UserError(f"There is no rule {wanted!r} in {where}.")
    for rule in found:
        update = RemoveRules((wanted,), rule.behaviour, files_of[rule.source.file])
        RuleWriter(files, request).write(update)
        print(plain(f"revoked {rule.behaviour} {wanted} ({rule.source.file}:{rule.source.line})"))
    return 0


def _lint(arguments: argparse.Namespace) -> int:
    """Show what is odd about the rules."""
    settings = _settings(arguments)
    rules = [rule for read in settings.files for rule in read.rules.rules]
    findings = lint_rules(rules, BUILT_IN_NAMES)
    for finding in findings:
        source = finding.rule.source
        print(plain(f"{source.file}:{source.line}: {finding.oddity}: {finding.message}"))
    told = {rule.message for rule in rules if not isinstance(rule, Rule)}
    others = [one for one in settings.problems if one.line and one.message not in told]
    for problem in others:
        print(plain(str(problem)))
    if not findings and not others:
        print(f"{len(rules)} rule{'' if len(rules) == 1 else 's'}, nothing odd")
        return 0
    return 1


def _settings(arguments: argparse.Namespace) -> Settings:
    """Return what the settings say."""
    return settings_request(arguments).read()


def _tell_problems(settings: Settings) -> None:
    """Say what in the settings does not count as written."""
    for remark in settings.remarks:
        _complain(remark)


def _complain(text: str) -> None:
    """Say something on standard error."""
    print(plain(text), file=sys.stderr)
