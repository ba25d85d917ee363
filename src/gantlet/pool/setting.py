"""What the user's setting says about deferring tools."""

from urllib.parse import urlsplit

from gantlet.pool.deferral import DEFAULT_PERCENT, Deferral
from gantlet.pool.flags import TOOL_SEARCH
from gantlet.pool.gate import shown
from gantlet.system import Environment
from gantlet.tool import Problem

SETTING_VARIABLE = "ENABLE_TOOL_SEARCH"
ENDPOINT_VARIABLE = "ANTHROPIC_BASE_URL"
_HOME_DOMAIN = "anthropic.com"


OFF = Deferral(is_on=False)
ON = Deferral(is_on=True)


def read_setting(environment: Environment) -> tuple[Deferral, Problem | None]:
    """Return what `ENABLE_TOOL_SEARCH` asks for, and what is wrong with it.

    Unset means on, except where the endpoint is a foreign host, which may not know deferred tools.
    """
    if TOOL_SEARCH not in environment.flags:
        return OFF, None
    text = environment.variables.get(SETTING_VARIABLE, "").strip().lower()
    if text == "":
        return (OFF if _is_foreign(environment) else ON), None
    if text in {"true", "1"}:
        return ON, None
    if text in {"false", "0"}:
        return OFF, None
    if text == "auto":
        return Deferral(is_on=True, mcp_percent=DEFAULT_PERCENT), None
    percent = _percent(text)
    if percent is not None:
        return Deferral(is_on=True, mcp_percent=percent, own_percent=percent), None
    reason = f"its value {shown(text)} is none of true, false, auto, auto:N; it counts as unset"
    default = OFF if _is_foreign(environment) else ON
    return default, Problem(SETTING_VARIABLE, reason)


def _is_foreign(environment: Environment) -> bool:
    """Return whether requests go to somebody else's server, or to nobody knows where."""
    endpoint = environment.variables.get(ENDPOINT_VARIABLE, "").strip()
    if not endpoint:
        return False
    try:
        host = (urlsplit(endpoint).hostname or "").removesuffix(".")
    except ValueError:
        return True
    return host != _HOME_DOMAIN and not host.endswith(f".{_HOME_DOMAIN}")


def _percent(text: str) -> float | None:
    """Return the N of `auto:N`, 0 to 100, if it is one."""
    head, _, number = text.partition(":")
    if head != "auto" or not number.isascii() or not number.isdigit():
        return None
    return float(number) if len(number) <= 3 and int(number) <= 100 else None
