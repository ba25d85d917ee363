"""Which model the flags ask for, and what they add to each request."""

from collections.abc import Iterator

from gantlet.assembly.models import DEFAULT_MODEL
from gantlet.messages import JsonValue, Model
from gantlet.surfaces.headless.flags import Flags
from gantlet.system import Environment, Masker

_ALIASES = {
    "default": ("ANTHROPIC_MODEL", DEFAULT_MODEL),
    "sonnet": ("ANTHROPIC_DEFAULT_SONNET_MODEL", "claude-sonnet-5-5"),
    "opus": ("ANTHROPIC_DEFAULT_OPUS_MODEL", "claude-opus-5-5"),
    "haiku": ("ANTHROPIC_DEFAULT_HAIKU_MODEL", "claude-haiku-5-5"),
    "fable": ("ANTHROPIC_DEFAULT_FABLE_MODEL", "claude-fable-5-2"),
}


class ModelSource:
    """The model behind the endpoint, and nobody between.

    Attributes:
        instead: A model in its place that has no name of its own.
        name: What the model is called, whatever settings say.
    """

    instead: Model | None = None
    name: str = ""

    def between(self, model: Model, masker: Masker) -> Model:
        """Return the model that is asked."""
        return model

    def adapted(self, environment: Environment) -> Environment:
        """Return the environment in which the same is asked as before."""
        return environment

    def note_changing(self, name: str, text: str) -> None:
        """Take note of a text in requests that is another one in the next run."""

    def remarks(self) -> Iterator[str]:
        """Yield what a person should know at the end."""
        yield from ()

    def close(self) -> None:
        """Let go of files."""


def model_name(flags: Flags, environment: Environment, configured: str | None) -> str:
    """Return the model to ask, with short names and the environment considered."""
    wanted = flags.model or environment.variables.get("ANTHROPIC_MODEL") or configured or "default"
    return full_name(wanted, environment)


def full_name(wanted: str, environment: Environment) -> str:
    """Return the name of a model that requests have, for a short one."""
    variable, known = _ALIASES.get(wanted, ("", wanted))
    return environment.variables.get(variable) or known if variable else wanted


def thinking(tokens: int) -> dict[str, object]:
    """Return how a request says for how long the model may think."""
    return {"type": "enabled", "budget_tokens": tokens} if tokens else {"type": "disabled"}


def request_fields(flags: Flags, environment: Environment) -> dict[str, object]:
    """Return what flags and the environment add to each request."""
    fields: dict[str, object] = {}
    given = environment.variables.get("MAX_THINKING_TOKENS", "")
    if flags.max_thinking_tokens is not None:
        fields["thinking"] = thinking(flags.max_thinking_tokens)
    elif given.isdecimal() and not flags.thinking:
        fields["thinking"] = thinking(int(given))
    elif flags.thinking:
        fields["thinking"] = {"type": flags.thinking}
    if flags.effort:
        fields["output_config"] = {"effort": flags.effort}
    return fields


def known_models() -> list[JsonValue]:
    """Return the models with short names."""
    names = {"default": DEFAULT_MODEL, "sonnet": "Sonnet", "opus": "Opus", "haiku": "Haiku"}
    return [
        {"value": value, "displayName": shown, "description": ""} for value, shown in names.items()
    ]
