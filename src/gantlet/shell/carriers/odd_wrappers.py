"""Wrappers whose arguments follow no option grammar."""

import re
from collections.abc import Callable

from gantlet.messages.value import replace
from gantlet.shell.analysis import SimpleCommand
from gantlet.shell.carriers.finding import add_after_dashes, add_found, find_command
from gantlet.shell.carriers.load import MAX_GUESSED_WORDS, Load, joined
from gantlet.shell.carriers.wrappers import WRAPPERS


def _unwrap_find(command: SimpleCommand, load: Load) -> None:
    """Add what `find` and `fd` run for each file."""
    words = command.argv
    runs = [index for index, word in enumerate(words) if _FIND_RUN.match(word.text)]
    load.is_cut = len(runs) > _MAX_RUNS
    for index in runs[:_MAX_RUNS]:
        word = words[index]
        way = f"{command.program} {word.text}"
        attached = word.text.partition("=")[2]
        run = [replace(word, text=attached)] if attached else []
        for later in words[index + 1 : index + 1 + MAX_GUESSED_WORDS]:
            if later.text in (";", "+"):
                break
            is_name = "{" in later.text
            run.append(replace(later, is_literal=False) if is_name else later)
        if run and not run[0].is_literal:
            load.doubts.append(f"`{command.program}` runs what it finds.")
        if word.text.endswith("dir"):
            load.add_command(replace(command, cwd=None), run, way)
        else:
            load.add_command(command, run, way)


_MAX_RUNS = 16
_MAX_STARTS = 4
_FIND_RUN = re.compile(r"(?:-exec|-execdir|-ok|-okdir|-x|-X)\Z|--exec(?:-batch)?(?:=|\Z)")


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
        for word in words[1:]:
            load.add_script(command, word.text, name)  # `sg group 'text'` hands it to a shell
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
    starts = [start for start in range(min(end, 16)) if not texts[start].startswith("-")]
    for start in starts:
        load.add_script(command, joined(words[start:end]), name)
    for text in texts[end:]:
        load.add_script(command, text, name)
        for start in starts[:_MAX_STARTS]:
            load.add_script(command, f"{joined(words[start:end])} {text}", name)


def _unwrap_runner(command: SimpleCommand, load: Load) -> None:
    """Add any words of a program that runs a command somewhere in them."""
    name = command.program or ""
    wrapper = WRAPPERS.get(name)
    found = find_command(command, wrapper) if wrapper else None
    if wrapper and found:
        add_found(command, wrapper, found, load)
    elif name in _ALWAYS_RUN or any(word.text in _RUNNING for word in command.argv[1:4]):
        add_after_dashes(command, load)
        load.add_any(command, command.argv[1:], name)
        for word in command.argv[1:]:
            if " " in word.text:
                load.add_script(command, word.text, name)
            if word.text.startswith("--") and "=" in word.text:
                load.add_script(command, word.text.partition("=")[2], name)
        _add_named_packages(command, load)


def _add_named_packages(command: SimpleCommand, load: Load) -> None:
    """Add programs that are named by their packages: `nix run nixpkgs#git -- push`."""
    words = command.argv[1:]
    for place, word in enumerate(words[:_MAX_STARTS]):
        package = word.text.rpartition("#")[2]
        if "#" in word.text and package:
            rest = [after for after in words[place + 1 :] if after.text != "--"]
            load.add_script(command, f"{package} {joined(rest)}", command.program or "")


#: Programs that do nothing but run what stands somewhere in their words.
_ALWAYS_RUN = frozenset(
    {
        "aa-exec", "alacritty", "arch", "authbind", "autossh", "bwrap", "cgexec", "chronic",
        "cross-env", "cross-env-shell", "daemon", "daemonize", "dbus-launch", "dotenv", "dotenvx",
        "dtach", "eatmydata", "entr", "fakechroot", "runcon", "ssh-agent", "sshpass", "torify",
        "tsocks", "wsl", "wsl.exe", "envconsul", "exec_with_env", "faketime",
        "foot", "gnome-terminal", "i3-msg", "kgx", "kitty", "konsole", "krun", "ld-linux.so.2",
        "ld-linux-aarch64.so.1", "ld-linux-x86-64.so.2", "ld-musl-x86_64.so.1", "ld.so", "lxterm",
        "ltrace", "multitime", "nodemon", "nvm", "primusrun", "optirun", "qemu-aarch64",
        "qemu-x86_64", "retry", "rr", "s6-setuidgid", "s6-envuidgid", "schedtool", "sem",
        "sh-ld", "start-stop-daemon", "stap", "swaymsg", "terminator", "trickle", "tsp", "uftrace",
        "urxvt", "uxterm", "valgrind", "vglrun", "volta", "watchexec", "wezterm", "winpty", "wine",
        "with-contenv", "xdotool", "xfce4-terminal", "xterm", "xvfb-run-safe", "zellij",
    }
)  # fmt: skip
_RUNNING = frozenset(
    {
        "run",
        "exec",
        "exec-env",
        "exec-file",
        "-d",
        "-m",
        "compose",
        "ssh",
        "shell",
        "develop",
        "--run",
        "--command",
        "-c",
        "foreach",
    }
    | {"record", "stat", "trace", "--args", "new-session", "new", "new-window", "-dm", "-dmS"}
    | {"stuff", "-X", "-E"}
    | {"send-keys", "split-window", "debug", "attach", "start", "--exec", "-x", "--"}
)
_RUNNERS = (
    *("docker", "podman", "nerdctl", "kubectl", "oc", "nix", "nix-shell", "vagrant", "heroku"),
    *("lerna", "nx", "turbo", "perf", "gdb", "lldb", "tmux", "screen", "start-stop-daemon"),
    *("nodemon", "watchexec", "machinectl", "lxc", "lxc-attach", "incus", "multipass", "flatpak"),
    *("cmake", "fly", "flyctl", "gcloud", "ip"),
    *("toolbox", "distrobox", "adb", "op", "aws-vault", "doppler", "infisical"),
    *("chamber", "teller", "sops", "envchain", "nvm", "fnm", "vfox", "proto", "rtx", "pixi"),
    *_ALWAYS_RUN,
)

ODD_WRAPPERS: dict[str, Callable[[SimpleCommand, Load], None]] = {
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
