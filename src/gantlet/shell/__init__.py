"""What a command line means: parse, programs and their options, exit codes. Pure."""

from gantlet.shell.analyser import analyse
from gantlet.shell.analysis import (
    Analysis,
    Assignment,
    ExitMeaning,
    Judgement,
    NotKnown,
    PathUse,
    ReadOnly,
    Redirect,
    SimpleCommand,
    Word,
    Writes,
)
from gantlet.shell.exits import exit_meaning, failing_command
from gantlet.shell.judge import judge
from gantlet.shell.removal import critical_removal
from gantlet.shell.rendering import text_of
from gantlet.shell.stripping import strip_for_allow, strip_for_rules
from gantlet.shell.suggestions import suggest_rules

__all__ = [
    "Analysis",
    "Assignment",
    "ExitMeaning",
    "Judgement",
    "NotKnown",
    "PathUse",
    "ReadOnly",
    "Redirect",
    "SimpleCommand",
    "Word",
    "Writes",
    "analyse",
    "critical_removal",
    "exit_meaning",
    "failing_command",
    "judge",
    "strip_for_allow",
    "strip_for_rules",
    "suggest_rules",
    "text_of",
]
