"""What the command line of the main program says, as one value."""

from collections.abc import Mapping

from gantlet.messages import JsonValue
from gantlet.messages.value import value
from gantlet.tool import Mode, UserError

NOTHING_TO_DO = (
    "There is nothing to do: give a prompt, as in gantlet -p 'What is here?', or pipe one in."
)


class FlagError(UserError):
    """A flag that cannot be used as it was given."""


@value
class Flags:
    """What the command line of the main program says."""

    prompt: str = ""
    is_print: bool = False
    output_format: str = "text"
    input_format: str = "text"
    is_verbose: bool = False
    include_partial_messages: bool = False
    include_hook_events: bool = False
    replay_user_messages: bool = False
    model: str = ""
    fallback_model: str = ""
    max_turns: int | None = None
    max_budget_usd: float | None = None
    max_output_tokens: int | None = None
    max_seconds: float | None = None
    system_prompt: str | None = None
    append_system_prompt: str = ""
    tools: str = "default"
    allowed_tools: tuple[str, ...] = ()
    disallowed_tools: tuple[str, ...] = ()
    permission_mode: Mode | None = None
    skip_permissions: bool = False
    allow_skip_permissions: bool = False
    permission_prompt_tool: str = ""
    add_dir: tuple[str, ...] = ()
    settings: str = ""
    setting_sources: tuple[str, ...] | None = None
    mcp_config: tuple[str, ...] = ()
    strict_mcp_config: bool = False
    agents: Mapping[str, JsonValue] | None = None
    is_continued: bool = False
    resume: str | None = None
    fork_session: bool = False
    session_id: str | None = None
    resume_session_at: str | None = None
    resume_drops_turn: str | None = None
    is_unrecorded: bool = False
    name: str = ""
    json_schema: Mapping[str, JsonValue] | None = None
    betas: tuple[str, ...] = ()
    max_thinking_tokens: int | None = None
    thinking: str = ""
    effort: str = ""
    debug: str | None = None
    debug_file: str = ""
    trust: bool = False
    exclude_dynamic: bool = False
    disable_slash_commands: bool = False
    is_bare: bool = False
    script: str = ""
    record: str | None = None
    replay: str | None = None

    @property
    def is_headless(self) -> bool:
        """Whether nobody sits before a screen."""
        return self.is_print or self.input_format == "stream-json"

    @property
    def speaks_control(self) -> bool:
        """Whether a program drives us through standard input."""
        return self.input_format == "stream-json"

    @property
    def is_resumed(self) -> bool:
        """Whether a session goes on that there was before."""
        return self.is_continued or self.resume is not None
