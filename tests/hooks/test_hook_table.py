"""Each event, each kind of answer, each failure: what hooks' words come to. Real processes."""

import os
from dataclasses import dataclass, field
from pathlib import Path

import anyio
import pytest

from fakes.tools import FakeInput, FakeTool
from gantlet.hooks import (
    EVERYTHING,
    FIRED,
    TOOL_EVENTS,
    Command,
    Handler,
    HookDecision,
    HookEntry,
    HookEvent,
    HookPorts,
    HookRunner,
    HookSession,
    Moment,
    Occasion,
    OnFailure,
    RequestAnswer,
    Said,
    call_occasion,
    occasion,
)
from gantlet.messages import Event, HookEffectKind, HookOutcome, HookRan, JsonValue, Notice, ToolUse
from gantlet.rules import Source, SourceKind
from gantlet.tool import AgentIdentity, Surroundings
from hooks_kit import answer, says
from patience import PATIENCE_SECONDS

EVENTS = sorted(FIRED)
USER = Source(SourceKind.USER, "settings.json")
FIELDS: dict[HookEvent, dict[str, JsonValue]] = {
    HookEvent.USER_PROMPT_SUBMIT: {"prompt": "hi"},
    HookEvent.POST_TOOL_BATCH: {"tool_calls": []},
    HookEvent.STOP: {"stop_hook_active": False},
    HookEvent.SUBAGENT_START: {"agent_id": "a1", "agent_type": "Explore"},
    HookEvent.SUBAGENT_STOP: {"agent_id": "a1", "agent_type": "Explore"},
    HookEvent.SESSION_START: {"source": "startup"},
    HookEvent.SESSION_END: {"reason": "other"},
    HookEvent.PRE_COMPACT: {"trigger": "manual", "custom_instructions": None},
    HookEvent.POST_COMPACT: {"trigger": "manual", "compact_summary": "s"},
    HookEvent.NOTIFICATION: {"message": "m", "notification_type": "idle_prompt"},
    HookEvent.CONFIG_CHANGE: {"source": "user_settings"},
}


@dataclass
class Row:
    """One runner in one folder."""

    folder: Path
    events: list[Event] = field(default_factory=list)

    async def said(
        self, event: HookEvent, command: str, on_failure: OnFailure = OnFailure.CONTINUE
    ) -> Said:
        seconds = SHORT if "sleep 1000" in command and "&" not in command else LONG
        handler = Handler(Command(command), timeout=seconds, on_failure=on_failure)
        variables = {"PATH": os.environ["PATH"]}
        runner = HookRunner(
            HookSession("s1"),
            [HookEntry(event, EVERYTHING, handler, USER)],
            ports=HookPorts(emit=self.events.append, variables=variables),
        )
        with anyio.fail_after(PATIENCE_SECONDS):
            async with runner:
                return await runner.fire(happening(event, self.folder))

    @property
    def ran(self) -> HookRan:
        [ran] = [event for event in self.events if isinstance(event, HookRan)]
        return ran

    @property
    def notices(self) -> list[str]:
        return [event.text for event in self.events if isinstance(event, Notice)]


#: What a hook gets that is to hang, and what every other gets however slow the machine is.
SHORT, LONG = 0.3, PATIENCE_SECONDS


def happening(event: HookEvent, folder: Path) -> Occasion:
    around = Surroundings(cwd=str(folder))
    if event in TOOL_EVENTS:
        call = ToolUse("c1", "Fake", {})
        return call_occasion(event, Moment(call, FakeTool(), FakeInput(), around, AgentIdentity()))
    return occasion(event, around, None, **FIELDS[event])


FAILURES = {
    "exit-1": ("echo why >&2; exit 1", "Failed with non-blocking status code: why"),
    "exit-3-silent": ("exit 3", "Failed with non-blocking status code: exit code 3"),
    "crashes": ("kill -SEGV $$", "it was ended by signal 11"),
    "missing": ("./not-there", "not found"),
    "hangs": ("exec sleep 1000", "It took longer than 0.3 s and was ended."),
    "nonsense": (says({"continue": "maybe"}), "Its answer makes no sense: continue must be"),
    "other-event": (
        says({"hookSpecificOutput": {"hookEventName": "Setup"}}),
        "Its answer makes no sense: hookSpecificOutput.hookEventName must be",
    ),
    "floods": ("exec yes", "It wrote more than 1,000,000 bytes and was ended."),
    "floods-stderr": ("exec yes >&2", "It wrote more than 1,000,000 bytes and was ended."),
    "daemon": ("sleep 1000 &", "It left a process behind that held its output; that was ended."),
}


@pytest.mark.parametrize("event", EVENTS, ids=str)
@pytest.mark.parametrize("failure", FAILURES)
async def test_a_failure_is_told_and_says_nothing(
    tmp_path: Path, event: HookEvent, failure: str
) -> None:
    command, told = FAILURES[failure]
    row = Row(tmp_path)

    said = await row.said(event, command)

    runs = said.runs
    assert said == Said(runs=runs)
    assert told in runs[0].failure
    [notice] = row.notices
    assert str(event) in notice
    assert told in notice
    assert row.ran.outcome is (HookOutcome.CANCELLED if failure == "hangs" else HookOutcome.ERROR)
    assert row.ran.effects[0].kind is (
        HookEffectKind.CANCELLED if failure == "hangs" else HookEffectKind.ERROR_DURING_EXECUTION
    )


