"""Which flags do not go together, and which words a flag does not know."""

from collections.abc import Iterator

from gantlet.session import is_session_id
from gantlet.surfaces.headless.flags import FlagError, Flags

FORMATS = ("text", "json", "stream-json")
EFFORTS = ("low", "medium", "high", "xhigh", "max")


def check_flags(flags: Flags) -> None:
    """Refuse flags that do not fit together.

    Raises:
        FlagError: The first thing that is wrong.
    """
    for find in (_formats, _stream, _session, _effort, _cassette):
        for problem in find(flags):
            raise FlagError(problem)


def _formats(flags: Flags) -> Iterator[str]:
    """Yield what is wrong with how words come in and go out."""
    if flags.output_format not in FORMATS:
        yield f"--output-format '{flags.output_format}' is not known: {', '.join(FORMATS)}."
    if flags.input_format not in ("text", "stream-json"):
        yield f"--input-format '{flags.input_format}' is not known: text or stream-json."


def _stream(flags: Flags) -> Iterator[str]:
    """Yield what goes only with a stream of lines, or only without one."""
    is_stream = flags.output_format == "stream-json"
    if flags.speaks_control and not is_stream:
        yield "--input-format stream-json needs --output-format stream-json."
    if flags.speaks_control and flags.prompt:
        yield "With --input-format stream-json the prompt comes on standard input, not as a word."
    if is_stream and not flags.is_verbose:
        yield "--output-format stream-json needs --verbose."
    if flags.include_partial_messages and not is_stream:
        yield "--include-partial-messages needs --output-format stream-json."
    if flags.replay_user_messages and not flags.speaks_control:
        yield "--replay-user-messages needs --input-format stream-json."


def _session(flags: Flags) -> Iterator[str]:
    """Yield what is wrong with the session that is asked for."""
    if flags.session_id is not None and not is_session_id(flags.session_id):
        yield f"--session-id '{flags.session_id}' is not a UUID."
    if flags.session_id is not None and flags.is_resumed and not flags.fork_session:
        yield "--session-id goes with --resume or --continue only if --fork-session is given."
    if flags.is_continued and flags.resume is not None:
        yield "Use --continue or --resume, not both."
    if flags.fork_session and not flags.is_resumed:
        yield "--fork-session needs --resume or --continue."
    if flags.resume_session_at is not None and flags.resume is None:
        yield "--resume-session-at needs --resume."


def _effort(flags: Flags) -> Iterator[str]:
    """Yield that the model knows no such effort."""
    if flags.effort and flags.effort not in EFFORTS:
        yield f"--effort '{flags.effort}' is not known: {', '.join(EFFORTS)}."


def _cassette(flags: Flags) -> Iterator[str]:
    """Yield what cannot speak in the model's place together with a cassette."""
    for flag, path in (("--record", flags.record), ("--replay", flags.replay)):
        if path is not None and not path.strip():
            yield f"{flag} needs the name of a file."
    if flags.replay and flags.script:
        yield "Use --script or --replay, not both: each plays the model."
    if flags.replay and flags.record:
        yield "Use --record or --replay, not both: what is played is recorded already."
