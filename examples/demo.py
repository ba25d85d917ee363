"""An agent mends a small shop. `make demo` runs this.

The model plays a script, so no key is needed. Everything else is real: the files and the git
repository they lie in, the tools, the processes, the permission rules, the session on disk.
"""

import json
import re
import shutil
import subprocess  # noqa: TID251 - the throw-away repository is made with the real git
import sys
import tempfile
import textwrap
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

import anyio

from gantlet import Agent, AgentParts, Environment, ScriptedModel, load_script, tool
from gantlet.messages import (
    Behaviour,
    BlockFinished,
    CallFinished,
    CallQueued,
    CallStarted,
    Event,
    Notice,
    OutcomeKind,
    PermissionDecided,
    ResultBlock,
    StepStarted,
    Text,
    TextSpoken,
    ToolUse,
    TurnFinished,
)
from gantlet.pool import DEFAULT_FLAGS
from gantlet.session import Story, new_session, read_lines, tell
from gantlet.surfaces.export_page import page

SCRIPT = Path(__file__).parent / "scripts" / "demo.yaml"
WIDTH = min(shutil.get_terminal_size((96, 24)).columns, 110)
IS_TERMINAL = sys.stdout.isatty()
FILES = {
    "shop/__init__.py": "",
    "shop/prices.py": '''
        """What things cost."""

        PRICES = {"apple": 2, "bread": 5}


        def price(name):
            return PRICES[name]
        ''',
    "shop/cart.py": '''
        """What somebody is about to buy."""

        from shop.prices import price


        class Cart:
            def __init__(self):
                self.items = {}

            def add(self, name, count=1):
                self.items[name] = self.items.get(name, 0) + count

            def total(self):
                return sum(price(name) for name in self.items)
        ''',
    "tests/__init__.py": "",
    "tests/test_cart.py": """
        import unittest

        from shop.cart import Cart


        class TestCart(unittest.TestCase):
            def test_the_total_counts_each_thing(self):
                cart = Cart()
                cart.add("apple", 3)
                cart.add("bread")
                self.assertEqual(cart.total(), 11)
        """,
    "logs/old/2019.log": "long ago\n",
}
SETTINGS = {"permissions": {"deny": ["Bash(rm *)"]}}
GIVEN = {"permissions": {"allow": ["Bash(python3 -m unittest *)", "Bash(sleep *)"]}}


@tool(
    name="Forecast",
    read_only=True,
    should_defer=True,
    search_hint="predict tomorrow's sales numbers",
)
def forecast(days: int) -> str:
    """Forecast the sales of the shop."""
    return f"{12 * days} carts, give or take."


def paint(text: str, colour: str) -> str:
    """Return a text in a colour, where there are colours."""
    codes = {"soft": "2", "bold": "1", "green": "32", "red": "31", "blue": "34", "yellow": "33"}
    return f"\033[{codes[colour]}m{text}\033[0m" if IS_TERMINAL else text


