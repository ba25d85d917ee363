"""A conversation comes back from its transcript as it was, wherever writing stopped."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gantlet.messages import ResultBlock, Text, UserMessage, blocks_of
from gantlet.session import (
    KnownFiles,
    PointNotFoundError,
    Session,
    SessionError,
    forked,
    read_lines,
    restore,
    resumed,
)
from gantlet.tool import Seen
from session.session_kit import (
    VERSION,
    agent_in,
    answers,
    back,
    begin,
    calls,
    content,
    lines_of,
    results_in,
)

pytestmark = pytest.mark.anyio

TWO_CALLS = [
    "I look.",
    {"call": "look", "input": {"at": "a"}},
    {"call": "look", "input": {"at": "b"}},
]


async def a_session(folder: Path) -> tuple[Session, list[tuple[str, object]]]:
    session = begin(folder, folder)
    agent = agent_in(session, TWO_CALLS, [{"call": "look", "input": {"at": "c"}}], "Done.", "More.")
    await agent.run("First words")
    await agent.run("Second words")
    session.close()
    return session, content(agent.messages)


async def test_a_conversation_comes_back_as_it_was(tmp_path: Path) -> None:
    session, said = await a_session(tmp_path)

    again = back(session.path)

    assert content(again.history.messages) == said
    assert again.notes == ()


async def test_it_goes_on_where_it_stood(tmp_path: Path) -> None:
    session, said = await a_session(tmp_path)

    with resumed(session.path, str(tmp_path), VERSION) as again:
        agent = agent_in(again, "Third answer.")
        await agent.run("Third words")
    later = back(session.path)

    assert content(agent.messages)[: len(said)] == said
    assert content(later.history.messages) == content(agent.messages)


async def test_started_is_written_before_the_result(tmp_path: Path) -> None:
    session, _ = await a_session(tmp_path)
    kinds = [(line["type"], line.get("toolUseId")) for line in lines_of(session)]

    for line in lines_of(session):
        if line["type"] == "call":
            began = kinds.index(("started", line["toolUseId"]))
            assert began < kinds.index(("call", line["toolUseId"]))


async def test_a_call_is_told_with_its_decision_and_times(tmp_path: Path) -> None:
    session, _ = await a_session(tmp_path)

    told = [line for line in lines_of(session) if line["type"] == "call"]

    assert [line["outcome"] for line in told] == ["succeeded"] * 3
    assert all(line["decision"]["behaviour"] == "allow" for line in told)
    assert all(line["queuedAt"] <= line["startedAt"] <= line["endedAt"] for line in told)


async def test_one_entry_for_each_result_and_one_message_in_the_request(tmp_path: Path) -> None:
    session, _ = await a_session(tmp_path)
    entries = [
        line
        for line in lines_of(session)
        if line["type"] == "user" and line["message"]["content"][0]["type"] == "tool_result"
    ]

    messages = back(session.path).history.messages
    together = [
        message
        for message in messages
        if isinstance(message, UserMessage) and isinstance(blocks_of(message)[0], ResultBlock)
    ]

    assert [len(line["message"]["content"]) for line in entries] == [1, 1, 1]
    assert [len(blocks_of(message)) for message in together] == [2, 1]


async def test_nothing_that_was_written_is_lost_wherever_the_file_ends(tmp_path: Path) -> None:
    session, _ = await a_session(tmp_path)
    whole = session.path.read_bytes()
    path = tmp_path / session.path.name

    for end in range(0, len(whole), 37):
        path.write_bytes(whole[:end])
        lines, _ = read_lines(path)
        told = restore(lines)
        written = results_in(lines)
        known = answers(told.history.messages)

        assert sorted(known) == sorted(calls(told.history.messages))
        assert written.items() <= known.items()


async def test_a_call_that_had_started_is_unknown_and_one_that_had_not_never_ran(
    tmp_path: Path,
) -> None:
    session, _ = await a_session(tmp_path)
    lines = session.path.read_bytes().splitlines(keepends=True)
    started = next(n for n, line in enumerate(lines) if b'"type":"started"' in line)
    first = calls(back(session.path).history.messages)[:2]
    session.path.write_bytes(b"".join(lines[: started + 1]))

    again = back(session.path)

    told = answers(again.history.messages)
    assert "is not known" in told[first[0]]
    assert all("did not run" in told[one] for one in told if one != first[0])
    assert any("had no result" in note for note in again.notes)


async def test_answers_given_on_resume_are_written(tmp_path: Path) -> None:
    session, _ = await a_session(tmp_path)
    lines = session.path.read_bytes().splitlines(keepends=True)
    started = next(n for n, line in enumerate(lines) if b'"type":"started"' in line)
    session.path.write_bytes(b"".join(lines[: started + 1]))

    with resumed(session.path, str(tmp_path), VERSION) as again:
        once = content(again.history.messages)
    twice = back(session.path)

    assert content(twice.history.messages) == once
    assert twice.notes == ()


async def test_a_torn_last_line_costs_only_itself(tmp_path: Path) -> None:
    session, said = await a_session(tmp_path)
    with session.path.open("ab") as file:
        file.write(b'{"type":"user","mess')

    with resumed(session.path, str(tmp_path), VERSION) as again:
        agent = agent_in(again, "Fine.")
        await agent.run("Go on")
    later = back(session.path)

    assert "was left out" in again.notes[0]
    assert content(later.history.messages)[: len(said)] == said
    assert content(later.history.messages) == content(agent.messages)


async def test_a_fork_leaves_the_original_alone(tmp_path: Path) -> None:
    session, said = await a_session(tmp_path)
    before = session.path.read_bytes()

    with forked(session.path, tmp_path / "projects", str(tmp_path), VERSION) as fork:
        agent = agent_in(fork, "Elsewhere.")
        await agent.run("Another way")

    assert session.path.read_bytes() == before
    assert fork.id != session.id
    assert content(agent.messages)[: len(said)] == said
    assert {line["sessionId"] for line in lines_of(fork)} == {fork.id}


async def test_a_fork_knows_the_files_that_its_conversation_has_seen(tmp_path: Path) -> None:
    session, _ = await a_session(tmp_path)
    KnownFiles(session.known_files).note("/a.py", Seen("1", (1, 2, 3, 4)))
    last = next(line["uuid"] for line in lines_of(session) if line["type"] == "assistant")

    with forked(session.path, tmp_path / "projects", str(tmp_path), VERSION) as fork:
        KnownFiles(fork.known_files).note("/b.py", Seen("2"))
    with forked(session.path, tmp_path / "projects", str(tmp_path), VERSION, at=last) as earlier:
        pass

    assert set(KnownFiles(fork.known_files).known()) == {"/a.py", "/b.py"}
    assert set(KnownFiles(session.known_files).known()) == {"/a.py"}
    assert not KnownFiles(earlier.known_files).known(), "what was seen later is not known there"


async def test_a_fork_at_a_point_drops_what_came_after(tmp_path: Path) -> None:
    session, _ = await a_session(tmp_path)
    first_end = next(
        line["uuid"]
        for line in lines_of(session)
        if line["type"] == "assistant" and line["message"]["content"][0].get("text") == "Done."
    )

    with forked(session.path, tmp_path / "projects", str(tmp_path), VERSION, at=first_end) as fork:
        pass

    words = [block for message in fork.history.messages for block in blocks_of(message)]
    assert Text("Done.") in words
    assert Text("Second words") not in words
    assert content(back(fork.path).history.messages) == content(fork.history.messages)


async def test_a_point_that_is_not_there_is_refused(tmp_path: Path) -> None:
    session, _ = await a_session(tmp_path)

    with pytest.raises(PointNotFoundError):
        forked(session.path, tmp_path / "projects", str(tmp_path), VERSION, at="nowhere")


async def test_going_back_in_the_same_session_leaves_the_dropped_turn_behind(
    tmp_path: Path,
) -> None:
    session, _ = await a_session(tmp_path)
    prompts = back(session.path).prompts
    point = next(line["parentUuid"] for line in lines_of(session) if line.get("uuid") == prompts[1])

    with resumed(session.path, str(tmp_path), VERSION, at=point) as again:
        agent = agent_in(again, "New second.")
        await agent.run("Other words")
    later = back(session.path)

    assert content(later.history.messages) == content(agent.messages)


async def test_a_second_program_is_refused(tmp_path: Path) -> None:
    session, _ = await a_session(tmp_path)

    with (
        resumed(session.path, str(tmp_path), VERSION),
        pytest.raises(SessionError, match="in use by another program"),
    ):
        resumed(session.path, str(tmp_path), VERSION)


async def test_files_are_private(tmp_path: Path) -> None:
    session, _ = await a_session(tmp_path)

    assert session.path.stat().st_mode & 0o777 == 0o600
    assert session.path.parent.stat().st_mode & 0o777 == 0o700


async def test_a_result_that_was_spilled_comes_back_spilled(tmp_path: Path) -> None:
    session = begin(tmp_path, tmp_path)
    many = [{"call": "big", "input": {"chars": 45_000}} for _ in range(6)]
    agent = agent_in(session, many, "Done.")
    await agent.run("Say a lot")
    session.close()

    again = back(session.path)

    assert content(again.history.messages) == content(agent.messages)


async def test_a_compacted_conversation_comes_back_compacted(tmp_path: Path) -> None:
    session = begin(tmp_path, tmp_path)
    agent = agent_in(session, TWO_CALLS, "Done.", "A summary.", "After it.")
    await agent.run("First words")
    assert await agent.compact()
    await agent.run("Second words")
    session.close()

    again = back(session.path)

    assert content(again.history.messages) == content(agent.messages)
    boundary = next(line for line in lines_of(session) if line.get("subtype") == "compact_boundary")
    assert boundary["compactMetadata"]["trigger"] == "manual"


async def test_a_disk_that_is_full_is_told_once_and_the_turn_goes_on(tmp_path: Path) -> None:
    session = begin(tmp_path, tmp_path)
    session.path.parent.parent.mkdir(parents=True)
    session.path.parent.write_text("a file in the folder's place")
    agent = agent_in(session, TWO_CALLS, "Done.", builtin_tools="")

    async with agent.stream("First words") as events:
        told = [event async for event in events]

    warnings = [event for event in told if "no longer written" in getattr(event, "text", "")]
    assert len(warnings) == 1
    assert events.result.text == "Done."


step = st.one_of(
    st.just("Words."),
    st.lists(st.sampled_from("abc"), min_size=1, max_size=4).map(
        lambda names: [
            "Look:",
            *({"call": "look", "input": {"at": name}} for name in names),
        ]
    ),
)


@given(st.lists(step, min_size=1, max_size=5), st.integers(0, 10_000))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
async def test_any_conversation_cut_anywhere_is_valid_and_goes_on(
    tmp_path_factory: pytest.TempPathFactory, steps: list[object], cut: int
) -> None:
    folder = tmp_path_factory.mktemp("cut")
    session = begin(folder, folder)
    await agent_in(session, *steps, "The end.").run("Begin")
    session.close()
    whole = session.path.read_bytes()
    session.path.write_bytes(whole[: cut % (len(whole) + 1)])

    with resumed(session.path, str(folder), VERSION) as again:
        known = answers(again.history.messages)
        assert sorted(known) == sorted(calls(again.history.messages))
        agent = agent_in(again, "Here I am.")
        await agent.run("Still there?")
    later = back(session.path)

    assert content(later.history.messages) == content(agent.messages)
