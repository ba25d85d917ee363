"""What the brackets of a rule mean, tool by tool: the part of the grammar that is a table.

The rule language is the user's, and names the tools it was written for. Which of a call's args a
rule then looks at is what the tool declares, not what it is called.
"""

from collections.abc import Iterable, Mapping
from enum import StrEnum

from gantlet.messages.value import value
from gantlet.rules.folding import fold

#: Names that settings may still hold, and what the tool is called now.
ALIASES: Mapping[str, str] = {
    "Task": "Agent",
    "KillShell": "TaskStop",
    "KillBash": "TaskStop",
    "BashOutput": "TaskOutput",
    "AgentOutputTool": "TaskOutput",
    "FileRead": "Read",
    "FileReadTool": "Read",
    "NotebookRead": "Read",
    "FileWrite": "Write",
    "FileWriteTool": "Write",
    "FileEdit": "Edit",
    "FileEditTool": "Edit",
    "BashTool": "Bash",
    "SlashCommand": "Skill",
    "AgentTool": "Agent",
    "SkillTool": "Skill",
}

READ = "Read"
EDIT = "Edit"
SHELL = "Bash"


class Brackets(StrEnum):
    """What kind of text stands in a rule's brackets."""

    COMMAND = "a command"
    PATH = "a path"
    HOST = "'domain:' and a host"
    NAME = "a name"
    NOTHING = "nothing"
    OWN = "whatever the tool itself compares"


@value
class ToolGrammar:
    """How the brackets of rules about one tool are read.

    Attributes:
        fields: Fields of the input that `Tool(field:value)` may name; None means any identifier.
        primary: The field that has a form of its own, and so cannot be named.
        stands_for: The tool whose path rules are consulted instead.
    """

    brackets: Brackets
    fields: frozenset[str] | None = None
    primary: str = ""
    stands_for: str = ""


def _fields(names: str) -> frozenset[str]:
    """Return field names from one text."""
    return frozenset(names.split())


_SHELL = ToolGrammar(
    Brackets.COMMAND,
    _fields("timeout timeout_ms description run_in_background dangerouslyDisableSandbox"),
    primary="command",
)
_EDITS = _fields("content old_string new_string replace_all cell_id new_source cell_type edit_mode")
_OWN = ToolGrammar(Brackets.OWN)

_GRAMMARS: Mapping[str, ToolGrammar] = {
    SHELL: _SHELL,
    "Monitor": _SHELL,
    "PowerShell": _SHELL,
    READ: ToolGrammar(Brackets.PATH, _fields("offset limit pages allow_large"), "file_path"),
    EDIT: ToolGrammar(Brackets.PATH, _EDITS, "file_path"),
    "Write": ToolGrammar(Brackets.PATH, _EDITS, "file_path", EDIT),
    "MultiEdit": ToolGrammar(Brackets.PATH, _EDITS, "file_path", EDIT),
    "NotebookEdit": ToolGrammar(Brackets.PATH, _EDITS, "notebook_path", EDIT),
    "Glob": ToolGrammar(Brackets.PATH, _fields("pattern"), "path", READ),
    "Grep": ToolGrammar(
        Brackets.PATH,
        _fields("pattern glob output_mode type head_limit offset multiline -i -n -A -B -C -o"),
        "path",
        READ,
    ),
    "LS": ToolGrammar(Brackets.PATH, _fields("ignore"), "path", READ),
    "WebFetch": ToolGrammar(Brackets.HOST, _fields("prompt offset"), "url"),
    "WebSearch": ToolGrammar(Brackets.NOTHING, _fields("query"), ""),
    "Agent": ToolGrammar(
        Brackets.NAME,
        _fields(
            "description prompt subagent_type model effort run_in_background name team_name mode"
            " isolation"
        ),
    ),
    "Skill": ToolGrammar(Brackets.NAME, _fields("skill args command")),
}


_SPELLINGS = {fold(name): name for name in (*_GRAMMARS, *ALIASES)}


def canonical(name: str, *, folds: bool = False) -> str:
    """Return what a tool of that name is called now; `folds` forgives a wrong case."""
    if folds:
        name = _SPELLINGS.get(fold(name), name)
    return ALIASES.get(name, name)


def grammar_of(name: str) -> ToolGrammar:
    """Return how the brackets of rules about a tool are read, by its present name."""
    return _GRAMMARS.get(name, _OWN)


def path_names(names: Iterable[str]) -> tuple[str, ...]:
    """Return under which names the path rules stand that bind a tool so called.

    What may not be read may not be edited either, and the rules about some tools are those of
    another.
    """
    found: dict[str, None] = {}
    for name in names:
        known = canonical(name, folds=True)
        grammar = grammar_of(known)
        if grammar.brackets is Brackets.PATH:
            found.update(dict.fromkeys((known, grammar.stands_for or known, READ)))
    return tuple(found)
