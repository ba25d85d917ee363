"""`gantlet serve-script` as a program of its own, with the official SDK as its client."""

import json
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import httpx2
import pytest

from patience import PATIENCE_SECONDS

GANTLET = Path(sys.executable).parent / "gantlet"
MESSAGES: list[Any] = [{"role": "user", "content": "Read notes.txt, please."}]
TOOLS: list[Any] = [
    {
        "name": "Read",
        "input_schema": {"type": "object", "properties": {"file_path": {"type": "string"}}},
    }
]
SCRIPT = """\
- - thinking: The file first.
    signature: sig
  - text: I will read it.
    chunks: 4
  - call: Read
    input: {file_path: "{{ user.text | find: \\\\S+\\\\.txt }}"}
    chunks: 3
- when: {result: {is_error: true}}
  then: [There is nothing to read.]
  else: ["It says: {{ result.1.text }}"]
"""


@dataclass(frozen=True)
class Served:
    """A running command and its address."""

    process: subprocess.Popen[str]
    url: str

    def finished(self) -> tuple[int, str, str]:
        """Wait for its end; return exit code and what it printed."""
        out, err = self.process.communicate(timeout=PATIENCE_SECONDS)
        return self.process.returncode, out, err


@contextmanager
def serving(script: str, folder: Path, options: Sequence[str] = ()) -> Iterator[Served]:
    """Run the command on a script and stop it in the end."""
    file = folder / "script.yaml"
    file.write_text(script, encoding="utf-8")
    with subprocess.Popen(
        [GANTLET, "serve-script", str(file), *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONWARNINGS": "error", "MY_API_TOKEN": "very-secret-value"},
    ) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            assert line.startswith("listening on http://127.0.0.1:"), process.communicate()
            yield Served(process, line.removeprefix("listening on ").strip())
        finally:
            process.kill()


def client_of(served: Served, **options: Any) -> Any:
    """Return the official client, pointed at the command; replies are told apart by the tests."""
    # Imported by whoever runs these tests: it takes seconds, which collecting need not.
    return resolve_name("anthropic.Anthropic")(base_url=served.url, api_key="any", **options)


def answered(message: Any, text: str, *, is_error: bool = False) -> list[Any]:
    """Return the conversation after the calls of a reply were answered."""
    results = [
        {"type": "tool_result", "tool_use_id": block.id, "content": text, "is_error": is_error}
        for block in message.content
        if block.type == "tool_use"
    ]
    said = {"role": "assistant", "content": [block.model_dump() for block in message.content]}
    return [*MESSAGES, said, {"role": "user", "content": results}]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A command that serves the script to several tests."""
    with serving(SCRIPT, tmp_path_factory.mktemp("served")) as running:
        yield running


def test_the_official_client_streams_two_turns_with_a_tool(served: Served) -> None:
    with client_of(served) as client:
        with client.messages.stream(
            model="m", max_tokens=100, messages=MESSAGES, tools=TOOLS
        ) as stream:
            texts = [event.text for event in stream if event.type == "text"]
            first = stream.get_final_message()
        with client.messages.stream(
            model="m", max_tokens=100, messages=answered(first, "milk, eggs"), tools=TOOLS
        ) as stream:
            second = stream.get_final_message()

    thinking, text, call = first.content
    assert texts == ["I w", "ill ", "read", " it."]
    assert (thinking.type, text.type, call.type) == ("thinking", "text", "tool_use")
    assert call.input == {"file_path": "notes.txt"}
    assert (first.stop_reason, second.stop_reason) == ("tool_use", "end_turn")
    assert second.content[0].text == "It says: milk, eggs"


def test_the_official_client_gets_the_same_in_one_piece(served: Served) -> None:
    with client_of(served) as client:
        first = client.messages.create(model="m", max_tokens=100, messages=MESSAGES, tools=TOOLS)
        second = client.messages.create(
            model="m",
            max_tokens=100,
            messages=answered(first, "No such file", is_error=True),
            tools=TOOLS,
        )

    assert [block.type for block in first.content] == ["thinking", "text", "tool_use"]
    assert first.content[2].input == {"file_path": "notes.txt"}
    assert second.content[0].text == "There is nothing to read."


def test_the_official_client_counts_tokens(served: Served) -> None:
    with client_of(served) as client:
        count = client.messages.count_tokens(model="m", messages=MESSAGES, tools=TOOLS)

    assert count.input_tokens > 10


def test_the_official_client_is_told_what_is_wrong_with_its_history(served: Served) -> None:
    refused = resolve_name("anthropic.BadRequestError")
    with client_of(served) as client, pytest.raises(refused) as raised:
        client.messages.create(model="m", max_tokens=1, messages=[{"role": "user", "content": ""}])

    assert "must have non-empty content" in str(raised.value)
    assert raised.value.request_id is not None


def test_the_official_client_retries_what_passes(tmp_path: Path) -> None:
    faults = "[{error: overloaded}, {error: rate_limit, retry_after: 0.01}]"
    with (
        serving(f"- say: at last\n  fault: {faults}\n", tmp_path) as served,
        client_of(served, max_retries=2) as client,
    ):
        reply = client.messages.create(model="m", max_tokens=1, messages=MESSAGES)

    assert reply.content[0].text == "at last"


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        ("{error: overloaded, at: mid_text, times: always}", "anthropic.APIStatusError"),
        ("{drop: true, at: mid_text, times: always}", "httpx2.RemoteProtocolError"),
        ("{garble: wrong_chunk, at: mid_text, times: always}", "httpx2.RemoteProtocolError"),
        ("{garble: half_event, at: mid_text, times: always}", "httpx2.RemoteProtocolError"),
        ("{error: overloaded, times: always}", "anthropic.InternalServerError"),
        ("{drop: true, times: always}", "anthropic.APIConnectionError"),
    ],
)
def test_the_official_client_meets_every_fault(fault: str, expected: str, tmp_path: Path) -> None:
    with (
        serving(f"- say: Hello\n  fault: {fault}\n", tmp_path) as served,
        client_of(served, max_retries=0) as client,
        pytest.raises(resolve_name(expected)),
        client.messages.stream(model="m", max_tokens=1, messages=MESSAGES) as stream,
    ):
        stream.get_final_message()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_cleanly_even_in_the_middle_of_a_reply(
    number: signal.Signals, tmp_path: Path
) -> None:
    script = "- say: Hello\n  fault: {stall: forever, at: start}\n"
    body = json.dumps(
        {"model": "m", "max_tokens": 1, "stream": True, "messages": MESSAGES}
    ).encode()
    headers = {"x-api-key": "any", "anthropic-version": "2023-06-01"}
    with (
        serving(script, tmp_path) as served,
        httpx2.Client() as client,
        client.stream(
            "POST", f"{served.url}/v1/messages", content=body, headers=headers
        ) as response,
    ):
        status = response.status_code
        served.process.send_signal(number)
        finished = served.finished()

    assert (status, finished) == (200, (0, "", ""))


def test_with_once_it_ends_after_the_last_reply(tmp_path: Path) -> None:
    with serving("- only\n", tmp_path, ["--once"]) as served, client_of(served) as client:
        reply = client.messages.create(model="m", max_tokens=1, messages=MESSAGES)
        finished = served.finished()

    assert reply.content[0].text == "only"
    assert finished == (0, "", "")


def test_the_log_holds_each_request_without_secrets_for_the_owner_only(tmp_path: Path) -> None:
    log = tmp_path / "requests.jsonl"
    said: list[Any] = [{"role": "user", "content": "my token is very-secret-value"}]
    with (
        serving("- hi\n", tmp_path, ["--log", str(log)]) as served,
        client_of(served) as client,
    ):
        client.messages.create(model="m", max_tokens=1, messages=said)
        client.messages.create(model="m", max_tokens=1, messages=MESSAGES)

    entries = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    assert [entry["body"]["messages"][0]["content"] for entry in entries] == [
        "my token is [masked]",
        "Read notes.txt, please.",
    ]
    assert not {"x-api-key", "authorization"} & set(entries[0]["headers"])
    assert stat.S_IMODE(log.stat().st_mode) == 0o600


def test_a_port_can_be_chosen_and_one_that_is_taken_is_named(tmp_path: Path) -> None:
    with serving("- hi\n", tmp_path) as served:
        port = served.url.rpartition(":")[2]
        done = run_to_its_end(str(tmp_path / "script.yaml"), "--port", port)

    assert done.returncode == 1
    assert f"gantlet: Nothing can listen at 127.0.0.1, port {port}" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["gone.yaml"], 1, "gantlet: The script 'gone.yaml' cannot be read: No such file"),
        (["bad.yaml"], 1, "gantlet: bad.yaml:2: 2.goto: there is no label 'x'."),
        (["good.yaml", "--log", "no/such/log"], 1, "gantlet: The log 'no/such/log' cannot be"),
        (["good.yaml", "--port", "70000"], 2, "a port is from 0 to 65535, not 70000"),
        (["good.yaml", "--port", "x"], 2, "a port is from 0 to 65535, not x"),
        (["good.yaml", "--host", "no.such.host.invalid"], 1, "gantlet: Nothing can listen at no"),
        ([], 2, "the following arguments are required: file"),
    ],
)
def test_what_cannot_be_served_is_said_in_one_line(
    arguments: list[str], code: int, said: str, tmp_path: Path
) -> None:
    (tmp_path / "bad.yaml").write_text("- hi\n- goto: x\n", encoding="utf-8")
    (tmp_path / "good.yaml").write_text("- hi\n", encoding="utf-8")

    done = run_to_its_end(*arguments, folder=tmp_path)

    assert (done.returncode, done.stdout) == (code, "")
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def run_to_its_end(*arguments: str, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run the command where it cannot serve."""
    return subprocess.run(
        [GANTLET, "serve-script", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
