"""What may be a path in the words of a command that nothing is known about, for rules that deny."""

import re
from collections.abc import Iterator, Sequence

from gantlet.shell.analysis import PathUse, SimpleCommand, Word
from gantlet.shell.carriers.code import INTERPRETERS, base_name
from gantlet.shell.programs.spec import path_of
from gantlet.shell.written import TAKES_FILES, changed_by_code, written_words

_MAX_MENTION = 4096
_MAX_CARRIED_WORDS = 64
_MAX_QUOTED = 32
#: What stands in quotes inside a word, such as a path in code.
_QUOTED = re.compile(r"[\"']([^\"'\s]{1,256})[\"']")
#: The parts of code that may be paths: what no operator, quote or bracket breaks.
_TOKEN = re.compile(r"[^\s\"'`,()\[\]{}<>;|&=+!$]{1,256}")
_HOME = re.compile(r"(?:\$\{?HOME\}?|(~))(?=[/:]|\Z)")
_HERE = re.compile(r"\$\{?PWD\}?(?=[/:]|\Z)")
_HERE_COMMAND = re.compile(r"\$\(\s*pwd\s*\)|`\s*pwd\s*`")
_SCHEME = re.compile(r"file://(?:localhost)?(?=/)", re.IGNORECASE)
#: Words in which nothing else is mentioned, and options that mention nothing.
_PLAIN = re.compile(r"(?P<name>[\w./][\w./-]*+)|-[\w-]|--[\w-]*+")
#: Commands of sed that read or write a file, with its name.
_SED_FILES = re.compile(r"(?:^|[;{\s\d$/!,])([rRwW])\s{0,8}([^\s;}]{1,256})")

#: Programs that read whatever lies below a directory they are given: to pack, copy, send or search.
TREE_READERS = frozenset(
    {
        "7z", "7za", "7zr", "ack", "ag", "aws", "azcopy", "bacula", "borg", "bsdtar", "buildah",
        "cp", "cpio", "diff", "docker", "duplicity", "egrep", "fgrep", "gcloud", "gpgtar", "grep",
        "gsutil", "gtar", "http-server", "install", "jar", "kubectl", "mc", "mksquashfs", "mv",
        "nerdctl", "pax", "pigz", "podman", "rar", "rclone", "rcp", "restic", "rg", "rsync",
        "s3cmd", "scp", "serve", "sftp", "tar", "ugrep", "unison", "zip", "zpaq", "zstd",
    }
)  # fmt: skip
#: Those that read the directory they stand in when they are given none.
_READS_HERE = frozenset({"ack", "ag", "http-server", "rg", "serve", "ugrep"})
_SEARCHERS = frozenset({"egrep", "fgrep", "grep", "zgrep"})
#: What tells a program to go down into directories.
RECURSIVE = re.compile(r"-[^-]*[rR]|--(?:recursive|dereference-recursive|directories=recurse)")
#: What `find` and `fd` may do to each file without reading it.
_ONLY_NAMES = frozenset(
    {
        "basename", "chgrp", "chmod", "chown", "dirname", "echo", "ls", "mkdir", "printf", "rm",
        "rmdir", "stat", "test", "touch", "unlink",
    }
)  # fmt: skip
#: What changes directories with all that lies in them, if it is told to.
_CHANGE_BELOW = frozenset(
    {"chattr", "chgrp", "chmod", "chown", "gunzip", "gzip", "setfacl", "xz", "zstd"}
)
_FINDERS = frozenset({"fd", "fdfind", "find", "gfind"})
_FIND_RUNS = frozenset({"-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch"})
#: Modules and options with which an interpreter shows its directory to others.
_SHOWS_HERE = frozenset({"http.server", "SimpleHTTPServer", "-run", "httpd", "-S", "zipfile"})


def mentions(command: SimpleCommand) -> tuple[PathUse, ...]:
    """Return all that may be a path in the words of a command, for rules that deny."""
    found: dict[PathUse, None] = {}
    words = command.argv[1:]
    if command.via:
        words = words[:_MAX_CARRIED_WORDS]  # the rest is mentioned by what carries it
    name = command.program or ""
    is_code = base_name(name) in INTERPRETERS if name else False
    is_tree = name in TREE_READERS or _reads_found(name, words)
    is_written = written_words(name, words)
    takes_files = name in TAKES_FILES or name in _FINDERS
    goes_below = _changes_below(name, words)
    for at, word in enumerate(words):
        writes = is_written(at)
        for text in _texts(word, is_code=is_code):
            in_code = is_code and text != word.text
            path = f"./{text}" if takes_files and _is_bare(text) else text
            has_all = is_tree or (writes and goes_below)
            use = PathUse(path, has_all, word.has_glob, writes, may_be_written=in_code)
            found[use] = None
        if name in ("sed", "gsed"):
            files = _SED_FILES.findall(word.text)
            found.update((PathUse(text, is_written=letter in "wW"), None) for letter, text in files)
        elif is_code:
            found.update(dict.fromkeys(_changed(word.text)))
    found.update(dict.fromkeys(_redirected(command, is_code=is_code)))
    if _reads_here(name, words, is_code=is_code) or (is_tree and name in _FINDERS):
        found[PathUse(".", is_tree=True)] = None
    return tuple(found)


