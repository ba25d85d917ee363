"""From the lines of a transcript back to a conversation (pure)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field

from gantlet.loop import History, repair
from gantlet.loop.container import CONTAINER
from gantlet.messages import (
    AssistantMessage,
    Block,
    FrozenDict,
    Message,
    RedactedThinking,
    ResultBlock,
    Thinking,
    ToolUse,
    UserMessage,
    blocks_of,
)
from gantlet.messages.value import slotted, value
from gantlet.session.entries import Line
from gantlet.session.nodes import Asides, Node, nodes_of

UNKNOWN_RESULT = (
    "The program stopped while this call ran; whether it took effect is not known. Check before you"
    " repeat it."
)
NEVER_RAN = "The program stopped before this call began: it did not run. Ask again if you need it."


class PointNotFoundError(LookupError):
    """A session has no line of that id to go back to."""


@value
class Restored:
    """A conversation as a transcript tells it.

    Attributes:
        leaf: The line that the next one follows.
        owners: For each call the line that asked for it.
        notes: What had to be mended, in words for a person.
        prompts: The lines of the user's own words, oldest first.
        unsure: Names of calls that had started in a last reply that broke off.
        lines: Every line of it.
        missing: Answers for calls that had none; they are in the history, not in the transcript.
        deferred: The calls that wait for their hook to be asked again.
        left_behind: Calls of the transcript that do not lead to where the conversation stands: it
            was taken up before them.
    """

    history: History
    leaf: str | None
    owners: Mapping[str, str]
    notes: tuple[str, ...] = ()
    prompts: tuple[str, ...] = ()
    unsure: tuple[str, ...] = ()
    deferred: tuple[str, ...] = ()
    missing: tuple[ResultBlock, ...] = ()
    lines: tuple[str, ...] = ()
    left_behind: frozenset[str] = frozenset()


def restore(lines: Sequence[Line], *, at: str | None = None) -> Restored:
    """Return the conversation that ends at the line `at`, or at the last one.

    Raises:
        PointNotFoundError: There is no such line in the conversation.
    """
    asides = Asides.of(lines)
    every = nodes = nodes_of(lines, asides)
    if at is not None:
        nodes = _up_to(nodes, at)
    told = _conversation(nodes)
    building = _Building(asides)
    for node in told:
        building.take(node)
    messages = building.finish()
    waiting = building.take_back_deferred() if at is None else None
    history, mended = repair(messages)
    if waiting is not None:
        history = history.added(waiting)
    owners = {call.id: node.id for node in told for call in node.calls}
    prompts = tuple(node.id for node in told if node.is_prompt)
    return Restored(
        history,
        told[-1].id if told else None,
        owners,
        (*building.notes, *mended),
        prompts,
        asides.unsure if at is None else (),
        tuple(call.id for call in history.open_calls),
        tuple(building.missing),
        tuple(node.id for node in told),
        _calls_of(every) - _calls_of(_with_replies(nodes, _lineage(nodes, through=True))),
    )


def _calls_of(nodes: Iterable[Node]) -> frozenset[str]:
    """Return the ids of all calls in some lines."""
    return frozenset(call.id for node in nodes for call in node.calls)


def _up_to(nodes: Sequence[Node], at: str) -> list[Node]:
    """Return the lines up to one of them; the results of a reply's calls belong to it."""
    place = next((number for number, node in enumerate(nodes) if node.id == at), None)
    if place is None:
        raise PointNotFoundError(f"The session has no message {at}.")
    kept = list(nodes[: place + 1])
    reply = nodes[place].reply
    if reply is None:
        return kept
    members = {node.id for node in nodes if node.reply == reply}
    kept += [
        node
        for node in nodes[place + 1 :]
        if node.id in members or (node.parent in members and node.has_results)
    ]
    return kept


def _conversation(nodes: Sequence[Node]) -> list[Node]:
    """Return the lines that lead to the last one, with all blocks and results of their replies."""
    on_chain = _lineage(nodes)
    return _with_replies(nodes[_last_boundary(nodes, on_chain) :], on_chain)


def _lineage(nodes: Sequence[Node], *, through: bool = False) -> set[str]:
    """Return the lines that lead to the last one; also `through` what was made shorter."""
    by_id = {node.id: node for node in nodes}
    on_chain: set[str] = set()
    current = nodes[-1] if nodes else None
    while current is not None and current.id not in on_chain:
        on_chain.add(current.id)
        parent = current.parent or (current.came_after if through else None)
        current = by_id.get(parent) if parent is not None else None
    return on_chain


