"""What a simple command changes for those that follow it in the same shell."""

import re
from collections.abc import Sequence

from gantlet.shell.analysis import SimpleCommand, Word
from gantlet.shell.grammar.changes import ANY_NAME, CHANGERS, MOVERS
from gantlet.shell.grammar.syntax import Notes, Simple
from gantlet.shell.meaning.state import UNKNOWN, Outcome, State, change_directory, join, same

#: Variables that `cd` looks at.
_CD_VARIABLES = frozenset({"CDPATH", "HOME", "PWD", "OLDPWD", ANY_NAME})
#: Variables whose value changes what later commands are, or how the shell reads them.
_GOVERNING = re.compile(
    r"PATH|IFS|ENV|SHELL|BASH_\w+|BASHOPTS|SHELLOPTS|POSIXLY_CORRECT|PS[0-4]|PROMPT_COMMAND|CDPATH"
    r"|GLOBIGNORE|HOME|PWD|OLDPWD|(?:LD|DYLD|GIT|PYTHON|PERL5?|RUBY|NPM|npm|JAVA|_JAVA|JDK|SSH)\w*"
    r"|NODE_OPTIONS|NODE_PATH|\w*PAGER|\w*EDITOR|VISUAL|BROWSER|LESS\w*|GCONV_PATH|LOCPATH|NLSPATH"
    r"|TERMINFO\w*|HOSTALIASES|TMPDIR|\w*_PROXY|\w*_proxy|\w*_WRAPPER|CARGO\w*|RUST\w*|GO[A-Z]+"
    r"|MAKEFLAGS|RIPGREP_CONFIG_PATH|GREP_OPTIONS|DOCKER_\w+|KUBECONFIG|EXINIT|VIMINIT|CURL_HOME"
    r"|TAR_OPTIONS|GZIP|BZIP2?|(?:XZ|ZSTD|FZF|BAT|PIP|GEM|BUNDLE|YARN|PNPM|COMPOSER|SVN)_\w+|HGRCPATH"
    r"|MAN(?:PATH|OPT|ROFFOPT|LESS|SECT)|(?:UNZIP|ZIPINFO)(?:OPT)?|MAVEN_\w+|GRADLE_\w+|WGETRC|INPUTRC|FCEDIT|FIGNORE|EXECIGNORE|OPT(?:ARG|IND|ERR)|COMP_\w+|READLINE_\w+|histchars"
)
#: Files that set up an environment and leave the directory as it is.
_ACTIVATES = re.compile(r"(?:^|/)(?:bin/activate|\.nvm/nvm\.sh|\.cargo/env|conda\.sh)$")
_QUIET_SET = re.compile(r"[-+][eufxvo]+|pipefail|errexit|nounset|xtrace|verbose")


def governs(name: str) -> bool:
    """Return whether a variable changes what later commands are or do."""
    return _GOVERNING.fullmatch(name) is not None


def effect(node: Simple, commands: Sequence[SimpleCommand], state: State, notes: Notes) -> Outcome:
    """Return what is known after a command; `commands` are its possible forms."""
    if not node.words:
        return same(state.assigned(node.assignments)) if node.assignments else same(state)
    first = node.words[0].word
    if not first.is_literal or first.text in notes.functions:
        return same(UNKNOWN)
    if first.text not in _CHANGING:
        return same(state)
    outcome: Outcome | None = None
    for command in commands:
        one = _effect(command.argv, state, notes, has_assignments=bool(node.assignments))
        if outcome is None:
            outcome = one
        else:
            outcome = Outcome(join(outcome.ok, one.ok), join(outcome.fail, one.fail))
    return outcome or same(state)


_CHANGING = MOVERS | CHANGERS | {"exit", "exec", "command", "builtin", "logout"}


def _effect(
    words: tuple[Word, ...], state: State, notes: Notes, *, has_assignments: bool
) -> Outcome:
    words = _without_prefixes(words)
    name = words[0].text if words else ""
    if name in ("cd", "pushd"):
        is_plain = not has_assignments and not notes.names & _CD_VARIABLES
        return change_directory(state, words[1:], is_plain=is_plain, goes_home=name == "cd")
    if name in ("exit", "logout") or (name == "exec" and len(words) > 1):
        return Outcome(None, None)
    if _only_activates(name, words[1:]):
        return same(State(state.places))
    if _is_quiet(name, words[1:]):
        return same(state)
    if name in MOVERS or (words and not words[0].is_literal):
        return same(UNKNOWN)
    if name in CHANGERS:
        return same(State(state.places))
    return same(state)


def _without_prefixes(words: tuple[Word, ...]) -> tuple[Word, ...]:
    while len(words) > 1 and words[0].text in ("command", "builtin"):
        words = words[1:]
        while words and words[0].text.startswith("-"):
            words = words[1:]
    return words


def _is_quiet(name: str, words: tuple[Word, ...]) -> bool:
    """Return whether a builtin that may change things does not in this form."""
    if name == "set":
        return all(_QUIET_SET.fullmatch(word.text) for word in words)
    return name == "printf" and not any(word.text.startswith("-v") for word in words[:1])


def _only_activates(name: str, words: tuple[Word, ...]) -> bool:
    """Return whether a file is read that sets variables and stays where it is."""
    if name not in ("source", ".") or len(words) != 1 or not words[0].is_literal:
        return False
    return _ACTIVATES.search(words[0].text) is not None
