"""Text in which nothing can steer a terminal."""

import json


def plain(text: str) -> str:
    """Return a text on one line, in which nothing can steer a terminal."""
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)


def plain_json(content: object) -> str:
    """Return a value as JSON on one line, in which nothing can steer a terminal."""
    return plain(json.dumps(content, ensure_ascii=False))
