"""What taking a command line apart and judging it costs: typical ones, long ones, hostile ones.

Run it with `python benchmarks/bench_shell_analysis.py`. Times are those of the processor, the best
of many rounds, so that a busy machine blurs them less; a missed bar is printed as such.
"""

from collections.abc import Callable
from time import process_time_ns

from gantlet.shell import analyse, judge

TYPICAL = (
    "ls -la src",
    "git log --oneline -5 | head -20",
    "git commit -m 'fix: a && b' && npm test",
    "cd src && grep -rn 'foo|bar' --include='*.py' . | head -20",
    'for f in *.py; do wc -l "$f"; done',
)
LONG = {
    "a list of plain commands": "ls -la src && grep -n foo bar.txt | head -5; ",
    "quotes and substitutions": "echo 'a b' \"c $x\" $(ls x); ",
    "one command with many words": "word ",
    "a here-document": "some text $x `y`\n",
}
HOSTILE = {
    "open brackets": "(",
    "open substitutions": "$(",
    "wrappers in wrappers": "timeout 5 ",
    "scripts in scripts": "eval ",
    "options nobody knows": "sudo -@ ",
    "names that are not written out": "X=rm; $X y; ",
}


def work(command: str) -> Callable[[], object]:
    """Return the taking apart and judging of one command line."""

    def judged() -> object:
        return [judge(one, "/proj") for one in analyse(command).commands if not one.is_carried]

    return judged


def best(run: Callable[[], object], rounds: int, batch: int = 1) -> float:
    """Return the least time of one run in milliseconds."""
    run()
    least = float("inf")
    for _ in range(rounds):
        started = process_time_ns()
        for _ in range(batch):
            run()
        least = min(least, (process_time_ns() - started) / batch / 1e6)
    return least


def sized(piece: str, kilobytes: int) -> str:
    """Return a command line of about that size."""
    body = piece * (kilobytes * 1024 // len(piece))
    if piece.endswith("\n"):
        return f"cat <<'E'\n{body}E\n"
    return body.rstrip("; ")


def report(what: str, found: float, bar: float, unit: str) -> None:
    """Print one line with its bar."""
    judged = "met" if found <= bar else "MISSED"
    print(f"{what:<58} {found:9.3f} {unit:<2}  bar {bar:g} {unit}: {judged}")


def main() -> None:
    """Print every measure."""
    for command in TYPICAL:
        report(command, best(work(command), rounds=300, batch=5), 0.15, "ms")
    for what, piece in {**LONG, **HOSTILE}.items():
        times = [best(work(sized(piece, size)), rounds=8) for size in (1, 10, 60)]
        if what in LONG:
            report(f"10 KB: {what}", times[1], 25, "ms")
        per_kilobyte = [times[0], times[1] / 10, times[2] / 60]
        ratios = " : ".join(f"{time / per_kilobyte[1]:.2f}" for time in per_kilobyte)
        print(f"    a KB in 1 KB : 10 KB : 60 KB of {what:<32} {ratios}")


if __name__ == "__main__":
    main()
