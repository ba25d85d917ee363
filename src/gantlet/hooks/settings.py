"""What settings say about hooks besides the hooks themselves."""

from collections.abc import Iterable, Mapping
from dataclasses import field

from gantlet.hooks.handlers import HookEntry
from gantlet.messages.value import replace, value
from gantlet.rules import SourceKind

STOP_CAP = 8
STOP_CAP_VARIABLE = "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP"


@value
class HookSettings:
    """Switches and limits of hooks.

    Attributes:
        all_disabled: `disableAllHooks`; those of the policy stay unless the policy says it.
        policy_disabled: The policy itself says `disableAllHooks`.
        managed_only: `allowManagedHooksOnly`.
        http_urls: `allowedHttpHookUrls`: patterns, or None for https and this machine.
        http_variables: `httpHookAllowedEnvVars`: names, or None for what each handler lists.
        env: Variables that every program is to have, whatever they are.
        users_env: The same for hooks that are not the project's: nothing of the project's in it
            says which programs run; None if it is no different.
    """

    all_disabled: bool = False
    policy_disabled: bool = False
    managed_only: bool = False
    http_urls: tuple[str, ...] | None = None
    http_variables: tuple[str, ...] | None = None
    env: Mapping[str, str] = field(default_factory=dict)
    users_env: Mapping[str, str] | None = None

    def for_hook(self, entry: HookEntry) -> "HookSettings":
        """Return the settings as one hook is to have them."""
        if self.users_env is None or entry.source.kind.is_repository:
            return self
        return replace(self, env=self.users_env)

    def usable(self, entries: Iterable[HookEntry]) -> tuple[HookEntry, ...]:
        """Return the entries that count."""
        if self.policy_disabled:
            return ()
        managed_only = self.managed_only or self.all_disabled
        return tuple(
            entry for entry in entries if not managed_only or entry.source.kind is SourceKind.POLICY
        )


def stop_cap(variables: Mapping[str, str]) -> int:
    """Return how often in a row Stop hooks may keep a turn going."""
    try:
        return max(1, int(variables.get(STOP_CAP_VARIABLE, "")))
    except ValueError:
        return STOP_CAP
