"""The agent that the flags and the driving program ask for."""

import os
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from functools import partial
from pathlib import Path

from gantlet.assembly.agent import Agent
from gantlet.assembly.agent_parts import AgentParts, SystemPrompt
from gantlet.assembly.hooks import HookParts
from gantlet.assembly.system_prompt import Place, look_at_repository, system_prompt
from gantlet.config import MemoryFile, SettingsRequest, read_memory, read_sources
from gantlet.hooks import read_callbacks
from gantlet.loop import Limits
from gantlet.messages import Event
from gantlet.permissions import Asker
from gantlet.surfaces.headless.callbacks import ControlCallbacks
from gantlet.surfaces.headless.desk import Desk
from gantlet.surfaces.headless.flags import FlagError, Flags
from gantlet.surfaces.headless.model_choice import model_name, request_fields
from gantlet.surfaces.headless.structured import INSTRUCTION
from gantlet.system import Environment
from gantlet.tool import AnyTool, Mode


async def open_agent(
    desk: Desk,
    listener: Callable[[Event], None],
    asker: Asker | None,
    mcp_tools: Iterable[AnyTool],
) -> Agent:
    """Return the agent, ready for its first prompt.

    Raises:
        UserError: Settings or flags cannot be used.
    """
    flags, environment = desk.flags, desk.environment
    source = desk.source
    source.note_changing("session", desk.session_id)
    name = source.name or model_name(flags, environment, None)
    is_named = bool(source.name or flags.model) or "ANTHROPIC_MODEL" in environment.variables
    system, said_later = await _words(desk, name)
    entries = read_callbacks(desk.told.get("hooks")).entries
    agent = Agent(
        source.instead or (name if is_named else None),
        tools=() if desk.schema is None else (desk.schema,),
        mcp_tools=mcp_tools,
        system=system,
        permission_mode=starting_mode(flags, environment),
        settings=flags.settings or None,
        setting_sources=_sources(flags),
        trust=flags.trust,
        cwd=desk.cwd,
        max_turns=flags.max_turns,
        max_budget_usd=flags.max_budget_usd,
        limits=Limits(max_output_tokens=flags.max_output_tokens, max_seconds=flags.max_seconds),
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
            session=desk.session,
            listener=listener,
            hook_parts=HookParts(entries, ControlCallbacks(desk.control), desk.servers),
            between=source.between,
        ),
    )
    if said_later and not agent.messages:
        agent.wake(said_later)
    return agent


def _sources(flags: Flags) -> list[str] | None:
    """Return the settings files that count; None if nobody said which."""
    return None if flags.setting_sources is None else list(flags.setting_sources)


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


async def _words(desk: Desk, model: str) -> tuple[SystemPrompt, str]:
    """Return what the model is told before everything, and what it is told with the first prompt.

    The place and the day change from session to session, so they may be wanted later.
    """
    replaced, appended = _prompts(desk)
    if replaced is not None:
        return (f"{replaced}\n\n{appended}".strip() if appended else replaced), ""
    flags, cwd = desk.flags, Path(desk.cwd)
    place = Place(cwd, flags.add_dir, await look_at_repository(cwd, desk.environment))
    here = place.text(model, date.today())
    desk.source.note_changing("place", here)
    desk.memory = memory = () if flags.is_bare else _memory(desk)
    if flags.exclude_dynamic:
        return partial(system_prompt, here="", appended=appended, memory=memory), here
    return partial(system_prompt, here=here, appended=appended, memory=memory), ""


def _prompts(desk: Desk) -> tuple[str | None, str]:
    """Return what replaces our own words to the model, and what is added to them."""
    replaced, appended = desk.flags.system_prompt, desk.flags.append_system_prompt
    given = desk.told.get("systemPrompt")
    if isinstance(given, str):
        replaced = given
    elif isinstance(given, list):
        replaced = "\n\n".join(str(part) for part in given)
    instruction = INSTRUCTION if desk.schema is not None else None
    for more in (desk.told.get("appendSystemPrompt"), instruction):
        if isinstance(more, str):
            appended = f"{appended}\n\n{more}".strip()
    return replaced, appended


def _memory(desk: Desk) -> Sequence[MemoryFile]:
    """Return the instructions that people keep in files for this place."""
    cwd = Path(desk.cwd)
    request = SettingsRequest(cwd, desk.environment, sources=read_sources(_sources(desk.flags)))
    places = request.places()
    return read_memory(cwd, request.home, places.user.parent, places.managed, request.sources)
