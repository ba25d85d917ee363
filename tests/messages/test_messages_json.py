"""JSON text: what is written is read back as it was, or refused with a reason."""

import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gantlet.messages import JsonValue, dumps, freeze, loads, thaw

any_text = st.text(st.characters())  # lone surrogates too
json_values: st.SearchStrategy[JsonValue] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | any_text,
    lambda inner: st.lists(inner) | st.dictionaries(any_text, inner),
    max_leaves=20,
)


def paired(text: str) -> str:
    """Return `text` with each pair of surrogates as the one character that it is in JSON."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def exact(value: JsonValue) -> object:
    """Return something equal only for values that are the same JSON: 1 is not 1.0, nor True."""
    if isinstance(value, dict):
        return {paired(name): exact(item) for name, item in value.items()}
    if isinstance(value, list):
        return [exact(item) for item in value]
    if isinstance(value, str):
        return paired(value)
    return type(value), repr(value)


@given(json_values)
@example({"a": [1, 1.0, True, -0.0, 0, 1e308, 5e-324, 2**70]})
@example("\ud800 alone")
@example({"\udfff": "\ud83d\ude00"})
@example("\u2028\x00\x7f")
def test_any_value_comes_back_with_integers_and_floats_kept_apart(value: JsonValue) -> None:
    assert exact(loads(dumps(value))) == exact(value)
    assert exact(loads(dumps(freeze(value)))) == exact(value)
    assert exact(thaw(freeze(value))) == exact(value)


def test_text_is_written_compactly_and_without_escapes() -> None:
    assert dumps({"a": ["é", "😀", 1.5, None, True]}) == '{"a":["é","😀",1.5,null,true]}'.encode()


def test_a_lone_surrogate_makes_the_text_ascii() -> None:
    assert dumps({"é": "\ud800"}) == b'{"\\u00e9":"\\ud800"}'


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_a_number_that_is_not_finite_is_not_written(number: float) -> None:
    with pytest.raises(ValueError, match="Replace NaN, Infinity"):
        dumps({"a": [number]})


def test_a_value_that_contains_itself_is_not_written() -> None:
    value: list[object] = []
    value.append(value)

    with pytest.raises(ValueError, match="contain themselves"):
        dumps(value)


def test_a_value_that_is_not_json_is_not_written() -> None:
    with pytest.raises(TypeError, match="set"):
        dumps({"a": {1}})


def test_nesting_beyond_the_stack_is_refused_in_both_directions() -> None:
    depth = 200_000
    value: JsonValue = []
    for _ in range(9_999):
        value = [value]

    with pytest.raises(ValueError, match="nests too deeply to be read"):
        loads("[" * depth + "]" * depth)
    with pytest.raises(ValueError, match="nests too deeply to be written"):
        dumps(value)


@pytest.mark.parametrize("text", ["NaN", "[Infinity]", '{"a": -Infinity}'])
def test_literals_that_json_does_not_have_are_not_read(text: str) -> None:
    with pytest.raises(ValueError, match="is not JSON"):
        loads(text)


@pytest.mark.parametrize("text", ["1e400", "-1e400", '{"a": [123456789e999]}'])
def test_a_number_too_large_for_a_float_is_not_read(text: str) -> None:
    with pytest.raises(ValueError, match="does not fit a float"):
        loads(text)


@pytest.mark.parametrize(
    ("source", "complaint"),
    [
        ("", "Expecting value"),
        ("{", "Expecting property name"),
        ("[1,]", "Expecting value"),
        ("1 2", "Extra data"),
        (b"\xff", "invalid start byte"),
        (b'"\xed\xa0\x80"', "invalid continuation byte"),
        ("1" * 5000, "4300 digits"),
    ],
)
def test_what_is_not_json_is_not_read(source: str | bytes, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        loads(source)


def test_bytes_and_text_read_alike() -> None:
    assert loads('{"a": "é"}') == loads('{"a": "é"}'.encode()) == {"a": "é"}
