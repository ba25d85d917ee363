"""Test what tools do together without waiting for it: on a clock that the test owns.

Run it with `python examples/agent_testing.py`; in a test file, pytest finds both tests.
"""

import time

import anyio

from gantlet import Access, Agent, AgentParts, File, ScriptedModel, script_of
from gantlet.testing import Hang, Journal, ScriptedTool, VirtualClock, Wait

NOTES, OTHER = File("notes.md"), File("other.md")


async def test_a_read_waits_only_for_the_edit_of_its_own_file() -> None:
    """Let an edit take half a minute, and see who starts when."""
    clock, journal = VirtualClock(), Journal()
    tools = [
        ScriptedTool(name, [Wait(seconds)], access=access, clock=clock, journal=journal)
        for name, seconds, access in (
            ("Mend", 30, Access(writes={NOTES})),
            ("ReadOther", 20, Access(reads={OTHER})),
            ("ReadSame", 10, Access(reads={NOTES})),
        )
    ]
    asked = [{"call": tool.name, "id": tool.name} for tool in tools]
    model = ScriptedModel(script_of(asked, "Done."), clock)

    async with clock:
        await Agent(model, tools=tools, parts=AgentParts(clock=clock)).run("go")

    assert journal.spans() == {"Mend": (0, 30), "ReadOther": (0, 20), "ReadSame": (30, 40)}


async def test_a_tool_that_hangs_is_stopped_when_its_time_is_over() -> None:
    """Give a tool that never ends an hour."""
    clock = VirtualClock()
    hanging = ScriptedTool("Stuck", [Hang()], clock=clock, timeout_seconds=3600)
    model = ScriptedModel(script_of({"call": "Stuck"}, "I heard: {{ result.1.text }}"), clock)

    async with clock:
        result = await Agent(model, tools=[hanging], parts=AgentParts(clock=clock)).run("go")

    assert "did not finish within 3600 seconds" in result.text
    assert clock.now() == 3600


if __name__ == "__main__":
    for test in (
        test_a_read_waits_only_for_the_edit_of_its_own_file,
        test_a_tool_that_hangs_is_stopped_when_its_time_is_over,
    ):
        began = time.monotonic()
        anyio.run(test)
        print(f"{test.__name__}: passed in {time.monotonic() - began:.2f} s")
