"""The permission engine of an agent, from a mode and rules."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from gantlet.messages import Behaviour, Event
from gantlet.permissions import (
    Asker,
    ContextHolder,
    Engine,
    PermissionContext,
    Workspace,
)
from gantlet.permissions.workspace import Directory
from gantlet.rules import BadRule, Rule, Source, SourceKind, parse_rule
from gantlet.system import Environment, Scout
from gantlet.tool import Mode, UserError


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
    return Engine(ContextHolder(context), asker, eyes=Scout(), emit=emit)


def denied_by(settings: Mapping[str, object]) -> list[str]:
    """Return the deny rules of settings, as they are written."""
    return [text for behaviour, text in _written(settings) if behaviour is Behaviour.DENY]


def open_workspace(cwd: str, environment: Environment) -> Workspace:
    """Return where a session works, by the names with and without links."""
    here = _named(cwd)
    home = environment.variables.get("HOME", "")
    return Workspace(here, here, _named(home) if home.startswith("/") else None)


def _named(path: str) -> Directory:
    """Return a directory under each of its names."""
    lexical, real = Path(path).absolute(), Path(path).resolve()
    return Directory(tuple(dict.fromkeys((str(lexical), str(real)))))


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
    for behaviour in Behaviour:
        listed = permissions.get(str(behaviour), ())
        if isinstance(listed, str) or not isinstance(listed, Sequence):
            raise UserError(f"'permissions.{behaviour}' in the settings is not a list of rules.")
        for text in listed:
            yield behaviour, str(text)
