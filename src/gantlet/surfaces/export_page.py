"""A session as one page: the conversation, each call's decision, and when calls ran."""

from collections.abc import Callable
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
from gantlet.surfaces.export_head import HEAD
from gantlet.surfaces.export_timeline import Timeline, shown_moment, shown_seconds

MAX_SHOWN_CHARS = 20_000
#: Endings at which a reader should look first.
_TELLING = frozenset({"denied", "failed", "invalid", "unknown"})
#: How the two sides of an edit are shown.
_MARKS = {"old_string": ("minus", "-"), "new_string": ("plus", "+")}


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
            f"{self._text(story.cwd)} · {self._text(story.began)} · {shown_seconds(story.seconds)}"
            f" · {len(story.calls)} calls{cost}"
        )
        parts = [HEAD.format(title=title), f"<h1>{title}</h1>", f'<p class="facts">{facts}<br>']
        parts.append(f"Session {self._text(story.session_id)}</p>")
        parts += Timeline(story, self._names).parts()
        parts.append("<h2>The conversation</h2>")
        for passage in story.passages:
            parts += self._passage(passage)
        parts.append("</main></body></html>\n")
        return parts

    def _passage(self, passage: Passage) -> list[str]:
        """Return what one side said."""
        if passage.speaker == "boundary":
            return ['<p class="small">— the conversation was made shorter here —</p>']
        who = {"user": "User", "assistant": "Model"}.get(passage.speaker, "Summary")
        parts = [f'<section class="says {escape(passage.speaker)}">']
        parts.append(f'<div class="who">{who} · {shown_moment(passage.at)}</div>')
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


def _image(source: "dict[str, JsonValue]") -> str:
    """Return a picture that stands in the page itself; others are only named."""
    data, kind = source.get("data"), str(source.get("media_type"))
    if source.get("type") == "base64" and isinstance(data, str) and kind.startswith("image/"):
        return f'<img alt="" src="data:{escape(kind)};base64,{escape(data)}">'
    return '<p class="small">(a picture)</p>'
