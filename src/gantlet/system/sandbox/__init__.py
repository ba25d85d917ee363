"""The wall around a command: what it may see, change and reach, whatever it turns out to do."""

from gantlet.system.sandbox.backends import SandboxError
from gantlet.system.sandbox.environment import minimal_environment
from gantlet.system.sandbox.policy import (
    HostJudge,
    Network,
    NetworkList,
    NetworkOff,
    NetworkOn,
    Policy,
)
from gantlet.system.sandbox.sandbox import Sandbox, Sandboxed
from gantlet.system.sandbox.self_test import Absent, Holds
from gantlet.system.sandbox.shelter import SandboxSettings, Shelter, Unsheltered

__all__ = [
    "Absent",
    "Holds",
    "HostJudge",
    "Network",
    "NetworkList",
    "NetworkOff",
    "NetworkOn",
    "Policy",
    "Sandbox",
    "SandboxError",
    "SandboxSettings",
    "Sandboxed",
    "Shelter",
    "Unsheltered",
    "minimal_environment",
]
