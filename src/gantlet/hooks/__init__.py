"""The user's commands, run at named events."""

from gantlet.hooks.contract import (
    NOTHING_AFTER,
    NOTHING_BEFORE,
    AfterCall,
    BeforeCall,
    CallEvent,
    Hooks,
    Moment,
    NoHooks,
)

__all__ = [
    "NOTHING_AFTER",
    "NOTHING_BEFORE",
    "AfterCall",
    "BeforeCall",
    "CallEvent",
    "Hooks",
    "Moment",
    "NoHooks",
]
