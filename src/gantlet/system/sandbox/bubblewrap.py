"""A plan as the command line of bubblewrap, and of the last step inside."""

from collections.abc import Iterator

from gantlet.messages.value import value
from gantlet.system.sandbox.bridge import SOCKET
from gantlet.system.sandbox.policy import NetworkList, NetworkOn, Policy
from gantlet.system.sandbox.views import Mounted, Plan, View, is_within, view_of

#: Where our own files are inside.
INSIDE_FOLDER = "/run/gantlet"
_STEP = f"{INSIDE_FOLDER}/inside.py"
_BRIDGE = f"{INSIDE_FOLDER}/bridge.py"
#: Folders that every command may write to: devices, and facts about its own processes.
_ALWAYS_WRITABLE = ("/dev", "/proc")


@value
class Tools:
    """What a sandbox is made with, as found on this machine.

    Attributes:
        bwrap: The program, by its absolute path.
        interpreter: The Python that runs the last step, by its real path.
        interpreter_folder: What that Python needs to see.
        step: The file of the last step.
        bridge: The file of the bridge to the proxy.
        denied_file: An empty file that nobody may read, shown in place of denied ones.
        filter: The filter of system calls; None if we know none for this processor.
        has_landlock: Whether the kernel has Landlock.
        can_lock_namespaces: Whether this bubblewrap can forbid further namespaces.
        socket: The proxy's socket, if there is a proxy.
    """

    bwrap: str
    interpreter: str
    interpreter_folder: str
    step: str
    bridge: str
    denied_file: str
    filter: bytes | None = None
    has_landlock: bool = False
    can_lock_namespaces: bool = False
    socket: str | None = None


def bubblewrap_words(policy: Policy, plan: Plan, tools: Tools, cwd: str) -> tuple[str, ...]:
    """Return the command line up to where the last step's own options begin."""
    return (
        tools.bwrap,
        *("--unshare-all", "--cap-drop", "ALL", "--die-with-parent", "--new-session"),
        *(["--unshare-user", "--disable-userns"] if tools.can_lock_namespaces else []),
        *(["--share-net"] if isinstance(policy.network, NetworkOn) else []),
        *("--hostname", "sandbox"),
        *("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"),
        *_mount_words(policy, plan, tools),
        *_own_words(plan, tools),
        *("--chdir", cwd, "--"),
    )


def step_words(
    policy: Policy, plan: Plan, tools: Tools, kept: tuple[int, ...] = ()
) -> tuple[str, ...]:
    """Return the last step's command line up to where the command begins."""
    words = [tools.interpreter, "-I", "-S", _STEP]
    for number in kept:
        words += ["--keep", str(number)]
    if isinstance(policy.network, NetworkList) and tools.socket is not None:
        words += ["--bridge", _BRIDGE]
    words += ["--limit", "RLIMIT_CORE=0"]
    if policy.max_processes is not None:
        words += ["--limit", f"RLIMIT_NPROC={policy.max_processes}"]
    if tools.has_landlock:
        words += ["--landlock", "on"]
        for path in (*_ALWAYS_WRITABLE, *_changed(plan)):
            words += ["--write", path]
    if tools.filter is not None:
        words += ["--filter", tools.filter.hex()]
    return (*words, "--")


def _changed(plan: Plan) -> list[str]:
    """Return the folders in which something may change, without those inside another."""
    opened = [one.path for one in plan.mounts if one.view in {View.WRITE, View.EMPTY}]
    return [
        path
        for path in opened
        if not any(path != other and is_within(path, other) for other in opened)
    ]


def _mount_words(policy: Policy, plan: Plan, tools: Tools) -> Iterator[str]:
    """Yield the mounts. Hidden folders become read-only last, when all inside them is mounted."""
    for mounted in plan.mounts:
        match mounted.view:
            case View.READ:
                yield from ("--ro-bind", mounted.path, mounted.path)
            case View.WRITE:
                yield from ("--bind", mounted.path, mounted.path)
            case View.EMPTY:
                yield from _empty_words(policy, mounted)
            case View.HIDDEN:
                yield from _hiding_words(plan, tools, mounted)
    for mounted in plan.mounts:
        if mounted.view is View.HIDDEN and mounted.is_folder:
            yield from ("--remount-ro", mounted.path)


def _empty_words(policy: Policy, mounted: Mounted) -> tuple[str, ...]:
    """Return the mount of a folder that is empty, or holds what earlier commands left there."""
    if mounted.path == "/tmp" and policy.tmp is not None:
        return ("--bind", policy.tmp, mounted.path)
    return ("--perms", "1777", "--tmpfs", mounted.path)


def _hiding_words(plan: Plan, tools: Tools, mounted: Mounted) -> tuple[str, ...]:
    """Return the mount that stands before something that may not be read."""
    if not mounted.is_folder:
        return ("--ro-bind", tools.denied_file, mounted.path)
    mode = "0555" if _has_inside(plan, mounted) else "0000"
    return ("--perms", mode, "--tmpfs", mounted.path)


def _own_words(plan: Plan, tools: Tools) -> Iterator[str]:
    """Yield the mounts of what the last step needs."""
    yield from ("--perms", "0755", "--dir", INSIDE_FOLDER)
    yield from ("--ro-bind", tools.step, _STEP)
    if tools.socket is not None:
        yield from ("--bind", tools.socket, SOCKET)
        yield from ("--ro-bind", tools.bridge, _BRIDGE)
    if view_of(tools.interpreter, plan) is View.EMPTY:
        yield from ("--ro-bind", tools.interpreter_folder, tools.interpreter_folder)


def _has_inside(plan: Plan, hidden: Mounted) -> bool:
    """Return whether something in a hidden folder can be seen."""
    return any(
        one.view is not View.HIDDEN and one.path != hidden.path and is_within(one.path, hidden.path)
        for one in plan.mounts
    )
