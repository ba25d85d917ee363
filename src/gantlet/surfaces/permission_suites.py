"""A file of cases with what is expected of them: tests for somebody's own rules."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import yaml

from gantlet.messages import Behaviour
from gantlet.messages.value import value
from gantlet.surfaces.permission_batch import Batch
from gantlet.tool import UserError


@value
class Expectation:
    """A case, what should become of it, and where it stands in its file."""

    where: str
    case: Mapping[str, object]
    expect: Behaviour


@value
class Report:
    """What became of all cases."""

    lines: tuple[str, ...]
    failed: int


def load_suites(path: Path) -> tuple[Expectation, ...]:
    """Return the cases of a file.

    Raises:
        UserError: It cannot be read, or is no list of suites.
    """
    try:
        suites = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError, RecursionError) as error:
        told = " ".join(str(error).split())
        raise UserError(f"{str(path)!r} cannot be read: {told}") from error
    suites = [suites] if isinstance(suites, Mapping) else suites
    if not isinstance(suites, list) or not suites:
        raise UserError(f"{str(path)!r} must hold a list of suites, each with 'cases'.")
    found = tuple(one for at, suite in enumerate(suites, 1) for one in _expectations(suite, at))
    if not found:
        raise UserError(f"{str(path)!r} holds no cases.")
    return found


def _expectations(suite: object, number: int) -> Iterator[Expectation]:
    """Yield the cases of one suite; what it says of all of them, each may say otherwise."""
    cases = suite.get("cases") if isinstance(suite, Mapping) else None
    if not isinstance(suite, Mapping) or not isinstance(cases, Sequence) or isinstance(cases, str):
        raise UserError(f"Suite {number} needs 'cases', a list.")
    shared = {name: suite[name] for name in ("rules", "mode", "cwd", "home") if name in suite}
    if "rules" not in shared:
        names = ("allow", "ask", "deny", "additionalDirectories")
        shared["rules"] = {name: suite[name] for name in names if name in suite}
    title = suite.get("name", f"suite {number}")
    for at, case in enumerate(cases, start=1):
        where = f"{title}, case {at}"
        if not isinstance(case, Mapping):
            raise UserError(f"{where}: a case is an object.")
        expect = case.get("expect")
        if expect not in set(Behaviour):
            raise UserError(f"{where} needs 'expect': allow, ask or deny; not {expect!r}.")
        yield Expectation(where, {**shared, **case}, Behaviour(expect))


def run_suites(expectations: Sequence[Expectation], batch: Batch) -> Report:
    """Judge every case and say which came out otherwise."""
    lines: list[str] = []
    for one in expectations:
        got, reason = _judged(one.case, batch)
        if got != one.expect:
            shown = f"{one.case.get('tool')} {one.case.get('input')}"
            lines.append(f"{one.where}: {shown}: expected {one.expect}, got {got}. {reason}")
    failed = len(lines)
    lines.append(f"{len(expectations)} cases, {failed} failed")
    return Report(tuple(lines), failed)


def _judged(case: Mapping[str, object], batch: Batch) -> tuple[str, str]:
    """Return what became of a case, and why; what is no case fits no expectation."""
    try:
        answer = batch.judge(case)
    except UserError as error:
        return "no verdict", str(error)
    return str(answer["decision"]), str(answer["reason"])
