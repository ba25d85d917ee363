"""The few variables that a sandboxed command gets."""

from collections.abc import Iterable, Mapping

_PASSED = frozenset(
    (
        *("PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TERM", "COLORTERM"),
        *("NO_COLOR", "TZ", "COLUMNS", "LINES", "EDITOR", "VIRTUAL_ENV", "CONDA_PREFIX"),
        *("JAVA_HOME", "GOPATH", "GOROOT", "NVM_DIR"),
    )
)
_PASSED_PREFIX = "LC_"
_PROXY_NAMES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
_NOT_PROXIED = "localhost,127.0.0.1,::1"


def minimal_environment(
    variables: Mapping[str, str], *, passed: Iterable[str] = (), dropped: Iterable[str] = ()
) -> dict[str, str]:
    """Return what of an environment a sandboxed command needs.

    Args:
        variables: The environment to take from.
        passed: More names to pass on.
        dropped: Names never to pass on.
    """
    wanted = (_PASSED | set(passed)) - set(dropped)
    kept = {
        name: text
        for name, text in variables.items()
        if name in wanted or (name.startswith(_PASSED_PREFIX) and name not in dropped)
    }
    if "PATH" in kept:
        folders = [one for one in kept["PATH"].split(":") if one.startswith("/")]
        kept["PATH"] = ":".join(folders)
    return kept


def proxy_environment(port: int) -> dict[str, str]:
    """Return the variables by which programs find the proxy inside."""
    address = f"http://127.0.0.1:{port}"
    named = {form: address for name in _PROXY_NAMES for form in (name, name.lower())}
    return named | {
        "NO_PROXY": _NOT_PROXIED,
        "no_proxy": _NOT_PROXIED,
        "NODE_USE_ENV_PROXY": "1",
    }
