"""How a script is written, and what is said about one that is written wrongly."""

import json
import re
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from gantlet.messages import FrozenDict, ModelErrorKind, Usage
from gantlet.models.scripted import Script, load_script, parse_script, script_of
from gantlet.models.scripted.nodes import MAX_BYTES
from gantlet.models.scripted.script import (
    ApiError,
    At,
    Call,
    Drop,
    Fault,
    Garble,
    RawBlock,
    RawEvent,
    Reply,
    Say,
    Stall,
    Thought,
    Truncate,
    Unheard,
    Wait,
    Words,
)
from gantlet.tool import UserError

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = sorted((ROOT / "examples" / "scripts").glob("*.yaml"))
GUIDE = ROOT / "docs" / "guides" / "scripts.md"
EVERYTHING = """\
about: Every kind of piece.
replies:
  - say:
      - wait: 0.5
      - thinking: Hm.
        signature: sig
      - plain words
      - text: cut into three
        chunks: 3
        pause: 0.25
      - text: [a, b]
      - call: Read
        id: toolu_mine
        input: {file_path: a.txt, limit: 3}
      - call: Bash
        input_json: '{"command": '
        repeat: 2
      - block: {type: redacted_thinking, data: x}
      - event: {type: news}
      - ping: true
    stop_reason: max_tokens
    usage: {output_tokens: 7}
    fault:
      - {error: rate_limit, retry_after: 3, times: 2}
      - {status: 599, message: gone, at: start}
      - {drop: true, at: mid_json, nth: 3}
      - {stall: 2.5, at: mid_text, times: always}
"""


def only_reply(script: Script) -> Reply:
    """Return the reply of a script that has one."""
    (say,) = script.program
    assert isinstance(say, Say)
    return say.reply


def blocks_of_the_guide() -> list[str]:
    """Return the YAML in the guide about scripts."""
    return re.findall(r"```yaml\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)


def complaint(source: str | bytes) -> str:
    """Return what is said about a text that is no script."""
    with pytest.raises(UserError) as raised:
        parse_script(source, "a.yaml")
    return str(raised.value)


def test_every_kind_of_piece_and_fault_is_read() -> None:
    reply = only_reply(parse_script(EVERYTHING))

    assert reply.pieces == (
        Wait(0.5),
        Thought(Words(("Hm.",)), "sig"),
        Words(("plain words",)),
        Words(("cut into three",), chunks=3, pause_seconds=0.25),
        Words(("a", "b")),
        Call("Read", FrozenDict(file_path="a.txt", limit=3), id="toolu_mine"),
        Call("Bash", input_json='{"command": ', count=2),
        RawBlock(FrozenDict(type="redacted_thinking", data="x")),
        RawEvent(FrozenDict(type="news")),
        RawEvent(FrozenDict(type="ping")),
    )
    limit = "This request would exceed your rate limit."
    assert reply.faults == (
        Fault(ApiError(429, "rate_limit_error", limit, ModelErrorKind.RATE_LIMIT, 3.0), times=2),
        Fault(ApiError(599, "api_error", "gone", ModelErrorKind.SERVER_ERROR), At.START),
        Fault(Drop(), At.MID_JSON, nth=3),
        Fault(Stall(2.5), At.MID_TEXT, times=None),
    )
    assert (reply.stop_reason, reply.usage) == ("max_tokens", Usage(output_tokens=7))


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        ("{truncate: max_tokens, at: end}", Truncate("max_tokens")),
        ("{truncate: refusal, at: mid_text, closes: false}", Truncate("refusal", closes=False)),
        ("{stall: forever}", Stall(None)),
        ("{garble: half_event, at: start}", Garble.HALF_EVENT),
        ("{garble: wrong_chunk}", Garble.WRONG_CHUNK),
        ("{unknown: delta, at: mid_text}", Unheard.DELTA),
    ],
)
def test_further_faults_are_read(fault: str, expected: object) -> None:
    reply = only_reply(parse_script(f"- say: words\n  fault: {fault}\n"))

    assert [one.what for one in reply.faults] == [expected]


@pytest.mark.parametrize(
    "source",
    [
        "- hello\n",
        "- - hello\n",
        "- text: hello\n",
        "- say: hello\n",
        "- say: [hello]\n",
        "replies:\n  - say: [{text: hello}]\n",
        '["hello"]',
        '{"replies":[{"say":"hello"}]}',
        '{\n\t"replies": [\n\t\t"hello"\n\t]\n}\n',
        b"\xef\xbb\xbf- hello\n",
    ],
)
def test_the_same_reply_can_be_written_shortly_and_at_length(source: str | bytes) -> None:
    assert only_reply(parse_script(source)).pieces == (Words(("hello",)),)


def test_a_script_can_be_made_of_python_values() -> None:
    made = script_of("hello", [{"call": "Read", "input": {"file_path": "a"}}])

    replies = [say.reply.pieces for say in made.program if isinstance(say, Say)]
    assert replies == [(Words(("hello",)),), (Call("Read", FrozenDict(file_path="a")),)]


