"""Recording a model and playing it again: the same events, the same order, the same failures."""

import json
import os
import resource
import stat
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gantlet.messages import (
    AssistantMessage,
    Capabilities,
    FrozenDict,
    JsonValue,
    Message,
    Model,
    ModelError,
    ModelErrorKind,
    ModelRequest,
    StreamEvent,
    Text,
    UserMessage,
    dumps,
    message_to_wire,
)
from gantlet.models.recorded import CassetteWriter, RecordingModel, ReplayingModel
from gantlet.models.recorded.fingerprint import canonical, difference, fingerprint
from gantlet.models.scripted import ScriptedModel, script_of
from gantlet.system import Clock, Masker
from gantlet.testing import VirtualClock
from gantlet.tool import UserError

NO_SECRETS = Masker({})


class Retries:
    """Notes what it is told about retries."""

    def __init__(self) -> None:
        self.told: list[tuple[int, int, float, str, int | None]] = []

    def __call__(
        self,
        *,
        attempt: int,
        max_attempts: int,
        delay_seconds: float,
        reason: str,
        status: int | None,
    ) -> None:
        self.told.append((attempt, max_attempts, delay_seconds, reason, status))


def request(*messages: str, system: str = "", **further: JsonValue) -> ModelRequest:
    """Return a request in which user and model spoke in turn."""
    spoken: list[Message] = [
        AssistantMessage(text) if at % 2 else UserMessage(text) for at, text in enumerate(messages)
    ]
    return ModelRequest(
        "model-1",
        100,
        [dumps(message_to_wire(message)) for message in spoken],
        system=dumps([{"type": "text", "text": system}]) if system else b"",
        extra=further,
    )


async def heard(model: Model, asked: ModelRequest) -> list[StreamEvent | ModelErrorKind]:
    """Return the events of a reply, and at the end how it failed, if so."""
    events: list[StreamEvent | ModelErrorKind] = []
    try:
        async with model.stream(asked) as stream:
            async for event in stream:
                events.append(event)
    except ModelError as error:
        events.append(error.kind)
    return events


async def recorded(
    path: Path,
    replies: Sequence[object],
    requests: Sequence[ModelRequest],
    *,
    clock: Clock | None = None,
    masker: Masker = NO_SECRETS,
) -> list[list[StreamEvent | ModelErrorKind]]:
    """Record streamed replies; return what was heard."""
    model = RecordingModel(ScriptedModel(script_of(*replies), clock), path, clock, masker=masker)
    streams = [await heard(model, asked) for asked in requests]
    await model.aclose()
    return streams


def playing(path: Path, clock: Clock | None = None, *, pace: float = 0.0) -> ReplayingModel:
    """Return a model that plays a cassette."""
    return ReplayingModel(path, clock, pace=pace, masker=NO_SECRETS)


REPLIES = [
    [{"thinking": "Hm."}, {"text": "Hello", "chunks": 3}, {"call": "T", "input": {"a": [1, None]}}],
    [{"event": {"type": "news", "x": 1.5}}, {"block": {"type": "fallback"}}, "\ud800 \N{SNOWMAN}"],
]


