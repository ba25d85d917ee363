"""Tools as the API takes them.

A schema that was read once is not read again, so its bytes cannot change.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import cached_property

from gantlet.messages import FrozenDict
from gantlet.messages.json import as_json_text
from gantlet.messages.value import slotted
from gantlet.pool.deferral import View
from gantlet.pool.flags import STRICT_TOOLS
from gantlet.pool.gate import shown
from gantlet.pool.strict import Budget, Need, strict_need
from gantlet.tool import (
    AnyTool,
    Parsed,
    Problem,
    RequestView,
    Tool,
    ToolDefinitionError,
    flattened,
)
from gantlet.tool.inputs import SchemaFormat, read_input
from gantlet.tool.plain_schema import FIELD_NAME
from gantlet.tool.schema import compact

_END = "}"
_STRICT = ',"strict":true'
_BREAKPOINT = ',"cache_control":{"type":"ephemeral"}}'
_DEFERRED = ',"defer_loading":true}'
_NO_REQUEST = RequestView()
_MAX_REASON_CHARS = 500


class _Sheet:
    """What more is known of a tool that is strict or has examples.

    It holds the tool, so that another cannot take its `id`.
    """

    def __init__(self, tool: AnyTool, text: str) -> None:
        self.tool = tool
        self._text = text
        self.examples: str | None = None

    @cached_property
    def input_format(self) -> SchemaFormat:
        """The schema as it is sent, ready to read examples by."""
        return SchemaFormat(self.schema)

    @cached_property
    def schema(self) -> FrozenDict:
        """The schema as it is sent."""
        return FrozenDict(json.loads(self._text))

    @cached_property
    def need(self) -> Need | None:
        """What strictness would cost; None where the schema cannot be strict."""
        return strict_need(self.schema)


@slotted
class Definitions:
    """The tools part of requests. Keep one for a session: it remembers what it read.

    `problems` holds what is wrong with tools that could not be written, or not as they wished;
    the first thing for each.
    """

    flags: frozenset[str] = frozenset({STRICT_TOOLS})
    problems: dict[str, Problem] = field(default_factory=dict)
    #: Schemas as they are sent, of tools that do not keep a plain one themselves. All that is known
    #: of a tool by its `id` is kept with the tool, so that another cannot take that.
    _read: dict[int, tuple[str, AnyTool]] = field(default_factory=dict)
    _sheets: dict[int, _Sheet] = field(default_factory=dict)
    _sizes: dict[int, tuple[int, AnyTool]] = field(default_factory=dict)

    def tools_part(self, view: View, request: RequestView) -> bytes:
        """Return the JSON array of a request's tools.

        Own tools first, a cache breakpoint on the last of them, then MCP tools, then revealed
        ones in the order they were found, then deferred ones.
        """
        budget = Budget()
        texts = self._texts(view.own, request, budget)
        if texts:
            texts[-1] = texts[-1].removesuffix(_END) + _BREAKPOINT
        texts += self._texts(view.mcp, request, budget)
        texts += self._texts(view.appended, request, budget)
        if view.by_reference:
            texts += self._texts(view.deferred, request, Budget(tools=0), _DEFERRED)
        return _array(texts)

    def size_of(self, tool: AnyTool) -> int:
        """Return how many bytes a definition takes; nothing for one that cannot be written.

        A tool is measured once, so that what is deferred does not change with its description.
        """
        known = self._sizes.get(id(tool))
        if known is None:
            size = len(self._alone(tool, _NO_REQUEST)) - len("[]")
            known = self._sizes[id(tool)] = (size, tool)
        return known[0]

    def one(self, tool: AnyTool, request: RequestView) -> dict[str, object] | None:
        """Return one tool's definition, or None if it cannot be written."""
        written = json.loads(self._alone(tool, request))
        return dict(written[0]) if written else None

    def describe(self, tool: AnyTool, request: RequestView) -> str:
        """Return a tool's description; a tool that cannot say stays usable under a plain one."""
        try:
            described = tool.describe(request)
        except Exception as error:  # noqa: BLE001 - a foreign tool's failure becomes a value here
            self._note(tool, f"its description failed: {shown(error)}; it is shown without one")
            return tool.search_hint or tool.name
        if isinstance(described, str):
            return described
        self._note(tool, "its description is not a text; it is shown without one")
        return tool.search_hint or tool.name

    def _texts(
        self,
        tools: Sequence[AnyTool],
        request: RequestView,
        budget: Budget,
        end: str = _END,
    ) -> list[str]:
        """Return the texts whose sum are the definitions of those tools that have one.

        There are three of each, with a comma before: up to its schema, its schema, and the rest.
        """
        may_be_strict = request.capabilities.strict_tools and STRICT_TOOLS in self.flags
        with_examples = request.capabilities.input_examples
        describe = self.describe
        texts: list[str] = []
        for tool, schema in zip(tools, self._schemas_of(tools), strict=True):
            if not schema:
                continue
            try:
                begin = (
                    f',{{"name":{as_json_text(tool.name)},"description":'
                    f'{as_json_text(describe(tool, request))},"input_schema":'
                )
            except TypeError as error:  # its name is no text any more
                self._note(tool, f"it cannot be written as JSON: {shown(error)}")
                continue
            strict = may_be_strict and tool.strict and self._affords(tool, schema, budget)
            told = self._told(tool, schema) if with_examples else ""
            if strict or told:
                texts += (begin, schema, f"{_STRICT if strict else ''}{told}{end}")
            else:
                texts += (begin, schema, end)
        return texts

    def _schemas_of(self, tools: Sequence[AnyTool]) -> list[str]:
        """Return each tool's schema as it is sent; nothing for a tool that cannot be."""
        schemas: list[str] = []
        kind, keeps_format = None, False
        for tool in tools:
            if type(tool) is not kind:  # most come one after another
                kind = type(tool)
                keeps_format = getattr(kind, "input_format", None) is Tool.input_format
            schema = ""
            if keeps_format:
                try:
                    described = tool.input_format
                    schema = described.plain_text if type(described) is SchemaFormat else ""
                except Exception:  # noqa: BLE001 - it is asked once more, and that is noted
                    schema = ""
            schemas.append(schema or self._schema(tool))
        return schemas

    def _schema(self, tool: AnyTool) -> str:
        """Return the schema of a tool that may not keep it; it is read once."""
        known = self._read.get(id(tool))
        if known is None:
            known = self._read[id(tool)] = (self._schema_text(tool), tool)
        return known[0]

    def _alone(self, tool: AnyTool, request: RequestView) -> bytes:
        """Return the array of one tool's definition, if it has one."""
        return _array(self._texts((tool,), request, Budget(tools=0)))

    def _affords(self, tool: AnyTool, schema: str, budget: Budget) -> bool:
        """Return whether a request can afford to be strict about a tool that wants it."""
        if budget.tools < 1:
            return False
        need = self._sheet(tool, schema).need
        return need is not None and budget.affords(need)

    def _sheet(self, tool: AnyTool, schema: str) -> _Sheet:
        """Return what more is known of a tool, found out once."""
        sheet = self._sheets.get(id(tool))
        if sheet is None:
            sheet = self._sheets[id(tool)] = _Sheet(tool, schema)
        return sheet

    def _told(self, tool: AnyTool, schema: str) -> str:
        """Return what a definition says of examples."""
        sheet = self._sheet(tool, schema)
        if sheet.examples is None:
            examples = self._examples(tool, sheet)
            text = self._text_of(tool, examples) if examples else ""
            sheet.examples = f',"input_examples":{text}' if text else ""
        return sheet.examples

    def _examples(self, tool: AnyTool, sheet: _Sheet) -> list[object]:
        """Return the examples that fit the schema; one that does not would fail the request."""
        fitting: list[object] = []
        try:
            for example in tool.input_examples:
                answer = read_input(tool.name, sheet.input_format, example)
                if isinstance(answer, Parsed):
                    fitting.append(answer.args)
                else:
                    reason = f"an input example does not fit: {answer.problems[0]}"
                    self._note(tool, reason)
        except Exception as error:  # noqa: BLE001 - a foreign tool's failure becomes a value here
            self._note(tool, f"its input examples cannot be read: {shown(error)}")
        return fitting

    def _schema_text(self, tool: AnyTool) -> str:
        """Return a tool's schema as the API takes it; note a tool that has none."""
        try:
            described = tool.input_format
            if isinstance(described, SchemaFormat) and described.plain_text:
                return described.plain_text
            schema = flattened(described.json_schema)
            _check_root(schema)
        except ToolDefinitionError as error:
            self._note(tool, str(error))
        except Exception as error:  # noqa: BLE001 - a foreign schema's failure becomes a value here
            self._note(tool, f"its input schema cannot be read: {shown(error)}")
        else:
            return self._text_of(tool, schema)
        return ""

    def _text_of(self, tool: AnyTool, given: object) -> str:
        """Return a schema or examples as JSON; note a tool where they hold what JSON cannot."""
        try:
            return compact(given)
        except (TypeError, ValueError, RecursionError) as error:
            self._note(tool, f"it cannot be written as JSON: {shown(error)}")
            return ""

    def _note(self, tool: AnyTool, reason: str) -> None:
        """Remember what is wrong with a tool."""
        short = reason if len(reason) <= _MAX_REASON_CHARS else reason[:_MAX_REASON_CHARS] + "…"
        self.problems.setdefault(tool.name, Problem(tool.name, short))


