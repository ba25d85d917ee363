"""A session's settings and rules as what its sandbox takes."""

from collections.abc import Mapping
from pathlib import Path

from gantlet.config.keys import KEYS
from gantlet.config.sandbox_paths import FoundPaths, find_paths
from gantlet.config.sandbox_settings import SandboxPlaces, read_sandbox
from gantlet.config.settings import Settings
from gantlet.messages import JsonValue
from gantlet.messages.value import replace
from gantlet.permissions import PermissionContext
from gantlet.system import Environment, home_folder
from gantlet.system.sandbox import SandboxSettings

_PREFIX = "sandbox."


def sandbox_settings(
    settings: Settings,
    context: PermissionContext,
    environment: Environment,
    *,
    even_if_off: bool = False,
) -> SandboxSettings:
    """Return what a session wants of its sandbox. What its rules deny is hidden there, too.

    The disk is looked at only if commands are to run inside, or `even_if_off`.
    """
    workspace = Path(settings.workspace.original_cwd.path)
    places = SandboxPlaces(
        workspace=workspace,
        home=Path(environment.variables.get("HOME") or Path.home()),
        directories=tuple(Path(one.path) for one in context.working_directories),
        own=(home_folder(environment), settings.places.user.parent),
        variables=environment.variables,
    )
    read = read_sandbox(_nested(settings), places)
    if not read.is_enabled and not even_if_off:
        return read
    found = find_paths(
        read.policy.writable,
        context.deny.path_patterns("Read"),
        context.deny.path_patterns("Edit"),
    )
    return replace(
        read,
        policy=replace(
            read.policy,
            denied=(*read.policy.denied, *found.denied),
            protected=(*read.policy.protected, *found.protected),
            repositories=found.repositories,
            environment={**read.policy.environment, **settings.child_env},
        ),
        blocked=read.blocked or _lost_denial(settings),
        notes=(*read.notes, *_incomplete(found)),
    )


def judged_with_sandbox(
    context: PermissionContext, settings: SandboxSettings, *, holds: bool
) -> PermissionContext:
    """Return the context of a session whose commands run in a sandbox that holds, or in none."""
    return replace(
        context,
        sandboxed_shell=holds,
        unsandboxed=settings.excluded,
        sandbox_allows=holds and settings.allows_inside,
    )


def _nested(settings: Settings) -> dict[str, JsonValue]:
    """Return everything that counts under `sandbox`, as it would stand in one file."""
    nested: dict[str, JsonValue] = {}
    for key in KEYS:
        content = settings.value(key) if key.startswith(_PREFIX) else None
        if content is None:
            continue
        *way, name = key.removeprefix(_PREFIX).split(".")
        inner = nested
        for step in way:
            deeper = inner.setdefault(step, {})
            inner = deeper if isinstance(deeper, dict) else {}
        inner[name] = dict(content) if isinstance(content, Mapping) else content
    return nested


def _lost_denial(settings: Settings) -> str | None:
    """Return what may have denied something and could not be read."""
    for problem in settings.problems:
        key = KEYS.get(problem.key)
        if key is not None and key.forbids and problem.key.startswith(_PREFIX):
            return f"{problem}. It may deny something, so no command runs until it is mended."
    return None


def _incomplete(found: FoundPaths) -> tuple[str, ...]:
    """Say what was not looked at."""
    if found.is_complete:
        return ()
    return (
        "The workspace is so large that patterns of deny rules were not looked up in all of it. "
        "Files deep inside it may be readable in the sandbox; name folders instead of patterns.",
    )
