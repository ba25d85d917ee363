"""The rule grammar and what a rule matches. Pure: values in, values out."""

from gantlet.rules.commands import CommandPattern
from gantlet.rules.folding import fold
from gantlet.rules.grammar import (
    ALIASES,
    EDIT,
    READ,
    SHELL,
    Brackets,
    canonical,
    grammar_of,
    path_names,
)
from gantlet.rules.hosts import HostPattern, host_of
from gantlet.rules.lint import RUNS_ANYTHING, Finding, Oddity, lint_rules
from gantlet.rules.meeting import could_meet, stands_for
from gantlet.rules.names import NamePattern, names_of, tool_part, whole_tool
from gantlet.rules.params import ParamPattern
from gantlet.rules.parsing import parse_rule
from gantlet.rules.paths import PathParts, PathPattern, read_path_pattern
from gantlet.rules.rule import (
    WHOLE_TOOL,
    BadRule,
    Fault,
    NameSpec,
    OwnSpec,
    Rule,
    Spec,
    WholeTool,
)
from gantlet.rules.rule_set import RuleSet, strongest
from gantlet.rules.segments import PatternError
from gantlet.rules.source import NO_ANCHORS, Anchors, Source, SourceKind

__all__ = [
    "ALIASES",
    "EDIT",
    "NO_ANCHORS",
    "READ",
    "RUNS_ANYTHING",
    "SHELL",
    "WHOLE_TOOL",
    "Anchors",
    "BadRule",
    "Brackets",
    "CommandPattern",
    "Fault",
    "Finding",
    "HostPattern",
    "NamePattern",
    "NameSpec",
    "Oddity",
    "OwnSpec",
    "ParamPattern",
    "PathParts",
    "PathPattern",
    "PatternError",
    "Rule",
    "RuleSet",
    "Source",
    "SourceKind",
    "Spec",
    "WholeTool",
    "canonical",
    "could_meet",
    "fold",
    "grammar_of",
    "host_of",
    "lint_rules",
    "names_of",
    "parse_rule",
    "path_names",
    "read_path_pattern",
    "stands_for",
    "strongest",
    "tool_part",
    "whole_tool",
]
