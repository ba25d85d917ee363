"""The main program without a screen, from flags to the exit code."""

import logging
from pathlib import Path

import anyio

from gantlet.pool import DEFAULT_FLAGS
from gantlet.surfaces.headless.flags import NOTHING_TO_DO, FlagError, Flags
from gantlet.surfaces.headless.host import Host
from gantlet.surfaces.headless.inlet import read_piped
from gantlet.surfaces.headless.model_choice import ModelSource
from gantlet.surfaces.headless.outlet import Outlet
from gantlet.surfaces.headless.reports import PlainSink, Sink, StreamSink
from gantlet.system import Environment, in_loop_thread


def run_headless(flags: Flags) -> int:
    """Run and return the exit code.

    Raises:
        UserError: Nothing could begin; the message says why.
    """
    _set_up_log(flags)
    outlet = Outlet(1)
    try:
        return anyio.run(_run, flags, outlet)
    finally:
        outlet.close()


async def _run(flags: Flags, outlet: Outlet) -> int:
    """Run in the event loop."""
    prompt: str | None = None
    if not flags.speaks_control:
        prompt = await _prompt(flags)
    sink: Sink = (
        StreamSink(outlet) if flags.output_format == "stream-json" else PlainSink(flags, outlet)
    )
    source = _source(flags)
    try:
        environment = source.adapted(Environment.current(DEFAULT_FLAGS))
        host = Host(flags, Path.cwd(), environment, sink, source)
        if sink.is_stream:
            outlet.when_broken = in_loop_thread(lambda _: host.give_up())
        exit_code = await host.run(prompt)
    finally:
        source.close()
    sink.remark(source.remarks())
    return exit_code


async def _prompt(flags: Flags) -> str:
    """Return what is to be done: what the command line says, and what is piped in.

    Nothing need be said where a session is resumed: a call may wait in it.
    """
    piped = await read_piped(0, has_prompt=bool(flags.prompt) or flags.is_resumed)
    both = [part for part in (flags.prompt, piped.strip()) if part.strip()]
    if not both and not flags.is_resumed:
        raise FlagError(NOTHING_TO_DO)
    return "\n\n".join(both)


def _source(flags: Flags) -> ModelSource:
    """Return who speaks in the model's place, or listens to it, if anybody does."""
    if not (flags.script or flags.record or flags.replay):
        return ModelSource()
    from gantlet.surfaces.headless.model_source import open_source  # noqa: PLC0415 - who has a real model need not pay for it

    return open_source(flags)


def _set_up_log(flags: Flags) -> None:
    """Write the log where it is wanted; without a word about it, nowhere."""
    if flags.debug_file or flags.debug is not None:
        _open_log(flags)
    else:
        logging.getLogger("gantlet").addHandler(logging.NullHandler())
        logging.lastResort = None


def _open_log(flags: Flags) -> None:
    """Log everything, or what the filter names, without secrets; only the owner may read a file."""
    from gantlet.surfaces.headless.log import log_handler  # noqa: PLC0415 - only who wants a log pays for it

    own = logging.getLogger("gantlet")
    own.addHandler(log_handler(flags.debug_file, flags.debug or ""))
    own.setLevel(logging.DEBUG)
    own.propagate = False
