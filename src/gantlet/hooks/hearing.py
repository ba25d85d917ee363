"""From what a handler wrote and how it ended to what it said, and what went wrong with it."""

from gantlet.hooks.answering import BadAnswerError, read_answer
from gantlet.hooks.names import HookEvent
from gantlet.hooks.sayings import NOTHING, HookDecision, RequestAnswer, Saying
from gantlet.messages import loads
from gantlet.messages.value import replace, value

#: Plain words on stdout are context for these events, and nothing for the others.
_WORDS_ARE_CONTEXT = frozenset(
    {HookEvent.USER_PROMPT_SUBMIT, HookEvent.USER_PROMPT_EXPANSION, HookEvent.SESSION_START}
)
BLOCKING_EXIT = 2
#: The events for which exit code 2 is one more failure.
_EXIT_2_FAILS = frozenset({HookEvent.PERMISSION_REQUEST, HookEvent.PERMISSION_DENIED})


@value
class Heard:
    """What came of one handler's run.

    Attributes:
        failure: What went wrong, in words for a person; nothing if all was well.
        is_cancelled: It was ended before it could say anything.
        timed_out: It took too long.
    """

    saying: Saying = NOTHING
    failure: str = ""
    stdout: str = ""
    stderr: str = ""
    exit_code: int | None = None
    is_cancelled: bool = False
    timed_out: bool = False


def failed(reason: str, *, timed_out: bool = False) -> Heard:
    """Return what came of a handler that said nothing because it failed."""
    return Heard(failure=reason, timed_out=timed_out)


def hear_exit(event: HookEvent, code: int, stdout: str, stderr: str) -> Heard:
    """Return what a program said that ended by itself.

    JSON that holds is obeyed whatever the exit code; nothing undoes the block of exit code 2.
    """
    said, failure = _words(event, stdout)
    if code == BLOCKING_EXIT and event not in _EXIT_2_FAILS:
        saying = (said or NOTHING).blocked(stderr.strip() or "The hook gave no reason.")
        return Heard(saying, failure, stdout, stderr, code)
    if said is not None:
        return Heard(said, "", stdout, stderr, code)
    if code != 0 and not failure:
        failure = f"Failed with non-blocking status code: {_first_line(stderr, code)}"
    context = _context(event, stdout) if code == 0 and not failure else ()
    return Heard(Saying(context=context), failure, stdout, stderr, code)


def hear_object(event: HookEvent, raw: object) -> Heard:
    """Return what a function or a callback answered: nothing, or an object."""
    if raw is None:
        return Heard()
    if not isinstance(raw, dict):
        return failed(f"It answered {type(raw).__name__}, not an object or nothing.")
    try:
        return Heard(read_answer(event, raw))
    except BadAnswerError as error:
        return failed(_nonsense(error))


def hear_body(event: HookEvent, body: str) -> Heard:
    """Return what a server answered with success: nothing, or an object. Words mean nothing."""
    if not body.strip():
        return Heard(stdout=body)
    said, failure = _words(event, body)
    if said is None:
        return Heard(
            failure=failure or "It answered something that is no JSON object.", stdout=body
        )
    return Heard(said, "", body)


def hear_text(event: HookEvent, text: str) -> Heard:
    """Return what a tool answered: like what a program writes that ends well."""
    return replace(hear_exit(event, 0, text, ""), exit_code=None)


def blocked_by_failure(event: HookEvent, heard: Heard) -> Heard:
    """Return a failure that blocks: what exit code 2 would have done, and a no to a request."""
    saying = heard.saying.blocked(heard.failure)
    if event is HookEvent.PERMISSION_REQUEST:
        saying = replace(saying, request=RequestAnswer(allows=False, message=heard.failure))
    return replace(heard, saying=saying)


def judged(event: HookEvent, raw: object, *, continues: bool) -> Heard:
    """Return what a model's `{ok, reason}` means. Its yes is no allow."""
    if not isinstance(raw, dict) or not isinstance(raw.get("ok"), bool):
        return failed("The model did not answer with an object that holds 'ok'.")
    if raw["ok"] or event is HookEvent.PERMISSION_REQUEST or raw.get("impossible") is True:
        return Heard()
    given = raw.get("reason")
    reason = given if isinstance(given, str) and given else "The model gave no reason."
    ends = event in {HookEvent.PRE_TOOL_USE, HookEvent.POST_TOOL_USE} and not continues
    decision = HookDecision.DENY if event is HookEvent.PRE_TOOL_USE else None
    return Heard(
        Saying(
            stops=ends,
            stop_reason=reason if ends else "",
            blocks=True,
            reason=reason,
            decision=decision,
            decision_reason=reason if decision else "",
        )
    )


def _words(event: HookEvent, stdout: str) -> tuple[Saying | None, str]:
    """Return what JSON on stdout says, and what is wrong with it; neither for plain words."""
    text = stdout.strip()
    if not text.startswith("{"):
        return None, ""
    try:
        raw = loads(text)
    except ValueError:
        return None, ""
    if not isinstance(raw, dict):
        return None, ""
    try:
        return read_answer(event, raw), ""
    except BadAnswerError as error:
        return None, _nonsense(error)


def _nonsense(error: BadAnswerError) -> str:
    """Return what is wrong with an answer."""
    return f"Its answer makes no sense: {error}."


def _context(event: HookEvent, stdout: str) -> tuple[str, ...]:
    """Return plain words as context, for the events where they are."""
    text = stdout.strip()
    return (text,) if text and event in _WORDS_ARE_CONTEXT else ()


def _first_line(stderr: str, code: int) -> str:
    """Return the first line of what a program complained about."""
    lines = stderr.strip().splitlines()
    if lines:
        return lines[0][:500]
    if code < 0:
        return f"it was ended by signal {-code}"
    return f"exit code {code}, and nothing on stderr"