@pytest.mark.parametrize("event", EVENTS, ids=str)
async def test_a_failure_blocks_where_it_is_told_to(tmp_path: Path, event: HookEvent) -> None:
    row = Row(tmp_path)

    said = await row.said(event, "exit 1", OnFailure.BLOCK)

    assert said.block == said.runs[0].failure != ""
    assert said.decision is HookDecision.DENY
    if event is HookEvent.PERMISSION_REQUEST:
        assert said.request == RequestAnswer(allows=False, message=said.runs[0].failure)


@pytest.mark.parametrize("failure", ["daemon", "floods", "hangs"])
@pytest.mark.parametrize(
    "first",
    [
        answer("PreToolUse", permissionDecision="allow"),
        answer("PreToolUse", updatedInput={"text": "b"}),
        answer("PreToolUse", permissionDecision="defer"),
        answer("PreToolUse", additionalContext="x"),
    ],
    ids=["allow", "updated", "defer", "context"],
)
async def test_who_goes_wrong_allows_and_changes_nothing(
    tmp_path: Path, failure: str, first: str
) -> None:
    said = await Row(tmp_path).said(HookEvent.PRE_TOOL_USE, f"{first}\n{FAILURES[failure][0]}")

    assert said == Said(runs=said.runs)


async def test_who_leaves_a_daemon_can_still_forbid(tmp_path: Path) -> None:
    said = await Row(tmp_path).said(HookEvent.PRE_TOOL_USE, "sleep 1000 & echo no >&2; exit 2")

    assert (said.decision, said.decision_reason) == (HookDecision.DENY, "no")


WORDS = {HookEvent.USER_PROMPT_SUBMIT, HookEvent.SESSION_START}
CONTEXT = {
    HookEvent.PRE_TOOL_USE,
    HookEvent.POST_TOOL_USE,
    HookEvent.POST_TOOL_USE_FAILURE,
    HookEvent.POST_TOOL_BATCH,
    HookEvent.USER_PROMPT_SUBMIT,
    HookEvent.SESSION_START,
    HookEvent.SUBAGENT_START,
    HookEvent.STOP,
    HookEvent.SUBAGENT_STOP,
    HookEvent.NOTIFICATION,
}
NO_EXIT_2 = {HookEvent.PERMISSION_REQUEST, HookEvent.PERMISSION_DENIED}
DECIDES = {
    HookEvent.PRE_TOOL_USE,
    HookEvent.USER_PROMPT_SUBMIT,
    HookEvent.POST_TOOL_USE,
    HookEvent.POST_TOOL_USE_FAILURE,
    HookEvent.POST_TOOL_BATCH,
    HookEvent.STOP,
    HookEvent.SUBAGENT_STOP,
    HookEvent.CONFIG_CHANGE,
    HookEvent.PRE_COMPACT,
}


@pytest.mark.parametrize("event", EVENTS, ids=str)
async def test_plain_words_are_context_for_prompts_and_starts(
    tmp_path: Path, event: HookEvent
) -> None:
    row = Row(tmp_path)

    said = await row.said(event, "echo some words; echo {; echo '{not json'")

    words = ("some words\n{\n{not json",) if event in WORDS else ()
    assert said == Said(context=words, runs=said.runs)
    assert row.notices == []
    assert row.ran.outcome is HookOutcome.SUCCESS


@pytest.mark.parametrize("event", EVENTS, ids=str)
async def test_exit_2_blocks_with_what_was_complained(tmp_path: Path, event: HookEvent) -> None:
    row = Row(tmp_path)

    said = await row.said(event, "echo no >&2; exit 2")

    assert said.block == (None if event in NO_EXIT_2 else "no")
    assert bool(row.notices) is (event in NO_EXIT_2)


@pytest.mark.parametrize("event", EVENTS, ids=str)
async def test_a_decision_to_block_counts_where_there_is_something_to_block(
    tmp_path: Path, event: HookEvent
) -> None:
    said = await Row(tmp_path).said(event, says({"decision": "block", "reason": "no"}))

    assert said.block == ("no" if event in DECIDES else None)


@pytest.mark.parametrize("event", EVENTS, ids=str)
async def test_continue_false_stops_whatever_happens(tmp_path: Path, event: HookEvent) -> None:
    row = Row(tmp_path)

    said = await row.said(event, says({"continue": False, "stopReason": "enough"}) + "\nexit 7")

    assert said.stop == "enough"
    assert row.ran.effects[0].kind is HookEffectKind.STOPPED_CONTINUATION


@pytest.mark.parametrize("event", EVENTS, ids=str)
async def test_context_is_kept_where_the_event_takes_it(tmp_path: Path, event: HookEvent) -> None:
    said = await Row(tmp_path).said(event, answer(str(event), additionalContext="see this"))

    assert said.context == (("see this",) if event in CONTEXT else ())


@pytest.mark.parametrize("event", EVENTS, ids=str)
async def test_a_message_goes_to_the_user_and_nowhere_else(
    tmp_path: Path, event: HookEvent
) -> None:
    row = Row(tmp_path)

    said = await row.said(event, says({"systemMessage": "look", "suppressOutput": True}))

    assert said == Said(runs=said.runs)
    assert row.notices == ["look"]


@pytest.mark.parametrize("event", EVENTS, ids=str)
async def test_a_hook_that_ignores_what_it_is_told_is_fine(
    tmp_path: Path, event: HookEvent
) -> None:
    row = Row(tmp_path)

    said = await row.said(event, "exec <&-; exit 0")

    assert said == Said(runs=said.runs)
    assert row.notices == []
