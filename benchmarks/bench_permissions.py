"""What judging a call costs: with few rules and with many, for files, commands and long commands.

Run it with `python benchmarks/bench_permissions.py`. Times are medians of rounds taken in turns; a
missed bar is printed as such. Commands differ each time, so that nothing is known beforehand.
"""

import statistics
import tempfile
from collections.abc import Callable, Sequence
from itertools import count
from time import perf_counter

from gantlet.messages import Behaviour, ToolUse
from gantlet.messages.value import replace
from gantlet.permissions import PermissionContext, Request, Workspace, evaluate, see
from gantlet.rules import Source, SourceKind, parse_rule
from gantlet.system import Scout
from gantlet.tool import (
    READS_ONLY,
    AgentIdentity,
    AnyTool,
    Parsed,
    Surroundings,
    Tool,
    ToolInput,
    Traits,
    parse,
)

FEW, MANY = 10, 1000
_numbers = count()


class FileInput(ToolInput):
    """One file."""

    file_path: str


class Read(Tool[FileInput]):
    """Declares what a reading tool declares."""

    name = "Read"
    description = "Read a file."
    input_type = FileInput
    path_fields = ("file_path",)

    def traits(self, args: FileInput) -> Traits:
        """Only read."""
        return READS_ONLY


class CommandInput(ToolInput):
    """One command."""

    command: str


class Shell(Tool[CommandInput]):
    """Declares what a shell declares."""

    name = "Bash"
    description = "Run a command."
    input_type = CommandInput
    rule_field = "command"
    runs_shell = True


def context_with(rules: int, folder: str) -> PermissionContext:
    """Return a context with so many rules of each behaviour, about everything in turn."""
    workspace = Workspace.at(folder, home="/home/me")
    source = Source(SourceKind.USER, anchors=workspace.anchors(SourceKind.USER))
    forms = ("Bash(tool{} run *)", "Read(secret{}/**)", "Edit(area{}/*.lock)", "mcp__s{}__t")
    texts = [forms[number % len(forms)].format(number) for number in range(rules)]
    kept = [parse_rule("Bash(npm test *)", Behaviour.ALLOW, source)]
    made = (parse_rule(text, behaviour, source) for text in texts for behaviour in Behaviour)
    return PermissionContext(workspace).with_rules([*kept, *made])


def request_for(tool: AnyTool, folder: str, **given: str) -> Request:
    """Return a request for a call."""
    parsed = parse(tool, given)
    assert isinstance(parsed, Parsed)
    args = parsed.args
    call = ToolUse("call", tool.name, given)
    return Request(call, tool, args, tool.traits(args), Surroundings(folder), AgentIdentity())


def in_turns(works: Sequence[Callable[[], object]], rounds: int) -> list[float]:
    """Return the median of each in microseconds."""
    times: list[list[float]] = [[] for _ in works]
    for work in works:
        work()
    for _ in range(rounds):
        for work, kept in zip(works, times, strict=True):
            started = perf_counter()
            work()
            kept.append((perf_counter() - started) * 1_000_000)
    return [statistics.median(kept) for kept in times]


def report(what: str, found: float, bar: float, unit: str = "µs") -> None:
    """Print one line with its bar."""
    judged = "met" if found <= bar else "MISSED"
    print(f"{what:<58} {found:10.1f} {unit:<2}  bar {bar:g} {unit}: {judged}")


def reading(context: PermissionContext, folder: str) -> Callable[[], object]:
    """Return the judging of a call that reads a file, its path seen beforehand."""
    request = see(request_for(Read(), folder, file_path="src/a.py"), context, Scout())
    return lambda: evaluate(request, context)


def running(context: PermissionContext, folder: str, line: str) -> Callable[[], object]:
    """Return the judging of a command that was never seen, its paths looked at on the way."""
    shell, scout = Shell(), Scout()
    seed = request_for(shell, folder, command="")

    def judged() -> object:
        command = line.format(next(_numbers))
        call = replace(seed.call, input={"command": command})
        request = replace(seed, call=call, args=CommandInput(command=command))
        return evaluate(see(request, context, scout), context)

    return judged


def main() -> None:
    """Print every measure."""
    with tempfile.TemporaryDirectory() as folder:
        few, many = context_with(FEW, folder), context_with(MANY, folder)
        plain = PermissionContext(Workspace.at(folder, home="/home/me"))
        none, some, lots = in_turns([reading(made, folder) for made in (plain, few, many)], 2000)
        report("a file is read, no rules", none, 100)
        report(f"a file is read, {3 * FEW} rules", some, 100)
        report(f"the same with {3 * MANY} rules, over that", lots / some, 2, "x")

        typical = "npm test -- --grep case{}"
        some, lots = in_turns([running(made, folder, typical) for made in (few, many)], 300)
        report(f"a typical command, {3 * FEW} rules", some, 300)
        report(f"the same with {3 * MANY} rules, over that", lots / some, 2, "x")
        safe = in_turns([running(few, folder, "git log --oneline -{}")], 300)[0]
        report("a command that only reads", safe, 300)
        piped = "cd src && npm test -- --grep case{} 2>&1 | tail -20"
        piped_time = in_turns([running(few, folder, piped)], 300)[0]
        report("a pipeline: for each of its three commands", piped_time / 3, 300)

        piece = "grep -n 'some words {0}' src/package/module.py | head -5"
        sizes = (1_000, 10_000)
        lines = ["; ".join([piece] * (size // len(piece))) for size in sizes]
        short, long = in_turns([running(few, folder, line) for line in lines], 20)
        report("a command of 10 KB", long / 1000, 50, "ms")
        report("10 KB over 10 times 1 KB (linear is 1)", long / short / 10, 2, "x")


if __name__ == "__main__":
    main()
