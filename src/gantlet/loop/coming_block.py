"""A block while it comes: what it began as, what came for it, and what it is in the end."""

from collections.abc import Mapping

from gantlet.messages import (
    Block,
    FrozenDict,
    FrozenList,
    InputJsonDelta,
    JsonValue,
    ResultBlock,
    ServerToolUse,
    Text,
    TextDelta,
    Thinking,
    ThinkingDelta,
    ToolUse,
    Unknown,
    dumps,
    loads_frozen,
)
from gantlet.messages.value import replace, slotted

MAX_INPUT_DEPTH = 200
#: Where the text of an input that is not JSON is kept, so that the model can see what it sent.
INVALID_JSON_KEY = "invalid_json"
#: What a call is named that came without a name: the API takes none back that has an empty one.
NAMELESS = "unnamed"

_GROWS_BY: dict[type, type] = {
    Text: TextDelta,
    Thinking: ThinkingDelta,
    ToolUse: InputJsonDelta,
    ServerToolUse: InputJsonDelta,
}


@slotted
class ComingBlock:
    """A block that is still coming.

    Attributes:
        place: How many blocks of the reply began before it.
        grows_by: The type of the deltas whose text belongs to it; others mean nothing to it.
    """

    block: Block
    place: int
    grows_by: type | None
    pieces: list[str]
    signature: str | None = None
    citations: list[JsonValue] | None = None

    def cite(self, citation: JsonValue) -> None:
        """Add a citation of the text."""
        if self.citations is None:
            self.citations = []
        self.citations.append(citation)

    def finished(self) -> tuple[Block, str]:
        """Return the block with all that came for it, and what is wrong with a call's input."""
        whole = _paired("".join(self.pieces))
        block = self.block
        if isinstance(block, ToolUse):
            if not whole:
                return block, ""
            parsed, problem = _parse_input(whole)
            return ToolUse(block.id, block.name, parsed, block.caller, block.extra), problem
        return self._finished_words(whole), ""

    def cut(self) -> Block | None:
        """Return what may stay of a block that was not closed and is no call: what is whole."""
        match self.finished()[0]:
            case Text() as text:
                return text
            case Thinking(_, signature) as thinking if signature:
                return thinking
            case _:
                return None

    def _finished_words(self, whole: str) -> Block:
        """Return a block that is no call of ours."""
        match self.block:
            case Text() as text:
                cited = [*(text.citations or ()), *(self.citations or ())]
                citations = FrozenList(cited) if self.citations else text.citations
                return replace(text, text=text.text + whole, citations=citations)
            case Thinking() as thinking:
                signature = self.signature if self.signature is not None else thinking.signature
                return replace(thinking, thinking=thinking.thinking + whole, signature=signature)
            case ServerToolUse() as call if whole:
                return replace(call, input=_parse_input(whole)[0])
            case Unknown(dict() as raw) if whole:
                return Unknown({**raw, "input": _parse_input(whole)[0]})
            case other:
                return other


def coming_block(block: Block, place: int) -> ComingBlock | None:
    """Return how a block is taken that begins; nothing for what cannot be part of a reply.

    What lacks something is taken for what its type says: the API would not take it back as it is.
    """
    kind = type(block)
    if kind is ResultBlock:
        return None
    if isinstance(block, Unknown):
        return _mended(block, place)
    return ComingBlock(block, place, _GROWS_BY.get(kind), [])


def _mended(block: Unknown, place: int) -> ComingBlock | None:
    """Return a block whose type is new, or that lacks what its type needs."""
    raw = block.raw
    if not isinstance(raw, dict):
        return None
    match raw.get("type"):
        case "tool_use":
            call = ToolUse(_text(raw, "id"), _text(raw, "name") or NAMELESS, FrozenDict())
            return ComingBlock(call, place, InputJsonDelta, _sent_input(raw))
        case "text":
            return ComingBlock(Text(_text(raw, "text")), place, TextDelta, [])
        case "thinking":
            thought = Thinking(_text(raw, "thinking"), _text(raw, "signature"))
            return ComingBlock(thought, place, ThinkingDelta, [])
        case "tool_result":
            return None
        case str():
            return ComingBlock(block, place, InputJsonDelta if "input" in raw else None, [])
        case _:
            return None


def _text(raw: Mapping[str, JsonValue], name: str) -> str:
    """Return a member that should be a text; an empty one if it is none."""
    member = raw.get(name)
    return member if isinstance(member, str) else ""


def _sent_input(raw: Mapping[str, JsonValue]) -> list[str]:
    """Return the input that a call began with, as JSON text: none, an object, or its text."""
    given = raw.get("input")
    if isinstance(given, str):
        return [given] if given else []
    return [dumps(given).decode("utf-8")] if given else []


def _paired(text: str) -> str:
    """Return a text in which the halves of a character that came apart are one again."""
    if text.isascii():
        return text
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    return text


def _parse_input(text: str) -> tuple[FrozenDict, str]:
    """Return a call's input, or what was sent in its place and why it is none."""
    try:
        parsed = loads_frozen(text, MAX_INPUT_DEPTH)
    except (ValueError, RecursionError) as error:
        return FrozenDict({INVALID_JSON_KEY: text}), f"The input is not valid JSON: {error}"
    if isinstance(parsed, FrozenDict):
        return parsed, ""
    return FrozenDict({INVALID_JSON_KEY: text}), "The input is JSON, but not an object."
