"""Which reply comes next: branches, labels, repeats, asides, and what is filled in."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from gantlet.messages import (
    AssistantMessage,
    Message,
    ModelError,
    ModelErrorKind,
    ModelRequest,
    ResultBlock,
    Text,
    ToolUse,
    Unknown,
    UserMessage,
    blocks_of,
    dumps,
    message_to_wire,
)
from gantlet.models.scripted import Script, ScriptedModel, load_script, parse_script

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "scripts"


def request(
    messages: Sequence[Message], *, system: str = "", model: str = "model-1"
) -> ModelRequest:
    """Return a request with these messages."""
    return ModelRequest(
        model,
        1000,
        [dumps(message_to_wire(message)) for message in messages],
        system=dumps([{"type": "text", "text": system}]) if system else b"",
    )


def said(reply: AssistantMessage) -> str:
    """Return the text of a reply."""
    return "".join(block.text for block in blocks_of(reply) if isinstance(block, Text))


class Talk:
    """A conversation with a scripted model, in which calls get the given results."""

    def __init__(self, script: Script | str) -> None:
        self.model = ScriptedModel(parse_script(script) if isinstance(script, str) else script)
        self.messages: list[Message] = []

    async def say(self, text: str, *results: str | ResultBlock) -> str:
        """Say something, answer each call with the next result, and return the last words."""
        self.messages.append(UserMessage(text))
        waiting = list(results)
        while True:
            reply = await self.model.complete(request(self.messages))
            self.messages.append(reply)
            calls = [block for block in blocks_of(reply) if isinstance(block, ToolUse)]
            if not calls:
                return said(reply)
            self.messages.append(UserMessage(tuple(_result(waiting, call) for call in calls)))


def _result(waiting: list[str | ResultBlock], call: ToolUse) -> ResultBlock:
    """Return the next result, for this call."""
    result = waiting.pop(0)
    if isinstance(result, ResultBlock):
        return ResultBlock(call.id, result.content, result.is_error)
    return ResultBlock(call.id, result)


def failed(text: str) -> ResultBlock:
    """Return a result that says that something failed."""
    return ResultBlock("", text, is_error=True)


async def test_replies_come_in_order_and_then_the_script_says_that_it_is_over() -> None:
    talk = Talk("- one\n- two\n")

    replies = [await talk.say("go") for _ in range(4)]

    over = "The script script is over: it has no further reply. Add one, or `loop: true`."
    assert replies == ["one", "two", over, over]


async def test_a_script_that_loops_begins_again() -> None:
    talk = Talk("loop: true\nreplies: [one, two]\n")

    assert [await talk.say("go") for _ in range(5)] == ["one", "two", "one", "two", "one"]


BRANCH = """\
- call: Read
  input: {file_path: a}
- when:
    result: {tool: Read, is_error: true, contains: No file}
  then: [It is not there.]
  else:
    - when:
        result: {matches: '(?i)todo'}
      then: ["There is work in {{ result.1.text }}."]
      else: [All done.]
