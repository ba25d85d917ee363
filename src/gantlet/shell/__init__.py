"""What a command line means: parse, programs and their options, exit codes. Pure."""

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
from gantlet.shell.door import (
    analyse,
    critical_removal,
    exit_meaning,
    failing_command,
    judge,
    strip_for_allow,
    strip_for_rules,
    suggest_rules,
    text_of,
)

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
