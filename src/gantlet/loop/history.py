"""The conversation as a value: it only grows, and it is always one the API accepts."""

from collections.abc import Iterable, Sequence
from dataclasses import field

from gantlet.loop.server_calls import without_unanswered
from gantlet.messages import (
    AssistantMessage,
    Block,
    Document,
    Image,
    Message,
    RedactedThinking,
    ResultBlock,
    Text,
    Thinking,
    ToolUse,
    UserMessage,
    blocks_of,
    message_to_request,
)
from gantlet.messages.value import replace, value

#: About as many characters of text as a picture takes tokens, whatever its size in bytes.
_IMAGE_CHARS = 5_600
#: How many characters of an encoded document take as many tokens as one of text.
_DOCUMENT_RATIO = 6

_BULKY = frozenset({Image, Document})
_BREAKPOINT = b',"cache_control":{"type":"ephemeral"}}]}'


class InvalidHistoryError(ValueError):
    """A message that would make the conversation one the API refuses; this is a bug."""


@value
class Entry:
    """A message and its bytes on the wire, made once.

    Attributes:
        chars: About how many characters of text would take as many tokens.
    """

    message: Message
    wire: bytes
    can_be_marked: bool
    chars: int

    @classmethod
    def of(cls, message: Message) -> "Entry":
        """Serialise a message as requests carry it."""
        content = blocks_of(message)
        wire = message_to_request(message)
        return cls(message, wire, _can_be_marked(content), len(wire) - _bulk_of(content))

    @property
    def marked(self) -> bytes:
        """The same bytes with a cache breakpoint at the end, where the last block takes one."""
        return self.wire[:-3] + _BREAKPOINT if self.can_be_marked else self.wire


def _bulk_of(blocks: Iterable[Block]) -> int:
    """Return how many characters of pictures and documents take no tokens of their own."""
    bulk = 0
    for block in blocks:
        if type(block) is ResultBlock:
            bulk += _bulk_of(block.content) if type(block.content) is tuple else 0
        elif type(block) in _BULKY:
            bulk += _bulk_in(block)
    return bulk


