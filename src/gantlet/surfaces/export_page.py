"""A session as one page: the conversation, each call's decision, and when calls ran."""

from collections.abc import Callable, Sequence
from html import escape

from gantlet.messages import (
    Block,
    Image,
    JsonValue,
    RedactedThinking,
    ResultBlock,
    Text,
    Thinking,
    ToolUse,
    dumps,
)
from gantlet.session import CallStory, Passage, Story

MAX_SHOWN_CHARS = 20_000
_MIN_SHARE = 0.4
#: Endings at which a reader should look first.
_TELLING = frozenset({"denied", "failed", "invalid", "unknown"})
#: How the two sides of an edit are shown.
_MARKS = {"old_string": ("minus", "-"), "new_string": ("plus", "+")}
_HEAD = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; \
img-src data:">
<title>{title}</title><style>
:root {{ color-scheme: light dark; --ink: #1d2129; --soft: #667085; --line: #e3e6ec;
 --paper: #ffffff; --card: #f7f8fa; --run: #2f7d5b; --wait: #c9ced8; --bad: #c2453a;
 --ask: #b7791f; --user: #2457a6; }}
@media (prefers-color-scheme: dark) {{ :root {{ --ink: #e6e8ee; --soft: #98a2b3; --line: #2b303b;
 --paper: #14171d; --card: #1b1f27; --run: #4cb38a; --wait: #414857; --bad: #e5695e;
 --ask: #e0ac4e; --user: #7aa7f0; }} }}
* {{ box-sizing: border-box }}
body {{ margin: 0; background: var(--paper); color: var(--ink);
 font: 15px/1.55 system-ui, sans-serif }}
main {{ max-width: 60rem; margin: 0 auto; padding: 2rem 1.25rem 4rem }}
h1 {{ font-size: 1.5rem; margin: 0 0 .25rem }} h2 {{ font-size: 1.05rem; margin: 2.5rem 0 .75rem }}
.facts, .small {{ color: var(--soft); font-size: .85rem }}
pre {{ white-space: pre-wrap; overflow-wrap: anywhere; margin: .35rem 0;
 font: 12.5px/1.5 ui-monospace, monospace }}
.prose {{ white-space: pre-wrap; overflow-wrap: anywhere; margin: .35rem 0 }}
.minus {{ color: var(--bad) }} .plus {{ color: var(--run) }}
.lanes {{ position: relative; background: var(--card); border: 1px solid var(--line);
 border-radius: 8px; margin: .5rem 0 .25rem; overflow: hidden }}
.lanes .bar {{ top: auto; bottom: auto; height: .5rem }}
.axis {{ display: flex; justify-content: space-between; color: var(--soft); font-size: .75rem;
 font-variant-numeric: tabular-nums }}
.after {{ color: var(--soft); font-size: .75rem; white-space: nowrap; overflow: hidden;
 text-overflow: ellipsis }}
.says {{ border-left: 3px solid var(--line); padding: .15rem 0 .15rem 1rem; margin: 1.1rem 0 }}
.user {{ border-color: var(--user) }} .who {{ font-weight: 600; font-size: .8rem;
 color: var(--soft) }}
.user .who {{ color: var(--user) }}
details {{ background: var(--card); border: 1px solid var(--line); border-radius: 8px;
 margin: .5rem 0; padding: .4rem .75rem }}
summary {{ cursor: pointer; overflow-wrap: anywhere }}
.badge {{ display: inline-block; border-radius: 99px; padding: 0 .55rem; font-size: .75rem;
 border: 1px solid currentColor; color: var(--run); margin-right: .4rem }}
.failed, .denied, .invalid, .unknown {{ color: var(--bad) }}
.cancelled, .interrupted {{ color: var(--ask) }}
.rows {{ border-top: 1px solid var(--line) }}
.row {{ display: grid; grid-template-columns: minmax(9rem, 16rem) 1fr 5rem; gap: .75rem;
 align-items: center; border-bottom: 1px solid var(--line); padding: .25rem 0; font-size: .82rem }}
.row .name {{ white-space: nowrap; overflow: hidden; text-overflow: ellipsis }}
.track {{ position: relative; height: 1.1rem; background: var(--card); border-radius: 4px }}
.bar {{ position: absolute; top: .2rem; bottom: .2rem; border-radius: 3px;
 background: var(--run); min-width: 3px }}
.bar.wait {{ background: var(--wait) }} .bar.failed, .bar.denied, .bar.invalid,
.bar.unknown {{ background: var(--bad) }}
.bar.cancelled, .bar.interrupted {{ background: var(--ask) }}
.took {{ text-align: right; color: var(--soft); font-variant-numeric: tabular-nums }}
img {{ max-width: 100%; border-radius: 6px }}
</style></head><body><main>
"""


def page(story: Story, mask: Callable[[str], str] = lambda text: text) -> str:
    """Return the whole page; every text goes through `mask`."""
    return "".join(_Page(story, mask).parts())


class _Page:
    """One page being written."""

    def __init__(self, story: Story, mask: Callable[[str], str]) -> None:
        self._story = story
        self._mask = mask
        self._names = {one.call.id: self._brief(one.call) for one in story.calls}

    def parts(self) -> list[str]:
        """Return the page in parts."""
        story = self._story
        title = self._text(story.title or story.session_id)
        cost = f" · ${story.cost_usd:.4f}" if story.cost_usd is not None else ""
        facts = (
            f"{self._text(story.cwd)} · {self._text(story.began)} · {_seconds(story.seconds)}"
            f" · {len(story.calls)} calls{cost}"
        )
        parts = [_HEAD.format(title=title), f"<h1>{title}</h1>", f'<p class="facts">{facts}<br>']
        parts.append(f"Session {self._text(story.session_id)}</p>")
        parts += self._timeline()
        parts.append("<h2>The conversation</h2>")
        for passage in story.passages:
            parts += self._passage(passage)
        parts.append("</main></body></html>\n")
        return parts

    def _timeline(self) -> list[str]:
        """Return when each call waited and ran, step by step."""
        steps = [one for one in self._story.passages if _timed(one.calls)]
        if not steps:
            return []
        parts = ["<h2>The calls over time</h2>"]
        parts.append(
            '<p class="small">First the whole session, then one block for each reply of the model.'
            " Grey is waiting, colour is running; calls whose bars overlap ran side by side.</p>"
        )
        parts.append(self._lanes([one for step in steps for one in _timed(step.calls)]))
        for step in steps:
            parts += self._step(_timed(step.calls))
        return parts

    def _lanes(self, calls: Sequence[CallStory]) -> str:
        """Return all calls on the scale of the whole session, beside each other where they ran."""
        span = max(self._story.seconds, *(one.ended or 0.0 for one in calls), 0.001)
        lanes: list[float] = []
        bars = ""
        for one in calls:
            begin, ended = one.queued or 0.0, one.ended or 0.0
            lane = next((n for n, free in enumerate(lanes) if free <= begin), len(lanes))
            lanes[lane : lane + 1] = [ended + span * _MIN_SHARE / 100]
            place = f"top:{0.25 + lane * 0.7:.2f}rem;"
            title = f"{self._names[one.call.id]} · {one.outcome} · {_seconds(ended - begin)}"
            bars += _bar(one.outcome, begin, ended - begin, span, more=place, title=title)
        height = f"{0.3 + len(lanes) * 0.7:.2f}rem"
        marks = "".join(f"<span>{_clock(span * part / 4)}</span>" for part in range(5))
        whole = f'<div class="lanes" style="height:{height}">{bars}</div>'
        return f'{whole}<div class="axis">{marks}</div>'

    def _step(self, calls: Sequence[CallStory]) -> list[str]:
        """Return the calls of one reply on a common scale."""
        first = min(one.queued or 0.0 for one in calls)
        last = max(one.ended or 0.0 for one in calls)
        span = max(last - first, 0.001)
        head = f"{len(calls)} call{'s' if len(calls) > 1 else ''} in {_seconds(last - first)}"
        parts = [f'<p class="small">{_clock(first)} · {head}</p><div class="rows">']
        parts += [self._row(one, first, span) for one in calls]
        return [*parts, "</div>"]

    def _row(self, one: CallStory, first: float, span: float) -> str:
        """Return one call as a bar."""
        queued = one.queued if one.queued is not None else first
        ended = one.ended if one.ended is not None else queued
        started = one.started if one.started is not None else ended
        waited = ", ".join(self._names.get(other, other) for other in one.waited_for)
        told = [f"waited {_seconds(started - queued)}", f"ran {_seconds(ended - started)}"]
        if waited:
            told.append(f"waited for {waited}")
        told.append(one.outcome)
        bars = ""
        if started > queued:
            bars += _bar("wait", queued - first, started - queued, span)
        if one.started is not None:
            bars += _bar(one.outcome, started - first, ended - started, span)
        elif one.outcome != "succeeded":
            bars += _bar(one.outcome, ended - first, 0.0, span)
        name = escape(self._names[one.call.id])
        after = f'<div class="after">after {escape(waited)}</div>' if waited else ""
        took = _seconds(ended - started) if one.started is not None else escape(one.outcome)
        return (
            f'<div class="row" title="{escape(" · ".join(told))}">'
            f'<div><div class="name">{name}</div>{after}</div><div class="track">{bars}</div>'
            f'<div class="took">{took}</div></div>'
        )

    def _passage(self, passage: Passage) -> list[str]:
        """Return what one side said."""
        if passage.speaker == "boundary":
            return ['<p class="small">— the conversation was made shorter here —</p>']
        who = {"user": "User", "assistant": "Model"}.get(passage.speaker, "Summary")
        parts = [f'<section class="says {escape(passage.speaker)}">']
        parts.append(f'<div class="who">{who} · {_clock(passage.at)}</div>')
        stories = {one.call.id: one for one in passage.calls}
        for block in passage.blocks:
            if isinstance(block, ToolUse):
                parts.append(self._call(stories.get(block.id) or CallStory(block)))
            elif isinstance(block, Text):
                parts.append(f'<div class="prose">{self._cut(block.text)}</div>')
            else:
                parts.append(self._block(block))
        return [*parts, "</section>"]

    def _call(self, one: CallStory) -> str:
        """Return a call with its input, its decision and its result."""
        given = self._given(one.call)
        outcome = escape(one.outcome)
        is_open = " open" if one.outcome in _TELLING else ""
        parts = [
            f'<details{is_open}><summary><span class="badge {outcome}">{outcome}</span>',
            f"{escape(self._names.get(one.call.id, one.call.name))}</summary>{given}",
            self._decision(one),
        ]
        if one.result is not None:
            parts.append('<div class="small">Result</div>')
            parts.append(self._content(one.result))
        return "".join([*parts, "</details>"])

    def _given(self, call: ToolUse) -> str:
        """Return what a call was given, a line or more for each; an edit as a difference."""
        parts = []
        for name, item in call.input.items():
            text = item if isinstance(item, str) else dumps(item).decode("utf-8", "replace")
            mark = _MARKS.get(name) if call.name == "Edit" else None
            if mark is not None:
                lines = "\n".join(f"{mark[1]} {line}" for line in text.split("\n"))
                parts.append(f'<pre class="{mark[0]}">{self._cut(lines)}</pre>')
            else:
                parts.append(f'<div class="small">{self._text(name)}</div>{self._pre(text)}')
        return "".join(parts)

    def _decision(self, one: CallStory) -> str:
        """Return what was decided about a call, and by which rule."""
        if one.decision is None:
            return ""
        said = [str(one.decision.get("behaviour") or ""), str(one.decision.get("reason") or "")]
        rule, source = one.decision.get("rule"), one.decision.get("source")
        if rule:
            said.append(f"rule {rule}" + (f" ({source})" if source else ""))
        told = " · ".join(part for part in said if part)
        return f'<div class="small">Decision: {self._text(told)}</div>'

    def _content(self, result: ResultBlock) -> str:
        """Return what a call came to."""
        if isinstance(result.content, str) or result.content is None:
            return self._pre(result.content or "")
        return "".join(self._block(block) for block in result.content)

    def _block(self, block: Block) -> str:
        """Return a block that is no call."""
        match block:
            case Text(text):
                return self._pre(text)
            case Thinking(thinking):
                return f"<details><summary>Thought</summary>{self._pre(thinking)}</details>"
            case RedactedThinking():
                return '<p class="small">(a thought that is hidden)</p>'
            case Image(source):
                return _image(source)
            case _:
                return f'<p class="small">({escape(type(block).__name__)})</p>'

    def _brief(self, call: ToolUse) -> str:
        """Return a call in one line."""
        first = next((str(item) for item in call.input.values() if isinstance(item, str)), "")
        return self._mask(f"{call.name} {' '.join(first.split())[:80]}".strip())

    def _pre(self, text: str) -> str:
        """Return a text as it stands, cut if it is very long."""
        return f"<pre>{self._cut(text)}</pre>"

    def _cut(self, text: str) -> str:
        """Return a text, cut if it is very long."""
        whole = self._mask(text)  # first, so that no half of a secret is left
        left = len(whole) - MAX_SHOWN_CHARS
        more = f"\n… {left:,} more characters" if left > 0 else ""
        return escape(whole[:MAX_SHOWN_CHARS]) + more

    def _text(self, text: str) -> str:
        """Return a text that is safe to show."""
        return escape(self._mask(text))


def _timed(calls: Sequence[CallStory]) -> list[CallStory]:
    """Return the calls of which the times are known."""
    return [one for one in calls if one.queued is not None and one.ended is not None]


def _bar(
    kind: str, start: float, length: float, span: float, *, more: str = "", title: str = ""
) -> str:
    """Return a bar at its place."""
    left = min(100.0 * start / span, 100.0 - _MIN_SHARE)
    width = max(min(100.0 * length / span, 100.0 - left), _MIN_SHARE)
    told = f' title="{escape(title)}"' if title else ""
    place = f"{more}left:{left:.2f}%;width:{width:.2f}%"
    return f'<div class="bar {escape(kind)}" style="{place}"{told}></div>'


def _image(source: "dict[str, JsonValue]") -> str:
    """Return a picture that stands in the page itself; others are only named."""
    data, kind = source.get("data"), str(source.get("media_type"))
    if source.get("type") == "base64" and isinstance(data, str) and kind.startswith("image/"):
        return f'<img alt="" src="data:{escape(kind)};base64,{escape(data)}">'
    return '<p class="small">(a picture)</p>'


def _seconds(seconds: float) -> str:
    """Return a length of time in words."""
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    return f"{seconds:.1f} s" if seconds < 120 else f"{seconds / 60:.1f} min"


def _clock(seconds: float) -> str:
    """Return a moment of the session."""
    return f"{int(seconds // 60)}:{seconds % 60:05.2f}"
