"""What the flags come to: a session, a model, and the agent itself."""

import os
from collections.abc import Callable, Iterable, Mapping
from datetime import date
from pathlib import Path

from gantlet import __version__
from gantlet.assembly.agent import Agent
from gantlet.assembly.agent_parts import AgentParts
from gantlet.assembly.hooks import HookParts
from gantlet.assembly.models import DEFAULT_MODEL
from gantlet.assembly.system_prompt import Place, look_at_repository, system_prompt
from gantlet.config import Settings, SettingsRequest, read_memory, read_sources
from gantlet.hooks import CallbackHost, read_callbacks
from gantlet.messages import Event, JsonValue, Model
from gantlet.permissions import Asker
from gantlet.rules import SourceKind
from gantlet.session import (
    PointNotFoundError,
    Session,
    Shelf,
    all_sessions_folders,
    forked,
    new_session,
    resumed,
    sessions_folder,
)
from gantlet.surfaces.headless.flags import FlagError, Flags
from gantlet.system import Environment
from gantlet.tool import AnyTool, Mode

#: What programs that drive us take us for; they refuse older ones.
COMPATIBLE_VERSION = "2.1.300"

#: How long a session is kept that nobody touches, unless a setting says otherwise.
KEPT_DAYS = 30.0

_ALIASES = {
    "default": ("ANTHROPIC_MODEL", DEFAULT_MODEL),
    "sonnet": ("ANTHROPIC_DEFAULT_SONNET_MODEL", "claude-sonnet-5-5"),
    "opus": ("ANTHROPIC_DEFAULT_OPUS_MODEL", "claude-opus-5-5"),
    "haiku": ("ANTHROPIC_DEFAULT_HAIKU_MODEL", "claude-haiku-5-5"),
    "fable": ("ANTHROPIC_DEFAULT_FABLE_MODEL", "claude-fable-5-2"),
}


def open_session(flags: Flags, cwd: str, environment: Environment) -> Session | None:
    """Return the session the flags ask for; None if nothing is to be written down.

    Raises:
        UserError: It is not there, in use, or has no such point.
    """
    if flags.is_unrecorded:
        return None
    own = sessions_folder(environment)
    if not flags.is_resumed:
        return new_session(own, cwd, COMPATIBLE_VERSION, session_id=flags.session_id)
    shelf = Shelf(all_sessions_folders(environment))
    path = shelf.find(flags.resume, cwd) if flags.resume else shelf.latest(cwd)
    at = flags.resume_session_at
    _check_dropped(flags, path)
    try:
        if flags.fork_session:
            home = path.parent.parent
            session = forked(
                path, home, cwd, COMPATIBLE_VERSION, at=at, session_id=flags.session_id
            )
        else:
            session = resumed(path, cwd, COMPATIBLE_VERSION, at=at)
    except PointNotFoundError as error:
        raise FlagError(f"--resume-session-at: {error}") from error
    return session


def _check_dropped(flags: Flags, path: Path) -> None:
    """Refuse to drop another turn than the one that is meant."""
    dropped = flags.resume_drops_turn
    if dropped is None:
        return
    lines = path.read_bytes().decode("utf-8", "replace").splitlines()
    after = False
    for line in lines:
        if after and f'"uuid":"{dropped}"' in line:
            return
        if flags.resume_session_at and f'"uuid":"{flags.resume_session_at}"' in line:
            after = True
    raise FlagError(
        f"Resume rejected by --resume-drops-turn: {dropped} is not among what would be dropped."
    )


def model_name(flags: Flags, environment: Environment, configured: str | None) -> str:
    """Return the model to ask, with short names and the environment considered."""
    wanted = flags.model or environment.variables.get("ANTHROPIC_MODEL") or configured or "default"
    return full_name(wanted, environment)


def full_name(wanted: str, environment: Environment) -> str:
    """Return the name of a model that requests have, for a short one."""
    variable, known = _ALIASES.get(wanted, ("", wanted))
    return environment.variables.get(variable) or known if variable else wanted


def thinking(tokens: int) -> dict[str, object]:
    """Return how a request says for how long the model may think."""
    return {"type": "enabled", "budget_tokens": tokens} if tokens else {"type": "disabled"}


