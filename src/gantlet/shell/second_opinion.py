"""A second opinion by tree-sitter: it may add a doubt and never takes one away.

This is the one place where tree-sitter is used. It is loaded on first use, since start-up should
not pay for it.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from gantlet.shell.analysis import SimpleCommand

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

#: Longer commands are not asked about: its own reading may take time that grows faster than they.
_MAX_LENGTH = 4096
_MAX_HERE_DOCUMENTS = 3
#: What cannot be read in two ways: plain words and whole quotes, joined by plain operators.
_PLAIN = re.compile(
    r"(?:[\w./:@%+,=\- \t\n|&;*]++|>{1,2}+(?![>(])|<(?![<(])|'[^'\n]*+'"
    r"|\"(?:[^\"$`\\\n]|\$(?:\w++|\{\w++\}))*+\"|\$\w++)*+",
    re.ASCII,
)
_LITERAL = re.compile(r"[\w./:@%+,-]+")
_RESERVED = frozenset({"time", "coproc", "!", "[[", "(("})


def missed_names(source: str, commands: tuple[SimpleCommand, ...]) -> tuple[str, ...]:
    """Return names of commands that tree-sitter sees in a source and we do not."""
    if _PLAIN.fullmatch(source) or len(source) > _MAX_LENGTH:
        return ()
    if source.count("<<") > _MAX_HERE_DOCUMENTS:
        return ()
    known = {command.argv[0].text for command in commands if command.argv}
    tree = _parser().parse(source.encode("utf-8", errors="replace"))
    seen = dict.fromkeys(_names(tree.root_node))
    return tuple(name for name in seen if name not in known and name not in _RESERVED)


@lru_cache(maxsize=1)
def _parser() -> "Parser":
    import tree_sitter  # noqa: PLC0415 - heavy, and only needed for commands that are not plain
    import tree_sitter_bash  # noqa: PLC0415 - the same

    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))


def _names(root: "Node") -> Iterator[str]:
    """Yield the names of all commands that are written out."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.type == "command_name":
            text = (node.text or b"").decode("utf-8", errors="replace")
            if _LITERAL.fullmatch(text):
                yield text
        waiting.extend(node.children)