def test_only_the_scalars_of_json_are_more_than_text() -> None:
    script = parse_script(
        "- call: T\n  input: {a: no, b: 2026-01-01, c: 1:30, d: 0x1f, e: 1e3, f: ~, g: yes}\n"
    )

    assert only_reply(script).pieces == (
        Call(
            "T",
            FrozenDict(a="no", b="2026-01-01", c="1:30", d="0x1f", e=1000.0, f=None, g="yes"),
        ),
    )


def test_escaped_surrogates_of_json_become_one_character() -> None:
    assert only_reply(parse_script(json.dumps(["\N{GRINNING FACE}"]))).pieces == (
        Words(("\N{GRINNING FACE}",)),
    )


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("", "a.yaml:1: the file is empty. Write a list of replies."),
        ("replies: [", "a.yaml:1: this is not YAML: expected the node content"),
        ("- hi\n--- \n- ho\n", "a.yaml:2: this is not YAML: but found another document."),
        ("hello", "a.yaml:1: a mapping with 'about', 'loop', 'asides', 'replies' is needed"),
        ("about: x", "a.yaml:1: the key 'replies' is missing."),
        ("replies: []", "a.yaml:1: replies: a list with something in it is needed, not []."),
        (
            "- hi\n- say: ho\n  gotto: x\n",
            "a.yaml:3: 2.gotto: the key 'gotto' is not known here. Did you mean 'goto'?",
        ),
        (
            "replies:\n  - say:\n      - text: a\n        chunks: many\n",
            "a.yaml:4: replies.1.say.1.chunks: a whole number is needed, not 'many'.",
        ),
        ("- text: a\n  chunks: 0\n", "a.yaml:2: 1.chunks: a whole number from 1 to 100000"),
        ("- text: 7\n", "a.yaml:1: 1.text: a text is needed, not 7. Put it in quotes."),
        ("- text: [a]\n  chunks: 2\n", "a.yaml:2: 1.chunks: the list already says how"),
        ("- wait: -1\n", "a.yaml:1: 1.wait: seconds from 0 to 86400 are needed, not -1."),
        ("- wait: true\n", "a.yaml:1: 1.wait: seconds from 0 to 86400 are needed, not True."),
        ("- wait: 1e999\n", "a.yaml:1: 1.wait: '1e999' cannot be read as a number."),
        (f"- wait: {'9' * 400}\n", "1.wait: '999999999999...9999999999999' cannot be read as a"),
        ("loop: 1\nreplies: [a]\n", "a.yaml:1: loop: true or false is needed, not 1."),
        ("- call: T\n  input: {}\n  input_json: x\n", "1.input_json: `input` and `input_json`"),
        ("- ping: false\n", "a.yaml:1: 1.ping: only true makes sense here."),
        ("- call: T\n  input: [1]\n", "a.yaml:2: 1.input: a mapping is needed, not [1]."),
        ("- block: {data: x}\n", "a.yaml:1: 1.block: a `type` is needed in it"),
        ("- {text: a, call: b}\n", "a.yaml:1: 1: a piece is a text, or has exactly one of"),
        ("- {say: a, when: {}}\n", "a.yaml:1: 1.say: the key 'say' is not known here."),
        ("- {label: x}\n", "a.yaml:1: 1: an entry has one of the keys when, repeat, say, goto."),
        (
            "- hi\n- goto: nowhere\n",
            "a.yaml:2: 2.goto: there is no label 'nowhere'. There are: end.",
        ),
        (
            "- {say: a, label: x}\n- {say: b, label: x}\n",
            "a.yaml:2: 2.label: the label 'x' is taken. Choose another.",
        ),
        ("- {say: a, label: end}\n", "a.yaml:1: 1.label: the label 'end' is taken."),
        (
            "- hi\n- {label: x, goto: y}\n- {label: y, goto: x}\n",
            "a.yaml:2: 2: there is a way round from here on which nothing is said.",
        ),
        (
            "loop: true\nreplies:\n  - when: {user: x}\n    then: [hi]\n",
            "a.yaml:3: replies.1: there is a way round from here on which nothing is said.",
        ),
        ("- when: {}\n  then: [a]\n", "a.yaml:1: 1.when: a condition has some of the keys"),
        (
            "- when:\n    result: {matches: '('}\n  then: [a]\n",
            "a.yaml:2: 1.when.result.matches: this is not a regular expression",
        ),
        (
            "- when: {user: {matches: '[[a]'}}\n  then: [a]\n",
            "1.when.user.matches: this is not a regular expression: Possible nested set",
        ),
        ("- say: a\n  fault: {drop: true, at: mid}\n", "a.yaml:2: 1.fault.at: one of before, "),
        (
            "- say: a\n  fault: {drop: true, at: mid_json}\n",
            "a.yaml:2: 1.fault: `at: mid_json` needs 1 x call, and the reply has 0.",
        ),
        ("- say: a\n  fault: {drop: true, nth: 2}\n", "a.yaml:2: 1.fault: `nth` says which"),
        ("- say: a\n  fault: {truncate: x}\n", "a.yaml:2: 1.fault: a reply that ends before"),
        ("- say: a\n  fault: {error: bad}\n", "a.yaml:2: 1.fault.error: 'bad' is not known."),
        ("- say: a\n  fault: {status: 200}\n", "a.yaml:2: 1.fault.status: a whole number from 400"),
        ("- say: a\n  fault: {at: end}\n", "a.yaml:2: 1.fault: a fault has one of the keys"),
        ("- say: a\n  usage: {tokens: 1}\n", "a.yaml:2: 1.usage.tokens: the key 'tokens' is not"),
        ("- '{{ nothing }}'\n", "a.yaml:1: 1: {{ nothing }} is not known."),
        ("- '{{ user.text | upper }}'\n", "a.yaml:1: 1: {{ user.text | upper }}: after | comes"),
        ("- '{{ user.text | find: ( }}'\n", "a.yaml:1: 1: {{ user.text | find: ( }}: not a"),
        (
            "- call: T\n  input: {a: [{b: '{{ x }}'}]}\n",
            "a.yaml:2: 1.input.a.1.b: {{ x }} is not known.",
        ),
        ("- say: a\n  say: b\n", "a.yaml:2: 1: the key 'say' stands here twice. Remove one."),
        ("- call: T\n  input: {1: a}\n", "a.yaml:2: 1.input: a key is a text, not 1."),
        ("- !!python/object/apply:os.system [ls]\n", "a.yaml:1: 1: the tag 'tag:yaml.org,2002:py"),
        ("- !!binary aGk=\n", "a.yaml:1: 1: the tag 'tag:yaml.org,2002:binary' is not allowed."),
        ("- &a [*a]\n", "an alias must not contain itself."),
        ("[" * 2000, "a.yaml:1: the file nests too deeply. Flatten it."),
        ("- a\x00b\n", "a.yaml:1: this is not YAML: unacceptable character #x0000"),
        (b"- a\n- \xff\n", "a.yaml:2: this is not UTF-8. Save the file as UTF-8."),
        (b"#" * (MAX_BYTES + 1), f"a.yaml:1: a script has at most {MAX_BYTES} bytes."),
    ],
)
def test_what_is_written_wrongly_is_named_with_file_line_and_key(
    source: str | bytes, said: str
) -> None:
    assert said in complaint(source)


