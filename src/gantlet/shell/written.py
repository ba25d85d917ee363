"""Which words of a command that nothing is proved about name what it would change."""

import re
from collections.abc import Callable, Sequence

from gantlet.shell.analysis import Word

#: Programs that change whatever they name.
_CHANGE_ALL = frozenset(
    {
        "autopep8", "black", "bunzip2", "bzip2", "chattr", "chgrp", "chmod", "chown", "dos2unix",
        "ed", "emacs", "ex", "fallocate", "gunzip", "gzip", "isort", "mkdir", "mkfifo", "mknod",
        "mktemp", "mv", "nano", "nvim", "patch", "rename", "rm", "rmdir", "rustfmt", "sd",
        "setfacl", "shred", "split", "sponge", "tee", "touch", "trash", "truncate", "unix2dos",
        "unlink", "unxz", "unzip", "vi", "vim", "xz", "yapf", "zstd",
    }
)  # fmt: skip
#: Programs that change the last thing they name.
_CHANGE_LAST = frozenset(
    {"convert", "cp", "ffmpeg", "install", "link", "ln", "magick", "rsync", "scp"}
)
#: Programs that change the first thing they name.
_CHANGE_FIRST = frozenset({"zip"})
#: Programs that make an archive of what they name, and the words by which they are told to.
_ARCHIVERS = frozenset({"bsdtar", "gtar", "jar", "tar"})
_PACKS = re.compile("-?[a-zA-Z]*[crAu][a-zA-Z]*|--(?:create|append|update|delete|(?:con)?catenate)")
_ARCHIVE = re.compile("-?[a-zA-Z]*f|--file")
#: All of these: their words are files, and nothing else.
TAKES_FILES = _CHANGE_ALL | _CHANGE_LAST | _CHANGE_FIRST | _ARCHIVERS
#: Programs that change what they name with one of these among their words.
_CHANGE_WITH: dict[str, re.Pattern[str]] = {
    "7z": re.compile("[xe]"),
    "7za": re.compile("[xe]"),
    "awk": re.compile("inplace|-i.*"),
    "biome": re.compile("--write|--fix|--apply.*"),
    "bsdtar": re.compile("-?[a-zA-Z]*x[a-zA-Z]*|--extract|--get"),
    "clang-format": re.compile("-i"),
    "eslint": re.compile("--fix.*"),
    "find": re.compile("-delete|-fprint.*|-fls|(?:.*/)?(?:rm|rmdir|mv|cp|tee|truncate|chmod|sed)"),
    "gawk": re.compile("inplace|-i.*"),
    "git": re.compile("checkout|restore|rm|mv|clean|checkout-index"),
    "gofmt": re.compile("-w"),
    "goimports": re.compile("-w"),
    "gsed": re.compile("-[a-zA-Z]*i.*|--in-place.*"),
    "perl": re.compile("-[a-zA-Z0-9]*i.*"),
    "prettier": re.compile("--write|-w"),
    "ruby": re.compile("-[a-zA-Z0-9]*i.*"),
    "ruff": re.compile("format|--fix.*|--unsafe-fixes"),
    "sed": re.compile("-[a-zA-Z]*i.*|--in-place.*"),
    "shfmt": re.compile("-w"),
    "tar": re.compile("-?[a-zA-Z]*x[a-zA-Z]*|--extract|--get"),
    "yq": re.compile("-[a-zA-Z]*i.*|--in-?place.*"),
}
#: Programs whose second name is where they write.
_CHANGE_SECOND = frozenset({"uniq", "xxd"})
#: Those whose first word decides, if it is no option.
_FIRST_DECIDES = frozenset({"7z", "7za", "bsdtar", "git", "ruff", "tar"})
#: Options whose value is a file that is written, whatever the program.
_OUTPUT = re.compile(
    r"(?:-[a-zA-Z]*o|-O|-out|--out|--output|--outfile|--output-(?:file|document|dir)|--out-?dir|--target-dir"
    r"|--directory|--dump-header|--cookie-jar|--trace|--log-file)"
)
_ATTACHED = re.compile(r"-o(?=[\w./~])|--(?:out\w*|output[\w-]*|log-file)=|of=")

