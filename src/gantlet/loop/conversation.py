"""A conversation as it stands: its history, its model, and the request for its next step."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field

from gantlet.execution import Answer, Effects
from gantlet.loop.attachments import added_by, answer_message
from gantlet.loop.container import container_of, with_container
from gantlet.loop.continuing import with_less_thinking
from gantlet.loop.history import History
from gantlet.loop.record import Record
from gantlet.loop.settings import LoopSettings
from gantlet.messages import (
    AssistantMessage,
    Capabilities,
    Event,
    JsonValue,
    MessageFinished,
    Model,
    ModelRequest,
    ResultsReady,
    ToolsRevealed,
    ToolUse,
    UserMessage,
    blocks_of,
    dumps,
)
from gantlet.messages.value import replace, slotted
from gantlet.pool import RequestTools, Toolbox
from gantlet.tool import RequestView, Surroundings


@slotted
class Conversation:
    """What lasts from turn to turn. `history` is always one the API accepts.

    Attributes:
        held: What calls put beside their results when nothing but results could be said.
        deferred: A call of the last reply that a hook put off; it is asked again, then answered.
        container: Where the API runs code for the model, if it does.
    """

    model: Model
    toolbox: Toolbox
    surroundings: Surroundings
    settings: LoopSettings
    emit: Callable[[Event], None]
    system: str = ""
    history: History = field(default_factory=History)
    effects: Effects = field(default_factory=Effects)
    model_name: str = ""
    record: Record | None = None
    reminders: list[str] = field(default_factory=list)
    held: list[UserMessage] = field(default_factory=list)
    deferred: ToolUse | None = None
    container: Mapping[str, JsonValue] | None = None
    #: What has happened meanwhile in the background; asked whenever something is said.
    news: Callable[[], list[str]] = list
    _announced: str = ""
    _known_model: Capabilities | None = None
    _known_tools: tuple[object, RequestTools] | None = None
    _system_part: bytes = b""
    _told_revealed: int = 0

    def __post_init__(self) -> None:
        self.model_name = self.model_name or self.settings.model
        if self.system:
            mark = {"cache_control": {"type": "ephemeral"}}
            self._system_part = dumps([{"type": "text", "text": self.system, **mark}])
        if self.history.entries:
            self.container = container_of(reversed(self.history.messages))

    @property
    def capabilities(self) -> Capabilities:
        """What the current model can do."""
        if self._known_model is None or self._known_model.model != self.model_name:
            told = self.model.capabilities(self.model_name)
            self._known_model = replace(told, model=self.model_name)
        return self._known_model

    def request(self, *, doublings: int = 0, at_most: int | None = None) -> ModelRequest:
        """Return the request for the next step.

        Args:
            doublings: How often the room for a reply is doubled.
            at_most: How many tokens the reply may have, whatever else is said; None is no limit.
        """
        capabilities = self.capabilities
        most = capabilities.max_output_tokens
        limit = self.settings.max_tokens or most
        tools = self._tools().tools_part
        room = min(limit * 2**doublings, max(limit, most))
        extra = self.settings.extra
        if at_most is not None and at_most < room:
            room, extra = at_most, with_less_thinking(extra, at_most)
        if self.container is not None:
            extra = with_container(extra, self.container)
        return ModelRequest(
            model=self.model_name,
            max_tokens=room,
            messages=self.history.wire(),
            system=self._system_part,
            tools=tools if len(tools) > len(b"[]") else b"",
            extra=extra,
            betas=self.settings.betas,
            has_fallback=self.next_model is not None,
        )

    @property
    def next_model(self) -> str | None:
        """The model that is asked if the current one is overloaded, or None."""
        fallbacks = self.settings.fallback_models
        if not fallbacks:
            return None
        models = list(dict.fromkeys([self.settings.model, *fallbacks]))
        following = models[models.index(self.model_name) + 1 :]
        return following[0] if following else None

    def _tools(self) -> RequestTools:
        """Return what the next request carries of the tools; planned again only when it changes."""
        mode, revealed = self.surroundings.mode, self.toolbox.catalog.revealed
        key = (mode, self.model_name, revealed)
        if self._known_tools is None or self._known_tools[0] != key:
            if self._known_tools is None:
                self._announce_request()
            names = tuple([tool.name for tool in self.toolbox.pool])
            view = RequestView(mode, names, capabilities=self.capabilities)
            self._known_tools = (key, self.toolbox.for_request(view))
            if len(revealed) > self._told_revealed:
                self.emit(ToolsRevealed(revealed[self._told_revealed :]))
                self._told_revealed = len(revealed)
        return self._known_tools[1]

    def _announce_request(self) -> None:
        """Tell the model that its first request is being written, if it wants to know."""
        get_ready = getattr(self.model, "get_ready", None)  # as a `ReadiedModel` has it
        if get_ready is not None:
            get_ready()

    def begin(self, prompt: UserMessage) -> None:
        """Add the user's words; deferred tools are announced before them where that is news."""
        held, self.held = self.held, []
        told = [*self._news(), *self._lost_effects()]
        announced = answer_message((), reminders=told, queued=held)
        before = blocks_of(announced) if announced is not None else ()
        self.keep(
            self.history.added(UserMessage((*before, *blocks_of(prompt))) if before else prompt)
        )

    def add_reply(self, reply: AssistantMessage, *, goes_on: bool = False) -> None:
        """Add a reply, or what follows one that had paused."""
        if reply.extra:
            self.container = container_of((reply,)) or self.container
        self.keep(self.history.joined(reply) if goes_on else self.history.added(reply))
        self.emit(MessageFinished(reply))

    def answer(
        self,
        answers: Sequence[Answer],
        reminders: Sequence[str] = (),
        queued: Sequence[UserMessage] = (),
    ) -> None:
        """Add the message that answers a reply, with whatever else is to be said."""
        told = [*reminders, *self._news(), *self._lost_effects()]
        held, self.held = self.held, []
        self.add(answer_message(answers, reminders=told, queued=[*held, *queued]))

    def answer_only(self, answers: Sequence[Answer], reminders: Sequence[str] = ()) -> None:
        """Add the results of a reply alone; whatever else is to be said waits for the next time."""
        added = added_by(answers)
        if added:
            self.held.append(UserMessage(tuple(added)))
        self.reminders += reminders
        self.add(UserMessage(tuple(answer.block for answer in answers)))

    def add(self, message: UserMessage | None) -> None:
        """Add a message of ours."""
        if message is not None:
            self.keep(self.history.added(message))
            self.emit(ResultsReady(message))

    def keep(self, history: History) -> None:
        """Go on with this history, and write it down where that is wanted."""
        self.history = history
        if self.record is not None:
            self.record.entered(history)

    def _lost_effects(self) -> list[str]:
        """Return what calls of lost replies did, if nobody has asked for them again."""
        told, self.reminders = [*self.reminders, *self.news()], []
        return [*told, self.effects.report()] if self.effects.remaining else told

    def _news(self) -> list[str]:
        """Return the announcement of deferred tools if it is not what was announced last."""
        announcement = self._tools().announcement
        if announcement == self._announced:
            return []
        self._announced = announcement
        return [announcement] if announcement else []
