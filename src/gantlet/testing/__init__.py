"""For people who test their tools: a virtual clock, scripted tools and scripted replies."""

from gantlet.testing.clock import VirtualClock, settle
from gantlet.testing.scripted import (
    Do,
    Entry,
    Fail,
    Hang,
    IgnoreCancel,
    Journal,
    Report,
    Return,
    Say,
    ScriptedTool,
    Step,
    Wait,
    play,
)

__all__ = [
    "Do",
    "Entry",
    "Fail",
    "Hang",
    "IgnoreCancel",
    "Journal",
    "Report",
    "Return",
    "Say",
    "ScriptedTool",
    "Step",
    "VirtualClock",
    "Wait",
    "play",
    "settle",
]
