"""Commands that begin with a slash, and what each turn says of itself at its start."""

from collections.abc import Mapping
from pathlib import Path

from gantlet import __version__
from gantlet.assembly.agent import Agent
from gantlet.config import config_folder
from gantlet.messages import JsonValue, Text
from gantlet.messages.value import replace
from gantlet.surfaces.headless import COMPATIBLE_VERSION
from gantlet.surfaces.headless.context_report import in_words
from gantlet.surfaces.headless.desk import Desk
from gantlet.surfaces.headless.frames import Frame
from gantlet.surfaces.headless.held_agent import HeldAgent
from gantlet.surfaces.headless.prompts import (
    BUILT_IN_COMMANDS,
    Prompt,
    agent_names,
    command_files,
    expanded,
)
from gantlet.surfaces.headless.results import Results
from gantlet.system import new_id
from gantlet.tool import UserError

ALL_SOURCES = ("user", "project", "local")


class Commands:
    """What a person can say with a slash, here and now."""

    def __init__(self, desk: Desk, held: HeldAgent, results: Results) -> None:
        self._desk = desk
        self._held = held
        self._results = results
        cwd = Path(desk.cwd)
        home = Path(desk.environment.variables.get("HOME") or Path.home())
        config = config_folder(cwd, home, desk.environment)
        chosen = desk.flags.setting_sources
        sources = ALL_SOURCES if chosen is None else chosen
        self._files = command_files(cwd, config, sources)
        self._agents = agent_names(cwd, config, sources)

    @property
    def names(self) -> list[str]:
        """Every command there is."""
        if self._desk.flags.disable_slash_commands:
            return []
        return sorted({*BUILT_IN_COMMANDS, *self._files})

    @property
    def agents(self) -> list[str]:
        """Every agent that is described somewhere."""
        given = self._desk.told.get("agents")
        both = [self._desk.flags.agents, given if isinstance(given, dict) else None]
        named = [name for one in both if one is not None for name in one]
        return list(dict.fromkeys([*named, *self._agents]))

    async def take(self, prompt: Prompt) -> Prompt | None:
        """Do what a command says, and return what is left for the model, if anything is.

        Raises:
            UserError: The command cannot be used.
        """
        word, _, arguments = prompt.text.strip().partition(" ")
        if not word.startswith("/") or self._desk.flags.disable_slash_commands:
            return prompt
        name = word[1:]
        if name in self._files:
            try:
                text = expanded(self._files[name], arguments.strip())
            except ValueError as error:
                raise UserError(str(error)) from error
            return replace(prompt, blocks=(Text(text),))
        return await self._built_in(name, arguments.strip(), prompt)

    async def _built_in(self, name: str, arguments: str, prompt: Prompt) -> Prompt | None:
        """Do what one of our own commands says."""
        if name == "clear":
            await self._clear()
        elif name == "compact":
            done = await (await self._held.opened()).compact(arguments)
            self._results.say(f"The conversation was {'' if done else 'not '}summed up.")
        elif name == "context":
            self._results.say(in_words((await self._held.opened()).context_usage()))
        elif name == "cost":
            spent = self._desk.spent_usd
            self._results.say(f"This session cost {spent:.4f} US dollars so far.")
        else:
            return prompt
        return None

    async def _clear(self) -> None:
        """Begin again, in another session."""
        before = await self._held.begin_again()
        frame: Frame = {
            "type": "conversation_reset",
            "new_conversation_id": self._desk.session_id,
            "trigger": "clear",
            "session_id": before,
            "uuid": new_id(),
        }
        self._desk.sink.frame(frame)
        self._results.say("")

    def init_frame(self, agent: Agent) -> Frame:
        """Return what a turn says of itself at its start."""
        desk = self._desk
        key = "ANTHROPIC_API_KEY" if "ANTHROPIC_API_KEY" in desk.environment.variables else "none"
        return desk.telling.frames.system(
            "init",
            cwd=desk.cwd,
            tools=list(agent.tool_names),
            mcp_servers=desk.servers.told(),
            model=agent.model_name,
            permissionMode=agent.mode.value,
            slash_commands=list(self.names),
            apiKeySource=key,
            claude_code_version=COMPATIBLE_VERSION,
            gantlet_version=__version__,
            output_style=agent.configuration.settings.text("outputStyle") or "default",
            agents=list(self.agents),
            skills=[],
            plugins=[],
            capabilities=["interrupt_receipt_v1", "interrupt_cancel_queued_v1"],
        )

    def described(self) -> Mapping[str, JsonValue]:
        """Return the commands and agents as the driving program wants to know them."""
        return {
            "commands": [
                {"name": name, "description": "", "argumentHint": ""} for name in self.names
            ],
            "agents": [{"name": name, "description": ""} for name in self.agents],
        }
