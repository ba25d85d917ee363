"""A stranger's schema is answered soon, and never makes us fetch anything."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.request import urlopen

import pytest

from builders import SchemaTool, problems_of
from gantlet.tool import ToolDefinitionError, parse
from gantlet.tool.inputs import SchemaFormat
from tool.strange_schemas import CASES

TESTS = Path(__file__).parent.parent
DEADLINE_SECONDS = 90


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What a child process says to every case before it ends, dies, or is late."""
    output = tmp_path_factory.mktemp("strange") / "answers"
    program = [sys.executable, "-W", "error", "-m", "tool.strange_schemas"]
    # The child must run the very code that this process runs.
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS), *sys.path])}
    with output.open("w") as stream:
        child = subprocess.Popen(program, stdout=stream, env=environment)
        with suppress(subprocess.TimeoutExpired):  # the case it hangs in is the one without answer
            child.wait(DEADLINE_SECONDS)
        child.kill()
        child.wait()
    return dict(json.loads(line) for line in output.read_text().splitlines())


@pytest.mark.parametrize("name", CASES)
def test_a_strange_schema_is_answered_in_time(name: str, answers: dict[str, str]) -> None:
    assert name in answers, f"no answer after {len(answers)} others"
    assert answers[name].startswith(CASES[name].answer)


class _Recorder(BaseHTTPRequestHandler):
    """Answers every request with a schema that allows everything, and remembers its path."""

    def do_GET(self) -> None:
        """Answer."""
        self.server.seen.append(self.path)  # type: ignore[attr-defined]  # ours, below
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@contextmanager
def a_server_that_remembers() -> Iterator[tuple[str, list[str]]]:
    """Yield the address of a server on this machine, and the paths asked of it."""
    seen: list[str] = []
    with ThreadingHTTPServer(("127.0.0.1", 0), _Recorder) as server:
        server.seen = seen  # type: ignore[attr-defined]  # how handlers get at it
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", seen
        finally:
            server.shutdown()
            thread.join()


REMOTE_KEYWORDS = ["$ref", "$dynamicRef", "$recursiveRef", "$schema", "$id", "$vocabulary"]


@pytest.mark.parametrize("word", REMOTE_KEYWORDS)
@pytest.mark.parametrize("place", ["root", "field", "definition"])
def test_nothing_is_fetched_whatever_a_schema_refers_to(word: str, place: str) -> None:
    with a_server_that_remembers() as (address, seen):
        inner: dict[str, object] = {word: f"{address}/{word}"}
        if word == "$vocabulary":
            inner = {word: {f"{address}/{word}": True}}
        schemas: dict[str, dict[str, object]] = {
            "root": inner,
            "field": {"properties": {"v": inner}},
            "definition": {"$defs": {"d": inner}, "properties": {"v": {"$ref": "#/$defs/d"}}},
        }
        tool = SchemaTool(schemas[place])

        parse(tool, {"v": 1})
        with suppress(ToolDefinitionError):
            _ = tool.input_format.json_schema
        asked = list(seen)
        with urlopen(f"{address}/control", timeout=10):
            pass

    assert asked == []
    assert seen == ["/control"]


def test_a_reference_to_a_file_is_not_followed(tmp_path: Path) -> None:
    target = tmp_path / "schema.json"
    target.write_text('{"type": "integer"}')

    said = problems_of(SchemaTool({"properties": {"v": {"$ref": target.as_uri()}}}), {"v": "x"})

    assert len(said) == 1
    assert said[0].startswith("This tool cannot be used: The input schema refers to 'file://")
    assert said[0].endswith(", outside itself. Choose another one.")


@pytest.mark.parametrize(
    ("schema", "reason"),
    [
        ({"type": "nonsense"}, "The input schema's type is 'nonsense', not 'object'."),
        (
            {"properties": {"v": {"type": "nonsense"}}},
            "The input schema is not valid:",
        ),
        ({"required": "v"}, "The input schema is not valid:"),
    ],
)
def test_a_schema_can_be_checked_before_its_first_call(
    schema: dict[str, object], reason: str
) -> None:
    with pytest.raises(ToolDefinitionError) as caught:
        SchemaFormat(schema).check()

    assert str(caught.value).startswith(reason)


def test_a_schema_that_the_api_would_refuse_is_not_shown_to_it() -> None:
    old = {
        "$schema": "http://json-schema.org/draft-04/schema#",
        "properties": {"v": {"minimum": 1, "exclusiveMinimum": True}},
    }

    with pytest.raises(ToolDefinitionError, match="draft 2020-12"):
        _ = SchemaTool(old).input_format.json_schema


def test_a_schema_changed_by_its_owner_afterwards_is_still_the_one_that_was_checked() -> None:
    fields: dict[str, object] = {"v": {"type": "integer"}}
    tool = SchemaTool({"properties": fields})
    before = problems_of(tool, {"v": "x"})

    fields["v"] = True

    assert problems_of(tool, {"v": "x"}) == before
