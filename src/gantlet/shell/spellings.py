"""Other spellings of one command, for rules that deny or ask: options elsewhere, or otherwise."""

import re
from collections.abc import Iterator, Sequence

from gantlet.messages.value import replace
from gantlet.shell.analysis import SimpleCommand, Word

#: Programs with subcommands, in front of which options may stand.
_HAVE_SUBCOMMANDS = frozenset(
    {
        "apk", "apt", "apt-get", "aptitude", "aws", "az", "brew", "bun", "bundle", "cargo", "conda",
        "dnf", "docker", "dotnet", "flatpak", "gcloud", "gem", "gh", "glab", "go", "gsutil",
        "heroku", "helm", "journalctl", "kubectl", "nerdctl", "npm", "oc", "pacman", "pip", "pip3",
        "pnpm", "podman", "poetry", "rustup", "snap", "systemctl", "terraform", "tofu", "uv",
        "vagrant", "vercel", "yarn", "yum", "zypper",
    }
)  # fmt: skip
_MAX_SKIPPED = 12
_PYTHON = re.compile(r"python[0-9.]*|pypy[0-9.]*|uv")
_RECURSES = re.compile(r"-[^-]*[rR]|--recursive")
_FORCES = re.compile(r"-[^-]*f|--force")


def spellings(command: SimpleCommand) -> Iterator[SimpleCommand]:
    """Yield a command as somebody who forbids it may have written it."""
    name, words = command.program, command.argv
    if name is None or len(words) < 2:
        return
    if name in _HAVE_SUBCOMMANDS:
        yield from (replace(command, argv=(words[0], *rest)) for rest in _behind_options(words[1:]))
    elif name == "rm":
        yield from _removals(command)
    elif words[1].text.startswith("-") and _PYTHON.fullmatch(name):
        yield from _modules(command)


def _behind_options(words: Sequence[Word]) -> Iterator[Sequence[Word]]:
    """Yield the words behind the options in front, each with and without a value of its own."""
    starts = {0}
    for at, word in enumerate(words[:_MAX_SKIPPED]):
        if at not in starts:
            continue
        if word.text.startswith(("-", "+")):
            starts.add(at + 1)
            if "=" not in word.text:
                starts.add(at + 2)
        elif at:
            yield words[at:]


def _removals(command: SimpleCommand) -> Iterator[SimpleCommand]:
    """Yield a removal by force of whole trees with its options as most people write them."""
    words = command.argv[1:]
    ends = next((at for at, word in enumerate(words) if word.text == "--"), len(words))
    options = [word.text for word in words[:ends] if word.text.startswith("-")]
    if not any(map(_RECURSES.match, options)) or not any(map(_FORCES.match, options)):
        return
    operands = [word for word in words[:ends] if not word.text.startswith("-")]
    for written in ("-rf", "-fr", "-r -f", "-f -r"):
        flags = [Word(text, is_literal=True, raw=text) for text in written.split()]
        yield replace(command, argv=(command.argv[0], *flags, *operands, *words[ends + 1 :]))


def _modules(command: SimpleCommand) -> Iterator[SimpleCommand]:
    """Yield what `python -m pip` runs as the program of that name."""
    words = command.argv
    texts = [word.text for word in words[: _MAX_SKIPPED + 1]]
    if "-m" in texts and texts.index("-m") + 1 < len(words):
        module = replace(command, argv=words[texts.index("-m") + 1 :])
        yield module
        yield from spellings(module)
