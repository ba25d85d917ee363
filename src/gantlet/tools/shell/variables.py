"""The environment of commands: what they inherit, what is kept from them, and who must not ask."""

import os
import re
from collections.abc import Mapping
from fnmatch import fnmatchcase

from gantlet.system import is_secret_name
from gantlet.system.programs import absolute_folders
from gantlet.tools.shell.settings import ShellSettings

#: Our own way to the model is nobody else's business.
_OWN = frozenset(
    {"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_CUSTOM_HEADERS", "GANTLET_API_KEY"}
)
#: What would make a shell read or do something before, or other than, what it was given.
_SHELL_STATE = frozenset(
    {
        "BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS", "PS4", "CDPATH", "GLOBIGNORE", "PROMPT_COMMAND",
        "BASH_XTRACEFD", "OLDPWD", "PWD", "SHLVL", "_", "POSIXLY_CORRECT", "ZDOTDIR",
    }
)  # fmt: skip
_FUNCTION = re.compile(r"BASH_FUNC_.*%%|BASH_FUNC_.*\(\)")
#: What makes a program load or run something else than it is known for, or write somewhere.
_STEERING = re.compile(
    r"LD_\w+|DYLD_\w+|GIT_(?:EXTERNAL_DIFF|PROXY_COMMAND|SSH\w*|TRACE\w*|TEMPLATE_DIR|ATTR_SOURCE)"
    r"|RIPGREP_CONFIG_PATH|LESSOPEN|LESSCLOSE|PYTHON(?:PATH|HOME|STARTUP|INSPECT|BREAKPOINT|USERBASE)"
    r"|PERL5?(?:OPT|LIB|DB)|RUBY(?:OPT|LIB)|NODE_(?:OPTIONS|PATH)|(?:_JAVA|JAVA_TOOL|JDK_JAVA)_OPTIONS"
    r"|TAR_OPTIONS|GREP_OPTIONS|MAN(?:OPT|ROFFOPT)|FZF_DEFAULT_\w+|\w+_WRAPPER"
)
#: Nobody is there to turn pages, to write in an editor, or to type a password.
_UNATTENDED = {
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "GH_PAGER": "cat",
    "MANPAGER": "cat",
    "SYSTEMD_PAGER": "cat",
    "BAT_PAGER": "cat",
    "DELTA_PAGER": "cat",
    "AWS_PAGER": "",
    "LESS": "-FRX",
    "EDITOR": "true",
    "VISUAL": "true",
    "GIT_EDITOR": "true",
    "GIT_SEQUENCE_EDITOR": "true",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "false",
    "SSH_ASKPASS": "false",
    "SSH_ASKPASS_REQUIRE": "force",
    "SUDO_ASKPASS": "/bin/false",
    "GCM_INTERACTIVE": "never",
    "DEBIAN_FRONTEND": "noninteractive",
    "PIP_NO_INPUT": "1",
    "TERM": "dumb",
    "GANTLET": "1",
}
#: For git that was proved to read only: nothing of a repository's own may run, nothing is written.
_HARDENED_CONFIG = {
    "core.fsmonitor": "false",
    "core.hooksPath": "/dev/null",
    "core.pager": "cat",
    "core.editor": "true",
    "core.askPass": "false",
    "core.sshCommand": "false",
    "core.alternateRefsCommand": "",
    "core.gitProxy": "",
    "credential.helper": "",
    "gpg.program": "false",
    "log.showSignature": "false",
    "protocol.allow": "never",
    "protocol.ext.allow": "never",
    "safe.bareRepository": "explicit",
    "submodule.recurse": "false",
}
#: For programs that were proved to read only: they ask no server for what is missing.
_OFFLINE = {"GOPROXY": "off", "GOTOOLCHAIN": "local", "CARGO_NET_OFFLINE": "true"}
_HARDENED = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_NO_LAZY_FETCH": "1",
}


def is_kept_from_commands(name: str) -> bool:
    """Return whether a variable is never handed on to a command."""
    return name in _OWN or name in _SHELL_STATE or _FUNCTION.fullmatch(name) is not None


def withheld(inherited: Mapping[str, str], settings: ShellSettings) -> frozenset[str]:
    """Return the names of credentials that commands do not get."""
    if settings.hands_on_secrets:
        return frozenset()
    return frozenset(
        name
        for name in inherited
        if is_secret_name(name)
        and not any(fnmatchcase(name, pattern) for pattern in settings.kept_variables)
    )


def command_variables(
    inherited: Mapping[str, str],
    settings: ShellSettings,
    cwd: str,
    *,
    read_only: bool,
    more: Mapping[str, str] | None = None,
    is_known: bool = False,
    path: str = "",
) -> dict[str, str]:
    """Return the variables of a command; `more` is what files of variables say.

    One that runs because its programs are known gets nothing by which they would do more. With
    `path` they are looked for there and nowhere else.
    """
    secrets = withheld(inherited, settings)
    kept = {
        name: text
        for name, text in inherited.items()
        if name not in secrets and not is_kept_from_commands(name)
    }
    kept.setdefault("PATH", os.defpath)
    added = added_variables(settings, cwd, read_only=read_only, given=kept, more=more)
    whole = {"GIT_SSH_COMMAND": "ssh -oBatchMode=yes", **kept, **added}
    if is_known:
        whole = {name: text for name, text in whole.items() if not _STEERING.fullmatch(name)}
        whole |= _OFFLINE
    if read_only:
        whole["PATH"] = os.pathsep.join(absolute_folders(whole["PATH"]))
    return {**whole, "PATH": path} if path else whole


def added_variables(
    settings: ShellSettings,
    cwd: str,
    *,
    read_only: bool,
    given: Mapping[str, str] | None = None,
    more: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """Return the variables that commands have from us, whatever they inherit."""
    added = {**settings.variables, **(more or {}), **_UNATTENDED, "PWD": cwd}
    if settings.temporary_folder:
        added["TMPDIR"] = settings.temporary_folder
    return {**added, **_hardened({**(given or {}), **added})} if read_only else added


def _hardened(variables: Mapping[str, str]) -> dict[str, str]:
    """Return what keeps git from running anything that a repository names."""
    before = variables.get("GIT_CONFIG_COUNT", "0")
    count = int(before) if before.isascii() and before.isdigit() else 0
    hardened = dict(_HARDENED)
    for number, (name, value) in enumerate(_HARDENED_CONFIG.items(), start=count):
        hardened[f"GIT_CONFIG_KEY_{number}"] = name
        hardened[f"GIT_CONFIG_VALUE_{number}"] = value
    hardened["GIT_CONFIG_COUNT"] = str(count + len(_HARDENED_CONFIG))
    return hardened
