"""What git hands to a shell, or runs under another name."""

from collections.abc import Sequence
from itertools import dropwhile, pairwise

from gantlet.shell.analysis import SimpleCommand, Word
from gantlet.shell.carriers.load import MAX_GUESSED_WORDS, MAX_GUESSES, Load, joined
from gantlet.shell.carriers.running import RunningOptions, read_options, running

#: What runs a command again and again.
_EACH = frozenset({("bisect", "run"), ("submodule", "foreach")})
#: How words begin that give a command of git another name.
_ALIAS = ("alias.", "-calias.")
#: How words begin that may tell git to run something.
_TELLING = (*_ALIAS, "-c", "--config", "ext::", "!")
#: Options whose value is a command, by subcommand.
_GIT_OPTIONS: dict[str, RunningOptions] = {
    "rebase": running("-x", "--exec"),
    "difftool": running("-x", "--extcmd"),
    "grep": running("-O", "--open-files-in-pager"),
    "filter-branch": running(
        *("--tree-filter", "--index-filter", "--msg-filter", "--env-filter", "--parent-filter"),
        *("--commit-filter", "--tag-name-filter", "--setup"),
    ),
    "push": running("--receive-pack", "--exec"),
    "archive": running("--exec"),
    "send-email": running(
        *("--sendmail-cmd", "--smtp-server", "--to-cmd", "--cc-cmd", "--header-cmd"),
    ),
    "instaweb": running("-d", "--httpd", "-b", "--browser"),
    **dict.fromkeys(
        ("clone", "fetch-pack", "ls-remote", "fetch", "pull"), running("-u", "--upload-pack")
    ),
}


def read_git(command: SimpleCommand, load: Load) -> None:
    """Add what git hands to a shell: configuration, aliases, `bisect run`, and so on."""
    words = command.argv[1:]
    texts = [word.text for word in words]
    telling = [at for at, text in enumerate(texts) if text.startswith(_TELLING) or "=!" in text]
    load.is_cut = load.is_cut or len(telling) > MAX_GUESSES
    for at in telling[:MAX_GUESSES]:
        _read_word(command, texts[at], words[at + 1 : at + 1 + MAX_GUESSED_WORDS], load)
    for name in dict.fromkeys(text for text in texts if text in _GIT_OPTIONS):
        read_options(command, _GIT_OPTIONS[name], load)
    for index, (name, told) in enumerate(pairwise(texts)):
        if (name, told) in _EACH:
            _add_each(command, words[index + 2 :], f"git {told}", load)
            break


def _read_word(command: SimpleCommand, text: str, following: Sequence[Word], load: Load) -> None:
    """Add what one word of git, with those behind it, hands to a shell."""
    if text.startswith(_ALIAS):
        _add_alias(command, text, following, load)
    elif text.startswith(("-c", "--config")):
        _read_setting(command, text, following, load)
    elif text.startswith("ext::"):
        address = text[len("ext::") :]
        load.add_script(command, address, "git ext::")
        load.add_script(command, address.replace("%", ""), "git ext::")  # `% ` is a blank
    else:
        load.doubts.append("git may run a command of its configuration.")
        load.add_script(command, text.partition("!")[2], "git alias")


def _read_setting(command: SimpleCommand, text: str, following: Sequence[Word], load: Load) -> None:
    """Add what a setting names, attached to its option or behind it."""
    if text in ("-c", "--config", "--config-env"):
        _add_setting(command, joined(following[:1]), load)
    else:
        _add_setting(command, text.removeprefix("--config=").removeprefix("-c"), load)


def _add_alias(command: SimpleCommand, text: str, following: Sequence[Word], load: Load) -> None:
    """Add what another name for a command of git stands for, with the words behind its use."""
    name, equals, value = text.removeprefix("-c").partition("=")
    rest = following if equals else following[1:]
    value = value if equals else joined(following[:1])
    load.doubts.append("git may run a command of its configuration.")
    texts = [word.text for word in rest]
    short = name.removeprefix("alias.")
    words = joined(rest[texts.index(short) + 1 :]) if short in texts else ""
    script = value[1:] if value.startswith("!") else f"git {value}"
    load.add_script(command, f"{script} {words}", "git alias")


def _add_setting(command: SimpleCommand, text: str, load: Load) -> None:
    """Add the value of a setting, which may be a command."""
    value = text.partition("=")[2]
    if value.startswith("!"):
        load.doubts.append("git may run a command of its configuration.")
    if " " in value or value.startswith("!") or "/" in value:
        load.add_script(command, value.lstrip("!"), "git -c")


def _add_each(command: SimpleCommand, words: Sequence[Word], way: str, load: Load) -> None:
    """Add the command of `bisect run` or `submodule foreach`."""
    rest = list(dropwhile(lambda word: word.text.startswith("-"), words))
    load.add_command(command, rest, way)
    load.add_script(command, joined(rest), way)
