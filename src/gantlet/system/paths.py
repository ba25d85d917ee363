"""Where a path really points, and which other names reach the same file."""

import errno
import os
import re
import stat
import unicodedata
from functools import cached_property
from pathlib import Path
from typing import TypeAlias

import anyio

from gantlet.messages.value import value

Parts: TypeAlias = tuple[str, ...]

#: The inode of nothing.
NOTHING = (0, 0)

#: No kernel takes a longer path, and looking for one part by part would only take time.
MAX_PATH_CHARS = 4096

#: Characters without a shape of their own, which some case-folding mounts leave out of names.
_IGNORED = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U000e0000-\U000e0fff]"
)


@value
class Place:
    """A path as it was written, made absolute, and as it is once every link is followed.

    `inode` is the device and inode number of what stood there when it was judged, and `NOTHING`
    where nothing did. It is None for a place that nobody has judged.
    """

    lexical_text: str
    real_text: str
    inode: tuple[int, int] | None = None

    @cached_property
    def lexical(self) -> anyio.Path:
        """The absolute path with links still in it."""
        return anyio.Path(self.lexical_text)

    @cached_property
    def real(self) -> anyio.Path:
        """The path with every link followed."""
        return anyio.Path(self.real_text)


def absolute(path: str, cwd: str) -> str:
    """Return `path` made absolute against `cwd`, with a leading `~` expanded, links kept.

    `..` is left for the kernel: folding it here would be wrong behind a link.
    """
    if path.startswith("~"):
        path = os.path.expanduser(path)  # noqa: PTH111 - `~user` stays text when there is no such user
    if not path.startswith("/"):
        path = os.path.join(cwd, path)  # noqa: PTH118 - plain text in, plain text out
    # Python keeps two slashes at the start apart from one; the kernels we run on do not.
    return "/" + path.lstrip("/") if path.startswith("//") else path


def locate(path: str, cwd: str) -> Place:
    """Return where `path` points, seen from `cwd`.

    Raises:
        ValueError: The path cannot exist: a NUL byte, a name that is too long or no text, too many
            links.
    """
    if "\0" in path:
        raise ValueError("it holds a NUL byte")
    if len(cwd) + len(path) > MAX_PATH_CHARS:
        raise ValueError(f"it is longer than {MAX_PATH_CHARS} characters")
    try:
        whole = absolute(path, cwd)
        real = os.path.realpath(whole)
        os.lstat(real)
    except RecursionError:
        raise ValueError("it leads through too many links") from None
    except UnicodeError as error:
        raise ValueError("it holds half of a surrogate pair, which is no character") from error
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            raise ValueError("a name in it is too long") from error
    return Place(os.path.normpath(whole), real)


@value
class Identity:
    """Which file or tree a path means, in a form that can be compared.

    Attributes:
        parts: The real path's components, folded so that names which some mount takes for the
            same are equal.
        inode: Device and inode number of what exists there.
        is_tree: Whether everything below counts too.
        is_linked: Whether the same file has other names somewhere.
    """

    parts: Parts
    inode: tuple[int, int] | None = None
    is_tree: bool = False
    is_linked: bool = False

    def touches(self, other: "Identity") -> bool:
        """Return whether the two can be, or can hold, the same file."""
        if self.inode is not None and self.inode == other.inode:
            return True
        if (self.is_linked and other.is_tree) or (other.is_linked and self.is_tree):
            return True  # the other name may lie anywhere below
        shorter = min(len(self.parts), len(other.parts))
        return self.parts[:shorter] == other.parts[:shorter]


def identify(path: str, cwd: str, *, is_tree: bool = False) -> Identity:
    """Return what `path` means.

    What cannot be resolved counts as the tree of its nearest parent.
    """
    try:
        real = os.path.realpath(_resolvable(path, cwd))
        try:
            facts = os.stat(real)  # noqa: PTH116 - a hot path
        except FileNotFoundError:
            return Identity(_fold(real), is_tree=is_tree)
    except (OSError, ValueError, RecursionError):
        return _nearest_tree(path, cwd)
    is_folder = stat.S_ISDIR(facts.st_mode)
    return Identity(
        _fold(real),
        inode=(facts.st_dev, facts.st_ino),
        is_tree=is_tree or is_folder,
        is_linked=facts.st_nlink > 1 and not is_folder,
    )


def _resolvable(path: str, cwd: str) -> str:
    """Return `path` made absolute, or raise if what it means depends on what is not there yet."""
    whole = absolute(path, cwd)
    if len(whole) > MAX_PATH_CHARS:
        raise ValueError("The path is too long.")
    if "/.." in whole:
        # Behind a name that does not exist, `..` could lead anywhere once the name is a link.
        os.stat(whole[: whole.rindex("/..") + 3])  # noqa: PTH116 - only to see that it exists
    return whole


def _nearest_tree(path: str, cwd: str) -> Identity:
    """Return the tree of the closest parent that can be resolved, the root at worst."""
    try:
        whole = absolute(path.partition("\0")[0], cwd)
    except ValueError:  # a user's name that is no text
        whole = "/"
    parents = Path(whole).parents if len(whole) <= MAX_PATH_CHARS else ()
    for parent in parents:
        try:
            real = os.path.realpath(parent)
            facts = os.stat(real)  # noqa: PTH116 - the text is needed anyway
        except (OSError, ValueError, RecursionError):
            continue
        return Identity(_fold(real), inode=(facts.st_dev, facts.st_ino), is_tree=True)
    return Identity((), is_tree=True)


def _fold(real: str) -> Parts:
    """Split a real path into components, equal wherever a mount could take them for equal."""
    if real.isascii():
        folded = real.lower()
    else:
        plain = _IGNORED.sub("", unicodedata.normalize("NFD", real))
        folded = unicodedata.normalize("NFD", plain.casefold())
    inner = folded.strip("/")
    return tuple(inner.split("/")) if inner else ()
