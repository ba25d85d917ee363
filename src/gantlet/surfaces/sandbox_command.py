"""`gantlet sandbox`: whether there is a sandbox that holds, and a command in it."""

import argparse
import sys
from collections.abc import Iterator
from functools import partial

import anyio

from gantlet.config.sandbox_hosts import read_hosts
from gantlet.config.sandbox_session import sandbox_settings
from gantlet.messages.value import replace
from gantlet.surfaces.plain_text import plain
from gantlet.surfaces.settings_arguments import add_settings_arguments, settings_request
from gantlet.system.sandbox import (
    Absent,
    Network,
    NetworkList,
    NetworkOff,
    NetworkOn,
    Policy,
    Sandbox,
    SandboxError,
    SandboxSettings,
)
from gantlet.tool import UserError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    actions = parser.add_subparsers(title="actions", dest="action", required=True)
    status = actions.add_parser("status", help="say whether it holds here, and what it allows")
    add_settings_arguments(status)
    run_parser = actions.add_parser("run", help="run a command inside: run [OPTIONS] -- COMMAND")
    add_settings_arguments(run_parser)
    run_parser.add_argument(
        "--network", choices=("off", "on"), help="instead of what the settings say"
    )
    run_parser.add_argument(
        "--allow-host", action="append", default=[], metavar="HOST", help="reach this host, too"
    )
    run_parser.add_argument("words", nargs="+", metavar="COMMAND", help="the command, after --")


def run(arguments: argparse.Namespace) -> int:
    """Do one action and return its exit code; that of a command is the command's own."""
    request = settings_request(arguments)
    settings = request.read()
    wanted = sandbox_settings(settings, settings.context(), request.environment, even_if_off=True)
    make = partial(Sandbox, home=request.own_folder, bwrap=wanted.bwrap)
    if arguments.action == "status":
        return anyio.run(_status, wanted, make(wanted.policy))
    policy = replace(wanted.policy, network=_network(wanted.policy.network, arguments))
    for text in (*wanted.problems, *wanted.notes):
        print(plain(f"gantlet: {text}"), file=sys.stderr)
    return anyio.run(_run, make(policy), arguments.words, str(request.cwd))


async def _status(wanted: SandboxSettings, sandbox: Sandbox) -> int:
    """Print what there is."""
    async with sandbox:
        state = await sandbox.state()
        for line in _status_lines(wanted, sandbox, state):
            print(plain(line))
    return 1 if isinstance(state, Absent) else 0


def _status_lines(wanted: SandboxSettings, sandbox: Sandbox, state: object) -> Iterator[str]:
    """Yield what a person wants to know of the sandbox."""
    if isinstance(state, Absent):
        yield f"THERE IS NO SANDBOX HERE: {state.reason}"
    else:
        yield "the sandbox holds: writing outside, the network and remounting were tried in vain"
    yield from (f"wall: {wall}" for wall in sandbox.walls)
    yield f"commands run in it: {'yes' if wanted.is_enabled else 'no (sandbox.enabled)'}"
    if wanted.is_enabled:
        yield f"without it: {'no command runs' if wanted.must_hold else 'commands run, and say so'}"
    if wanted.blocked is not None:
        yield f"BLOCKED: {wanted.blocked}"
    yield from _policy_lines(wanted.policy)
    yield from (f"excluded: {entry}" for entry in wanted.excluded)
    yield from (f"problem: {text}" for text in wanted.problems)
    yield from (f"note: {text}" for text in wanted.notes)


def _policy_lines(policy: Policy) -> Iterator[str]:
    """Yield what a command inside may do."""
    yield from (f"writable: {path}" for path in policy.writable)
    yield from (f"protected: {path}" for path in (*policy.protected, *policy.own))
    yield from (f"hidden: {path}" for path in policy.denied)
    match policy.network:
        case NetworkOff():
            yield "network: off"
        case NetworkOn():
            yield "network: on"
        case NetworkList():
            yield "network: allowed hosts, through our proxy"
    yield f"unix sockets: {'on' if policy.unix_sockets else 'off'}"


async def _run(sandbox: Sandbox, words: list[str], cwd: str) -> int:
    """Run a command with this terminal's own streams."""
    async with sandbox:
        try:
            wrapped = await sandbox.wrap(words, cwd)
        except SandboxError as error:
            raise UserError(f"The command was not run: {error}") from error
        for note in wrapped.notes:
            print(plain(f"gantlet: {note}"), file=sys.stderr)
        process = await anyio.open_process(
            wrapped.argv,
            stdin=None,
            stdout=None,
            stderr=None,
            env=wrapped.environment,
        )
        code = await process.wait()
        for refusal in sandbox.take_refusals():
            print(plain(f"gantlet: the network's proxy refused: {refusal}"), file=sys.stderr)
    return code if code >= 0 else 128 - code


def _network(network: Network, arguments: argparse.Namespace) -> Network:
    """Return the network that the arguments ask for."""
    if arguments.network == "on":
        return NetworkOn()
    if arguments.allow_host:
        hosts, bad = read_hosts(arguments.allow_host, ())
        if bad:
            raise UserError(f"{bad[0]!r} is no host.")
        return NetworkList(hosts)
    return NetworkOff() if arguments.network == "off" else network
