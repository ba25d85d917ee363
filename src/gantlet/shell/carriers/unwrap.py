"""Finding the command in a wrapper's arguments."""

import posixpath
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from gantlet.shell.analysis import Assignment, SimpleCommand, Word
from gantlet.shell.carriers.load import Load, carried, joined
from gantlet.shell.carriers.wrappers import WRAPPERS, Wrapper
from gantlet.shell.options import Parsed, parse_arguments

_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=")
#: What the shell appends to the words of `xargs`: nobody can say.
_MORE_WORDS = Word("", is_literal=False, raw="", can_split=True)
_PROXY_OPTION = re.compile(r"\s*(?:ProxyCommand|LocalCommand|RemoteCommand)[ =]+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Unwrapped:
    """A wrapper's command: where its words begin, and what is known beside them."""

    parsed: Parsed
    start: int
    assignments: tuple[Assignment, ...] = ()


def unwrap(name: str, command: SimpleCommand, load: Load) -> None:
    """Add what a wrapper runs; do nothing for other programs."""
    special = _SPECIAL.get(name)
    if special is not None:
        special(command, load)
        return
    wrapper = WRAPPERS.get(name)
    if wrapper is None:
        return
    found = find_command(command, wrapper)
    if found is None:
        return
    _add_found(command, wrapper, found, load)


def find_command(command: SimpleCommand, wrapper: Wrapper) -> Unwrapped | None:
    """Return where a wrapper's command begins, or None if it is not used as a wrapper."""
    words = command.argv[1:]
    offset = 1
    if wrapper.subcommands:
        at = _subcommand(words)
        if at < 0 or words[at].text not in wrapper.subcommands:
            return None
        offset += at + 1
        words = words[at + 1 :]
    parsed = parse_arguments(words, wrapper.grammar, permutes=False, abbreviates=True)
    start = parsed.rest + wrapper.skips
    if wrapper.skips and len(words) > start and words[start].text == "--":
        start += 1
    assignments: list[Assignment] = []
    while wrapper.assigns and start < len(words):
        match = _ASSIGNMENT.match(words[start].text)
        if match is None:
            break
        value = words[start]
        text = value.text[match.end() :]
        assignments.append(Assignment(match.group(1), Word(text, value.is_literal, text)))
        start += 1
    return Unwrapped(parsed, offset + start, tuple(assignments))


def _subcommand(words: Sequence[Word]) -> int:
    """Return where the first word stands that is no option."""
    for index, word in enumerate(words):
        if not word.text.startswith("-"):
            return index
    return -1


def _add_found(command: SimpleCommand, wrapper: Wrapper, found: Unwrapped, load: Load) -> None:
    name, parsed = command.program or "", found.parsed
    words = command.argv[found.start :]
    skipped = command.argv[1 : found.start]
    if parsed.problem or (parsed.is_unsure and not wrapper.is_runner):
        if not wrapper.is_runner:
            load.doubts.append(f"The options of {name} are not understood.")
        load.add_any(command, command.argv[1:], name)
        return
    if any(not word.is_literal for word in skipped) and not wrapper.is_runner:
        load.doubts.append(f"A word before the command of {name} is not written out.")
    _add_option_values(command, parsed, load)
    if wrapper.joins:
        load.add_script(replace(command, cwd=None), joined(words), name)
        load.add_any(command, words[:1], name)
    elif words and words[0].text == "-c" and len(words) > 1:
        load.add_script(command, words[1].text, name)  # flock's form, and that of some runners
    elif words:
        inner = carried(_moved(command, parsed), words, name)
        load.commands.append(replace(inner, assignments=found.assignments))


def _add_option_values(command: SimpleCommand, parsed: Parsed, load: Load) -> None:
    for option, value in parsed.found:
        if value is None:
            continue
        if option.kind == "script":
            load.add_script(command, value.text, command.program or "")
            if not value.is_literal:
                load.doubts.append("A script is not written out.")
        elif option.name == "-o" and _PROXY_OPTION.match(value.text):
            load.add_script(command, _PROXY_OPTION.sub("", value.text), "ssh -o")


def _moved(command: SimpleCommand, parsed: Parsed) -> SimpleCommand:
    """Return the carrier as if it stood in the directory its options name."""
    directories = [value for option, value in parsed.found if value and option.kind == "dir"]
    if not directories:
        return command
    last = directories[-1]
    if command.cwd is None or not last.is_literal or last.raw.startswith("~"):
        return replace(command, cwd=None)
    return replace(command, cwd=posixpath.join(command.cwd, last.text))


def _unwrap_env(command: SimpleCommand, load: Load) -> None:
    """Add the command of `env`; `-S` splits a string into words first."""
    found = find_command(command, WRAPPERS["env"])
    if found is None:
        return
    splits = found.parsed.values("-S")
    if splits:
        load.doubts.append("`env -S` splits a string by rules of its own.")
        text = " ".join([*(value.text for value in splits), joined(command.argv[found.start :])])
        load.add_script(command, text, "env -S")
        load.add_script(command, text.replace("\\_", " ").replace("\\c", " "), "env -S")
        load.add_script(command, f"env {text}", "env -S")
    _add_found(command, WRAPPERS["env"], found, load)


def _unwrap_command(command: SimpleCommand, load: Load) -> None:
    """Add the command of `command`, unless it only asks where one is."""
    options = [word.text for word in command.argv[1:] if word.text.startswith("-")]
    if any(letter in "vV" for option in options[:1] for letter in option):
        return
    found = find_command(command, WRAPPERS["command"])
    if found is not None:
        _add_found(command, WRAPPERS["command"], found, load)


def _unwrap_sudo(command: SimpleCommand, load: Load) -> None:
    """Add the command of `sudo`; with `-s` or `-i` a shell gets it."""
    found = find_command(command, WRAPPERS["sudo"])
    if found is None:
        return
    if found.parsed.has("-s", "-i"):
        load.add_script(command, joined(command.argv[found.start :]), "sudo")
    _add_found(command, WRAPPERS["sudo"], found, load)


def _unwrap_xargs(command: SimpleCommand, load: Load) -> None:
    """Add the command of `xargs` with words that nobody knows."""
    found = find_command(command, WRAPPERS["xargs"])
    if found is None:
        return
    words = list(command.argv[found.start :])
    marks = [value.text for value in found.parsed.values("-I", "-i", "--replace", "-J")]
    if not marks and found.parsed.has("-i", "--replace"):
        marks = ["{}"]
    if marks:
        words = [
            replace(word, is_literal=False) if any(m in word.text for m in marks) else word
            for word in words
        ]
    elif words:
        words.append(_MORE_WORDS)
    marked = replace(command, argv=(*command.argv[: found.start], *words))
    _add_found(marked, WRAPPERS["xargs"], found, load)


def _unwrap_find(command: SimpleCommand, load: Load) -> None:
    """Add what `find` and `fd` run for each file."""
    words = command.argv
    for index, word in enumerate(words):
        if word.text not in _FIND_RUNS:
            continue
        way = f"{command.program} {word.text}"
        run = []
        for later in words[index + 1 :]:
            if later.text in (";", "+"):
                break
            is_name = "{" in later.text
            run.append(replace(later, is_literal=False) if is_name else later)
        if word.text.endswith("dir"):
            load.add_command(replace(command, cwd=None), run, way)
        else:
            load.add_command(command, run, way)


_FIND_RUNS = frozenset({"-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch"})


def _unwrap_jobs(command: SimpleCommand, load: Load) -> None:
    if command.argv[1:] and command.argv[1].text == "-x":
        load.add_command(command, command.argv[2:], "jobs -x")


def _unwrap_busybox(command: SimpleCommand, load: Load) -> None:
    load.add_command(command, command.argv[1:], command.program or "")


def _unwrap_su(command: SimpleCommand, load: Load) -> None:
    """Add the script of `su`, `runuser` or `sg`, wherever its option stands."""
    name, words = command.program or "", command.argv[1:]
    start = 0
    for index, word in enumerate(words):
        text = word.text
        if text.startswith("--") and "--session-command".startswith(text.partition("=")[0]):
            text = text.replace("--session-command", "--command")
        if text.startswith("--c"):  # --command, and what abbreviates it
            _, equals, attached = text.partition("=")
            script = attached if equals else joined(words[index + 1 : index + 2])
        elif text.startswith("-") and not text.startswith("--") and "c" in text:
            attached = text.partition("c")[2]
            script = attached or joined(words[index + 1 : index + 2])
        else:
            continue
        load.add_script(replace(command, cwd=None), script, f"{name} -c")
        if not word.is_literal:
            load.doubts.append("A script is not written out.")
        start = index + 1
    if name in ("runuser", "sg") and not start:
        load.add_any(command, words, name)
        load.doubts.append(f"The options of {name} are not understood.")


def _unwrap_script(command: SimpleCommand, load: Load) -> None:
    """Add what `script` records: a shell's text, or on some systems plain words."""
    words = command.argv[1:]
    for index, word in enumerate(words):
        text = word.text
        if text.startswith("--c"):
            _, equals, attached = text.partition("=")
            load.add_script(
                command, attached if equals else joined(words[index + 1 : index + 2]), "script -c"
            )
        elif text.startswith("-") and not text.startswith("--") and "c" in text:
            attached = text.partition("c")[2]
            load.add_script(command, attached or joined(words[index + 1 : index + 2]), "script -c")
    load.add_any(command, words, "script")
    load.doubts.append("`script` records what a shell does.")


def _unwrap_parallel(command: SimpleCommand, load: Load) -> None:
    """Add what `parallel` and its like hand to shells."""
    name, words = command.program or "", command.argv[1:]
    load.doubts.append(f"`{name}` makes commands from its input.")
    texts = [word.text for word in words]
    marks = [index for index, text in enumerate(texts) if text.startswith(":::")]
    end = marks[0] if marks else len(words)
    for start in range(min(end, 16)):
        if not texts[start].startswith("-"):
            load.add_script(command, joined(words[start:end]), name)
    for text in texts[end:]:
        load.add_script(command, text, name)
        load.add_script(command, f"{joined(words[max(end - 1, 0) : end])} {text}", name)


def _unwrap_runner(command: SimpleCommand, load: Load) -> None:
    """Add any words of a program that runs a command somewhere in them."""
    found = WRAPPERS.get(command.program or "")
    unwrapped = find_command(command, found) if found else None
    if found and unwrapped:
        _add_found(command, found, unwrapped, load)
    elif any(word.text in _RUNNING for word in command.argv[1:4]):
        load.add_any(command, command.argv[1:], command.program or "")
        for word in command.argv[1:]:
            if " " in word.text:
                load.add_script(command, word.text, command.program or "")


_RUNNING = frozenset(
    {"run", "exec", "compose", "ssh", "shell", "develop", "--run", "--command", "-c", "foreach"}
    | {"record", "stat", "trace", "--args", "new-session", "new", "new-window", "-dm", "-dmS"}
    | {"send-keys", "split-window", "debug", "attach", "start", "--exec", "-x", "--"}
)
_RUNNERS = (
    *("docker", "podman", "nerdctl", "kubectl", "oc", "nix", "nix-shell", "vagrant", "heroku"),
    *("lerna", "nx", "turbo", "perf", "gdb", "lldb", "tmux", "screen", "start-stop-daemon"),
    *("nodemon", "watchexec", "machinectl", "lxc", "lxc-attach", "incus", "multipass", "flatpak"),
    *("toolbox", "distrobox", "wsl", "wsl.exe", "adb", "valgrind", "entr", "bwrap", "daemonize"),
)

_SPECIAL: dict[str, Callable[[SimpleCommand, Load], None]] = {
    "env": _unwrap_env,
    "command": _unwrap_command,
    "sudo": _unwrap_sudo,
    "sudoedit": _unwrap_sudo,
    "xargs": _unwrap_xargs,
    "gxargs": _unwrap_xargs,
    "find": _unwrap_find,
    "gfind": _unwrap_find,
    "fd": _unwrap_find,
    "fdfind": _unwrap_find,
    "jobs": _unwrap_jobs,
    "busybox": _unwrap_busybox,
    "toybox": _unwrap_busybox,
    "su": _unwrap_su,
    "runuser": _unwrap_su,
    "sg": _unwrap_su,
    "capsh": _unwrap_su,
    "script": _unwrap_script,
    "parallel": _unwrap_parallel,
    "hyperfine": _unwrap_parallel,
    "concurrently": _unwrap_parallel,
    "npm-run-all": _unwrap_parallel,
    "rush": _unwrap_parallel,
    **dict.fromkeys(_RUNNERS, _unwrap_runner),
}

#: Programs through which others run, for suggestions: none of them gets a rule with `*`.
CARRIERS = (frozenset(WRAPPERS) | frozenset(_SPECIAL)) - {"jobs"}