def request_fields(flags: Flags, environment: Environment) -> dict[str, object]:
    """Return what flags and the environment add to each request."""
    fields: dict[str, object] = {}
    given = environment.variables.get("MAX_THINKING_TOKENS", "")
    if flags.max_thinking_tokens is not None:
        fields["thinking"] = thinking(flags.max_thinking_tokens)
    elif given.isdecimal() and not flags.thinking:
        fields["thinking"] = thinking(int(given))
    elif flags.thinking:
        fields["thinking"] = {"type": flags.thinking}
    if flags.effort:
        fields["output_config"] = {"effort": flags.effort}
    return fields


def kept_days(settings: Settings) -> float:
    """Return for how many days sessions are kept.

    What a project says about it does not count: it must not delete what is not its own.
    """
    foreign = (SourceKind.PROJECT, SourceKind.LOCAL)
    for setting in settings.counted.get("cleanupPeriodDays", ()):
        days = setting.content
        if setting.source.kind not in foreign and isinstance(days, int | float) and days > 0:
            return float(days)
    return KEPT_DAYS


def starting_mode(flags: Flags, environment: Environment) -> Mode | None:
    """Return the mode the flags ask for, or None.

    Raises:
        FlagError: It may not be had here.
    """
    mode = Mode.BYPASS if flags.skip_permissions else flags.permission_mode
    if mode is Mode.BYPASS and os.geteuid() == 0 and not environment.is_set("IS_SANDBOX"):
        raise FlagError(
            "Permissions cannot be skipped as root: a mistake could destroy the machine. Run as"
            " another user, or set IS_SANDBOX=1 inside a container that may be lost."
        )
    return mode


async def open_agent(
    flags: Flags,
    cwd: str,
    environment: Environment,
    *,
    session: Session | None,
    listener: Callable[[Event], None],
    asker: Asker | None,
    callbacks: CallbackHost,
    told: Mapping[str, JsonValue],
    tools: Iterable[AnyTool] = (),
    mcp_tools: Iterable[AnyTool] = (),
    model: Model | None = None,
) -> Agent:
    """Return the agent, ready for its first prompt. `told` is what the driving program said.

    Raises:
        UserError: Settings or flags cannot be used.
    """
    sources = None if flags.setting_sources is None else list(flags.setting_sources)
    request = SettingsRequest(Path(cwd), environment, sources=read_sources(sources))
    places = request.places()
    name = model_name(flags, environment, None)
    replaced, appended = _prompts(flags, told)
    system, said_later = replaced or "", ""
    if replaced is None:
        place = Place(Path(cwd), flags.add_dir, await look_at_repository(Path(cwd), environment))
        memory = (
            ()
            if flags.is_bare
            else read_memory(
                Path(cwd), request.home, places.user.parent, places.managed, request.sources
            )
        )
        here = place.text(name, date.today())
        if flags.exclude_dynamic:
            said_later, here = here, ""
        system = system_prompt(here, appended=appended, memory=memory)
    elif appended:
        system = f"{replaced}\n\n{appended}".strip()
    agent = Agent(
        model or (name if flags.model or "ANTHROPIC_MODEL" in environment.variables else None),
        tools=tools,
        mcp_tools=mcp_tools,
        system=system,
        permission_mode=starting_mode(flags, environment),
        settings=flags.settings or None,
        setting_sources=sources,
        trust=flags.trust,
        cwd=cwd,
        max_turns=flags.max_turns,
        max_budget_usd=flags.max_budget_usd,
        fallback_models=tuple(one for one in flags.fallback_model.split(",") if one),
        request_fields=request_fields(flags, environment),
        betas=flags.betas,
        builtin_tools=flags.tools,
        allowed_tools=flags.allowed_tools,
        disallowed_tools=flags.disallowed_tools,
        directories=flags.add_dir,
        bypass_available=flags.allow_skip_permissions,
        parts=AgentParts(
            asker=asker,
            environment=environment,
            session=session,
            listener=listener,
            hook_parts=HookParts(read_callbacks(told.get("hooks")).entries, callbacks),
        ),
    )
    if said_later and not agent.messages:
        agent.wake(said_later)
    return agent


def _prompts(flags: Flags, told: Mapping[str, JsonValue]) -> tuple[str | None, str]:
    """Return what replaces our own words to the model, and what is added to them."""
    replaced, appended = flags.system_prompt, flags.append_system_prompt
    given = told.get("systemPrompt")
    if isinstance(given, str):
        replaced = given
    elif isinstance(given, list):
        replaced = "\n\n".join(str(part) for part in given)
    more = told.get("appendSystemPrompt")
    if isinstance(more, str):
        appended = f"{appended}\n\n{more}".strip()
    return replaced, appended


def version() -> str:
    """Return our own version."""
    return __version__
