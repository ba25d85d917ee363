"""All settings of a session as one frozen value, in which each knows where it stands."""

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from types import MappingProxyType

from gantlet.config.exposures import ExposureFound, find_exposures, hook_programs
from gantlet.config.file_reader import FileRead, read_file
from gantlet.config.keys import KEYS, Exposure, Form
from gantlet.config.last_good import LastGood
from gantlet.config.merging import distinct, merge, merged_object
from gantlet.config.setting import Ignored, Setting, SettingsProblem
from gantlet.config.settings_files import HOOK_FOLDER, SettingsFiles, workspace_at
from gantlet.config.trust import FolderTrust, TrustQuestion
from gantlet.config.variables import steers_programs, tunes_tools
from gantlet.hooks import HookEntry, KeyPath, parse_hooks
from gantlet.messages import Behaviour, JsonValue, freeze
from gantlet.messages.value import value
from gantlet.permissions import Directory, Fence, PermissionContext, Workspace, read_mode
from gantlet.rules import BadRule, Rule, Source, SourceKind
from gantlet.system import RealPaths, absolute, directory_names
from gantlet.tool import Mode

_NO_MORE_BYPASS = "permissions.disableBypassPermissionsMode"
_NO_MORE_AUTO = "permissions.disableAutoMode"


@value
class Settings:
    """What all settings files of a session say together.

    Attributes:
        files: What each file says, the weakest first.
        counted: What counts under each key, the strongest first.
        ignored: What stands in a file and does not count, and why.
        problems: What is wrong in files.
        trust: How far the project's folder is trusted.
        hooks: The hooks that count, those of the strongest file first.
        programs: The files of the project that its hooks and helper commands run.
    """

    workspace: Workspace
    places: SettingsFiles
    files: tuple[FileRead, ...]
    counted: Mapping[str, tuple[Setting, ...]]
    ignored: tuple[Ignored, ...]
    problems: tuple[SettingsProblem, ...]
    trust: FolderTrust
    hooks: tuple[HookEntry, ...] = ()
    programs: tuple[Path, ...] = ()

    def one(self, key: str) -> Setting | None:
        """Return the strongest that counts under a key."""
        return next(iter(self.counted.get(key, ())), None)

    def value(self, key: str) -> JsonValue:
        """Return what counts under a key: a scalar by strength, lists and objects put together.

        None means that no file says anything. An empty list is another thing than None.
        """
        found = self.counted.get(key, ())
        if not found:
            return None
        form = KEYS[key].form
        if form.is_list:
            return freeze([part.content for part in self.items(key) or ()])
        if form in {Form.OBJECT, Form.TEXT_MAP}:
            return freeze(merged_object(found))
        return found[0].content

    def text(self, key: str) -> str | None:
        """Return a text."""
        content = self.value(key)
        return content if isinstance(content, str) else None

    def is_on(self, key: str, *, default: bool = False) -> bool:
        """Return whether a switch is on."""
        content = self.value(key)
        return content if isinstance(content, bool) else default

    def texts(self, key: str) -> tuple[str, ...] | None:
        """Return a list of texts; None if no file has one, which an empty list is not."""
        content = self.value(key)
        if isinstance(content, str):
            return (content,)
        if not isinstance(content, list):
            return None
        return tuple(item for item in content if isinstance(item, str))

    def items(self, key: str) -> tuple[Setting, ...] | None:
        """Return the items of a list from all files, each with its own line, each value once."""
        found = self.counted.get(key)
        if found is None:
            return None
        return tuple(distinct(part for one in found for part in one.items()))

    @property
    def env(self) -> dict[str, Setting]:
        """The variables for programs that are run, each with where it stands."""
        found: dict[str, Setting] = {}
        for one in self.counted.get("env", ()):
            for part in one.items():
                found.setdefault(part.key.removeprefix("env."), part)
        return found

    @property
    def own_env(self) -> dict[str, str]:
        """The variables that also count for ourselves: none of a project's but limits of tools."""
        return {
            name: str(part.content)
            for name, part in self.env.items()
            if not part.source.kind.is_repository or tunes_tools(name)
        }

    @property
    def child_env(self) -> dict[str, str]:
        """The variables for the programs that tools run."""
        return {name: str(part.content) for name, part in self.env.items()}

    @property
    def users_env(self) -> dict[str, str]:
        """The variables for programs of the user's: a project does not say which those are."""
        found: dict[str, str] = {}
        for one in self.counted.get("env", ()):
            for part in one.items():
                name = part.key.removeprefix("env.")
                if not (part.source.kind.is_repository and steers_programs(name)):
                    found.setdefault(name, str(part.content))
        return found

    @property
    def remarks(self) -> tuple[str, ...]:
        """What does not count as written, in words; trust has one line at the end."""
        told = [str(problem) for problem in self.problems]
        told += [str(one) for one in self.ignored if not one.trust]
        return (*told, *filter(None, (self.trust.problem, self.trust.notice)))

    @property
    def rules(self) -> tuple[Rule | BadRule, ...]:
        """Every rule of every file, with a question about everything for a file that is lost."""
        found = [rule for read in self.files for rule in read.rules.rules]
        stand_ins = [read.rules.stand_in for read in self.files]
        return (*found, *(rule for rule in stand_ins if rule is not None))

    @property
    def denied(self) -> list[str]:
        """The deny rules as they are written."""
        return [rule.text for rule in self.rules if rule.behaviour is Behaviour.DENY]

    @property
    def may_hide_denies(self) -> bool:
        """Whether rules that forbid may have been lost."""
        return any(read.rules.may_hide_denies for read in self.files)

    @property
    def mode(self) -> Mode | None:
        """The mode that sessions start in."""
        text = self.text("permissions.defaultMode")
        return read_mode(text) if text is not None else None

    @property
    def directories(self) -> tuple[Directory, ...]:
        """The working directories that files add and that count."""
        return self._directories("permissions.additionalDirectories")

    @property
    def fence(self) -> Fence:
        """What is denied outside of the working directories."""
        return Fence(
            self.is_on("permissions.blockReadsOutsideWorkingDirectories"),
            self.is_on("permissions.blockWritesOutsideWorkingDirectories"),
            self._directories("permissions.blockReadsExemptPaths"),
        )

    def _directories(self, key: str) -> tuple[Directory, ...]:
        """Return the directories that a list names, by every name they have."""
        home = self.workspace.home.path if self.workspace.home is not None else ""
        found = []
        for part in self.items(key) or ():
            path = str(part.content)
            inside = home + path[1:] if path == "~" or path.startswith("~/") else path
            names = directory_names(absolute(inside, self.workspace.original_cwd.path))
            found.append(Directory(names, part.source.kind))
        return tuple(found)

    def context(
        self,
        mode: Mode | None = None,
        *,
        auto_available: bool = False,
        bypass_available: bool = False,
        avoid_prompts: bool = False,
    ) -> PermissionContext:
        """Return what calls are judged against. A mode that is not available is the default."""
        wanted = mode or self.mode or Mode.DEFAULT
        may_bypass = self.value(_NO_MORE_BYPASS) is None
        bypass = may_bypass and (bypass_available or wanted is Mode.BYPASS)
        auto = auto_available and self.value(_NO_MORE_AUTO) is None
        offered = {Mode.BYPASS: bypass, Mode.AUTO: auto}
        return PermissionContext(
            self.workspace,
            wanted if offered.get(wanted, True) else Mode.DEFAULT,
            directories=self.directories,
            bypass_available=bypass,
            auto_available=auto,
            avoid_prompts=avoid_prompts or self.is_on("permissions.denyInsteadOfPrompting"),
            is_trusted=self.trust.trusts(Exposure.ALLOW),
            managed_rules_only=self.is_on("allowManagedPermissionRulesOnly"),
            fence=self.fence,
        ).with_rules(self.rules)