async def test_what_was_recorded_is_played_event_by_event(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    requests = [request("one"), request("one", "x", "two")]
    lived = await recorded(path, REPLIES, requests)

    model = playing(path)
    played = [await heard(model, asked) for asked in requests]

    assert played == lived
    assert model.unplayed == 0


async def test_replies_can_be_played_in_another_order_than_they_were_recorded(
    tmp_path: Path,
) -> None:
    path = tmp_path / "a.jsonl"
    requests = [request("one"), request("one", "x", "two")]
    lived = await recorded(path, REPLIES, requests)

    model = playing(path)

    assert [await heard(model, asked) for asked in reversed(requests)] == lived[::-1]


@pytest.mark.parametrize("at", ["before", "start", "mid_text", "end"])
@pytest.mark.parametrize("what", [{"drop": True}, {"error": "overloaded"}])
async def test_failures_are_played_too(tmp_path: Path, what: dict[str, object], at: str) -> None:
    path = tmp_path / "a.jsonl"
    fault = {**what, "at": at}
    lived = await recorded(path, [{"say": "Hello", "fault": fault}], [request("x"), request("x")])

    model = playing(path)
    played = [await heard(model, request("x")) for _ in range(2)]

    assert played == lived
    assert isinstance(played[0][-1], ModelErrorKind)
    assert len(played[1]) > 3


async def test_a_failure_keeps_what_is_known_about_it(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    await recorded(path, [{"say": "hi", "fault": {"error": "rate_limit"}}], [request("x")])

    with pytest.raises(ModelError) as raised:
        async with playing(path).stream(request("x")):
            pytest.fail("It should not begin.")

    error = raised.value
    assert str(error) == "rate_limit_error: This request would exceed your rate limit."
    assert (error.kind, error.status, error.has_begun) == (ModelErrorKind.RATE_LIMIT, 429, False)


async def test_a_failure_of_a_reply_in_one_piece_is_played_too(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    script = script_of({"say": "hi", "fault": {"error": "billing"}})
    model = RecordingModel(ScriptedModel(script), path, masker=NO_SECRETS)
    with pytest.raises(ModelError):
        await model.complete(request("x"))
    await model.aclose()

    with pytest.raises(ModelError, match="credit balance"):
        await playing(path).complete(request("x"))


async def test_a_secret_in_a_failure_is_masked(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    fault = {"error": "api", "message": "the token s3cret-0123 is wrong", "times": 2}
    inner = ScriptedModel(script_of({"say": "hi", "fault": fault}))
    model = RecordingModel(inner, path, masker=Masker({"MY_TOKEN": "s3cret-0123"}))
    with pytest.raises(ModelError, match="s3cret-0123"):
        await model.complete(request("x"))
    with pytest.raises(ModelError, match="s3cret-0123"):
        async with model.stream(request("x")):
            pytest.fail("It should not begin.")
    await model.aclose()

    text = path.read_text()
    assert "s3cret-0123" not in text
    assert text.count("the token [masked] is wrong") == 2


async def test_a_reply_in_one_piece_is_played_in_one_piece(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    model = RecordingModel(ScriptedModel(script_of("hi")), path, masker=NO_SECRETS)
    lived = await model.complete(request("x"))
    await model.aclose()

    assert await playing(path).complete(request("x")) == lived


async def test_retries_are_told_again(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    script = script_of({"say": "hi", "fault": {"error": "overloaded"}})
    async with VirtualClock() as clock:
        inner = ScriptedModel(script, clock, max_retries=1)
        model = RecordingModel(inner, path, clock, masker=NO_SECRETS)
        lived, again = Retries(), Retries()
        await model.complete(request("x"), lived)
        await model.aclose()

        await playing(path).complete(request("x"), again)

    assert lived.told == again.told == [(1, 1, 0.5, "overloaded", 529)]


@pytest.mark.parametrize(("pace", "seconds"), [(1.0, 12.5), (0.5, 6.25), (0.0, 0.0)])
async def test_the_pace_is_real_scaled_or_none(tmp_path: Path, pace: float, seconds: float) -> None:
    path = tmp_path / "a.jsonl"
    reply = [{"wait": 2}, {"text": ["a", "b"], "pause": 0.5}, {"wait": 10}, "c"]
    async with VirtualClock() as clock:
        await recorded(path, [reply], [request("x")], clock=clock)
        start = clock.now()

        await heard(playing(path, clock, pace=pace), request("x"))

        assert clock.now() - start == pytest.approx(seconds)


async def test_capabilities_are_those_of_the_recorded_model(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    able = Capabilities(thinking=True, input_usd_per_million=3.0)
    inner = ScriptedModel(script_of("hi"), capabilities=able)
    model = RecordingModel(inner, path, masker=NO_SECRETS)
    await model.complete(request("x"))
    await model.aclose()

    replayed = playing(path)

    assert replayed.capabilities("model-1") == model.capabilities("model-1")
    assert replayed.capabilities("other") == Capabilities("other")


async def test_a_stream_that_was_left_early_stops_there_when_it_is_played(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    model = RecordingModel(ScriptedModel(script_of("hello")), path, masker=NO_SECRETS)
    async with model.stream(request("x")) as stream:
        first = await anext(stream)
    await model.aclose()

    assert await heard(playing(path), request("x")) == [first, ModelErrorKind.BROKEN_STREAM]


async def test_the_cassette_is_its_owners_only_and_never_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    await recorded(path, ["hi"], [request("x")])

    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with pytest.raises(UserError, match=r"There is a cassette .* already"):
        RecordingModel(ScriptedModel(script_of("hi")), path)
    with pytest.raises(UserError, match="cannot be made: "):
        RecordingModel(ScriptedModel(script_of("hi")), tmp_path / "no" / "a.jsonl")


async def test_secrets_are_masked_in_requests_and_what_the_model_said_is_kept(
    tmp_path: Path,
) -> None:
    path = tmp_path / "a.jsonl"
    masker = Masker({"DEPLOY_TOKEN": "hunter2-hunter2"})
    token = "ghp_" + "a1" * 18
    asked = request(
        f"use hunter2-hunter2 and {token}",
        "I heard hunter2-hunter2",
        "ok",
        system="The password is hunter2-hunter2.",
        metadata={"user_id": "hunter2-hunter2"},
    )
    await recorded(path, ["x", "I say hunter2-hunter2"], [asked], masker=masker)

    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    body = next(line["body"] for line in lines if "request" in line)
    spoken = [line["data"]["delta"] for line in lines if "text_delta" in json.dumps(line)]
    assert [message["content"] for message in body["messages"]] == [
        "use [masked] and [masked]",
        "I heard hunter2-hunter2",
        "ok",
    ]
    assert body["system"][0]["text"] == "The password is [masked]."
    assert body["metadata"] == {"user_id": "[masked]"}
    assert spoken == [{"type": "text_delta", "text": "I say hunter2-hunter2"}]
    assert token not in path.read_text(encoding="utf-8")


async def test_a_masked_request_is_found_again_whatever_the_secret_is_now(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    masker = Masker({"DEPLOY_TOKEN": "hunter2-hunter2"})
    await recorded(path, ["hi"], [request("use hunter2-hunter2")], masker=masker)

    model = ReplayingModel(path, masker=Masker({"DEPLOY_TOKEN": "another-one"}))

    assert len(await heard(model, request("use another-one"))) == 7


async def test_another_request_is_answered_with_the_difference(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    requests = [request("one"), request("one", "x", "The cat sat on the mat, twice.")]
    await recorded(path, ["a", "b"], requests)

    with pytest.raises(ModelError) as raised:
        await heard_or_raise(playing(path), request("one", "x", "The cat sat on the rug, twice."))

    assert raised.value.kind is ModelErrorKind.INVALID_REQUEST
    assert str(raised.value) == (
        f"{path}:11: this request was not recorded. The nearest one differs at "
        "messages.2.content.0.text: recorded 'The cat sat on the mat, twice.', asked "
        "'The cat sat on the rug, twice.'. Record it anew, or take out with `clean` what changes "
        "from run to run."
    )


async def heard_or_raise(model: Model, asked: ModelRequest) -> None:
    """Hear a reply to its end."""
    async with model.stream(asked) as stream:
        async for _ in stream:
            pass


async def test_a_request_made_once_too_often_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    await recorded(path, ["hi"], [request("x")])
    model = playing(path)
    await heard(model, request("x"))

    with pytest.raises(ModelError, match="was recorded 1 x and is made once more"):
        await heard_or_raise(model, request("x"))
    with pytest.raises(ModelError, match="all 1 recordings were played"):
        await heard_or_raise(model, request("y"))


async def test_a_request_made_in_the_other_way_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    await recorded(path, ["hi"], [request("x")])

    with pytest.raises(ModelError, match=r"was recorded with stream\(\), not complete\(\)"):
        await playing(path).complete(request("x"))


async def test_what_changes_from_run_to_run_can_be_taken_out(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    await recorded(path, ["hi"], [request("in /tmp/run-1 now")])

    model = ReplayingModel(
        path, masker=NO_SECRETS, clean=lambda text: text.replace("run-2", "run-1")
    )

    assert len(await heard(model, request("in /tmp/run-2 now"))) == 7


async def test_marks_for_the_cache_and_plain_text_make_no_difference(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    await recorded(path, ["hi"], [request("x")])
    marked = {"type": "text", "text": "x", "cache_control": {"type": "ephemeral"}}

    message = dumps({"role": "user", "content": [marked]})

    assert len(await heard(playing(path), ModelRequest("other", 7, [message]))) == 7


async def test_a_request_that_nests_too_deeply_is_refused(tmp_path: Path) -> None:
    deep = ModelRequest("m", 1, [b'{"role":"user","content":' + b"[" * 400 + b"]" * 400 + b"}"])
    model = RecordingModel(ScriptedModel(script_of("hi")), tmp_path / "a.jsonl")

    with pytest.raises(ModelError, match="nests deeper than 256 levels"):
        await model.complete(deep)

    await model.aclose()


def write(path: Path, *lines: str) -> Path:
    """Write a cassette by hand."""
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


HEAD = '{"format":"gantlet-cassette","version":1}'
ASKED = (
    '{"request":1,"how":"stream","body":{"messages":[{"role":"user","content":"x"}]},'
    '"capabilities":{}}'
)


async def test_a_last_line_that_was_cut_off_is_left_out(tmp_path: Path) -> None:
    path = write(tmp_path / "a", HEAD, ASKED, '{"event":1,"after":0,"data":{"type":"pi')

    assert await heard(playing(path), request("x")) == [ModelErrorKind.BROKEN_STREAM]


async def test_a_recording_with_parts_of_the_other_kind_stops_there(tmp_path: Path) -> None:
    reply = '{"reply":1,"after":0,"data":{"role":"assistant","content":"x"}}'
    one = write(tmp_path / "a", HEAD, ASKED, reply, "")
    asked_whole = ASKED.replace("stream", "complete")
    other = write(tmp_path / "b", HEAD, asked_whole, '{"end":1,"after":0}', "")

    assert await heard(playing(one), request("x")) == [ModelErrorKind.BROKEN_STREAM]
    with pytest.raises(ModelError, match="stops here"):
        await playing(other).complete(request("x"))


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ([""], "1: this is no cassette of version 1. Record it anew."),
        (['{"format":"gantlet-cassette","version":2}', ""], "1: this is no cassette of version 1."),
        ([HEAD, "{", ""], "2: this is not JSON: "),
        ([HEAD, "[]", ""], "2: this is no line of a cassette."),
        ([HEAD, "{}", ""], "2: this is no line of a cassette."),
        ([HEAD, '{"event":1,"after":0,"data":{}}', ""], "2: this is no line of a cassette."),
        ([HEAD, ASKED, '{"end":1}', ""], "3: this is no line of a cassette."),
        (
            [HEAD, ASKED, '{"reply":1,"after":0,"data":{"role":"user","content":"x"}}', ""],
            "3: this",
        ),
        ([HEAD, ASKED, '{"failure":1,"after":0,"data":{}}', ""], "3: this is no line of a"),
        ([HEAD, '{"request":1,"how":"shout","body":{},"capabilities":{}}', ""], "2: this is no"),
    ],
)
def test_what_is_no_cassette_is_named_with_its_line(
    tmp_path: Path, lines: list[str], said: str
) -> None:
    path = write(tmp_path / "a", *lines)

    with pytest.raises(UserError) as raised:
        playing(path)

    assert str(raised.value).startswith(f"{path}:{said}")


def test_a_cassette_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be read: No such file or directory"):
        playing(tmp_path / "gone")


JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-9, 9), st.text(max_size=5)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=10,
)


@given(JSON, JSON)
def test_two_requests_differ_exactly_if_a_difference_can_be_named(
    one: JsonValue, other: JsonValue
) -> None:
    parts = [canonical({"messages": [value]}, str) for value in (one, other)]

    is_same = fingerprint(parts[0]) == fingerprint(parts[1])

    assert is_same == (difference(parts[0], parts[1]) == "")


@given(JSON)
def test_the_order_of_keys_makes_no_difference(value: JsonValue) -> None:
    def turned(part: JsonValue) -> JsonValue:
        if isinstance(part, dict):
            return {name: turned(part[name]) for name in reversed(part)}
        return [turned(child) for child in part] if isinstance(part, list) else part

    parts = [canonical({"tools": one}, str) for one in (value, turned(value))]

    assert fingerprint(parts[0]) == fingerprint(parts[1])


def test_a_text_and_its_absence_differ() -> None:
    assert difference({"a": "x"}, {}) == "a: recorded 'x', asked nothing"
    assert difference(["x"], ["x", FrozenDict(b=1)]) == "1: recorded nothing, asked {'b': 1}"


async def test_what_changes_from_run_to_run_is_known_by_its_name(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    writer = CassetteWriter(path)
    writer.changing = {"day": "Monday", "token": "hunter2-hunter2"}
    masker = Masker({"DEPLOY_TOKEN": "hunter2-hunter2"})
    model = RecordingModel(ScriptedModel(script_of("hi")), writer, masker=masker)
    await model.complete(request("It is Monday."))
    writer.close()

    replayed = playing(path)
    replayed.changing = {"day": "Tuesday"}

    assert "hunter2" not in path.read_text()
    assert (await replayed.complete(request("It is Tuesday."))).content[0] == Text("hi")


async def test_several_models_write_to_one_cassette(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    writer = CassetteWriter(path)
    for word in ("one", "two"):
        model = RecordingModel(ScriptedModel(script_of(word)), writer, masker=NO_SECRETS)
        await model.complete(request(word))
        await model.aclose()
    writer.close()

    replayed = playing(path)

    assert [(await replayed.complete(request(word))).content for word in ("two", "one")] == [
        (Text("two"),),
        (Text("one"),),
    ]


async def test_a_cassette_that_cannot_be_written_any_more_says_so(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    writer = CassetteWriter(path)
    model = RecordingModel(ScriptedModel(script_of("one", "two")), writer, masker=NO_SECRETS)
    await model.complete(request("x"))
    writer.close()

    with pytest.raises(ModelError, match=r"cannot be written: .* before can be played"):
        await model.complete(request("x", "one", "y"))

    assert (await playing(path).complete(request("x"))).content[0] == Text("one")


def test_a_cassette_on_which_nothing_was_recorded_is_taken_away(tmp_path: Path) -> None:
    CassetteWriter(tmp_path / "a.jsonl").close()

    assert list(tmp_path.iterdir()) == []


def test_a_name_that_something_else_has_is_no_cassettes(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("nowhere")

    with pytest.raises(UserError, match=r"pipe' cannot be made: It is there, and is no file\.$"):
        CassetteWriter(tmp_path / "pipe")
    with pytest.raises(UserError, match=r"There is a cassette .*link' already"):
        CassetteWriter(tmp_path / "link")


def test_nothing_is_left_of_a_cassette_that_could_not_be_begun(tmp_path: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, hard))
    try:
        with pytest.raises(UserError, match="cannot be made: File too large"):
            CassetteWriter(tmp_path / "a.jsonl")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

    assert list(tmp_path.iterdir()) == []


async def test_a_stream_that_was_left_early_says_so_when_it_is_asked_for_whole(
    tmp_path: Path,
) -> None:
    path = tmp_path / "a.jsonl"
    model = RecordingModel(ScriptedModel(script_of("hello")), path, masker=NO_SECRETS)
    async with model.stream(request("x")) as stream:
        await anext(stream)
    await model.aclose()

    with pytest.raises(ModelError, match="nobody listened any longer"):
        await playing(path).complete(request("x"))
