"""Tools as the API takes them.

What was written once is not written again, so its bytes cannot change.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import field
from functools import cached_property
from typing import TypeAlias

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
    ToolDefinitionError,
    flattened,
)
from gantlet.tool.inputs import SchemaFormat, read_input
from gantlet.tool.plain_schema import FIELD_NAME
from gantlet.tool.schema import compact

_BREAKPOINT = b',"cache_control":{"type":"ephemeral"}}'
_DEFERRED = b',"defer_loading":true}'
_NO_REQUEST = RequestView()
_MAX_REASON_CHARS = 500

#: What decides a definition's bytes, beside the tool itself.
_Key: TypeAlias = tuple[str, bool, bool]


class _Sheet:
    """What is known of one tool. It holds the tool, so that another cannot take its `id`.

    Its schema is kept as the text that is sent, which is nothing for a tool that cannot be sent.
    """

    size: int | None = None
    key: _Key | None = None
    written: bytes | None = None

    def __init__(self, tool: AnyTool, text: str) -> None:
        self.tool = tool
        self.text = text

    @cached_property
    def input_format(self) -> SchemaFormat:
        """The schema as it is sent, ready to read examples by."""
        return SchemaFormat(self.schema)

    @cached_property
    def schema(self) -> FrozenDict:
        """The schema as it is sent."""
        return FrozenDict(json.loads(self.text or "{}"))

    @cached_property
    def need(self) -> Need | None:
        """What strictness would cost; None where the schema cannot be strict."""
        return strict_need(self.schema) if self.text else None


@slotted
class Definitions:
    """The tools part of requests. Keep one for a session: it remembers what it wrote.

    `problems` holds what is wrong with tools that could not be written, or not as they wished;
    the first thing for each.
    """

    flags: frozenset[str] = frozenset({STRICT_TOOLS})
    problems: dict[str, Problem] = field(default_factory=dict)
    _sheets: dict[int, _Sheet] = field(default_factory=dict)

    def tools_part(self, view: View, request: RequestView) -> bytes:
        """Return the JSON array of a request's tools.

        Own tools first, a cache breakpoint on the last of them, then MCP tools, then revealed
        ones in the order they were found, then deferred ones.
        """
        budget = Budget()
        listed = self._objects(view.own, request, budget)
        if listed:
            listed[-1] = listed[-1][:-1] + _BREAKPOINT
        listed += self._objects(view.mcp, request, budget)
        listed += self._objects(view.appended, request, budget)
        if view.by_reference:
            deferred = self._objects(view.deferred, request, Budget(tools=0))
            listed += [one[:-1] + _DEFERRED for one in deferred]
        if not listed:
            return b"[]"
        listed[0] = b"[" + listed[0]  # the brackets join the ends, so that all is copied once
        listed[-1] += b"]"
        return b",".join(listed)

    def size_of(self, tool: AnyTool) -> int:
        """Return how many bytes a definition takes; nothing for one that cannot be written.

        A tool is measured once, so that what is deferred does not change with its description.
        """
        sheet = self._sheets.get(id(tool)) or self._sheet(tool)
        if sheet.size is None:
            sheet.size = len(self._object(tool, _NO_REQUEST) or b"")
        return sheet.size

    def one(self, tool: AnyTool, request: RequestView) -> dict[str, object] | None:
        """Return one tool's definition, or None if it cannot be written."""
        written = self._object(tool, request)
        return None if written is None else dict(json.loads(written))

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

    def _objects(
        self, tools: Iterable[AnyTool], request: RequestView, budget: Budget
    ) -> list[bytes]:
        """Return the definitions of those tools that have one."""
        may_be_strict = request.capabilities.strict_tools and STRICT_TOOLS in self.flags
        with_examples = request.capabilities.input_examples
        sheets, describe = self._sheets, self.describe
        written: list[bytes] = []
        for tool in tools:
            sheet = sheets.get(id(tool))
            if sheet is None:
                sheet = sheets[id(tool)] = _Sheet(tool, self._schema_text(tool))
            if not sheet.text:
                continue
            strict = may_be_strict and tool.strict and self._affords(sheet, budget)
            key = (describe(tool, request), strict, with_examples)
            one = sheet.written if sheet.key == key else self._written(sheet, key)
            if one is not None:
                written.append(one)
        return written

    def _affords(self, sheet: _Sheet, budget: Budget) -> bool:
        """Return whether a request can afford to be strict about a tool that wants it."""
        if budget.tools < 1:
            return False
        return sheet.need is not None and budget.affords(sheet.need)

    def _sheet(self, tool: AnyTool) -> _Sheet:
        """Take a tool's schema down; that is done once."""
        sheet = self._sheets[id(tool)] = _Sheet(tool, self._schema_text(tool))
        return sheet

    def _object(self, tool: AnyTool, request: RequestView) -> bytes | None:
        """Return one definition's bytes."""
        one = self._objects((tool,), request, Budget(tools=0))
        return one[0] if one else None

    def _written(self, sheet: _Sheet, key: _Key) -> bytes | None:
        """Write one definition, to be kept while nothing changes; note a tool that cannot be."""
        description, strict, with_examples = key
        sheet.key, sheet.written = key, None
        try:
            more = self._more(sheet, key) if strict or with_examples else ""
            text = (
                f'{{"name":{as_json_text(sheet.tool.name)},"description":'
                f'{as_json_text(description)},"input_schema":{sheet.text}{more}}}'
            )
            sheet.written = text.encode() if text.isascii() else _encoded(text)
        except (TypeError, ValueError, RecursionError) as error:
            self._note(sheet.tool, f"it cannot be written as JSON: {shown(error)}")
        return sheet.written

    def _more(self, sheet: _Sheet, key: _Key) -> str:
        """Return what a definition says besides: strictness and examples."""
        _, strict, with_examples = key
        examples = self._examples(sheet) if with_examples else []
        told = f',"input_examples":{compact(examples)}' if examples else ""
        return f',"strict":true{told}' if strict else told

    def _examples(self, sheet: _Sheet) -> list[object]:
        """Return the examples that fit the schema; one that does not would fail the request."""
        fitting: list[object] = []
        try:
            for example in sheet.tool.input_examples:
                answer = read_input(sheet.tool.name, sheet.input_format, example)
                if isinstance(answer, Parsed):
                    fitting.append(answer.args)
                else:
                    reason = f"an input example does not fit: {answer.problems[0]}"
                    self._note(sheet.tool, reason)
        except Exception as error:  # noqa: BLE001 - a foreign tool's failure becomes a value here
            self._note(sheet.tool, f"its input examples cannot be read: {shown(error)}")
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

    def _text_of(self, tool: AnyTool, schema: FrozenDict) -> str:
        """Return a schema as JSON; note a tool whose schema holds what JSON cannot."""
        try:
            return compact(schema)
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


def _encoded(text: str) -> bytes:
    """Return a definition as UTF-8.

    Half a character (a surrogate without its other half) is no JSON to most readers, and becomes
    the character that stands for an unreadable one.
    """
    try:
        return text.encode()
    except UnicodeEncodeError:
        halves = text.encode("utf-16-le", "surrogatepass")
        return halves.decode("utf-16-le", "replace").encode("utf-8")
