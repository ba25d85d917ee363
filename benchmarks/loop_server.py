"""A server for benchmarks: answers with SSE that was made before, as fast as it can.

Usage: python benchmarks/loop_server.py TURNS CALLS. Each of TURNS replies asks for CALLS calls of
`Noop`; the one after them says "done". Which reply is due follows from the number of replies in
the request. With no turns at all, it prints when each request has come, on the machine's clock.
"""

import asyncio
import json
import sys
import time


def event(name: str, **fields: object) -> bytes:
    """Return one server-sent event."""
    data = json.dumps({"type": name, **fields}, separators=(",", ":"))
    return f"event: {name}\ndata: {data}\n\n".encode()


def reply(turn: int, calls: int) -> bytes:
    """Return the stream of one reply: some calls, or the last word."""
    message: dict[str, object] = {
        "id": f"msg_{turn}",
        "type": "message",
        "role": "assistant",
        "content": [],
        "model": "bench",
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": 10, "output_tokens": 1},
    }
    parts = [event("message_start", message=message)]
    for index in range(calls):
        block = {"type": "tool_use", "id": f"toolu_{turn}_{index}", "name": "Noop", "input": {}}
        parts.append(event("content_block_start", index=index, content_block=block))
        for piece in ('{"text":', f'"call {turn} {index}"}}'):
            delta = {"type": "input_json_delta", "partial_json": piece}
            parts.append(event("content_block_delta", index=index, delta=delta))
        parts.append(event("content_block_stop", index=index))
    if not calls:
        block = {"type": "text", "text": ""}
        parts.append(event("content_block_start", index=0, content_block=block))
        delta = {"type": "text_delta", "text": "done"}
        parts.append(event("content_block_delta", index=0, delta=delta))
        parts.append(event("content_block_stop", index=0))
    ending = {"stop_reason": "tool_use" if calls else "end_turn", "stop_sequence": None}
    parts.append(event("message_delta", delta=ending, usage={"output_tokens": 20}))
    parts.append(event("message_stop"))
    return b"".join(parts)


async def serve(turns: int, calls: int) -> None:
    """Listen on a free port, say which, and answer for ever."""
    replies = [reply(turn, calls) for turn in range(turns)] + [reply(turns, 0)]

    async def connection(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
                body = await reader.readexactly(length)
                if not turns:
                    print(time.monotonic(), flush=True)
                due = min(body.count(b'"role":"assistant"'), turns)
                stream = replies[due]
                writer.write(
                    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n"
                    b"content-length: %d\r\n\r\n" % len(stream)
                )
                writer.write(stream)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    server = await asyncio.start_server(connection, "127.0.0.1", 0, limit=2**26)
    print(server.sockets[0].getsockname()[1], flush=True)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1]), int(sys.argv[2])))