def _check_root(schema: FrozenDict) -> None:
    """Raise for a root that the API refuses, and with it the whole request."""
    if schema.get("type") != "object":
        kind = schema.get("type")
        raise ToolDefinitionError(f"The input schema's type is {shown(kind)}, not 'object'.")
    fields = schema.get("properties")
    for name in fields if isinstance(fields, Mapping) else ():
        if not FIELD_NAME.fullmatch(name):
            raise ToolDefinitionError(
                f"The field {shown(name)} cannot be sent: use 1 to 64 letters, digits, "
                "'_', '.' or '-'."
            )


def _array(texts: list[str]) -> bytes:
    """Return definitions, each with a comma before it, as a JSON array."""
    if not texts:
        return b"[]"
    texts[0] = f"[{texts[0][1:]}"
    texts.append("]")
    text = "".join(texts)
    return text.encode() if text.isascii() else _encoded(text)


def _encoded(text: str) -> bytes:
    """Return definitions as UTF-8.

    Half a character (a surrogate without its other half) is no JSON to most readers, and becomes
    the character that stands for an unreadable one.
    """
    try:
        return text.encode()
    except UnicodeEncodeError:
        halves = text.encode("utf-16-le", "surrogatepass")
        return halves.decode("utf-16-le", "replace").encode("utf-8")
