"""How commands are run, as a user may set it: by the environment and by settings."""

from collections.abc import Mapping
from dataclasses import field

from gantlet.messages.value import replace, value
from gantlet.system import Environment
from gantlet.system.supervisor import Limits
from gantlet.tool import UserError

DEFAULT_TIMEOUT_MS = 120_000
MAX_TIMEOUT_MS = 600_000
BACKGROUND_MS = 1_800_000
MAX_BACKGROUND_MS = 7_200_000
SUBAGENT_BACKGROUND_MS = 3_600_000
DEFAULT_OUTPUT_CHARS = 30_000
_MAX_OUTPUT_CHARS = 150_000
_TASK_OUTPUT_CHARS = 32_000
_MAX_TASK_OUTPUT_CHARS = 160_000
_LIMIT_NAMES = {
    "shell.maxProcesses": "processes",
    "shell.maxMemoryBytes": "memory_bytes",
    "shell.maxFileBytes": "file_bytes",
    "shell.maxOpenFiles": "open_files",
    "shell.maxCpuSeconds": "cpu_seconds",
}
#: The settings that shape how commands are run, by their whole keys.
SHELL_KEYS = (
    *_LIMIT_NAMES,
    "shell.snapshot",
    "shell.trackChanges",
    "shell.keepBackgroundTasks",
    "shell.keepVariables",
    "shell.programFolders",
    "bashOutputMaxChars",
    "taskOutputMaxChars",
    "env",
)
#: Set to yes, commands get no credentials whatever settings say; set to no, all but our own.
_SCRUB = "CLAUDE_CODE_SUBPROCESS_ENV_SCRUB"
_UNITS = {"": 1, "b": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}


@value
class ShellSettings:
    """The knobs of the shell.

    Attributes:
        default_timeout_ms: How long a command may run if the call does not say.
        max_timeout_ms: The most a call can ask for.
        output_chars: How much of a command's output the model reads; the rest goes to a file.
        task_output_chars: The same for the output of a task in the background.
        allows_background: Whether there are background tasks at all.
        outlives_session: Whether they go on when the session ends.
        keeps_place: Whether a `cd` counts for later commands.
        shell: The program that reads commands, or nothing for bash.
        prefix: A program that is given each command, or nothing.
        takes_snapshot: Whether functions, aliases and options of the user's shell are there.
        is_trusted: Whether the folder is trusted; without that there is no snapshot.
        hands_on_secrets: Whether commands get variables that are named like secrets.
        kept_variables: Patterns for names of those that they get all the same.
        program_folders: Folders whose programs are taken for the known ones.
        tracks_changes: Whether the files that a command changed are looked for.
        limits: What each command may take.
        variables: Further variables for every command.
    """

    default_timeout_ms: int = DEFAULT_TIMEOUT_MS
    max_timeout_ms: int = MAX_TIMEOUT_MS
    output_chars: int = DEFAULT_OUTPUT_CHARS
    task_output_chars: int = _TASK_OUTPUT_CHARS
    allows_background: bool = True
    outlives_session: bool = False
    keeps_place: bool = True
    shell: str = ""
    prefix: str = ""
    env_file: str = ""
    temporary_folder: str = ""
    takes_snapshot: bool = False
    is_trusted: bool = False
    hands_on_secrets: bool = False
    kept_variables: tuple[str, ...] = ()
    program_folders: tuple[str, ...] = ()
    tracks_changes: bool = True
    limits: Limits = field(default_factory=Limits)
    variables: Mapping[str, str] = field(default_factory=dict)

    def timeout_ms(self, asked: float | None) -> int:
        """Return how long a command may run: as asked, up to the most there is."""
        most = max(self.default_timeout_ms, self.max_timeout_ms)
        return min(int(asked), most) if asked else self.default_timeout_ms


