"""Run a command in bash."""

from collections.abc import Sequence

from pydantic import Field

from gantlet.tool import (
    FILE_CHANGES,
    FILE_KNOWLEDGE,
    Ask,
    Ports,
    Rejected,
    RequestView,
    ResultContent,
    Tool,
    ToolContext,
    ToolInput,
    ToolResult,
    Traits,
    Vote,
)
from gantlet.tool.wording import cut
from gantlet.tools.shell.calls import ShellCalls
from gantlet.tools.shell.changes import ChangeTracker
from gantlet.tools.shell.describing import bash_description
from gantlet.tools.shell.git_images import GitImages
from gantlet.tools.shell.lines import CommandLine, read_line
from gantlet.tools.shell.results import BashOutput
from gantlet.tools.shell.session import SHELL, ShellSession
from gantlet.tools.shell.vetting import NO_SANDBOX, objection
from gantlet.tools.shell.views import Views

#: The most the system takes as one word of a program.
MAX_COMMAND_BYTES = 128 * 1024 - 1024


class CommandInput(ToolInput):
    """What to run, in whichever language."""

    command: str = Field(min_length=1, description="The command to run.")
    timeout: float | None = Field(
        None,
        gt=0,
        description=(
            "Milliseconds the command may take. With run_in_background: how long it may live."
        ),
    )
    description: str | None = Field(
        None, description="What the command does, in five to ten words, for the user."
    )
    run_in_background: bool | None = Field(
        None, description="Return at once and let the command go on."
    )


class BashInput(CommandInput):
    """What to run."""

    dangerouslyDisableSandbox: bool | None = Field(  # noqa: N815 - the name of the contract
        None, description="Run without the sandbox. The user is asked."
    )


class Bash(Tool[BashInput]):
    """Runs commands, each in a new shell under the session's supervisor."""

    name = "Bash"
    described_in = "gantlet.tools.shell.describing"
    search_hint = "shell terminal command process execute"
    input_type = BashInput
    rule_field = "command"
    runs_shell = True

    def __init__(
        self,
        session: ShellSession,
        tracker: ChangeTracker | None = None,
        views: Views | None = None,
    ) -> None:
        self._session = session
        self._calls = ShellCalls(session, tracker, views)
        self.max_result_chars = session.settings.output_chars

    @classmethod
    def build(cls, ports: Ports) -> "Bash":
        """Take the shell of this session, and what it knows of files."""
        session = ports.need(SHELL)
        git = GitImages(session.run_git)
        knowledge = ports.need(FILE_KNOWLEDGE)
        tracker = ChangeTracker(session.project, knowledge, ports.need(FILE_CHANGES), git)
        return cls(session, tracker, Views(knowledge))

    def description(self, request: RequestView) -> str:
        """Say what the tool does, with the limits that hold here."""
        return bash_description(self._session.settings)

    def traits(self, args: BashInput) -> Traits:
        """Say what the command line tells of itself; a task in the background touches anything."""
        line = read_line(args.command)
        in_background = bool(args.run_in_background)
        return Traits(
            read_only=line.read_only and not in_background,
            access=line.access,
            failure_stops_siblings=True,
        )

    async def validate_input(self, args: BashInput, context: ToolContext) -> Rejected | None:
        """Refuse what no shell can be given."""
        return why_refused(args.command)

    async def check_permissions(self, args: BashInput, context: ToolContext) -> Vote | None:
        """Ask where a command would run more than its words say."""
        if args.dangerouslyDisableSandbox and self._session.has_sandbox:
            return Ask(NO_SANDBOX, "tool")
        return await objection(self._line(args), context, self._session)

    async def run(self, args: BashInput, context: ToolContext) -> ToolResult[BashOutput]:
        """Run it to its end, or until it goes on in the background."""
        return await self._calls.run(self._line(args), args, context)

    def move_to_background(self, call_id: str) -> bool:
        """Let a running command go on in the background."""
        return self._calls.move_to_background(call_id)

    def unfinished(self, call_id: str) -> str:
        """Return what a command had said when it was stopped."""
        return self._calls.unfinished(call_id)

    def to_result_block(self, data: object) -> ResultContent:
        """Return what the model reads."""
        return data.content() if isinstance(data, BashOutput) else super().to_result_block(data)

    def summary(self, args: BashInput) -> str:
        """Return the command, on one line."""
        return cut(f"{self.user_facing_name(args)}({args.command})", 200)

    @staticmethod
    def _line(args: BashInput) -> CommandLine:
        """Return the command line, read."""
        return read_line(args.command)


def why_refused(command: str) -> Rejected | None:
    """Return why a text cannot be a command, or None."""
    problems: Sequence[tuple[bool, str]] = (
        ("\0" in command, "The command holds a NUL character, which no shell takes. Leave it out."),
        (not command.strip(), "The command is empty. Say what to run."),
        (
            len(command.encode("utf-8", "surrogatepass")) > MAX_COMMAND_BYTES,
            f"The command has more than {MAX_COMMAND_BYTES:,} bytes, the most the system takes."
            " Write a script to a file and run that.",
        ),
    )
    for is_so, message in problems:
        if is_so:
            return Rejected(message)
    return None