def read_settings(
    cwd: Path,
    home: Path,
    places: SettingsFiles,
    question: TrustQuestion,
    last_good: LastGood | None = None,
    *,
    kept: Mapping[str, FileRead] = MappingProxyType({}),
    followed: RealPaths | None = None,
) -> Settings:
    """Return what the settings files of a session say. Never raises for what is in them.

    Files that are `kept`, by their names, are not read: they count as they did.
    """
    workspace = workspace_at(cwd, home, places, _own(question, last_good), followed)
    read = partial(read_file, last_good=last_good)
    files = tuple(
        kept.get(origin.source.file) or read(origin) for origin in places.origins(workspace)
    )
    trust = question.answer(exposures_of(files, places))
    merged = merge(files, trust)
    hooks, bad_hooks = _hooks(merged.counted.get("hooks", ()), files)
    problems = [problem for one in files for problem in one.problems]
    return Settings(
        workspace,
        places,
        files,
        MappingProxyType(merged.counted),
        merged.ignored,
        (*problems, *bad_hooks),
        trust,
        tuple(hooks),
        hook_programs(files, places.folders or (places.root,)) if trust.parts else (),
    )


def _own(question: TrustQuestion, last_good: LastGood | None) -> Iterator[str]:
    """Yield where we keep what decides: trust, what files last forbade, what hooks export."""
    if question.store is not None:
        yield str(question.store.file)
    if last_good is not None:
        yield str(last_good.folder)
        yield f"{str(last_good.folder.parent).rstrip('/')}/{HOOK_FOLDER}"


def _hooks(
    counted: Iterable[Setting], files: Iterable[FileRead]
) -> tuple[list[HookEntry], list[SettingsProblem]]:
    """Return the hooks that count, and what is wrong with those that do not work."""
    entries: list[HookEntry] = []
    problems: list[SettingsProblem] = []
    by_file = {read.file: read for read in files}
    for setting in counted:
        read = by_file[setting.source.file]

        def where(path: KeyPath, read: FileRead = read) -> Source:
            return read.where(("hooks", *path))

        found = parse_hooks(setting.content, where)
        entries += found.entries
        for bad in found.problems:
            source = where(bad.path)
            message = f"{bad.key}: {bad.message}"
            problems.append(SettingsProblem(source.file, source.line, message, bad.key))
    return entries, problems


def exposures_of(files: Iterable[FileRead], places: SettingsFiles) -> dict[Exposure, ExposureFound]:
    """Return the parts of the project that need trust, as far as its files are read at all."""
    if places.sources.isdisjoint({SourceKind.PROJECT, SourceKind.LOCAL}):
        return {}
    return find_exposures(files, places.folders or (places.root,))