def read_settings(
    environment: Environment, settings: Mapping[str, object] | None = None
) -> ShellSettings:
    """Return what the environment and the settings say; the environment is the stronger one.

    Settings are given by their whole keys, as `shell.snapshot`.

    Raises:
        UserError: A setting has a value that makes no sense.
    """
    given = dict(settings or {})
    variables = environment.variables
    scrubs = variables.get(_SCRUB, "").strip()
    made = ShellSettings(
        default_timeout_ms=_number(variables, "BASH_DEFAULT_TIMEOUT_MS", DEFAULT_TIMEOUT_MS),
        max_timeout_ms=_number(variables, "BASH_MAX_TIMEOUT_MS", MAX_TIMEOUT_MS),
        output_chars=_output_chars(variables, given),
        task_output_chars=min(
            _number(variables, "TASK_MAX_OUTPUT_LENGTH", _setting(given, "taskOutputMaxChars")),
            _MAX_TASK_OUTPUT_CHARS,
        ),
        allows_background=not environment.is_set("CLAUDE_CODE_DISABLE_BACKGROUND_TASKS"),
        outlives_session=_flag(given, "shell.keepBackgroundTasks", is_on=False),
        keeps_place=not environment.is_set("CLAUDE_BASH_MAINTAIN_PROJECT_WORKING_DIR"),
        shell=variables.get("CLAUDE_CODE_SHELL", ""),
        prefix=variables.get("CLAUDE_CODE_SHELL_PREFIX", ""),
        env_file=variables.get("CLAUDE_ENV_FILE", ""),
        temporary_folder=variables.get("CLAUDE_CODE_TMPDIR", ""),
        takes_snapshot=_flag(given, "shell.snapshot", is_on=False),
        hands_on_secrets=bool(scrubs) and not environment.is_set(_SCRUB),
        kept_variables=() if environment.is_set(_SCRUB) else _list(given, "shell.keepVariables"),
        program_folders=_list(given, "shell.programFolders"),
        tracks_changes=_flag(given, "shell.trackChanges", is_on=True),
        limits=_limits(given),
        variables=_texts(given, "env"),
    )
    memory = variables.get("CLAUDE_CODE_TOOL_MEMORY_LIMIT", "").strip()
    if memory:
        limits = replace(made.limits, memory_bytes=_size("CLAUDE_CODE_TOOL_MEMORY_LIMIT", memory))
        made = replace(made, limits=limits)
    return made


def _flag(settings: Mapping[str, object], name: str, *, is_on: bool) -> bool:
    """Return a setting that is true or false."""
    found = settings.get(name)
    if found is None:
        return is_on
    if not isinstance(found, bool):
        raise UserError(f"{name!r} in the settings is neither true nor false.")
    return found


def _limits(settings: Mapping[str, object]) -> Limits:
    """Return the limits that settings name."""
    found: dict[str, int] = {}
    for name, field_name in _LIMIT_NAMES.items():
        stated = settings.get(name)
        if stated is None:
            continue
        if isinstance(stated, bool) or not isinstance(stated, int) or stated <= 0:
            raise UserError(f"{name!r} in the settings is not a positive whole number.")
        found[field_name] = stated
    return Limits(**found)


def _texts(settings: Mapping[str, object], name: str) -> dict[str, str]:
    """Return a part of the settings that has texts by name."""
    section = settings.get(name) or {}
    if not isinstance(section, Mapping):
        raise UserError(f"{name!r} in the settings is not an object.")
    if not all(isinstance(text, str) for text in section.values()):
        raise UserError(f"{name!r} in the settings holds something that is no text.")
    return {str(key): str(text) for key, text in section.items()}


def _list(settings: Mapping[str, object], name: str) -> tuple[str, ...]:
    """Return a part of the settings that is a list of texts."""
    found = settings.get(name) or ()
    if not isinstance(found, list | tuple) or not all(isinstance(one, str) for one in found):
        raise UserError(f"{name!r} in the settings is not a list of texts.")
    return tuple(found)


def _number(variables: Mapping[str, str], name: str, otherwise: int) -> int:
    """Return a variable's positive number; what is none counts as unset."""
    text = variables.get(name, "").strip()
    return int(text) if text.isascii() and text.isdigit() and int(text) > 0 else otherwise


def _output_chars(variables: Mapping[str, str], settings: Mapping[str, object]) -> int:
    """Return how much of an output the model reads."""
    stated = settings.get("bashOutputMaxChars")
    otherwise = DEFAULT_OUTPUT_CHARS
    if isinstance(stated, int) and not isinstance(stated, bool):
        otherwise = min(max(stated, 4_000), 128_000)
    return min(_number(variables, "BASH_MAX_OUTPUT_LENGTH", otherwise), _MAX_OUTPUT_CHARS)


def _setting(settings: Mapping[str, object], name: str) -> int:
    """Return how much of a task's output the model reads, by the settings."""
    stated = settings.get(name)
    is_number = isinstance(stated, int) and not isinstance(stated, bool) and stated > 0
    return stated if is_number and isinstance(stated, int) else _TASK_OUTPUT_CHARS


def _size(name: str, text: str) -> int:
    """Return a size in bytes, from a number with a unit such as 512M."""
    number, unit = text.lower().removesuffix("b"), ""
    if number and number[-1] in _UNITS:
        number, unit = number[:-1], number[-1]
    if not (number.isascii() and number.isdigit() and int(number) > 0):
        raise UserError(f"{name} is {text!r}, which is no size. Write a number such as 512M.")
    return int(number) * _UNITS[unit]
