"""Run a command in PowerShell, where there is one."""

import shutil

from pydantic import Field

from gantlet.shell import analyse
from gantlet.tool import (
    EXCLUSIVE,
    Ports,
    Rejected,
    ResultContent,
    Tool,
    ToolContext,
    ToolError,
    ToolResult,
    Traits,
)
from gantlet.tool.wording import cut
from gantlet.tools.shell.bash import CommandInput, why_refused
from gantlet.tools.shell.calls import ShellCalls
from gantlet.tools.shell.lines import CommandLine
from gantlet.tools.shell.results import BashOutput
from gantlet.tools.shell.session import SHELL, ShellSession

PROGRAM = "pwsh"


class PowerShellInput(CommandInput):
    """What to run."""

    command: str = Field(min_length=1, description="The PowerShell command to run.")


class PowerShell(Tool[PowerShellInput]):
    """Runs commands in PowerShell, each in a new process under the session's supervisor."""

    name = "PowerShell"
    requires_program = PROGRAM
    search_hint = "windows shell pwsh command cmdlet"
    description = (
        "Run a command in PowerShell (pwsh) and return what it prints. Each call is a new process;"
        " nothing carries over. Timeouts, background tasks and output are those of Bash."
    )
    input_type = PowerShellInput
    rule_field = "command"

    def __init__(self, session: ShellSession) -> None:
        self._session = session
        self._calls = ShellCalls(session)
        self.max_result_chars = session.settings.output_chars

    @classmethod
    def build(cls, ports: Ports) -> "PowerShell":
        """Take the shell of this session."""
        return cls(ports.need(SHELL))

    def traits(self, args: PowerShellInput) -> Traits:
        """Nobody here reads its language, so it may do anything."""
        return Traits(access=EXCLUSIVE, failure_stops_siblings=True)

    async def validate_input(self, args: PowerShellInput, context: ToolContext) -> Rejected | None:
        """Refuse what no program can be given."""
        return why_refused(args.command)

    async def run(self, args: PowerShellInput, context: ToolContext) -> ToolResult[BashOutput]:
        """Run it to its end, or until it goes on in the background."""
        path = self._session.environment.variables.get("PATH")
        program = shutil.which(PROGRAM, path=path)
        if program is None:
            raise ToolError("There is no pwsh on this machine any more. Use Bash.")
        words = ("-NoLogo", "-NoProfile", "-NonInteractive", "-Command", args.command)
        return await self._calls.run(_unread(args.command), args, context, (program, *words))

    def move_to_background(self, call_id: str) -> bool:
        """Let a running command go on in the background."""
        return self._calls.move_to_background(call_id)

    def unfinished(self, call_id: str) -> str:
        """Return what a command had said when it was stopped."""
        return self._calls.unfinished(call_id)

    def to_result_block(self, data: object) -> ResultContent:
        """Return what the model reads."""
        return data.content() if isinstance(data, BashOutput) else super().to_result_block(data)

    def summary(self, args: PowerShellInput) -> str:
        """Return the command, on one line."""
        return cut(f"PowerShell({args.command})", 200)


def _unread(command: str) -> CommandLine:
    """Return a line of which nothing is known; its exit codes mean what they say."""
    return CommandLine(
        command, analyse(""), read_only=False, access=EXCLUSIVE, moves=False, programs=frozenset()
    )