def test_a_few_aliases_cannot_make_a_script_of_endless_size() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{at}: &a{at} [{', '.join([f'*a{at - 1}'] * 10)}]" for at in range(1, 9)]

    assert "a script has at most 100000 values" in complaint("\n".join(lines))


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError) as raised:
        load_script(tmp_path / "gone.yaml")

    assert str(raised.value) == (
        f"The script '{tmp_path}/gone.yaml' cannot be read: No such file or directory."
    )


def test_a_folder_is_no_script(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be read: Is a directory"):
        load_script(tmp_path)


def test_values_that_are_no_json_are_refused() -> None:
    with pytest.raises(UserError, match="the replies are not plain values"):
        script_of({"say": {1, 2}})


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_every_example_is_a_script_that_says_what_it_is_about(path: Path) -> None:
    script = load_script(path)

    assert script.about
    assert script.program


def test_there_are_examples() -> None:
    assert EXAMPLES
    assert len(blocks_of_the_guide()) > 5


@pytest.mark.parametrize("block", blocks_of_the_guide())
def test_every_script_in_the_guide_is_one(block: str) -> None:
    assert parse_script(block).program


KEYS = """
replies say text thinking call block event ping wait label goto when then else repeat do fault error
at drop stall times nth truncate usage input input_json chunks pause id result user not contains
matches tool is_error asides loop about stop_reason end before mid_text
"""
WORDS = st.sampled_from(KEYS.split())
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(), WORDS
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.one_of(WORDS, st.text()), inner, max_size=5)
    ),
    max_leaves=25,
)


def is_read_or_refused(source: str | bytes) -> None:
    """Read a text; nothing but a complaint to the user may come of it."""
    complaints = []
    try:
        assert parse_script(source).program
    except UserError as error:
        complaints.append(str(error))
    assert all(complaint.startswith("script:") for complaint in complaints)


@given(VALUES)
def test_any_json_is_a_script_or_a_complaint(value: object) -> None:
    is_read_or_refused(json.dumps(value))


@given(VALUES)
def test_any_yaml_is_a_script_or_a_complaint(value: object) -> None:
    is_read_or_refused(yaml.safe_dump(value, allow_unicode=True))


@given(st.text())
def test_any_text_is_a_script_or_a_complaint(text: str) -> None:
    is_read_or_refused(text)


@given(st.binary())
def test_any_bytes_are_a_script_or_a_complaint(source: bytes) -> None:
    is_read_or_refused(source)


@given(st.data())
def test_a_script_with_a_piece_cut_out_is_a_script_or_a_complaint(data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(EVERYTHING)))
    end = data.draw(st.integers(start, len(EVERYTHING)))

    is_read_or_refused(EVERYTHING[:start] + EVERYTHING[end:])
