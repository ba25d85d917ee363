"""Find deferred tools: by name, by words, by words that must be in the name."""

import heapq
import re
from collections.abc import Iterable, Sequence
from functools import cached_property

from gantlet.messages.value import value
from gantlet.tool import AnyTool, RequestView

SELECT = "select:"
DEFAULT_RESULTS = 5
MAX_RESULTS = 50
MAX_QUERY_CHARS = 5_000
#: Each word is looked for in each tool.
MAX_WORDS = 20

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\W\d_]+")

_NAME_WORD, _NAME_START, _NAME_PIECE = 12, 8, 6
_HINT_WORD, _HINT_PIECE = 5, 3
_TEXT_WORD, _TEXT_PIECE = 2, 1
_EXACT = 10_000

_NO_REQUEST = RequestView()
_SPACES = {code: " " for code in range(128) if not chr(code).isalnum()}
#: Words that are in every text and say nothing, unless they are all there is.
_SMALL_WORDS = frozenset(
    {"a", "an", "and", "by", "for", "from", "in", "is", "it", "of", "on", "or", "the", "to", "with"}
)


@value
class Query:
    """What a model looks for: tools by name, or words of which some must be in the name.

    `whole` is all the words as one, for a name that was taken apart.
    """

    names: tuple[str, ...] = ()
    must: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    whole: str = ""

    @classmethod
    def parse(cls, text: str) -> "Query":
        """Read `select:A,B`, plain words.

        Or words with `+` before those that the name must hold.
        """
        text = text.strip()[:MAX_QUERY_CHARS]
        if text.lower().startswith(SELECT):
            names = (name.strip() for name in text[len(SELECT) :].split(","))
            return cls(names=tuple(dict.fromkeys(name for name in names if name)))
        split = dict.fromkeys(text.lower().replace(",", " ").split())
        terms = list(split)[:MAX_WORDS]
        must = dict.fromkeys(term.lstrip("+") for term in terms if term.startswith("+"))
        must.pop("", None)
        words = [term for term in terms if not term.startswith("+") and term not in must]
        telling = [word for word in words if word not in _SMALL_WORDS]
        whole = _squeezed("".join(term.lstrip("+") for term in terms))
        return cls((), tuple(must), tuple(telling if telling or must else words), whole)


class _Entry:
    """One tool, prepared for searching; the dearer parts are made only for those that match."""

    __slots__ = ("__dict__", "everything", "head", "names", "tool")

    def __init__(self, tool: AnyTool) -> None:
        self.tool = tool
        self.names = "\n".join((tool.name, *tool.aliases)).lower()
        self.head = f"{self.names}\n{tool.search_hint.lower()}"
        self.everything = f"{self.head}\n{_description(tool).lower()}"

    @cached_property
    def name_words(self) -> frozenset[str]:
        """The words of the names: `mcp__slack__sendMessage` has mcp, slack, send, message."""
        names = "\n".join((self.tool.name, *self.tool.aliases))
        return frozenset(word.lower() for word in _WORD.findall(names)) | set(self.names.split())

    @cached_property
    def hint(self) -> str:
        """The hint, ready to look for words in."""
        return _spaced(self.tool.search_hint.lower())

    @cached_property
    def text(self) -> str:
        """Everything, ready to look for words in."""
        return _spaced(self.everything)

    def is_named(self, whole: str) -> bool:
        """Return whether `whole` is one of the tool's names, whatever joins its words."""
        return whole in map(_squeezed, self.names.split())


class _Term:
    """One word of a query."""

    def __init__(self, word: str) -> None:
        self.word = word
        self._whole = _spaced(word)

    def score(self, entry: _Entry) -> int:
        """Return how well an entry that holds the word fits; the best place counts."""
        if self.word not in entry.head:
            return _TEXT_WORD if self._whole in entry.text else _TEXT_PIECE
        if self.word in entry.names:
            if self.word in entry.name_words:
                return _NAME_WORD
            starts = any(part.startswith(self.word) for part in entry.name_words)
            return _NAME_START if starts else _NAME_PIECE
        return _HINT_WORD if self._whole in entry.hint else _HINT_PIECE


def _spaced(text: str) -> str:
    """Return a text in which spaces stand round each word, and for all that is no letter."""
    return f" {text.translate(_SPACES)} "


def _squeezed(name: str) -> str:
    """Return a name without what joins its words."""
    return name.replace("_", "").replace("-", "")


def _description(tool: AnyTool) -> str:
    """Return a tool's description, or nothing if it cannot say."""
    try:
        described = tool.describe(_NO_REQUEST)
    except Exception:  # noqa: BLE001 - a foreign tool's failure only makes it harder to find
        return ""
    return described if isinstance(described, str) else ""


class Index:
    """Deferred tools, prepared once for many searches."""

    def __init__(self, tools: Sequence[AnyTool]) -> None:
        self._tools = tools
        self._entries = {id(tool): _Entry(tool) for tool in tools}

    def of(self, tools: Sequence[AnyTool]) -> "Index":
        """Return an index of `tools`; what is known of those already here is kept."""
        if tools == self._tools:
            return self
        index = Index(())
        index._tools = tools
        known = self._entries
        index._entries = {id(tool): known.get(id(tool)) or _Entry(tool) for tool in tools}
        return index

    def search(self, query: Query, limit: int = DEFAULT_RESULTS) -> list[AnyTool]:
        """Return the best matches, best first, ties by name."""
        entries = list(self._entries.values())
        terms = [_Term(word) for word in query.must + query.words]
        for word in query.must:
            entries = [entry for entry in entries if word in entry.names]
        scores: dict[_Entry, int] = {}
        for term in terms:
            for entry in [entry for entry in entries if term.word in entry.everything]:
                scores[entry] = scores.get(entry, 0) + term.score(entry)
        for entry in [entry for entry in scores if terms[0].word in entry.names]:
            scores[entry] += _EXACT * entry.is_named(query.whole)
        best = heapq.nsmallest(
            min(max(1, limit), MAX_RESULTS),
            scores,
            key=lambda entry: (-scores[entry], entry.tool.name),
        )
        return [entry.tool for entry in best]


def select(names: Sequence[str], tools: Iterable[AnyTool]) -> tuple[list[AnyTool], list[str]]:
    """Return the tools of those names or aliases, letters large or small.

    And the names nobody bears.
    """
    known: dict[str, AnyTool] = {}
    for tool in tools:
        for name in (tool.name, *tool.aliases):
            known.setdefault(name.lower(), tool)
    found = [known[name.lower()] for name in names if name.lower() in known]
    missing = [name for name in names if name.lower() not in known]
    return list({tool.name: tool for tool in found}.values()), missing
