"""The hooks of an agent: what a program brings for them, and who runs them."""

from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path

from gantlet.assembly.configuration import Configuration
from gantlet.config import HOOK_FOLDER, Settings
from gantlet.execution import Spill
from gantlet.hooks import (
    CallbackHost,
    HookEntry,
    HookPorts,
    HookRunner,
    HookSession,
    HookSettings,
    McpCaller,
    Moment,
)
from gantlet.loop import Conversation
from gantlet.messages import (
    Event,
    ModelError,
    ModelRequest,
    Text,
    blocks_of,
    dumps,
)
from gantlet.messages.value import value
from gantlet.permissions import (
    Engine,
    Request,
)
from gantlet.rules import Rule
from gantlet.system import Environment, Masker, home_folder
from gantlet.tool import ask_traits

#: Longer words of a hook go to a file, and the model gets a preview.
MAX_CONTEXT_CHARS = 10_000
#: After so long a question that waits for a person is worth a notification.
NOTIFY_SECONDS = 6.0
_JUDGE = (
    "You decide for a hook of a coding agent whether something is all right. Answer with one JSON"
    ' object and nothing else: {"ok": true} if it is, {"ok": false, "reason": "…"} if it is not.'
    ' Where what is asked for can never become true, add "impossible": true.'
)
_JUDGE_TOKENS = 1_000


@value
class HookParts:
    """What a program may bring along for its agent's hooks.

    Attributes:
        entries: More hooks than the settings hold: of the program that drives us, of plug-ins.
        callbacks: Where the functions are that entries know by an id.
        mcp: The servers whose tools hooks may call.
        notify_seconds: How long a question waits for a person before hooks are notified.
    """

    entries: tuple[HookEntry, ...] = ()
    callbacks: CallbackHost | None = None
    mcp: McpCaller | None = None
    notify_seconds: float = NOTIFY_SECONDS


def hook_settings(settings: Settings) -> HookSettings:
    """Return what settings say about hooks besides the hooks that count."""
    return HookSettings(
        http_urls=settings.texts("allowedHttpHookUrls"),
        http_variables=settings.texts("httpHookAllowedEnvVars"),
        env=settings.child_env,
        users_env=settings.users_env,
    )


def open_runner(
    session: HookSession,
    parts: HookParts,
    *,
    conversation: Conversation,
    configuration: Configuration,
    engine: Engine,
    spill: Spill,
    emit: Callable[[Event], None],
    wake: Callable[[str], None],
) -> HookRunner:
    """Return who runs the hooks of a session."""
    numbers = count(1)
    environment = configuration.environment
    masker = Masker({**environment.variables, **configuration.settings.child_env})

    async def fit(text: str) -> str:
        if len(text) <= MAX_CONTEXT_CHARS:
            return text
        name = f"hook-{session.session_id}-{next(numbers)}"
        return str(await spill.fit(name, text, MAX_CONTEXT_CHARS))

    ports = HookPorts(
        emit=emit,
        asker=ModelJudge(conversation),
        mcp=parts.mcp,
        callbacks=parts.callbacks,
        condition=partial(_holds, engine),
        mask=masker.text,
        fit=fit,
        refresh=configuration.refresh,
        wake=wake,
        variables=environment.variables,
        env_file=env_file_of(session.session_id, environment),
    )
    return HookRunner(session, ports=ports)


def env_file_of(session_id: str, environment: Environment) -> Path:
    """Return where hooks write variables for the commands of a session."""
    return home_folder(environment) / f"{HOOK_FOLDER}/{session_id}.sh"


def _holds(engine: Engine, rule: Rule, moment: Moment) -> bool:
    """Return whether a hook's condition holds for a call."""
    traits = ask_traits(moment.tool, moment.args)
    request = Request(
        moment.call, moment.tool, moment.args, traits, moment.surroundings, moment.agent
    )
    return engine.means(rule, request)


@value
class ModelJudge:
    """The agent's own model, asked for a hook, outside the conversation."""

    conversation: Conversation

    async def ask(self, prompt: str, model: str, *, with_tools: bool) -> str:
        """Return the model's words.

        Raises:
            LookupError: The hook wants an agent, which cannot be had here.
        """
        if with_tools:
            raise LookupError("Hooks of type agent are not run here; use one of type prompt.")
        talk = self.conversation
        question = {"role": "user", "content": [{"type": "text", "text": prompt}]}
        request = ModelRequest(
            model=model or talk.model_name,
            max_tokens=_JUDGE_TOKENS,
            messages=[dumps(question)],
            system=dumps([{"type": "text", "text": _JUDGE}]),
        )
        try:
            reply = await talk.model.complete(request)
        except ModelError as error:
            raise LookupError(f"The model could not be asked: {error}") from error
        return "".join(block.text for block in blocks_of(reply) if isinstance(block, Text))
