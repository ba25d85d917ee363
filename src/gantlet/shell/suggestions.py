"""Rules to suggest when somebody says "always"."""

from gantlet.shell.analysis import Analysis, ReadOnly, SimpleCommand
from gantlet.shell.carriers.code import INTERPRETERS
from gantlet.shell.carriers.shells import SHELLS
from gantlet.shell.carriers.unwrap import CARRIERS
from gantlet.shell.judging import classify
from gantlet.shell.rendering import text_of

MAX_SUGGESTIONS = 5


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: Programs whose first operand says what they do.
_SUBCOMMANDED = _words(
    """
    git npm pnpm yarn bun cargo go docker podman kubectl helm pip pip3 uv poetry pdm hatch pipenv
    rye conda gem bundle composer mvn gradle gradlew dotnet terraform gh glab aws gcloud az brew apt
    apt-get systemctl make just task rake rails mix rustup deno nx turbo lerna flutter dart swift
    ng vue firebase vercel netlify heroku fly stripe prisma alembic flask docker-compose ansible
    """
)
#: Subcommands whose own first operand says what they do.
_DEEPER = frozenset({("npm", "run"), ("npm", "run-script"), ("pnpm", "run"), ("yarn", "run")})
_DEEPER |= {("bun", "run"), ("deno", "task"), ("gh", "pr"), ("gh", "issue"), ("gh", "run")}
_DEEPER |= {("docker", "compose"), ("git", "stash"), ("git", "remote"), ("git", "submodule")}
#: Never by a pattern: they remove, or run what they are given.
_NEVER = _words(
    """
    rm rmdir dd mkfs shred unlink mv kill killall pkill chmod chown chgrp reboot shutdown halt
    poweroff curl wget nc ncat socat scp rsync ftp telnet eval source . exec export declare typeset
    readonly local alias unalias set shopt enable hash trap bind complete mapfile readarray read
    unset let tee ln install crontab at batch mount umount iptables useradd usermod passwd
    """
)
_RUNNING = frozenset({"run", "exec", "x", "dlx", "eval", "shell", "ssh", "start", "tool", "-c"})


def suggest_rules(analysis: Analysis) -> tuple[str, ...]:
    """Return one pattern for each part that needs approval, or nothing if one has none.

    A rule is only suggested if all rules together would cover the command next time.
    """
    if analysis.doubts:
        return ()
    found: dict[str, None] = {}
    for command in analysis.commands:
        if command.is_carried or isinstance(classify(command), ReadOnly):
            continue
        pattern = _pattern(command)
        if not pattern or any(redirect.writes for redirect in command.redirects):
            return ()
        found[pattern] = None
    return tuple(found) if len(found) <= MAX_SUGGESTIONS else ()


def _pattern(command: SimpleCommand) -> str:
    """Return the pattern for one command, or nothing."""
    name = command.program
    if name is None or command.assignments or _runs_anything(name):
        return ""
    words = [word.text for word in command.argv]
    if not all(word.is_literal for word in command.argv[:3]) or "/" in name:
        return ""
    count = 1
    if name in _SUBCOMMANDED:
        if len(words) < 2 or words[1].startswith("-"):
            return ""
        count = 3 if (name, words[1]) in _DEEPER else 2
        if count == 2 and words[1] in _RUNNING:
            return ""
        if count == 3 and (len(words) < 3 or words[2].startswith("-")):
            return ""
    kept = SimpleCommand(command.argv[:count])
    return f"{text_of(kept)} *"


def _runs_anything(name: str) -> bool:
    base = name.rstrip("0123456789.")
    if name in _SUBCOMMANDED:
        return False
    return bool({name, base} & (SHELLS | INTERPRETERS | CARRIERS | _NEVER))
