"""The environment of commands: what they inherit, what is kept from them, and who must not ask."""

import os
import re
import shutil
from collections.abc import Mapping
from pathlib import Path

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
_SECRET_NAME = re.compile(
    r"(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL)S?(?:_|$)", re.IGNORECASE
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
#: What tells where programs are found: that is about the user's own search path.
_ASK_WHERE = frozenset({"which", "type", "command", "whereis", "hash"})
#: Where the system keeps its programs.
_SYSTEM_FOLDERS = (
    *("/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"),
)
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
_HARDENED = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_NO_LAZY_FETCH": "1",
}


def is_kept_from_commands(name: str) -> bool:
    """Return whether a variable is never handed on to a command."""
    return name in _OWN or name in _SHELL_STATE or _FUNCTION.fullmatch(name) is not None


def command_variables(
    inherited: Mapping[str, str],
    settings: ShellSettings,
    cwd: str,
    *,
    read_only: bool,
    more: Mapping[str, str] | None = None,
    programs: frozenset[str] = frozenset(),
) -> dict[str, str]:
    """Return the variables of a command; `more` is what files of variables say.

    What only reads gets the system's own search path if that holds the `programs` it runs.
    """
    kept = {name: text for name, text in inherited.items() if not is_kept_from_commands(name)}
    if settings.scrubs_secrets:
        kept = {name: value for name, value in kept.items() if not _SECRET_NAME.search(name)}
    kept.setdefault("PATH", os.defpath)
    added = added_variables(settings, cwd, read_only=read_only, given=kept, more=more)
    whole = {"GIT_SSH_COMMAND": "ssh -oBatchMode=yes", **kept, **added}
    return {**whole, "PATH": _trusted_path(whole["PATH"], programs)} if read_only else whole


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


def absolute_only(path: str) -> str:
    """Return a search path without entries that mean where the command happens to be."""
    return os.pathsep.join(one for one in path.split(os.pathsep) if one.startswith("/"))


def _trusted_path(path: str, programs: frozenset[str]) -> str:
    """Return where what only reads is looked for.

    Only where nobody but the system's owner can put a program, as long as every program is the
    same there: a version of the user's own (nvm, a virtual environment) must not be passed over.
    """
    users = absolute_only(path)
    systems = os.pathsep.join(filter(_is_guarded, _SYSTEM_FOLDERS))
    if not programs or programs & _ASK_WHERE or not systems:
        return users
    is_same = all(_found(one, users) in ("", _found(one, systems)) for one in programs)
    return systems if is_same else users


def _found(program: str, path: str) -> str:
    """Return the file that a program is, or nothing."""
    found = shutil.which(program, path=path)
    return os.path.realpath(found) if found else ""


def _is_guarded(folder: str) -> bool:
    """Return whether a folder is the system's, and others may not write there."""
    try:
        facts = Path(folder).stat()
    except OSError:
        return False
    return facts.st_uid == 0 and not facts.st_mode & 0o022


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
