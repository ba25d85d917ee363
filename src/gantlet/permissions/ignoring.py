"""What a line of an ignore file means: surely, or perhaps."""

from gantlet.rules import Anchors, PathParts, PatternError, read_path_pattern

#: What begins a line that means something else here than in an ignore file.
_ODD = ("!", "~", "//", "./", " ", "\\")


def surely_means(folder: str, line: str, path: str) -> bool:
    """Return whether a line in a directory surely means a path, or something it lies in."""
    line = line.rstrip()
    if not line or line.startswith(("#", *_ODD)) or "\\" in line:
        return False
    return _fits(folder, line, path, in_doubt=False)


def may_mean(folder: str, line: str, path: str) -> bool:
    """Return whether a line may mean a path; without a directory it counts from anywhere."""
    line = line.rstrip()
    if not line:
        return False
    is_anchored = "/" in line.rstrip("/")
    if line.startswith(_ODD) or (is_anchored and not folder):
        return True
    return _fits(folder or "/", line, path, in_doubt=True)


def _fits(folder: str, line: str, path: str, *, in_doubt: bool) -> bool:
    """Return whether a line that can be read fits; `in_doubt` is for one that cannot."""
    try:
        pattern = read_path_pattern(line, Anchors((folder,), (folder,)), forbids=in_doubt)
    except PatternError:
        return in_doubt
    return pattern.matches(PathParts.of(path))