- The end.
"""


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (failed("No file at 'a'."), "It is not there."),
        (failed("Permission denied."), "All done."),
        ("No file at 'a'.", "All done."),
        ("a Todo", "There is work in a Todo."),
    ],
)
async def test_a_branch_follows_what_the_tool_returned(
    result: str | ResultBlock, expected: str
) -> None:
    talk = Talk(BRANCH)

    assert await talk.say("look", result) == expected
    assert await talk.say("and now?") == "The end."


@pytest.mark.parametrize(
    ("condition", "is_met"),
    [
        ("{user: please}", True),
        ("{user: {contains: please, matches: '^do'}}", True),
        ("{user: {contains: please, matches: '^please'}}", False),
        ("{user: never}", False),
        ("{not: {user: never}}", True),
        ("{not: {user: please}}", False),
        ("{system: careful}", True),
        ("{model: {matches: '^model-[0-9]$'}}", True),
        ("{model: other}", False),
        ("{user: please, system: reckless}", False),
        ("{result: {}}", False),
        ("{not: {result: {}}}", True),
    ],
)
async def test_a_branch_follows_what_the_user_said_and_who_is_asked(
    condition: str, is_met: bool
) -> None:
    model = ScriptedModel(parse_script(f"- when: {condition}\n  then: ['yes']\n  else: ['no']\n"))

    reply = await model.complete(request([UserMessage("do it please")], system="Be careful."))

    assert said(reply) == ("yes" if is_met else "no")


async def test_reminders_that_programs_add_are_not_what_the_user_said() -> None:
    model = ScriptedModel(parse_script("- 'You said: {{ user.text }}'\n"))
    content = (
        Text("<system-reminder>today is Monday</system-reminder>"),
        Text("hello"),
        Text("there"),
    )

    reply = await model.complete(request([UserMessage(content)]))

    assert said(reply) == "You said: hello\nthere"


async def test_a_condition_looks_at_the_newest_results_only() -> None:
    talk = Talk(
        "- call: Read\n"
        "- call: Read\n"
        "- when: {result: {contains: first}}\n"
        "  then: [saw the first]\n"
        "  else: [saw the second]\n"
    )

    assert await talk.say("go", "first", "second") == "saw the second"


async def test_a_label_can_be_gone_to_from_a_reply_and_from_a_branch() -> None:
    talk = Talk(
        "- label: ask\n"
        "  say: [{call: Poll}]\n"
        "- when: {result: {contains: waiting}}\n"
        "  then: [{goto: ask}]\n"
        "- say: ready\n"
        "  goto: end\n"
        "- never said\n"
    )

    assert await talk.say("go", "waiting", "waiting", "finished") == "ready"
    assert len([one for one in talk.messages if isinstance(one, AssistantMessage)]) == 4
    assert (await talk.say("more?")).startswith("The script script is over")


async def test_a_repeat_is_played_so_often_also_inside_another_and_when_entered_again() -> None:
    talk = Talk(
        "loop: true\n"
        "replies:\n"
        "  - repeat: 2\n"
        "    do:\n"
        "      - repeat: 2\n"
        "        do: [a]\n"
        "      - b\n"
        "  - c\n"
    )

    assert "".join([await talk.say("go") for _ in range(16)]) == "aabaabcaabaabcaa"


async def test_a_repeat_that_is_left_by_a_jump_begins_anew_when_it_is_entered_again() -> None:
    talk = Talk(
        "- label: top\n"
        "  repeat: 3\n"
        "  do:\n"
        "    - a\n"
        "    - when: {user: out}\n"
        "      then: [{goto: outside}]\n"
        "- label: outside\n"
        "  say: b\n"
        "  goto: top\n"
    )

    replies = [await talk.say(text) for text in ("go", "go", "out", "go", "go", "go", "go")]

    assert replies == ["a", "a", "b", "a", "a", "a", "b"]


async def test_a_repeat_whose_rounds_say_nothing_is_passed_over() -> None:
    talk = Talk(
        "- repeat: 100000\n"
        "  do:\n"
        "    - repeat: 100000\n"
        "      do:\n"
        "        - when: {user: again}\n"
        "          then: [once more]\n"
        "- done\n"
    )

    assert await talk.say("again") == "once more"
    assert await talk.say("enough") == "done"


async def test_an_aside_answers_without_moving_the_script() -> None:
    talk = Talk("asides:\n  - when: {user: Summarise}\n    say: We counted.\nreplies: [one, two]\n")

    replies = [await talk.say(text) for text in ("go", "Summarise this", "go")]

    assert replies == ["one", "We counted.", "two"]


async def test_two_conversations_with_one_model_do_not_disturb_each_other() -> None:
    model = ScriptedModel(parse_script("- one\n- two\n"))
    first, second = Talk("- x\n"), Talk("- x\n")
    first.model = second.model = model

    replies = [await talk.say("go") for talk in (first, second, first, second)]

    assert replies == ["one", "one", "two", "two"]


FILLED = """\
- - call: Bash
    id: toolu_run
    input: {command: "{{ user.text | find: `(.*)` }}", tags: ["{{ number }}", 2]}
  - call: Read
    repeat: 2
    input: {file_path: "{{ number }}.txt"}
- call: Wait
  input: {task: "{{ result.1.text | find: id (\\\\w+) }}"}
