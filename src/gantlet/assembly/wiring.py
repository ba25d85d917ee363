"""Puts an agent together from its options: settings, permission, tools, conversation, services."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from uuid import uuid4

from gantlet.assembly.agent_hooks import AgentHooks
from gantlet.assembly.agent_parts import AgentOptions, AgentParts, Voice
from gantlet.assembly.compacting import compaction_settings
from gantlet.assembly.configuration import (
    Configuration,
    FreshPermission,
    SettingsChange,
    open_configuration,
)
from gantlet.assembly.files import SessionFiles
from gantlet.assembly.hooks import env_file_of
from gantlet.assembly.key_helper import KeyHelper
from gantlet.assembly.models import DEFAULT_MODEL, open_model, reply_tokens
from gantlet.assembly.shell import SessionShell, open_session_shell
from gantlet.assembly.toolbox import open_toolbox
from gantlet.config import SettingsRequest, read_sources
from gantlet.execution import (
    ExecutionSettings,
    Services,
    SiblingFailure,
    Spill,
    concurrency_from,
)
from gantlet.hooks import HookSession, stop_cap
from gantlet.loop import Conversation, History, LoopSettings
from gantlet.messages import Behaviour, Model, Notice, NoticeLevel
from gantlet.messages.value import replace, value
from gantlet.permissions import AddRules, Destination, Engine
from gantlet.pool import DEFAULT_FLAGS, Toolbox
from gantlet.session import unsure_calls
from gantlet.system import Environment, Masker, home_folder
from gantlet.system.garbage import nothing_to_collect
from gantlet.tool import AnyTool, Ports, Problem, Surroundings, Tool, ToolDefinitionError

#: What a model that is handed over as an object is called in requests.
HANDED_OVER = "model"


@value
class Wired:
    """Everything an agent works with, each part knowing the others it needs."""

    configuration: Configuration
    engine: Engine
    hooks: AgentHooks
    files: SessionFiles
    shell: SessionShell
    conversation: Conversation
    services: Services
    execution: ExecutionSettings
    problems: tuple[Problem, ...]


@nothing_to_collect()
def wire(options: AgentOptions, parts: AgentParts, voice: Voice) -> Wired:
    """Make every part of an agent.

    Raises:
        UserError: The settings cannot be used.
        ToolDefinitionError: What is handed over as a tool is none.
    """
    configuration = _configuration(options, parts)
    configuration.listeners.append(lambda change: _tell(change, voice))
    hooks = AgentHooks(voice.emit, voice.wake, voice.interrupt)
    engine = _engine(options, parts, configuration, hooks, voice)
    files = _files(parts, configuration.environment)
    hook_session = _hook_session(options, parts, configuration)
    shell = open_session_shell(
        options.cwd,
        configuration,
        engine.holder,
        env_file_of(hook_session.session_id, configuration.environment),
    )
    toolbox = open_toolbox(
        _checked(options.tools),
        _checked(options.mcp_tools),
        environment=configuration.environment,
        denied=[*configuration.settings.denied, *options.disallowed_tools],
        selected=options.builtin_tools,
        ports=Ports({**files.ports, **shell.ports}),
    )
    conversation = _conversation(options, parts, configuration, toolbox, voice)
    context = engine.holder.current
    further = tuple(one.path for one in context.working_directories if one.path != options.cwd)
    conversation.surroundings = Surroundings(options.cwd, further, context.mode)
    conversation.news = shell.board.take_news
    spill = _spill(parts, configuration.environment)
    hooks.open(
        hook_session,
        parts.hook_parts,
        configuration=configuration,
        conversation=conversation,
        engine=engine,
        spill=spill,
        instead=parts.hooks,
    )
    fresh = FreshPermission(engine, configuration)
    services = Services(
        pool=toolbox.pool,
        permission=parts.permission or fresh,
        hooks=hooks.hooks,
        spill=spill,
        emit=voice.emit,
        reveal=toolbox.catalog.reveal,
        is_heard=voice.is_heard,
        masker=Masker(configuration.environment.variables),
    )
    if parts.permission is None:
        services = replace(services, known=fresh.known)
    return Wired(
        configuration,
        engine,
        hooks,
        files,
        shell,
        conversation,
        services,
        parts.execution or _execution(configuration),
        (*toolbox.problems, *configuration.problems),
    )


def _configuration(options: AgentOptions, parts: AgentParts) -> Configuration:
    """Return the settings of the session."""
    return open_configuration(
        SettingsRequest(
            Path(options.cwd),
            parts.environment or Environment.current(DEFAULT_FLAGS),
            options.settings,
            read_sources(options.setting_sources),
            options.trust,
        )
    )


def _tell(change: SettingsChange, voice: Voice) -> None:
    """Tell the user what does not count any more as written, once settings have changed."""
    for remark in change.after.remarks:
        if remark not in change.before.remarks:
            voice.emit(Notice(NoticeLevel.WARNING, remark))


def _engine(
    options: AgentOptions,
    parts: AgentParts,
    configuration: Configuration,
    hooks: AgentHooks,
    voice: Voice,
) -> Engine:
    """Return what decides about calls."""
    where = Destination.COMMAND_LINE
    given = (
        (options.allowed_tools, Behaviour.ALLOW),
        (options.disallowed_tools, Behaviour.DENY),
    )
    return configuration.open_engine(
        options.mode,
        voice.emit,
        hooks.asker(parts.asker, parts.hook_parts.notify_seconds),
        avoid_prompts=parts.asker is None,
        directories=options.directories,
        rules=tuple(AddRules(tuple(rules), kind, where) for rules, kind in given if rules),
        bypass_available=options.bypass_available,
    )


def _files(parts: AgentParts, environment: Environment) -> SessionFiles:
    """Return what the session knows of files, and its log of changes."""
    return SessionFiles.below(home_folder(environment), parts.session)


def _conversation(
    options: AgentOptions,
    parts: AgentParts,
    configuration: Configuration,
    toolbox: Toolbox,
    voice: Voice,
) -> Conversation:
    """Return the conversation, as it begins or goes on."""
    values, environment, session = configuration.settings, configuration.environment, parts.session
    model = options.model or values.text("model") or DEFAULT_MODEL
    conversation = Conversation(
        model=_model(options, model, configuration, parts),
        toolbox=toolbox,
        surroundings=Surroundings(options.cwd),
        settings=LoopSettings(
            model=model if isinstance(model, str) else HANDED_OVER,
            fallback_models=options.fallback_models or values.texts("fallbackModel") or (),
            max_tokens=options.max_tokens or reply_tokens(environment),
            limits=options.limits,
            extra=dict(options.request_fields),
            betas=options.betas,
            stop_hook_cap=stop_cap(environment.variables),
            compaction=compaction_settings(environment, values),
        ),
        emit=voice.emit,
        system=_system(options, toolbox),
        history=session.history if session else parts.history or History(),
        record=session,
        deferred=parts.deferred or (session.deferred if session else None),
    )
    if session is not None:
        conversation.reminders += unsure_calls(session)
    return conversation


def _system(options: AgentOptions, toolbox: Toolbox) -> str:
    """Return what the model is told first, about the tools there are."""
    if isinstance(options.system, str):
        return options.system
    return options.system(frozenset(tool.name for tool in toolbox.pool))


def _model(
    options: AgentOptions, model: Model | str, configuration: Configuration, parts: AgentParts
) -> Model:
    """Return the model that is asked: the one that was named, or what comes between."""
    environment = configuration.environment
    helper = KeyHelper.of(configuration.settings, environment)
    opened = open_model(model, environment, options.base_url, options.api_key, helper)
    if parts.between is None:
        return opened
    return parts.between(opened, Masker(environment.variables))


def _spill(parts: AgentParts, environment: Environment) -> Spill:
    """Return where results go that are too big."""
    session = parts.session
    return Spill(session.results_folder if session else home_folder(environment) / "tool-results")


def _hook_session(
    options: AgentOptions, parts: AgentParts, configuration: Configuration
) -> HookSession:
    """Return what hooks are told of the session."""
    session = parts.session
    own, path = (session.id, str(session.path)) if session else (str(uuid4()), "")
    project = str(configuration.settings.places.root)
    return HookSession(own, path, project_dir=project, effort=_effort(options.request_fields))


def _effort(fields: Mapping[str, object]) -> str:
    """Return how hard the model is asked to think; empty if nothing is said about it."""
    config = fields.get("output_config")
    effort = config.get("effort") if isinstance(config, Mapping) else None
    return effort if isinstance(effort, str) else ""


def _execution(configuration: Configuration) -> ExecutionSettings:
    """Return how calls are run, as settings say."""
    failure = configuration.settings.text("siblingFailure") or "dependent"
    return ExecutionSettings(
        max_concurrency=concurrency_from(configuration.environment),
        sibling_failure=SiblingFailure(failure),
    )


def _checked(tools: Sequence[AnyTool]) -> Sequence[AnyTool]:
    """Return tools, or say what is handed over in place of one.

    Raises:
        ToolDefinitionError: It is no tool.
    """
    for tool in tools:
        if not isinstance(tool, Tool):
            raise ToolDefinitionError(
                f"{tool!r} is not a tool. Put @tool on the function, or hand over an instance of"
                " a Tool."
            )
    return tools