def _with_replies(nodes: Sequence[Node], on_chain: set[str]) -> list[Node]:
    """Return some lines in their order, with all blocks and results of their replies.

    A block that follows other words of the user's is none of theirs, whatever its reply is called.
    """
    by_id = {node.id: node for node in nodes}
    replies = {node.reply for node in nodes if node.id in on_chain} - {None}
    kept: list[Node] = []
    members: set[str] = set()
    reached = set(on_chain)
    for node in nodes:
        is_named = node.reply is not None and node.reply in replies
        in_reply = is_named and _follows(node, reached, by_id)
        answers = node.has_results and node.parent in members
        if node.id in on_chain or in_reply or answers:
            kept.append(node)
            reached.add(node.id)
            if in_reply:
                members.add(node.id)
    return kept


def _follows(node: Node, reached: set[str], by_id: Mapping[str, Node]) -> bool:
    """Return whether a line follows one of some others, and no other words of the user's."""
    passed = {node.id}
    above = by_id.get(node.parent or "")
    while above is not None and above.id not in reached and not above.is_prompt:
        if above.id in passed:
            return False
        passed.add(above.id)
        above = by_id.get(above.parent or "")
    return above is None or above.id in reached


def _last_boundary(nodes: Sequence[Node], on_chain: set[str]) -> int:
    """Return where the part of a conversation begins that was not yet made shorter."""
    places = [
        number for number, node in enumerate(nodes) if node.is_boundary and node.id in on_chain
    ]
    return places[-1] if places else 0


@slotted
class _Building:
    """Messages being put together from lines."""

    asides: Asides
    messages: list[Message] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    missing: list[ResultBlock] = field(default_factory=list)
    _reply: str | None = None
    _model: str | None = None
    _said: list[Block] = field(default_factory=list)
    _results: dict[str, ResultBlock] = field(default_factory=dict)
    _added: list[Block] = field(default_factory=list)

    def take(self, node: Node) -> None:
        """Add what one line holds."""
        if node.kind == "assistant":
            self._take_said(node)
        elif node.kind in ("user", "attachment"):
            self._take_answered(node)

    def finish(self) -> list[Message]:
        """Return the messages; every call has a result."""
        if self._said:
            self._close()
        self._flush_user()
        return self.messages

    def take_back_deferred(self) -> AssistantMessage | None:
        """Take off, and return, a last reply whose one call was put off and has no result yet."""
        if len(self.messages) < 2 or len(self.missing) != 1:
            return None
        reply, last = self.messages[-2:]
        call_id = self.missing[0].tool_use_id
        is_only_it = isinstance(last, UserMessage) and blocks_of(last) == (self.missing[0],)
        if call_id not in self.asides.deferred or not is_only_it:
            return None
        assert isinstance(reply, AssistantMessage)
        del self.messages[-2:]
        self.missing.clear()
        self.notes = [note for note in self.notes if repr(call_id) not in note]
        return reply

    def _take_said(self, node: Node) -> None:
        """Add a block of a reply."""
        if self._said and (node.reply is None or node.reply != self._reply or self._added):
            self._close()
        if not self._said:
            self._flush_user()
        self._reply, self._model = node.reply, node.model
        self._said += node.blocks

    def _take_answered(self, node: Node) -> None:
        """Add results, reminders or words of the user's."""
        if node.opens_message:
            if self._said:
                self._close()
            self._flush_user()
        for block in node.blocks:
            if isinstance(block, ResultBlock):
                self._results.setdefault(block.tool_use_id, block)
            else:
                self._added.append(block)

    def _close(self) -> None:
        """End a reply, and answer its calls."""
        said = self._said
        if self.asides.is_ours and self._reply not in self.asides.closed:
            while said and isinstance(said[-1], Thinking | RedactedThinking):
                said.pop()
        if said:
            container = self.asides.containers.get(self._reply or "")
            extra = FrozenDict({} if container is None else {CONTAINER: container})
            self.messages.append(
                AssistantMessage(tuple(said), id=self._reply, model=self._model, extra=extra)
            )
        calls = [block for block in said if isinstance(block, ToolUse)]
        answers = [
            self._results.pop(call.id) if call.id in self._results else self._missing(call)
            for call in calls
        ]
        self.notes += [
            f"a result for {one!r}, which nobody asked for, was left out" for one in self._results
        ]
        self._results.clear()
        self._added[:0] = answers
        self._said = []
        if answers:
            self._flush_user()

    def _missing(self, call: ToolUse) -> ResultBlock:
        """Return the result of a call that the program did not live to finish."""
        never_ran = self.asides.is_ours and call.id not in self.asides.started
        what = "had not begun" if never_ran else "had no result"
        self.notes.append(f"the call {call.id!r} of {call.name} {what}; its answer says so")
        text = NEVER_RAN if never_ran else UNKNOWN_RESULT
        self.missing.append(ResultBlock(call.id, text, is_error=True))
        return self.missing[-1]

    def _flush_user(self) -> None:
        """End a message of the user's."""
        if self._added:
            self.messages.append(UserMessage(tuple(self._added)))
            self._added = []
