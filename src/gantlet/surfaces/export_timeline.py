"""When the calls of a session waited and ran, as bars of a page."""

from collections.abc import Mapping, Sequence
from html import escape

from gantlet.messages.value import value
from gantlet.session import CallStory, Story

_MIN_SHARE = 0.4


@value
class Timeline:
    """The calls of one session over time.

    Attributes:
        names: What each call is called, by its id.
    """

    story: Story
    names: Mapping[str, str]

    def parts(self) -> list[str]:
        """Return when each call waited and ran, step by step."""
        steps = [one for one in self.story.passages if _timed(one.calls)]
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
        span = max(self.story.seconds, *(one.ended or 0.0 for one in calls), 0.001)
        lanes: list[float] = []
        bars = ""
        for one in calls:
            begin, ended = one.queued or 0.0, one.ended or 0.0
            lane = next((n for n, free in enumerate(lanes) if free <= begin), len(lanes))
            lanes[lane : lane + 1] = [ended + span * _MIN_SHARE / 100]
            place = f"top:{0.25 + lane * 0.7:.2f}rem;"
            title = f"{self.names[one.call.id]} · {one.outcome} · {shown_seconds(ended - begin)}"
            bars += _bar(one.outcome, begin, ended - begin, span, more=place, title=title)
        height = f"{0.3 + len(lanes) * 0.7:.2f}rem"
        marks = "".join(f"<span>{shown_moment(span * part / 4)}</span>" for part in range(5))
        whole = f'<div class="lanes" style="height:{height}">{bars}</div>'
        return f'{whole}<div class="axis">{marks}</div>'

    def _step(self, calls: Sequence[CallStory]) -> list[str]:
        """Return the calls of one reply on a common scale."""
        first = min(one.queued or 0.0 for one in calls)
        last = max(one.ended or 0.0 for one in calls)
        span = max(last - first, 0.001)
        head = f"{len(calls)} call{'s' if len(calls) > 1 else ''} in {shown_seconds(last - first)}"
        parts = [f'<p class="small">{shown_moment(first)} · {head}</p><div class="rows">']
        parts += [self._row(one, first, span) for one in calls]
        return [*parts, "</div>"]

    def _row(self, one: CallStory, first: float, span: float) -> str:
        """Return one call as a bar."""
        queued = one.queued if one.queued is not None else first
        ended = one.ended if one.ended is not None else queued
        started = one.started if one.started is not None else ended
        waited = ", ".join(self.names.get(other, other) for other in one.waited_for)
        ran = shown_seconds(ended - started)
        told = [f"waited {shown_seconds(started - queued)}", f"ran {ran}"]
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
        name = escape(self.names[one.call.id])
        after = f'<div class="after">after {escape(waited)}</div>' if waited else ""
        took = ran if one.started is not None else escape(one.outcome)
        return (
            f'<div class="row" title="{escape(" · ".join(told))}">'
            f'<div><div class="name">{name}</div>{after}</div><div class="track">{bars}</div>'
            f'<div class="took">{took}</div></div>'
        )


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


def shown_seconds(seconds: float) -> str:
    """Return a length of time in words."""
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    return f"{seconds:.1f} s" if seconds < 120 else f"{seconds / 60:.1f} min"


def shown_moment(seconds: float) -> str:
    """Return a moment of the session."""
    return f"{int(seconds // 60)}:{seconds % 60:05.2f}"
