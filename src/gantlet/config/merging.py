"""What counts of what several files say: who may set a key, and whose word is stronger."""

from collections.abc import Iterable, Iterator, Sequence

from gantlet.config.file_reader import FileRead
from gantlet.config.keys import KEYS, Exposure, Gate, Key
from gantlet.config.setting import Ignored, Setting
from gantlet.config.trust import NOT_TRUSTED, FolderTrust, Standing
from gantlet.config.variables import is_never_a_projects
from gantlet.messages import JsonValue, freeze
from gantlet.messages.value import replace, value
from gantlet.rules import SourceKind

#: Which keys of others a switch of the policy takes out.
_ONLY_MANAGED = {
    "allowManagedPermissionRulesOnly": ("permissions.allow", "permissions.additionalDirectories"),
    "allowManagedHooksOnly": ("hooks",),
    "allowManagedMcpServersOnly": ("allowedMcpServers",),
    "sandbox.network.allowManagedDomainsOnly": ("sandbox.network.allowedDomains",),
    "sandbox.filesystem.allowManagedReadPathsOnly": ("sandbox.filesystem.allowRead",),
}
_HOOKS_OFF = "disableAllHooks"


@value
class Merged:
    """What counts, and what does not.

    Attributes:
        counted: For each key what counts, the strongest first.
        ignored: What stands in some file and does not count.
    """

    counted: dict[str, tuple[Setting, ...]]
    ignored: tuple[Ignored, ...] = ()


def strongest_first(files: Sequence[FileRead]) -> list[FileRead]:
    """Return files that are listed the weakest first, in the order of their strength."""
    by_strength = list(reversed(files))  # among files of one kind the later is the stronger
    by_strength.sort(key=lambda read: read.kind.rank)
    return by_strength


def merge(files: Sequence[FileRead], trust: FolderTrust) -> Merged:
    """Return what counts of what files say."""
    counted: dict[str, list[Setting]] = {}
    ignored: list[Ignored] = []
    for read in strongest_first(files):
        for setting in read.settings:
            reason = _why_ignored(setting, KEYS[setting.key], trust)
            if reason:
                ignored.append(Ignored(setting, reason, KEYS[setting.key].gate is Gate.TRUST))
                continue
            kept, dropped = _without_forbidden_variables(setting)
            counted.setdefault(setting.key, []).append(kept)
            ignored += dropped
    _apply_switches(counted, ignored)
    return Merged({key: tuple(found) for key, found in counted.items()}, tuple(ignored))


def _why_ignored(setting: Setting, key: Key, trust: FolderTrust) -> str:
    """Return why a setting does not count; empty if it does."""
    kind = setting.source.kind
    if key.gate is Gate.POLICY and kind is not SourceKind.POLICY:
        return "only a managed file may set it"
    if not kind.is_repository or key.narrows_with(setting.content):
        return ""
    match key.gate:
        case Gate.NOT_PROJECT:
            return "a project's files may not set it"
        case Gate.NARROWS:
            return f"a project's files may only set it to {_shown(key.narrow)}"
        case Gate.TRUST:
            return _why_untrusted(key.exposure, trust)
        case _:
            return ""


def _why_untrusted(exposure: Exposure | None, trust: FolderTrust) -> str:
    """Return why what widens does not count; empty if it does."""
    standing = trust.standing(exposure) if exposure is not None else Standing.NEW
    match standing:
        case Standing.TRUSTED:
            return ""
        case Standing.CHANGED:
            return f"the {exposure} changed since the folder was trusted"
        case Standing.NEW:
            return NOT_TRUSTED


def _without_forbidden_variables(setting: Setting) -> tuple[Setting, list[Ignored]]:
    """Return variables of a project without those it never sets."""
    if setting.key != "env" or not setting.source.kind.is_repository:
        return setting, []
    parts = list(setting.items())
    names = [part.key.removeprefix("env.") for part in parts]
    fine = [at for at, name in enumerate(names) if not is_never_a_projects(name)]
    if len(fine) == len(parts):
        return setting, []
    reason = "a project's files may not set this variable"
    dropped = [Ignored(part, reason) for at, part in enumerate(parts) if at not in set(fine)]
    content = freeze({names[at]: parts[at].content for at in fine})
    lines = tuple(parts[at].source.line for at in fine)
    return replace(setting, content=content, lines=lines), dropped


def _apply_switches(counted: dict[str, list[Setting]], ignored: list[Ignored]) -> None:
    """Take out what a switch of the policy, or the one for hooks, takes out."""
    for switch, keys in _ONLY_MANAGED.items():
        if any(one.content is True for one in counted.get(switch, ())):
            for key in keys:
                _leave_policy(counted, ignored, key, f"{switch!r} is set by the policy")
    off = [one for one in counted.get(_HOOKS_OFF, ()) if one.content is True]
    if not off:
        return
    _leave_policy(counted, ignored, "hooks", f"{_HOOKS_OFF!r} is set in {off[0].source.file}")
    if any(one.source.kind is SourceKind.POLICY for one in off):
        for one in counted.pop("hooks", []):
            ignored.append(Ignored(one, f"{_HOOKS_OFF!r} is set by the policy"))


def _leave_policy(
    counted: dict[str, list[Setting]], ignored: list[Ignored], key: str, reason: str
) -> None:
    """Leave only what the policy says under a key."""
    found = counted.get(key, [])
    others = [one for one in found if one.source.kind is not SourceKind.POLICY]
    ignored += [Ignored(one, reason) for one in others]
    counted[key] = [one for one in found if one.source.kind is SourceKind.POLICY]


def merged_object(settings: Iterable[Setting]) -> dict[str, JsonValue]:
    """Return objects as one: members by strength, lists in them put together."""
    merged: dict[str, JsonValue] = {}
    for one in settings:
        if isinstance(one.content, dict):
            merged = _joined(merged, one.content)
    return merged


def _joined(strong: dict[str, JsonValue], weak: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """Return two objects as one, in which the first is the stronger."""
    joined = dict(strong)
    for name, content in weak.items():
        held = joined.get(name)
        if name not in joined:
            joined[name] = content
        elif isinstance(held, dict) and isinstance(content, dict):
            joined[name] = _joined(held, content)
        elif isinstance(held, list) and isinstance(content, list):
            joined[name] = [*held, *(item for item in content if item not in held)]
    return joined


def distinct(parts: Iterable[Setting]) -> Iterator[Setting]:
    """Yield the items of lists, each value once, as it stands in the strongest file."""
    seen: set[tuple[type, object]] = set()  # with the type, since 1 equals true
    for part in parts:
        mark = (type(part.content), part.content)
        if mark not in seen:
            seen.add(mark)
            yield part


def _shown(content: str | bool | None) -> str:
    """Return a value as JSON writes it."""
    return str(content).lower() if isinstance(content, bool) else repr(content)
