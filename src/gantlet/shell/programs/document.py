"""The table of programs as a document for people."""

from gantlet.shell.programs.edits import EDITS
from gantlet.shell.programs.languages import TELL_VERSION
from gantlet.shell.programs.spec import Operands, Program
from gantlet.shell.programs.table import entries

_OPERANDS = {
    Operands.NONE: "no operands",
    Operands.TEXT: "text",
    Operands.PATHS: "files",
    Operands.TREES: "trees",
    Operands.PATTERN_PATHS: "a pattern, then files",
    Operands.PATTERN_TREES: "a pattern, then trees",
}

_HEAD = """\
# Safe programs

These programs run without a question when every word of the command is known to be harmless. The
table is made from the one that decides (`gantlet.shell.programs`), and a test keeps it fresh.

How a command is held against the table:

- Only options that are listed there are accepted: letters alone or clustered, values attached or
  apart, long names in full. An abbreviated long name is refused.
- Operands that are files or trees are read, so rules about reading bind them. A word that is not
  written out (`"$FILE"`) is refused where a file is expected.
- A glob is refused where it could become an option that does harm. With `find`, `sort`, `sed` and
  `git` any unquoted glob is refused.
- The name must stand alone, or in `/bin` or `/usr/bin`. `./ls` is another program.
- `timeout`, `time`, `nice`, `nohup`, `stdbuf`, `command`, `builtin` and `noglob` are looked
  through. So is `xargs` if what it is fed lies in known trees and no option of the program does
  harm; without `-0` no name there may hold blanks, quotes or backslashes.
- Only variables that change how things look may be set in front: `LC_ALL=C sort names`.
- git reads only where the command line starts, and in directories below that are no repositories
  of their own: the settings of another one may run programs. `cargo tree` and `cargo metadata` read
  only where no file of the project names a compiler (`.cargo/config.toml`, `rust-toolchain.toml`).
  For both, no other command of the line may change files.

Never without a question, though they seem harmless: `env`, `printenv`, `docker logs` and
`journalctl` (secrets), `ping`, `dig`,
`nslookup`, `host`, `curl`, `wget`, `gh`, `kubectl`, `npm view` (the network), `less`, `more`, `man`
(pagers run programs), `ldd` (runs its operand), `make -n` and `python -m` (run code of the
project), `yarn`, `pnpm`, `pytest`, `mvn` and `bundle` (load code of the project), `find -exec`.

"""


def render() -> str:
    """Return the document."""
    rows = [
        ("Program", "Operands", "Refused on purpose"),
        *(_row(program) for program in entries().values() if program.name not in TELL_VERSION),
    ]
    versions = ", ".join(f"`{name}`" for name in sorted(TELL_VERSION))
    edits = ", ".join(f"`{name}`" for name in EDITS if name != "tee")
    return (
        _HEAD
        + _table(rows)
        + "\n## Programs that tell their version\n\n"
        + _filled(f"Only `--version`, or the short form of it, of: {versions}.")
        + "\n## Programs that edit\n\n"
        + _filled(
            "In the mode acceptEdits these run without a question inside the working directories, "
            f"if every path is written out: {edits} (`sed` with `-i`). The same goes for the "
            "output of a program above that is redirected into a file."
        )
    )


def _row(program: Program) -> tuple[str, str, str]:
    name = f"`{program.name}`"
    refused = program.refused.replace("|", "\\|")
    if program.subcommands:
        return (name, "subcommands below", refused)
    operands = "its own grammar" if program.judge else _OPERANDS[program.operands]
    if program.most is not None:
        operands += f", at most {program.most}"
    return (name, operands, refused)


def _table(rows: list[tuple[str, str, str]]) -> str:
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    lines = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |"
        for row in rows
    ]
    lines.insert(1, "| " + " | ".join("-" * width for width in widths) + " |")
    return "\n".join(lines) + "\n"


def _filled(text: str) -> str:
    """Return text in lines of a hundred characters."""
    lines = [""]
    for word in text.split():
        if len(lines[-1]) + len(word) >= 100:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return "\n".join(lines) + "\n"
