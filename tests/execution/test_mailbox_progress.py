"""Events on their way to a slow reader: progress is bounded, nothing else is lost."""

from collections.abc import Sequence

import anyio
from hypothesis import given
from hypothesis import strategies as st

from execution_kit import examples
from gantlet.execution import Mailbox
from gantlet.messages import CallProgressed, CallStarted, Event
from gantlet.testing import settle


def test_unread_progress_of_a_call_is_the_newest_and_a_count() -> None:
    mailbox = Mailbox()

    for number in range(1000):
        mailbox.put(CallProgressed("a", number))
        mailbox.put(CallProgressed("b", -number))

    assert len(mailbox) == 2
    assert mailbox.take() == [
        CallProgressed("a", 999, coalesced=999),
        CallProgressed("b", -999, coalesced=999),
    ]
    assert mailbox.take() == []


def test_progress_that_stood_for_older_ones_counts_them_too() -> None:
    mailbox = Mailbox()

    mailbox.put(CallProgressed("a", 1, coalesced=2))
    mailbox.put(CallProgressed("a", 2, coalesced=3))

    assert mailbox.take() == [CallProgressed("a", 2, coalesced=6)]


async def test_progress_that_was_read_is_not_counted_again() -> None:
    mailbox = Mailbox()

    with anyio.fail_after(30):
        mailbox.put(CallProgressed("a", 1))
        first = await mailbox.get()
        mailbox.put(CallProgressed("a", 2))
        second = await mailbox.get()

    assert (first, second) == (CallProgressed("a", 1), CallProgressed("a", 2))


async def test_a_reader_waits_for_what_comes() -> None:
    mailbox = Mailbox()
    read: list[Event | None] = []

    async def reader() -> None:
        while read[-1:] != [None]:
            read.append(await mailbox.get())

    with anyio.fail_after(30):
        async with anyio.create_task_group() as group:
            group.start_soon(reader)
            for number in range(3):
                await settle()
                mailbox.put(CallProgressed("a", number))
            await settle()
            mailbox.put(CallStarted("b", "Read"))
            mailbox.close()

    assert read == [
        CallProgressed("a", 0),
        CallProgressed("a", 1),
        CallProgressed("a", 2),
        CallStarted("b", "Read"),
        None,
    ]


async def test_what_came_before_the_end_is_read_before_the_end() -> None:
    mailbox = Mailbox()

    with anyio.fail_after(30):
        mailbox.put(CallStarted("a", "Read"))
        mailbox.close()
        read = [await mailbox.get(), await mailbox.get(), await mailbox.get()]

    assert read == [CallStarted("a", "Read"), None, None]


async def test_two_readers_share_what_comes_and_both_see_the_end() -> None:
    mailbox = Mailbox()
    read: list[Event | None] = []

    async def reader() -> None:
        while (event := await mailbox.get()) is not None:
            read.append(event)
        read.append(None)

    with anyio.fail_after(30):
        async with anyio.create_task_group() as group:
            group.start_soon(reader)
            group.start_soon(reader)
            await settle()
            mailbox.put(CallStarted("a", "Read"))
            await settle()
            mailbox.put(CallStarted("b", "Read"))
            await settle()
            mailbox.close()

    assert read == [CallStarted("a", "Read"), CallStarted("b", "Read"), None, None]


async def test_a_reader_that_was_cancelled_loses_nothing() -> None:
    mailbox = Mailbox()

    with anyio.fail_after(30):
        async with anyio.create_task_group() as group:
            group.start_soon(mailbox.get)
            await settle()
            group.cancel_scope.cancel()
        mailbox.put(CallStarted("a", "Read"))
        read = await mailbox.get()

    assert read == CallStarted("a", "Read")


EVENTS = st.one_of(
    st.builds(CallProgressed, st.sampled_from("ab"), st.integers()),
    st.builds(CallStarted, st.sampled_from("ab"), st.just("Read")),
)


@examples(100)
@given(st.lists(st.lists(EVENTS)))
def test_nothing_is_lost_but_old_progress_and_that_is_counted(
    rounds: Sequence[Sequence[Event]],
) -> None:
    mailbox = Mailbox()
    read: list[Event] = []

    for events in rounds:
        for event in events:
            mailbox.put(event)
        assert sum(isinstance(event, CallProgressed) for event in mailbox._events.values()) <= 2
        read += mailbox.take()

    put = [event for events in rounds for event in events]
    others = [event for event in put if isinstance(event, CallStarted)]
    assert [event for event in read if isinstance(event, CallStarted)] == others
    for call_id in "ab":
        mine = [one for one in put if isinstance(one, CallProgressed) and one.call_id == call_id]
        seen = [one for one in read if isinstance(one, CallProgressed) and one.call_id == call_id]
        assert sum(one.coalesced + 1 for one in seen) == len(mine)
        assert [one.update for one in seen][-1:] == [one.update for one in mine][-1:]
