"""JSON text to values and back, without the numbers and nesting that would not survive it."""

import json
import math
from collections.abc import Callable, Sequence
from json.decoder import scanstring  # type: ignore[attr-defined]  # not in its stub
from json.encoder import c_make_encoder, encode_basestring  # type: ignore[attr-defined]  # not in its stub
from typing import NoReturn, cast

from gantlet.messages.frozen import MAX_DEPTH, JsonValue, freeze, frozen_if_flat

#: A text as JSON writes it, in quotes, without escapes that need not be.
as_json_text: Callable[[str], str] = encode_basestring
#: The text whose opening quote stands before a place, and where its closing quote ends. It raises
#: a ValueError if that is no JSON.
scan_text: Callable[[str, int], tuple[str, int]] = scanstring


def loads(source: str | bytes) -> JsonValue:
    """Return the value written in `source`; bytes are UTF-8.

    Integers and floats stay apart and -0.0 keeps its sign. A number too small for a float becomes
    zero, and digits beyond a float's precision are rounded, as everywhere in Python.

    Raises:
        ValueError: The text is not JSON, nests too deeply for Python's stack, or holds a number
            that is not finite (`NaN`, `Infinity`, `1e400`) or has thousands of digits.
    """
    text = source if isinstance(source, str) else str(source, "utf-8")
    try:
        if text[:1] in _BEGINNINGS:
            value: JsonValue
            value, end = _scan(text, 0)
            if end == len(text):
                return value
    except StopIteration:
        pass  # something is wrong: what that is, the decoder says
    except RecursionError:
        raise _too_deep_to_read() from None
    try:
        return cast(JsonValue, _DECODER.decode(text))  # with space around it, or something wrong
    except RecursionError:
        raise _too_deep_to_read() from None


def loads_frozen(source: str, max_depth: int = MAX_DEPTH) -> JsonValue:
    """Return the value written in `source`, frozen all the way down.

    Raises:
        ValueError: The text is no JSON that we read, or nests deeper than `max_depth`.
    """
    value = loads(source)
    if type(value) is dict and max_depth > 0:
        flat = frozen_if_flat(value)
        if flat is not None:
            return flat
    return freeze(value, max_depth=max_depth)


def dumps(value: object) -> bytes:
    """Return `value` as compact UTF-8, with escapes only if it holds lone surrogates.

    Two surrogates that stand side by side and form a pair are one character in JSON, and come back
    as one.

    Raises:
        TypeError: Something inside is not JSON.
        ValueError: Something inside has no JSON form: a number that is not finite or has thousands
            of digits, a value that contains itself or nests too deeply for Python's stack.
    """
    try:
        return "".join(encode(value, 0)).encode("utf-8")
    except (RecursionError, ValueError):  # what is wrong is said by an encoder that looks for it
        return _dumps_slowly(value)


def _dumps_slowly(value: object) -> bytes:
    """Write what is not plain: half a surrogate pair, or what cannot be written, and why."""
    try:
        text = _UTF8_ENCODER.encode(value)
    except RecursionError:
        raise ValueError("The value nests too deeply to be written as JSON. Flatten it.") from None
    except ValueError as error:
        raise ValueError(
            f"The value cannot be written as JSON: {error}. Replace NaN, Infinity, numbers of "
            "thousands of digits and parts that contain themselves."
        ) from error
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        return _ASCII_ENCODER.encode(value).encode("ascii")


def _too_deep_to_read() -> ValueError:
    """Return what is raised for JSON that nests too deeply."""
    return ValueError("The JSON nests too deeply to be read. Send it flatter.")


def _finite(digits: str) -> float:
    """Return the float written as `digits`, unless it is too large to be one."""
    number = float(digits)
    if math.isinf(number):
        raise ValueError(f"The number {digits[:40]} does not fit a float. Send a smaller one.")
    return number


def _refuse_constant(name: str) -> NoReturn:
    """Refuse what Python would read though JSON does not have it."""
    raise ValueError(f"{name} is not JSON. Send a finite number, a string or null.")


#: Without space before it, what is an object or an array begins so.
_BEGINNINGS = ("{", "[")
_DECODER = json.JSONDecoder(parse_float=_finite, parse_constant=_refuse_constant)
_UTF8_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))
_ASCII_ENCODER = json.JSONEncoder(ensure_ascii=True, allow_nan=False, separators=(",", ":"))
#: One for all, where the module's own makes two objects for each text that is read or written. A
#: value that contains itself ends here in a RecursionError.
_scan: Callable[[str, int], tuple[JsonValue, int]] = _DECODER.scan_once  # type: ignore[attr-defined]  # not in its stub
encode: Callable[[object, int], Sequence[str]] = _UTF8_ENCODER.iterencode  # type: ignore[assignment]  # only joined
if c_make_encoder is not None:
    encode = c_make_encoder(
        None, _UTF8_ENCODER.default, encode_basestring, None, ":", ",", False, False, False
    )
