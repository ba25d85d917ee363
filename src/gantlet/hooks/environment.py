"""What a hook's program finds in its environment: little, and no secret not meant for it."""

from collections.abc import Mapping

from gantlet.hooks.occasion import HookSession

#: What programs need to work at all, and where their things are.
_NAMES = (
    "PATH HOME USER LOGNAME SHELL LANG LANGUAGE TERM COLORTERM NO_COLOR TMPDIR TMP TEMP TZ PWD"
    " DISPLAY WAYLAND_DISPLAY DBUS_SESSION_BUS_ADDRESS SSH_AUTH_SOCK CI"
    " VIRTUAL_ENV CONDA_PREFIX PYENV_ROOT NVM_DIR NVM_BIN VOLTA_HOME PNPM_HOME BUN_INSTALL"
    " RBENV_ROOT GEM_HOME JAVA_HOME GOPATH GOROOT CARGO_HOME RUSTUP_HOME"
    " CLAUDE_CONFIG_DIR GANTLET_HOME SYSTEMROOT"
)
_PASSED = frozenset(_NAMES.split())
_PASSED_PREFIXES = ("LC_", "XDG_")


def hook_environment(
    variables: Mapping[str, str],
    configured: Mapping[str, str],
    session: HookSession,
    env_file: str = "",
) -> dict[str, str]:
    """Return the environment of a hook's program.

    Args:
        session: What it is told about the session.
        variables: Our own environment, of which only what is harmless is passed on.
        configured: What settings say every program should have, whatever it is.
        env_file: Where the hook may write variables for later commands.
    """
    passed = {
        name: text
        for name, text in variables.items()
        if name in _PASSED or name.startswith(_PASSED_PREFIXES)
    }
    told = {
        "CLAUDE_PROJECT_DIR": session.project_dir,
        "CLAUDE_ENV_FILE": env_file,
        "CLAUDE_EFFORT": session.effort,
    }
    return {
        **passed,
        **{name: text for name, text in configured.items() if not name.startswith("OTEL_")},
        **{name: text for name, text in told.items() if text},
        "CLAUDECODE": "1",
        "CLAUDE_CODE_SESSION_ID": session.session_id,
        "CLAUDE_CODE_REMOTE": "true" if session.is_remote else "false",
    }
