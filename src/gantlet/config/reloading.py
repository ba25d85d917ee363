"""A permission context after settings were read again: what the session itself added stays."""

from gantlet.messages import Behaviour
from gantlet.messages.value import replace
from gantlet.permissions import PermissionContext
from gantlet.rules import Rule, SourceKind
from gantlet.tool import Mode

#: Sources that are no file: what they say lasts as long as the session.
_OF_SESSION = frozenset({SourceKind.SESSION, SourceKind.COMMAND_LINE})


def carried_over(old: PermissionContext, fresh: PermissionContext) -> PermissionContext:
    """Return a context that was just read, with what lasts a session taken from the old one.

    The mode stays, unless it is not available any more. Rules that were added to a file during the
    session are in the file; an allow that is no longer there is gone.
    """
    kept = [rule for behaviour in Behaviour for rule in old.rules(behaviour) if _stays(rule)]
    directories = [one for one in old.directories if one.source in _OF_SESSION]
    return replace(
        fresh.with_directories(directories).with_rules(kept),
        workspace=replace(fresh.workspace, cwd=old.workspace.cwd),
        mode=_available(old.mode, fresh) or Mode.DEFAULT,
        pre_plan_mode=_available(old.pre_plan_mode, fresh),
        await_automated_checks=old.await_automated_checks,
        sandboxed_shell=old.sandboxed_shell,
        unsandboxed=old.unsandboxed,
        sandbox_allows=old.sandbox_allows,
    )


def _stays(rule: Rule) -> bool:
    """Return whether a rule lasts as long as the session, whatever the files say."""
    if rule.source.file:
        return False
    return rule.source.kind in _OF_SESSION or rule.forbids


def _available(mode: Mode | None, context: PermissionContext) -> Mode | None:
    """Return a mode if a context offers it."""
    if mode is Mode.BYPASS and not context.bypass_available:
        return None
    if mode is Mode.AUTO and not context.auto_available:
        return None
    return mode