- >-
  {{ result.last.tool }} said {{ result.last.text }};
  {{ result.toolu_run.text }}, {{ result.toolu_run.is_error }}, {{ result.toolu_run.id }};
  {{ user.1.text | find: ^\\w+ }}; {{! user.text }}
"""


async def test_the_text_of_a_result_is_found_among_its_blocks() -> None:
    talk = Talk("- call: Look\n- '{{ result.1.text }}'\n")
    blocks = (Text("one"), Unknown({"type": "image"}), Text("two"))

    assert await talk.say("go", ResultBlock("", blocks)) == "one\ntwo"


async def test_what_happened_before_is_filled_in() -> None:
    talk = Talk(FILLED)

    last = await talk.say("run `make all` now", failed("started id b12"), "1", "2", "waited")

    calls = [
        (block.name, block.input)
        for message in talk.messages
        for block in blocks_of(message)
        if isinstance(block, ToolUse)
    ]
    assert calls == [
        ("Bash", {"command": "make all", "tags": ["1", 2]}),
        ("Read", {"file_path": "1.txt"}),
        ("Read", {"file_path": "2.txt"}),
        ("Wait", {"task": "b12"}),
    ]
    assert last == "Wait said waited; started id b12, true, toolu_run; run; {{ user.text }}"


@pytest.mark.parametrize(
    ("source", "said_about_it"),
    [
        ("- '{{ result.1.text }}'", "script:1: {{ result.1.text }}: there is no such result"),
        ("- '{{ user.2.text }}'", "script:1: {{ user.2.text }}: the user has not said so much."),
        ("- '{{ user.text | find: x+ }}'", "script:1: {{ user.text }} does not hold 'x+'."),
        (
            "- [{call: T, id: a, repeat: 2}]",
            "script:1: the id 'a' has been used in this conversation.",
        ),
    ],
)
async def test_what_did_not_happen_cannot_be_filled_in(source: str, said_about_it: str) -> None:
    model = ScriptedModel(parse_script(source))

    with pytest.raises(ModelError) as raised:
        await model.complete(request([UserMessage("go")]))

    assert said_about_it in str(raised.value)
    assert (raised.value.kind, raised.value.status) == (ModelErrorKind.INVALID_REQUEST, 400)


async def test_ids_are_made_up_so_that_none_comes_twice() -> None:
    talk = Talk("loop: true\nreplies:\n  - [{call: A, repeat: 2}]\n  - done\n")

    await talk.say("go", "x", "x")
    await talk.say("go", "x", "x")

    ids = [
        block.id
        for message in talk.messages
        for block in blocks_of(message)
        if isinstance(block, ToolUse)
    ]
    assert ids == ["toolu_1_1_1", "toolu_1_1_2", "toolu_1_3_1", "toolu_1_3_2"]


def example(name: str) -> Talk:
    """Return a conversation with one of the examples."""
    return Talk(load_script(EXAMPLES / f"{name}.yaml"))


async def test_the_example_that_reads_a_file_does_and_copes_when_there_is_none() -> None:
    there, missing = example("read_a_file"), example("read_a_file")

    found = await there.say("What is in notes.txt?", "milk")
    lost = await missing.say("What is in notes.txt?", failed("No file."))

    assert (found, lost) == ("The file says: milk", "That did not work: No file.")


async def test_the_example_that_waits_asks_until_the_task_is_done_or_patience_ends() -> None:
    started = "Command running in background with ID: b1"
    patient, impatient = example("wait_for_a_task"), example("wait_for_a_task")

    done = await patient.say("go", started, "still running", "running", "all passed")
    given_up = await impatient.say("go", started, *["still running"] * 10)

    assert done == "It is done: all passed"
    assert given_up == "It still runs. I stop waiting."


async def test_the_example_with_many_calls_begins_again_and_can_be_asked_for_a_summary() -> None:
    talk = example("many_calls")

    replies = [
        await talk.say("go", *map(str, range(100))),
        await talk.say("a summary, please"),
        await talk.say("go on", *map(str, range(100))),
    ]

    assert replies == [
        "The last one says: 99",
        "We asked for a hundred files, over and over.",
        "The last one says: 99",
    ]
