"""Many calls at once, each through one pipeline, each with exactly one result."""

from gantlet.execution.abort import Abort, AbortKind, AbortScope
from gantlet.execution.bodies import Abandoned, Bodies
from gantlet.execution.call import Services
from gantlet.execution.effects import Effect, Effects
from gantlet.execution.executor import Executor
from gantlet.execution.mailbox import Mailbox
from gantlet.execution.outcome import (
    Answer,
    AuditEvent,
    CallRecord,
    Cancelled,
    Denied,
    Failed,
    Interrupted,
    Invalid,
    Outcome,
    Succeeded,
    Unknown,
)
from gantlet.execution.oversize import Spill
from gantlet.execution.settings import ExecutionSettings, SiblingFailure, concurrency_from

__all__ = [
    "Abandoned",
    "Abort",
    "AbortKind",
    "AbortScope",
    "Answer",
    "AuditEvent",
    "Bodies",
    "CallRecord",
    "Cancelled",
    "Denied",
    "Effect",
    "Effects",
    "ExecutionSettings",
    "Executor",
    "Failed",
    "Interrupted",
    "Invalid",
    "Mailbox",
    "Outcome",
    "Services",
    "SiblingFailure",
    "Spill",
    "Succeeded",
    "Unknown",
    "concurrency_from",
]
