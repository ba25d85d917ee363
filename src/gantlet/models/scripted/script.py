"""A script: what the model will say, in which order, and how it will fail. Frozen values only."""

import re
from dataclasses import field
from enum import StrEnum
from typing import TypeAlias

from gantlet.messages import FrozenDict, ModelErrorKind, Usage
from gantlet.messages.value import value


@value
class Words:
    """Text. With `chunks` it is cut into so many deltas of one size, else each part is a delta."""

    parts: tuple[str, ...]
    chunks: int | None = None
    pause_seconds: float = 0.0


@value
class Thought:
    """Thinking, and the signature that ends it."""

    words: Words
    signature: str


@value
class Call:
    """A call, or several that differ in `{{ number }}`.

    Attributes:
        id: Made up when it is None.
        input_json: What is streamed instead of `input`; it need not be JSON.
    """

    tool: str
    input: FrozenDict = field(default_factory=FrozenDict)
    id: str | None = None
    input_json: str | None = None
    chunks: int = 1
    pause_seconds: float = 0.0
    count: int = 1


@value
class RawBlock:
    """A block of any type, sent whole when it starts."""

    block: FrozenDict


@value
class RawEvent:
    """An event of any type, sent as it is."""

    event: FrozenDict


@value
class Wait:
    """Nothing is sent for so many seconds."""

    seconds: float


Piece: TypeAlias = Words | Thought | Call | RawBlock | RawEvent | Wait


class At(StrEnum):
    """Where in a reply a fault happens."""

    BEFORE = "before"
    START = "start"
    MID_TEXT = "mid_text"
    MID_THINKING = "mid_thinking"
    MID_JSON = "mid_json"
    AFTER_CALL = "after_call"
    END = "end"


@value
class ApiError:
    """The API says no: as a status before the reply, as an event once it has begun."""

    status: int
    type: str
    message: str
    kind: ModelErrorKind
    retry_after_seconds: float | None = None


@value
class Drop:
    """The connection is closed."""


@value
class Stall:
    """Nothing comes for so many seconds, or ever again; then the reply goes on."""

    seconds: float | None = None


class Garble(StrEnum):
    """What is sent in place of a proper event, before the connection is closed."""

    HALF_EVENT = "half_event"
    WRONG_CHUNK = "wrong_chunk"
    NOT_JSON = "not_json"


class Unheard(StrEnum):
    """What is sent that no client has heard of; then the reply goes on."""

    EVENT = "event"
    DELTA = "delta"
    BLOCK = "block"


@value
class Truncate:
    """The reply ends here, in good form unless the block is left open."""

    stop_reason: str
    closes: bool = True


@value
class Fault:
    """Something goes wrong, for the first so many times that this very request is made.

    Attributes:
        nth: Which text, thought or call `at` means.
        times: None is always.
    """

    what: ApiError | Drop | Stall | Garble | Truncate | Unheard
    at: At = At.BEFORE
    nth: int = 1
    times: int | None = 1


@value
class Reply:
    """What the model says at once.

    Attributes:
        number: Its place among the replies of the file, counted from 1; ids are made of it.
        where: File and line, for messages.
        ends_by_itself: `stop_reason` was not given and follows from the pieces.
    """

    pieces: tuple[Piece, ...]
    faults: tuple[Fault, ...] = ()
    stop_reason: str | None = None
    ends_by_itself: bool = True
    stop_sequence: str | None = None
    stop_details: FrozenDict | None = None
    usage: Usage = field(default_factory=Usage)
    number: int = 0
    where: str = "script"


@value
class TextTest:
    """What a text must hold; an empty test holds of every text."""

    contains: str | None = None
    matches: re.Pattern[str] | None = None

    def holds_for(self, text: str) -> bool:
        """Say whether the text passes."""
        return (self.contains is None or self.contains in text) and (
            self.matches is None or self.matches.search(text) is not None
        )


@value
class ResultTest:
    """What one of the newest results must be."""

    text: TextTest = field(default_factory=TextTest)
    tool: str | None = None
    is_error: bool | None = None


@value
class Condition:
    """Holds when each of its tests does."""

    result: ResultTest | None = None
    user: TextTest | None = None
    system: TextTest | None = None
    model: TextTest | None = None
    excluded: "Condition | None" = None


@value
class Say:
    """Say a reply; then go on at `following`."""

    reply: Reply
    following: int


@value
class Test:
    """Go on with the next instruction if the condition holds, else at `otherwise`."""

    condition: Condition
    otherwise: int


@value
class Jump:
    """Go on elsewhere."""

    target: int


@value
class Again:
    """Go back to `start` until that has been done `times` times."""

    start: int
    times: int


Instruction: TypeAlias = Say | Test | Jump | Again


@value
class Aside:
    """The answer to a request that is no part of the conversation, such as one for a summary."""

    condition: Condition
    reply: Reply


@value
class Script:
    """A whole script: instructions that end after the last one, or begin again."""

    program: tuple[Instruction, ...]
    asides: tuple[Aside, ...] = ()
    loops: bool = False
    name: str = "script"
    about: str = ""
