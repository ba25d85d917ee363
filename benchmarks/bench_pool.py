"""What the pool costs: assembling, writing and searching many tools, each beside a bare floor.

Run it with `python benchmarks/bench_pool.py`. Times are medians; a missed bar is printed as such.
"""

import gc
import json
import statistics
from collections.abc import Callable
from time import perf_counter

from gantlet.pool import Catalog, Definitions, View, assemble
from gantlet.tool import AnyTool, McpIdentity, RequestView, Tool

POOL_SIZE = 1_000
CATALOG_SIZE = 10_000
REQUEST = RequestView()
VERBS = ("create", "list", "update", "delete", "search", "merge", "archive", "share")
NOUNS = ("issue", "channel", "invoice", "page", "ticket", "branch", "contact", "report")


class Served(Tool[object]):
    """A tool of a made-up server, with a schema such as servers send."""

    def __init__(self, number: int) -> None:
        verb, noun = VERBS[number % 8], NOUNS[number // 8 % 8]
        server = f"service{number % 40:02}"
        self.name = f"mcp__{server}__{verb}_{noun}_{number}"
        self.mcp = McpIdentity(server, f"{verb}_{noun}_{number}")
        self.description = (
            f"{verb.title()} one {noun} of {server}. Give its number or its title; the answer"
            f" holds the whole {noun} with its author, its state and the time of the last change."
        )
        self.input_schema = {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": f"{verb}{noun}Arguments",
            "type": "object",
            "properties": {
                "id": {"title": "Id", "type": "string", "description": f"Which {noun}."},
                "title": {"title": "Title", "type": "string", "maxLength": 200},
                "labels": {"type": "array", "items": {"type": "string"}, "default": []},
                "state": {"enum": ["open", "closed", "all"], "default": "open"},
                "limit": {"type": "integer", "minimum": 1, "maximum": 100},
            },
            "required": ["id"],
            "additionalProperties": False,
        }


def median(
    work: Callable[[], object], rounds: int, prepare: Callable[[], object] = gc.collect
) -> float:
    """Return the median time of one round in milliseconds."""
    times = []
    for _ in range(rounds):
        prepare()
        started = perf_counter()
        work()
        times.append(1_000 * (perf_counter() - started))
    return statistics.median(times)


def report(what: str, ours: float, floor: float, bar: float | None = None) -> None:
    """Print one line: our time, the floor's, their ratio, and the bar where there is one."""
    judged = "" if bar is None else f"bar {bar:5.1f} ms  {'met' if ours <= bar else 'MISSED'}"
    ratio = ours / floor
    print(f"{what:<52} {ours:8.2f} ms  floor {floor:6.2f} ms {ratio:6.1f} x  {judged}".rstrip())


def assembling() -> None:
    """Measure how long a pool takes to be put together."""
    tools: list[AnyTool] = [Served(number) for number in range(POOL_SIZE)]

    def floor() -> object:
        return {tool.name: tool for tool in sorted(tools, key=lambda tool: tool.name)}

    ours = median(lambda: assemble((), tools), 15)
    denied = median(lambda: assemble((), tools, denied=["Bash", "mcp__nobody", "mcp__*_x"]), 15)
    least = median(floor, 15)
    report(f"assemble {POOL_SIZE:,} tools with three deny rules", denied, least)
    report(f"assemble {POOL_SIZE:,} tools", ours, least, bar=20)


def writing() -> None:
    """Measure how long the tools part of a request takes, the first time and later."""
    built: list[AnyTool] = []

    def anew() -> None:
        built[:] = [Served(number) for number in range(POOL_SIZE)]
        gc.collect()

    first = median(lambda: Definitions().tools_part(View((), tuple(built)), REQUEST), 7, anew)
    definitions, view = Definitions(), View((), tuple(built))
    bare = json.loads(definitions.tools_part(view, REQUEST))
    least = median(lambda: json.dumps(bare).encode(), 15)
    again = median(lambda: definitions.tools_part(view, REQUEST), 15)
    report(f"first tools part of {POOL_SIZE:,} tools", first, least)
    report(f"second tools part of {POOL_SIZE:,} tools", again, least)


def searching() -> None:
    """Measure a search among many deferred tools, with the index still to be built and after."""
    crowd = tuple(Served(number) for number in range(CATALOG_SIZE))
    texts = [f"{tool.name}\n{tool.describe(REQUEST)}" for tool in crowd]
    catalogs: list[Catalog] = []

    def anew() -> None:
        catalogs[:] = [Catalog(Definitions())]
        catalogs[0].show(View((), deferred=crowd), REQUEST)
        gc.collect()

    def ask(query: str) -> Callable[[], object]:
        return lambda: catalogs[0].look_up(query, 5)

    cold = median(ask("+service07 merge branch"), 5, anew)
    least = median(lambda: [text for text in texts if "branch" in text], 15)
    report(f"search {CATALOG_SIZE:,} tools, cold", cold, least)
    queries = (
        "+service07 merge branch",
        "merge branch",
        "state of the invoice",
        "one whole last change",  # each of these is in every tool
        "select:nobody",
    )
    for query in queries:
        warm = median(ask(query), 15)
        report(f"search {CATALOG_SIZE:,} tools, warm: {query}", warm, least, bar=30)


if __name__ == "__main__":
    assembling()
    writing()
    searching()
