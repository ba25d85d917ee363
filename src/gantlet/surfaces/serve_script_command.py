"""`gantlet serve-script`: a Messages API that says what a script says."""

import argparse
import signal
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import anyio

from gantlet.messages import JsonValue, dumps
from gantlet.models.scripted import ScriptServer, load_script
from gantlet.system import Environment, Masker, PrivateLines
from gantlet.tool import UserError

_MAX_PORT = 65_535


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("file", help="the script, in YAML or JSON")
    parser.add_argument("--port", type=_port, default=0, help="0, the default, takes a free one")
    parser.add_argument(
        "--host", default="127.0.0.1", help="where to listen (default: %(default)s)"
    )
    parser.add_argument("--once", action="store_true", help="end after the script's last reply")
    parser.add_argument(
        "--log", metavar="FILE", help="add each request to this file, as JSON lines"
    )


def run(arguments: argparse.Namespace) -> int:
    """Serve until a signal comes, or until the script has been played."""
    script = load_script(arguments.file)
    with ExitStack() as stack:
        log = _open_log(arguments.log, stack) if arguments.log else None
        server = partial(ScriptServer, script, host=arguments.host, port=arguments.port, log=log)
        anyio.run(partial(_serve, server, ends_when_played=arguments.once))
    return 0


async def _serve(make_server: Callable[[], ScriptServer], *, ends_when_played: bool) -> None:
    """Serve, and say where."""
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async with make_server() as server, anyio.create_task_group() as group:
            if ends_when_played:
                group.start_soon(_cancel_after, server.played, group.cancel_scope)
            print(f"listening on {server.url}", flush=True)
            async for _ in signals:
                group.cancel_scope.cancel()


async def _cancel_after(event: anyio.Event, scope: anyio.CancelScope) -> None:
    """Cancel a scope once the event has happened."""
    await event.wait()
    scope.cancel()


def _open_log(path: str, stack: ExitStack) -> Callable[[Mapping[str, JsonValue]], None]:
    """Return what adds a request to the log, without its secrets."""
    masker = Masker(Environment.current().variables)
    try:
        lines = stack.enter_context(PrivateLines(Path(path), is_new=False))
    except (OSError, ValueError) as error:
        raise UserError(f"The log {path!r} cannot be written: {error}.") from error
    return lambda entry: lines.add(dumps(masker.value(dict(entry))))


def _port(text: str) -> int:
    """Return a port."""
    if not text.isdecimal() or len(text) > 5 or int(text) > _MAX_PORT:
        raise argparse.ArgumentTypeError(f"a port is from 0 to {_MAX_PORT}, not {text}")
    return int(text)