def _changes_below(name: str, words: Sequence[Word]) -> bool:
    """Return whether a program that changes a directory changes all that lies in it."""
    if name in _FINDERS:
        return any(word.text == "-delete" for word in words)
    if name in _CHANGE_BELOW:
        return any(RECURSIVE.match(word.text) for word in words)
    return name == "git"


def _is_bare(text: str) -> bool:
    """Return whether nothing shows that a word is a path: `build` may be anything."""
    return "/" not in text and "." not in text and not text.startswith("~")


def _redirected(command: SimpleCommand, *, is_code: bool) -> Iterator[PathUse]:
    """Yield what redirections name, and what may be a path in text that is handed over."""
    for redirect in command.redirects:
        target = redirect.target
        if redirect.reads or redirect.writes:
            path = path_of(target)
            yield PathUse(path, is_glob=target.has_glob, is_written=redirect.writes)
        elif redirect.operator.startswith("<<") and (is_code or command.program == "xargs"):
            yield from (PathUse(text, may_be_written=True) for text in _tokens(target.text))
            yield from _changed(target.text)


def _changed(code: str) -> list[PathUse]:
    """Return the files that code plainly changes."""
    return [PathUse(name, is_written=True) for name in changed_by_code(code)]


def _reads_found(name: str, words: Sequence[Word]) -> bool:
    """Return whether a program that finds files has another read them."""
    if name not in _FINDERS:
        return False
    runs = [words[at + 1].text for at, word in enumerate(words[:-1]) if word.text in _FIND_RUNS]
    return any(run.rpartition("/")[2] not in _ONLY_NAMES for run in runs)


def _reads_here(name: str, words: Sequence[Word], *, is_code: bool) -> bool:
    """Return whether a program reads all that lies in its directory, unasked."""
    if name in _READS_HERE:
        return True
    if name in _SEARCHERS:
        return any(RECURSIVE.match(word.text) for word in words)
    is_server = is_code or name == "busybox"
    return is_server and not _SHOWS_HERE.isdisjoint(word.text for word in words)


def _texts(word: Word, *, is_code: bool) -> list[str]:
    """Return a word, and what stands behind `=`, `@`, `:` or an option's letter in it."""
    plain = _PLAIN.fullmatch(word.text) if word.is_literal and not is_code else None
    if plain is not None:
        return [plain["name"]] if plain["name"] else []
    return _all_texts(word, is_code=is_code)


def _all_texts(word: Word, *, is_code: bool) -> list[str]:
    """Return the same for a word that may mention several things."""
    text = known_text(word)
    code = _tokens(word.text) if is_code else []
    if len(text) > _MAX_MENTION or "$(" in text or "`" in text:
        return code
    texts = [] if text.startswith("-") else [text]
    value = text.partition("=")[2]
    if value:
        texts.extend((value, value.lstrip("@")))
    if text.startswith("@"):
        texts.append(text[1:])
    if text.startswith("-") and not text.startswith("--") and len(text) > 2:
        texts.append(text[2:].lstrip("@"))
    if ":" in text and " " not in text:  # a volume, a revision's file, an address of socat
        texts.extend(text.split(":")[:_MAX_QUOTED])
    if '"' in text or "'" in text:
        texts.extend(_QUOTED.findall(text)[:_MAX_QUOTED])
    return [one for one in (*texts, *code) if one]


def known_text(word: Word) -> str:
    """Return a word with the directories that variables stand for, and without `file:`."""
    text = path_of(word)
    if not word.is_literal:
        text = _HERE_COMMAND.sub(".", text)
        text = _HERE.sub(".", _HOME.sub("~", text))
    return _SCHEME.sub("", text) if "://" in text else text


def _tokens(text: str) -> list[str]:
    """Return what looks like a path in code."""
    return [one for one in dict.fromkeys(_TOKEN.findall(text)) if "." in one or "/" in one]
