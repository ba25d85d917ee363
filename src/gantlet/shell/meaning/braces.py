"""Brace expansion, for rules that deny."""

import re

_MAX_RESULTS = 64
_INNERMOST = re.compile(r"\{([^{}]*)\}")
_SEQUENCE = re.compile(r"(-?[0-9]+|[A-Za-z])\.\.(-?[0-9]+|[A-Za-z])(?:\.\.-?[0-9]+)?")


def expand_braces(text: str) -> list[str]:
    """Return the words that `{a,b}` and `{1..3}` make of a text, up to a limit."""
    results = [text]
    is_done = False
    while not is_done and len(results) < _MAX_RESULTS:
        is_done = True
        grown: list[str] = []
        for result in results:
            choices = _first(result)
            is_done = is_done and len(choices) == 1
            grown.extend(choices)
        results = grown
    return results[:_MAX_RESULTS]


def _first(text: str) -> list[str]:
    """Return the results of the first innermost braces that expand."""
    for found in _INNERMOST.finditer(text):
        body = found.group(1)
        options = body.split(",") if "," in body else _sequence(body)
        if options:
            before, after = text[: found.start()], text[found.end() :]
            return [f"{before}{option}{after}" for option in options[:_MAX_RESULTS]]
    return [text]


def _sequence(body: str) -> list[str]:
    found = _SEQUENCE.fullmatch(body)
    if found is None:
        return []
    first, last = found.groups()
    if first.lstrip("-").isdigit() and last.lstrip("-").isdigit():
        low, high = sorted((int(first), int(last)))
        return [str(number) for number in range(low, min(high, low + _MAX_RESULTS) + 1)]
    low, high = sorted((ord(first[0]), ord(last[0])))
    return [chr(code) for code in range(low, high + 1)]