_NAMED = r"\s{0,8}[\"']([^\"'\s]{1,256})[\"']"
#: Code that changes a file: it names it in a call that does nothing else, opens it to write, makes
#: an object of it that is told to, or sends its output there.
_CODE_CHANGES = re.compile(
    r"(?:(?:write|append|truncate|unlink|remove|rename|rm|copy|move|touch|chmod|delete)\w{0,16}"
    rf"\({_NAMED})"
    rf"|(?:open\({_NAMED}\s{{0,8}},\s{{0,8}}(?:mode\s{{0,8}}=\s{{0,8}})?[\"'][rbt]?[wax+])"
    rf"|(?:Path\({_NAMED}\)\.(?:write|unlink|touch|rename|replace|rmdir|chmod|open\([\"'][wax]))"
    rf"|(?:>>?{_NAMED})",
    re.IGNORECASE,
)
_MAX_CHANGED = 32


def changed_by_code(text: str) -> list[str]:
    """Return the files that code plainly changes."""
    found = _CODE_CHANGES.findall(text)[:_MAX_CHANGED]
    return [name for names in found for name in names if name]


def written_words(name: str, words: Sequence[Word]) -> Callable[[int], bool]:
    """Return what tells of a word, by its place, whether the program would change what it names."""
    texts = [word.text for word in words]
    if name.startswith("python") and "-m" in texts[:-1]:
        return _in_module(texts.index("-m") + 1, words)
    if name in _CHANGE_ALL or _changes_all(name, texts):
        return lambda _: True
    marked = _placed(name, texts)
    for at, text in enumerate(texts):
        if text.startswith(("-", "of=")):  # before anything dearer: a hot path
            if _OUTPUT.fullmatch(text):
                marked.add(at + 1)
            elif _ATTACHED.match(text):
                marked.add(at)
    return marked.__contains__


def _placed(name: str, texts: Sequence[str]) -> set[int]:
    """Return which words name what is changed by where they stand."""
    if name in _CHANGE_LAST:
        return {len(texts) - 1}
    if name in _CHANGE_SECOND or name in _CHANGE_FIRST:
        named = [at for at, text in enumerate(texts) if not text.startswith("-")]
        return set(named[1:] if name in _CHANGE_SECOND else named[:1])
    return set(_made(name, texts)) if name in _ARCHIVERS or name == "csplit" else set()


def _made(name: str, texts: Sequence[str]) -> list[int]:
    """Return which words name an archive that is made, or files that parts are written to."""
    if name == "csplit":
        return [at + 1 for at, text in enumerate(texts) if text in ("-f", "--prefix")]
    options = [at for at, text in enumerate(texts) if text.startswith("-") or at == 0]
    if not any(_PACKS.fullmatch(texts[at]) for at in options):
        return []
    named = [at + 1 for at in options if _ARCHIVE.fullmatch(texts[at])]
    return [*named, *(at for at in options if texts[at].startswith("--file="))]


def _in_module(at: int, words: Sequence[Word]) -> Callable[[int], bool]:
    """Return the same for a module that is run as a program."""
    inner = written_words(words[at].text, words[at + 1 :])
    return lambda place: place > at and inner(place - at - 1)


def _changes_all(name: str, texts: Sequence[str]) -> bool:
    """Return whether a word makes a program change what it names."""
    pattern = _CHANGE_WITH.get(name)
    if pattern is None:
        return False
    if name in _FIRST_DECIDES:
        values = {at + 1 for at, text in enumerate(texts) if text in ("-C", "-c") and name == "git"}
        plain = [
            text for at, text in enumerate(texts) if not text.startswith("-") and at not in values
        ]
        texts = [*(text for text in texts if text.startswith("-")), *plain[:1]]
    return any(map(pattern.fullmatch, texts))
