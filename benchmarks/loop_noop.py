"""The tool that is called while the loop is measured. Its input is a pydantic model."""

import time

from gantlet import READS_ONLY, Tool, ToolContext, ToolInput, Traits


class NoopInput(ToolInput):
    """A text."""

    text: str


class Noop(Tool[NoopInput]):
    """Does nothing but look at the clock, once a turn."""

    name = "Noop"
    description = "Does nothing."
    input_type = NoopInput

    def __init__(self, result: str) -> None:
        self._result = result
        self.calls = 0
        self.marks: list[float] = []

    def traits(self, args: NoopInput) -> Traits:
        """It only reads."""
        return READS_ONLY

    async def run(self, args: NoopInput, context: ToolContext) -> str:
        """Do nothing."""
        self.calls += 1
        if args.text.endswith(" 0"):  # the first call of a turn
            self.marks.append(time.perf_counter())
        return self._result or args.text
