"""Run queries: bounded in time and memory, with ripgrep's own words for what it rejects."""

from collections.abc import Mapping
from dataclasses import field

from gantlet.messages.value import slotted, value
from gantlet.system import ChildResult, run_child
from gantlet.tool import ToolError
from gantlet.tools.search.programs import FALLBACK, Program, child_variables, choose_program
from gantlet.tools.search.query import Query

#: How much of an output is kept. What is more is a search that was too wide.
MAX_BYTES = 64 * 1024 * 1024
#: How long a search may take, unless the environment says otherwise.
DEFAULT_SECONDS = 20.0
_SECONDS = "CLAUDE_CODE_GLOB_TIMEOUT_SECONDS"
_MATCHED = 0
_DIAGNOSTIC_CHARS = 2_000


@value
class Output:
    """What a search said.

    Attributes:
        raw: The whole of it, or its beginning.
        is_whole: Nothing was left out.
        timed_out: It did not end in its time.
    """

    raw: bytes
    is_whole: bool = True
    timed_out: bool = False


@slotted
class Searcher:
    """Answers queries with the best program there is, which is looked for once."""

    variables: Mapping[str, str] = field(default_factory=dict)
    program: Program | None = None

    async def run(
        self, query: Query, folder: str, seconds: float, max_bytes: int = MAX_BYTES
    ) -> Output:
        """Answer a query below a folder; what was found counts also if time or room ran out.

        Raises:
            ToolError: The query makes no sense, in ripgrep's words, or nothing can search there.
        """
        if self.program is None:
            self.program = await choose_program(self.variables, folder)
        result = await self._ran(self.program, query, folder, seconds, max_bytes)
        if result is None:  # it ran once and does so no more: it was removed, or replaced
            self.program = FALLBACK
            result = await self._ran(self.program, query, folder, seconds, max_bytes)
        if result is None:
            raise ToolError("No program that can search could be started. Try again.")
        _refuse_rejected(result)
        is_whole = not (result.overflowed or result.timed_out)
        return Output(result.stdout, is_whole, result.timed_out)

    async def _ran(
        self, program: Program, query: Query, folder: str, seconds: float, max_bytes: int
    ) -> ChildResult | None:
        """Run a program, or return None if it cannot be started.

        Raises:
            ToolError: The folder cannot be entered.
        """
        try:
            return await run_child(
                program.command(query),
                env=child_variables(self.variables),
                cwd=folder,
                seconds=seconds,
                max_bytes=max_bytes,
                grace=0.1,
            )
        except OSError as error:
            if error.filename == folder:
                raise ToolError(
                    f"{folder!r} cannot be searched: {error.strerror}. Give another path."
                ) from error
            return None


def _refuse_rejected(result: ChildResult) -> None:
    """Raise what the program said against a query; files it could not read are no reason.

    Raises:
        ToolError: The query was rejected, or the program broke.
    """
    if result.exit_code in {None, _MATCHED}:
        return
    said = result.stderr.decode(errors="replace").strip()[:_DIAGNOSTIC_CHARS]
    if said:
        raise ToolError(f"The search was rejected. Correct the pattern or the options.\n{said}")
    if result.exit_code is not None and result.exit_code < 0 and not result.stdout:
        raise ToolError(f"The search was ended by signal {-result.exit_code}. Try a narrower one.")


def search_seconds(variables: Mapping[str, str]) -> float:
    """Return how long a search may take."""
    try:
        seconds = float(variables.get(_SECONDS, ""))
    except ValueError:
        return DEFAULT_SECONDS
    return seconds if 0 < seconds < float("inf") else DEFAULT_SECONDS
