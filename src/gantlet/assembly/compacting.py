"""When conversations are made shorter, as the environment and the settings say."""

from gantlet.config import Settings
from gantlet.loop import CompactionSettings
from gantlet.models.messages_api.variables import Variables
from gantlet.system import Environment
from gantlet.tool import UserError

_SHARE_VARIABLE = "CLAUDE_AUTOCOMPACT_PCT_OVERRIDE"


def compaction_settings(environment: Environment, values: Settings) -> CompactionSettings:
    """Return when a conversation is made shorter.

    Raises:
        UserError: A variable holds no number, or no share.
    """
    variables = Variables(environment.variables)
    percent = variables.count(_SHARE_VARIABLE, 85)
    if not 0 < percent <= 100:
        raise UserError(f"{_SHARE_VARIABLE} is {percent}. Give a whole number from 1 to 100.")
    window = values.value("autoCompactWindow")
    wanted = int(window) if isinstance(window, int | float) and window > 0 else 0
    return CompactionSettings(
        is_possible=not environment.is_set("DISABLE_COMPACT"),
        is_automatic=not environment.is_set("DISABLE_AUTO_COMPACT")
        and values.is_on("autoCompactEnabled", default=True),
        share=percent / 100,
        context_tokens=variables.count("CLAUDE_CODE_MAX_CONTEXT_TOKENS", 0),
        window_tokens=variables.count("CLAUDE_CODE_AUTO_COMPACT_WINDOW", 0) or wanted,
    )