class Screen:
    """Shows what happens: words on the left as they come, calls below them as they run."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._calls: dict[str, ToolUse] = {}
        self._started: dict[str, float] = {}
        self._meanwhile: list[str] = []
        self._is_speaking = False
        self._line = ""
        self._rest = ""

    def hear(self, event: Event) -> None:
        """Show one event."""
        match event:
            case TextSpoken(text):
                self._speak(text)
            case BlockFinished(Text()):
                self._speak(" ")
                self._end_words()
            case StepStarted() | TurnFinished():
                self._end_words()
            case _:
                self._hear_call(event)

    def _hear_call(self, event: Event) -> None:
        """Show what happens to a call."""
        match event:
            case CallQueued(call):
                self._calls[call.id] = call
            case CallStarted(call_id):
                self._started[call_id] = time.monotonic()
                self._tell("▸", self._calls[call_id], "soft")
            case PermissionDecided(call_id, Behaviour.DENY, reason, _, rule, source):
                self._tell("✗", self._calls[call_id], "red")
                self._below(reason, "red")
                if rule:
                    self._below(f"rule {rule} from {source}", "soft")
            case CallFinished():
                self._finish(event)
            case Notice(_, text):
                self._below(text, "yellow")
            case _:
                return

    def _speak(self, text: str) -> None:
        """Show words as they come, wrapped."""
        if not self._is_speaking and text.strip():
            self._is_speaking = True
            self._line = ""
            print(f"\n{paint('model', 'blue')}  ", end="", flush=True)
        whole = self._rest + text
        cut = whole.rfind(" ") + 1
        self._rest = whole[cut:]
        for part in re.split(r"(\s+)", whole[:cut]):
            if part.isspace():
                part = " " if self._line else ""
            elif len(self._line) + len(part) > WIDTH - 9:
                print(f"\n{'':7}", end="")
                self._line = ""
            print(part, end="", flush=True)
            self._line += part

    def _tell(self, mark: str, call: ToolUse, colour: str) -> None:
        """Show a line about a call; how long it ran stands on the right."""
        now = time.monotonic() - self._began
        first = next((str(item) for item in call.input.values() if isinstance(item, str)), "")
        shown = f"{mark} {call.name:<10} {cut(' '.join(first.split()), WIDTH - 34)}"
        took = ""
        if mark == "✓" and call.id in self._started:
            took = f"{(time.monotonic() - self._started[call.id]) * 1000:.0f} ms"
        line = f"{paint(f'{now:6.2f}', 'soft')}  {paint(f'{shown:<{WIDTH - 20}}', colour)}"
        self._show(f"{line}{paint(f'{took:>10}', 'soft')}".rstrip())

    def _finish(self, finished: CallFinished) -> None:
        """Show how a call ended, and what is worth seeing of its result."""
        call = self._calls[finished.call_id]
        if finished.outcome is OutcomeKind.DENIED:
            return
        is_fine = finished.outcome is OutcomeKind.SUCCEEDED
        self._tell("✓" if is_fine else "✗", call, "green" if is_fine else "red")
        told = words_of(finished.result)
        if call.name == "Edit":
            self._diff(call)
        elif call.name == "TaskOutput":
            said = re.search(r"<output>\s*(.*?)\s*</output>", told, re.DOTALL)
            self._below(said[1] if said else told, "soft")
        elif call.name == "ToolSearch":
            self._below(told.splitlines()[0], "soft")
            self._below(", ".join(re.findall(r'"name": "(\w+)"', told)), "soft")
        elif call.name not in {"Read", "Grep"}:
            lines = [line for line in told.splitlines() if line.strip("- ")]
            for line in lines[:3]:
                self._below(line, "soft")

    def _diff(self, call: ToolUse) -> None:
        """Show an edit."""
        for line in str(call.input["old_string"]).splitlines():
            self._below(f"- {line.strip()}", "red")
        for line in str(call.input["new_string"]).splitlines():
            self._below(f"+ {line.strip()}", "green")

    def _below(self, text: str, colour: str) -> None:
        """Show a line below a call."""
        near = re.sub(r"/tmp/gantlet-demo-\w+/(?:repository/)?", "", text)
        self._show(f"{'':10}{paint(cut(near, WIDTH - 12), colour)}")

    def _show(self, line: str) -> None:
        """Show a line, or keep it until the model has ended its sentence: its time stands in it."""
        if self._is_speaking:
            self._meanwhile.append(line)
        else:
            print(line, flush=True)

    def _end_words(self) -> None:
        """Leave the line on which the model spoke, and show what happened meanwhile."""
        if self._is_speaking:
            self._is_speaking = False
            print()
        for line in self._meanwhile:
            print(line, flush=True)
        self._meanwhile.clear()


def cut(text: str, room: int) -> str:
    """Return a text that fits; what is cut off is marked."""
    return text if len(text) <= room else f"{text[: room - 1]}…"


def words_of(result: ResultBlock) -> str:
    """Return the words of a result."""
    if isinstance(result.content, str) or result.content is None:
        return result.content or ""
    return "\n".join(block.text for block in result.content if isinstance(block, Text))


def make_shop(folder: Path) -> None:
    """Write the shop and put it under version control."""
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(textwrap.dedent(text).lstrip())
    lines = [f"10.0.0.{n % 250} GET /cart/{n} 200 {n * 7 % 900}ms" for n in range(2000)]
    (folder / "logs" / "access.log").write_text("\n".join(lines))
    (folder / ".claude").mkdir()
    (folder / ".claude" / "settings.json").write_text(json.dumps(SETTINGS, indent=2))
    who = ["-c", "user.name=Demo", "-c", "user.email=demo@example.org"]
    for words in (["init", "-q"], ["add", "-A"], [*who, "commit", "-qm", "A shop"]):
        subprocess.run(["git", *words], cwd=folder, check=True)


async def work(folder: Path) -> Path:
    """Let the agent work in a folder; return the page that shows its session."""
    screen = Screen()
    here = Environment.current(DEFAULT_FLAGS)
    environment = replace(here, variables={**here.variables, "ENABLE_TOOL_SEARCH": "auto:0"})
    session = new_session(folder / ".sessions", str(folder / "repository"), "0.0.0")
    agent = Agent(
        ScriptedModel(load_script(SCRIPT)),
        tools=[forecast],
        settings=GIVEN,
        setting_sources=["project"],
        permission_mode="acceptEdits",
        cwd=folder / "repository",
        parts=AgentParts(session=session, listener=screen.hear, environment=environment),
    )
    async with agent:
        result = await agent.run("The total in the cart is wrong. Mend it.")
    session.close()
    lines, _ = read_lines(session.path)
    target = folder / "session.html"
    target.write_text(page(tell(lines)))
    story = tell(lines)
    draw(story)
    outcomes = Counter(one.outcome for one in story.calls)
    told = ", ".join(f"{number} {kind}" for kind, number in outcomes.items())
    print(
        f"{paint('done', 'bold')}   {len(story.calls)} calls in {result.turns} replies and"
        f" {story.seconds:.0f} s: {told}."
    )
    return target


def draw(story: Story) -> None:
    """Draw when each call waited and ran; calls of one reply stand together."""
    room = WIDTH - 48
    print(
        f"\n{paint('The calls over time', 'bold')}  (each reply to its own scale: · waits, █ runs)"
    )
    for passage in story.passages:
        calls = [one for one in passage.calls if one.queued is not None and one.ended is not None]
        if not calls:
            continue
        first = min(one.queued or 0.0 for one in calls)
        span = max(max(one.ended or 0.0 for one in calls) - first, 0.001)
        for one in calls:
            queued, ended = one.queued or first, one.ended or first
            started = one.started if one.started is not None else ended
            cells = [int(room * (at - first) / span) for at in (queued, started, ended)]
            ran = max(cells[2] - cells[1], 1)
            bar = f"{'':{cells[0]}}{'·' * (cells[1] - cells[0])}{'█' * ran}"[: room + 1]
            colour = "green" if one.outcome == "succeeded" else "red"
            took = f"{(ended - started) * 1000:.0f} ms" if one.started is not None else one.outcome
            line = f"  {cut(_title(one.call), 30):<31}{paint(f'{bar:<{room + 1}}', colour)}"
            print(f"{line} {paint(f'{took:>9}', 'soft')}")
        print(paint(f"  {'─' * (WIDTH - 5)}", "soft"))


def _title(call: ToolUse) -> str:
    """Return a call in few words."""
    first = next((str(item) for item in call.input.values() if isinstance(item, str)), "")
    return f"{call.name} {first}"


def main() -> None:
    """Make a throw-away repository, work in it, and say where the timeline is."""
    folder = Path(tempfile.mkdtemp(prefix="gantlet-demo-"))
    (folder / "repository").mkdir()
    make_shop(folder / "repository")
    print(f"{paint('A shop with a bug', 'bold')} in a git repository: {folder}/repository\n")
    print(f"{paint('user', 'yellow')}   The total in the cart is wrong. Mend it.")
    target = anyio.run(work, folder)
    print(f"       The session with its timeline, for a browser:\n       {target}")


if __name__ == "__main__":
    main()