def _bulk_in(block: Block) -> int:
    """Return the same of one picture or document."""
    if not isinstance(block, Image | Document) or block.source.get("type") != "base64":
        return 0
    size = len(str(block.source.get("data", "")))
    return max(0, size - (_IMAGE_CHARS if isinstance(block, Image) else size // _DOCUMENT_RATIO))


def _can_be_marked(content: Sequence[Block]) -> bool:
    """Return whether a cache breakpoint may stand on the last block."""
    if not content:
        return False
    block = content[-1]
    if type(block) is ResultBlock:
        return "cache_control" not in block.extra
    if isinstance(block, Thinking | RedactedThinking):
        return False
    if isinstance(block, Text) and not block.text:
        return False
    return "cache_control" not in (getattr(block, "extra", None) or {})


@value
class History:
    """Messages in order. Every change is a new value; what breaks the rules is refused.

    Each call is answered exactly once, in the very next user message, results before anything else;
    the ids of calls are unique.
    """

    entries: tuple[Entry, ...] = ()
    ids: frozenset[str] = field(default=frozenset(), repr=False)
    chars: int = 0

    @classmethod
    def of(cls, messages: Iterable[Message]) -> "History":
        """Build a history from messages that are known to be valid.

        Raises:
            InvalidHistoryError: They are not.
        """
        history = cls()
        for message in messages:
            history = history.added(message)
        return history

    @property
    def messages(self) -> tuple[Message, ...]:
        """The messages."""
        return tuple(entry.message for entry in self.entries)

    @property
    def open_calls(self) -> tuple[ToolUse, ...]:
        """The calls of the last message, if it is a reply; they wait for their results."""
        return calls_of(self.entries[-1].message) if self.entries else ()

    def added(self, message: Message) -> "History":
        """Return the history with one more message.

        Raises:
            InvalidHistoryError: The message breaks the rules.
        """
        if isinstance(message, AssistantMessage):
            return self._with_reply(message)
        self._check_user(message)
        return self._with(Entry.of(message), self.ids)

    def joined(self, reply: AssistantMessage) -> "History":
        """Return the history with a reply that goes on where the last one paused."""
        last = self.entries[-1].message if self.entries else None
        if not isinstance(last, AssistantMessage):
            return self.added(reply)
        whole = replace(reply, content=(*blocks_of(last), *blocks_of(reply)))
        earlier = self.entries[:-1]
        chars = self.chars - self.entries[-1].chars
        return History(earlier, self.ids - _ids_of(last), chars)._with_reply(whole)

    def closed(self) -> "History":
        """Return the history with a reply that paused and will not go on."""
        last = self.entries[-1].message if self.entries else None
        kept = without_unanswered(blocks_of(last)) if isinstance(last, AssistantMessage) else []
        if not isinstance(last, AssistantMessage) or len(kept) == len(blocks_of(last)):
            return self
        messages = self.messages[:-1]
        return History.of([*messages, replace(last, content=tuple(kept))] if kept else messages)

    def _with_reply(self, reply: AssistantMessage) -> "History":
        """Add a reply."""
        if not self.entries:
            raise InvalidHistoryError("A conversation begins with the user.")
        if isinstance(self.entries[-1].message, AssistantMessage):
            raise InvalidHistoryError("A reply follows a reply.")
        if not blocks_of(reply):
            raise InvalidHistoryError("A reply is empty.")
        calls = calls_of(reply)
        ids = frozenset([call.id for call in calls])
        if len(ids) != len(calls) or not ids.isdisjoint(self.ids):
            raise InvalidHistoryError("Two calls have the same id.")
        return self._with(Entry.of(reply), self.ids | ids)

    def _with(self, entry: Entry, ids: frozenset[str]) -> "History":
        """Return the history with one more entry."""
        return History((*self.entries, entry), ids, self.chars + entry.chars)

    def _check_user(self, message: UserMessage) -> None:
        """Refuse a user message that does not answer exactly the open calls, results first."""
        blocks = blocks_of(message)
        answered = [block.tool_use_id for block in blocks if isinstance(block, ResultBlock)]
        if len(answered) < len(blocks) or not blocks:
            _check_others(blocks, len(answered))
        asked = [call.id for call in self.open_calls]
        if answered != asked and sorted(answered) != sorted(asked):
            raise InvalidHistoryError("The results do not answer the calls one to one.")

    def wire(self, *, breakpoints: int = 2) -> Sequence[bytes]:
        """Return each message's bytes, with cache breakpoints on the last user messages."""
        pieces = [entry.wire for entry in self.entries]
        for number in range(len(pieces) - 1, -1, -1):
            if breakpoints == 0:
                break
            if isinstance(self.entries[number].message, UserMessage):
                pieces[number] = self.entries[number].marked
                breakpoints -= 1
        return pieces


def is_blank(text: str) -> bool:
    """Return whether there are no words in a text, which the API refuses."""
    return not text or text.isspace()


def _check_others(blocks: Sequence[Block], results: int) -> None:
    """Refuse a user message whose other blocks are empty, or stand before its results."""
    others = [block for block in blocks if not isinstance(block, ResultBlock)]
    if not blocks or any(isinstance(one, Text) and is_blank(one.text) for one in others):
        raise InvalidHistoryError("A message, or a text in it, is empty.")
    if not all(isinstance(one, ResultBlock) for one in blocks[:results]):
        raise InvalidHistoryError("A result stands behind something else.")


def calls_of(message: Message) -> tuple[ToolUse, ...]:
    """Return the calls of a reply; a user's message has none."""
    if isinstance(message, UserMessage):
        return ()
    return tuple([block for block in blocks_of(message) if isinstance(block, ToolUse)])


def _ids_of(message: Message) -> frozenset[str]:
    """Return the ids of a message's calls."""
    return frozenset(call.id for call in calls_of(message))
