"""The permission engine of an agent, from a mode and rules."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from gantlet.config import SettingsFiles, workspace_at
from gantlet.messages import Behaviour, Event
from gantlet.permissions import (
    AddDirectories,
    Asker,
    ContextHolder,
    Destination,
    Engine,
    PermissionContext,
    Workspace,
)
from gantlet.rules import BadRule, Rule, Source, SourceKind, parse_rule
from gantlet.system import Environment, Scout
from gantlet.tool import Mode, Problem, UserError

DIRECTORIES = "additionalDirectories"


def open_engine(
    mode: Mode,
    settings: Mapping[str, object],
    workspace: Workspace,
    emit: Callable[[Event], None],
    asker: Asker | None = None,
) -> Engine:
    """Return an engine for a session that works in a workspace.

    `settings` has the form of a settings file; its rules count like the command line's. Without an
    asker nobody can be asked, and what would be asked is denied.

    Raises:
        UserError: The settings have another form.
    """
    context = PermissionContext(
        workspace,
        mode,
        bypass_available=mode is Mode.BYPASS,
        auto_available=mode is Mode.AUTO,
        avoid_prompts=asker is None,
    )
    context = context.with_rules(_rules(settings, workspace))
    permissions = settings.get("permissions", {})
    if isinstance(permissions, Mapping) and DIRECTORIES in permissions:
        folders = tuple(_texts(permissions, DIRECTORIES))
        context = context.updated(AddDirectories(folders, Destination.COMMAND_LINE))
    return Engine(ContextHolder(context), asker, eyes=Scout(), emit=emit)


def denied_by(settings: Mapping[str, object]) -> list[str]:
    """Return the deny rules of settings, as they are written."""
    return [text for behaviour, text in _written(settings) if behaviour is Behaviour.DENY]


def open_workspace(cwd: str, environment: Environment) -> Workspace:
    """Return where a session works, and which files decide what it may do."""
    here, home = Path(cwd), Path(environment.variables.get("HOME") or Path.home())
    return workspace_at(here, home, SettingsFiles.of(here, home, environment))


def problems_of(engine: Engine) -> tuple[Problem, ...]:
    """Return the rules that do not work as they are written."""
    bad = engine.holder.current.problems
    return tuple(Problem(rule.text, f"as a rule: {rule.reason}") for rule in bad)


def _rules(settings: Mapping[str, object], workspace: Workspace) -> list[Rule | BadRule]:
    """Return the rules of settings."""
    kind = SourceKind.COMMAND_LINE
    anchors = workspace.anchors(kind)
    return [
        parse_rule(text, behaviour, Source(kind, key=f"permissions.{behaviour}", anchors=anchors))
        for behaviour, text in _written(settings)
    ]


def _written(settings: Mapping[str, object]) -> Iterator[tuple[Behaviour, str]]:
    """Yield the rules of settings as they are written."""
    permissions = settings.get("permissions", {})
    if not isinstance(permissions, Mapping):
        raise UserError("'permissions' in the settings is not an object.")
    unknown = [name for name in permissions if name not in {*Behaviour, DIRECTORIES}]
    if unknown:
        raise UserError(f"'permissions.{unknown[0]}' in the settings is not known.")
    for behaviour in Behaviour:
        for text in _texts(permissions, behaviour):
            yield behaviour, text


def _texts(permissions: Mapping[str, object], name: str) -> list[str]:
    """Return a list of texts that settings hold."""
    listed = permissions.get(name, ())
    if isinstance(listed, str) or not isinstance(listed, Sequence):
        raise UserError(f"'permissions.{name}' in the settings is not a list.")
    if not all(isinstance(text, str) for text in listed):
        raise UserError(f"'permissions.{name}' in the settings holds something that is no text.")
    return [str(text) for text in listed]
