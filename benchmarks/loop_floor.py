"""The least a Python client can do: a raw socket, json, one task per call, no checks at all.

Usage: python benchmarks/loop_floor.py PORT RESULT_CHARS [TOOLS]. Prints one line of JSON when the
model is done: how many calls there were, how long each turn took, and when it had loaded all.
"""

import asyncio
import json
import sys
import time

NOOP: dict[str, object] = {
    "name": "Noop",
    "description": "Does nothing.",
    "input_schema": {
        "type": "object",
        "description": "A text.",
        "properties": {"text": {"type": "string"}},
        "required": ["text"],
        "additionalProperties": False,
    },
}


async def noop(text: str, result: str) -> str:
    """Do nothing."""
    return result or text


async def run(port: int, result_chars: int, tools: bytes, times: list[float]) -> int:  # noqa: PLR0915 - the least there is
    """Play the conversation to its end; append each turn's time; return the number of calls."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=2**26)
    result = "x" * result_chars
    messages = [b'{"role":"user","content":"go"}']
    made = 0
    while True:
        began = time.perf_counter()
        body = b"".join(
            [
                b'{"model":"bench","max_tokens":1000,"stream":true,"tools":',
                tools,
                b',"messages":[',
                b",".join(messages),
                b"]}",
            ]
        )
        writer.write(
            b"POST /v1/messages HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n"
            b"content-length: %d\r\n\r\n" % len(body)
        )
        writer.write(body)
        head = await reader.readuntil(b"\r\n\r\n")
        left = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
        blocks: list[dict[str, object]] = []
        pieces: list[str] = []
        tasks: list[asyncio.Task[str]] = []
        while left:
            raw = await reader.readuntil(b"\n\n")
            left -= len(raw)
            data = json.loads(raw.split(b"data: ", 1)[1])
            kind = data["type"]
            if kind == "content_block_start":
                blocks.append(data["content_block"])
                pieces = []
            elif kind == "content_block_delta":
                pieces.append(data["delta"].get("partial_json", ""))
            elif kind == "content_block_stop" and blocks[-1]["type"] == "tool_use":
                given = json.loads("".join(pieces))
                blocks[-1]["input"] = given
                coroutine = noop(given["text"], result)
                tasks.append(asyncio.get_running_loop().create_task(coroutine))
        if not tasks:
            times.append(time.perf_counter() - began)
            writer.close()
            return made
        made += len(tasks)
        results = [
            {"type": "tool_result", "tool_use_id": block["id"], "content": await task}
            for block, task in zip(blocks, tasks, strict=True)
        ]
        messages.append(_compact({"role": "assistant", "content": blocks}))
        messages.append(_compact({"role": "user", "content": results}))
        times.append(time.perf_counter() - began)


def given(count: int) -> list[dict[str, object]]:
    """Return the definitions of so many tools."""
    schema = {
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "Where to look."},
            "limit": {"type": "integer", "description": "How many."},
        },
        "required": ["path"],
    }
    return [
        {"name": f"given_{number}", "description": "One of many.", "input_schema": schema}
        for number in range(count)
    ]


def _compact(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


if __name__ == "__main__":
    taken: list[float] = []
    many = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    loaded = time.monotonic()
    tools = given(many) if sys.argv[2] == "0" else [NOOP]
    calls = asyncio.run(run(int(sys.argv[1]), int(sys.argv[2]), _compact(tools), taken))
    print(json.dumps({"calls": calls, "seconds": taken, "loaded": loaded}))
