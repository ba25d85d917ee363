"""What tests of permission share: small tools of each kind, eyes for made-up files, and a judge."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

from gantlet.messages import Behaviour, ToolUse
from gantlet.permissions import (
    Directory,
    Eyes,
    PermissionContext,
    Request,
    Verdict,
    Workspace,
    evaluate,
    see,
)
from gantlet.rules import Source, SourceKind, parse_rule
from gantlet.system import FileKind, Found, PathFacts, Repository
from gantlet.tool import (
    READS_ONLY,
    AgentIdentity,
    AnyTool,
    McpIdentity,
    Mode,
    PathKind,
    Surroundings,
    Tool,
    ToolInput,
    Traits,
    Vote,
    ask_traits,
    parse,
)

APP = "/work/app"
HOME = "/home/me"
ALLOW, ASK, DENY = Behaviour.ALLOW, Behaviour.ASK, Behaviour.DENY
STRICTNESS = {ALLOW: 0, ASK: 1, DENY: 2}
WORKSPACE = Workspace.at(APP, home=HOME)
_ids = count()


class FileInput(ToolInput):
    """One file."""

    file_path: str


class FileTool(Tool[FileInput]):
    """A tool that reads or edits one file."""

    description = "Touches a file."
    input_type = FileInput
    path_fields = ("file_path",)

    def __init__(self, name: str, kind: PathKind = "read") -> None:
        self.name = name
        self.path_kind = kind

    def traits(self, args: FileInput) -> Traits:
        """Read, or change."""
        return READS_ONLY if self.path_kind == "read" else Traits(open_world=False)


class SearchInput(ToolInput):
    """Something below a directory."""

    pattern: str
    path: str | None = None


class SearchTool(Tool[SearchInput]):
    """A tool that searches below a directory, or below where it is."""

    name = "Grep"
    description = "Searches."
    input_type = SearchInput
    path_fields = ("path",)

    def traits(self, args: SearchInput) -> Traits:
        """Only read."""
        return READS_ONLY


class CommandInput(ToolInput):
    """One command."""

    command: str
    run_in_background: bool = False
    dangerouslyDisableSandbox: bool = False  # noqa: N815 - the name programs send


class ShellTool(Tool[CommandInput]):
    """A tool that would run a command."""

    name = "Bash"
    description = "Runs a command."
    input_type = CommandInput
    rule_field = "command"
    runs_shell = True
    is_destructive = False

    def traits(self, args: CommandInput) -> Traits:
        """Say nothing that could be relied on."""
        return Traits(destructive=self.is_destructive)


class FetchInput(ToolInput):
    """One URL."""

    url: str


class FetchTool(Tool[FetchInput]):
    """A tool that would fetch a page."""

    name = "WebFetch"
    description = "Fetches a page."
    input_type = FetchInput
    rule_field = "url"

    def traits(self, args: FetchInput) -> Traits:
        """Read, but not here."""
        return Traits(read_only=True)


class NamedInput(ToolInput):
    """The name of something, and what to do with it."""

    name: str = ""
    model: str = "small"


class NamedTool(Tool[NamedInput]):
    """A tool that starts something by name."""

    description = "Starts something."
    input_type = NamedInput
    rule_field = "name"

    def __init__(
        self,
        name: str = "Agent",
        traits: Traits | None = None,
        aliases: tuple[str, ...] = (),
        mcp: McpIdentity | None = None,
    ) -> None:
        self.name = name
        self.aliases = aliases
        self.mcp = mcp
        self._traits = traits or Traits()

    def traits(self, args: NamedInput) -> Traits:
        """Return what the test gave."""
        return self._traits


READ_TOOL, EDIT_TOOL = FileTool("Read"), FileTool("Edit", "edit")
WRITE_TOOL, GREP_TOOL = FileTool("Write", "edit"), SearchTool()
SHELL_TOOL, FETCH_TOOL, AGENT_TOOL = ShellTool(), FetchTool(), NamedTool()
SERVER_TOOL = NamedTool("mcp__db__query", READS_ONLY, mcp=McpIdentity("db", "query"))


@dataclass(frozen=True)
class PaperEyes:
    """Sees files that exist on paper only: links by where they lead, others as plain files."""

    links: Mapping[str, str] = field(default_factory=dict)
    kinds: Mapping[str, FileKind] = field(default_factory=dict)
    inodes: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    below: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    tracked: frozenset[str] = frozenset()
    is_complete: bool = True

    def look(self, path: str, cwd: str) -> PathFacts:
        """Return what stands on paper."""
        if path.startswith("~"):
            path = HOME + path[1:]
        lexical = _normal(path if path.startswith("/") else f"{cwd}/{path}")
        real = self._real(lexical)
        inode = self.inodes.get(real)
        kind = self.kinds.get(real, FileKind.FILE)
        return PathFacts(lexical, real, kind, inode is not None, inode)

    def look_as_shown(self, path: str, cwd: str) -> PathFacts:
        """Return what stands on paper, where every name is text."""
        return self.look(path, cwd)

    def _real(self, path: str) -> str:
        """Follow links, the longest part of the path first."""
        parts = path.split("/")
        for end in range(len(parts), 1, -1):
            head = "/".join(parts[:end])
            if head in self.links:
                return _normal("/".join([self.links[head], *parts[end:]]))
        return path

    def expand(self, pattern: str, cwd: str) -> tuple[PathFacts, ...] | None:
        """Return what the test says a pattern stands for."""
        found = self.below.get(pattern, ())
        return (self.look(pattern, cwd), *(self.look(path, "/") for path in found))

    def find(self, root: str, *tests: Callable[[str], bool]) -> tuple[Found, ...]:
        """Return what passes each test of what the test says lies below a directory."""
        return tuple(self._found(root, test) for test in tests)

    def find_sources(self, root: str, test: Callable[[str], bool]) -> Found:
        """Return what passes a test of what the test says lies below a directory."""
        return self._found(root, test)

    def repository(self, folder: str) -> Repository | None:
        """Return a repository that begins at the top and keeps what the test says."""
        return Repository("/", frozenset(self.tracked))

    def ignore_lines(self, top: str, file: str) -> tuple[tuple[str, str], ...]:
        """Return nothing."""
        return ()

    def showing_lines(self, file: str) -> tuple[tuple[str, str], ...]:
        """Return nothing."""
        return ()

    def _found(self, root: str, test: Callable[[str], bool]) -> Found:
        """Return what of a directory passes one test."""
        found = (self.look(path, "/") for path in self.below.get(root, ()))
        wanted = (one for one in found if test(one.lexical) or test(one.real))
        told = (replace(one, is_tracked=one.lexical in self.tracked) for one in wanted)
        return Found(tuple(told), self.is_complete)


def _normal(path: str) -> str:
    """Fold a path."""
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            parts = parts[:-1]
        elif part not in {"", "."}:
            parts.append(part)
    return "/" + "/".join(parts)


def context(
    mode: Mode = Mode.DEFAULT,
    *,
    allow: Iterable[str] = (),
    ask: Iterable[str] = (),
    deny: Iterable[str] = (),
    kind: SourceKind = SourceKind.USER,
    directories: Iterable[str] = (),
    **fields: Any,
) -> PermissionContext:
    """Return a context with rules of one source. Every mode is available."""
    made = PermissionContext(
        WORKSPACE,
        mode,
        directories=tuple(Directory.at(path) for path in directories),
        **{"bypass_available": True, "auto_available": True, **fields},
    )
    return with_rules(made, kind, allow=allow, ask=ask, deny=deny)


def with_rules(
    made: PermissionContext,
    kind: SourceKind = SourceKind.USER,
    *,
    allow: Iterable[str] = (),
    ask: Iterable[str] = (),
    deny: Iterable[str] = (),
) -> PermissionContext:
    """Return a context with more rules of one source."""
    source = Source(kind, f"/{kind}.json", 3, "permissions", made.workspace.anchors(kind))
    texts = ((ALLOW, allow), (ASK, ask), (DENY, deny))
    return made.with_rules(
        parse_rule(text, behaviour, source) for behaviour, listed in texts for text in listed
    )


def request_for(tool: AnyTool, /, agent: AgentIdentity | None = None, **given: Any) -> Request:
    """Return a request for a call of a tool with an input that fits."""
    parsed = parse(tool, given)
    args = getattr(parsed, "args", None)
    assert args is not None, parsed
    call = ToolUse(f"call-{next(_ids)}", tool.name, given)
    traits = ask_traits(tool, args)
    return Request(call, tool, args, traits, Surroundings(APP), agent or AgentIdentity())


@dataclass(frozen=True)
class Judge:
    """Judges calls against one context, with eyes for made-up files."""

    context: PermissionContext
    eyes: Eyes = field(default_factory=PaperEyes)
    hook_vote: Vote | None = None
    tool_vote: Vote | None = None
    surroundings: Surroundings = field(default_factory=lambda: Surroundings(APP))

    def verdict(self, tool: AnyTool, /, **given: Any) -> Verdict:
        """Return the verdict on a call."""
        request = replace(
            request_for(tool, **given),
            hook_vote=self.hook_vote,
            tool_vote=self.tool_vote,
            surroundings=self.surroundings,
        )
        return evaluate(see(request, self.context, self.eyes), self.context)

    def read(self, path: str) -> Behaviour:
        """Judge a reading."""
        return self.verdict(READ_TOOL, file_path=path).behaviour

    def edit(self, path: str) -> Behaviour:
        """Judge an edit."""
        return self.verdict(EDIT_TOOL, file_path=path).behaviour

    def bash(self, command: str) -> Behaviour:
        """Judge a command."""
        return self.verdict(SHELL_TOOL, command=command).behaviour

    def fetch(self, url: str) -> Behaviour:
        """Judge fetching a page."""
        return self.verdict(FETCH_TOOL, url=url).behaviour


def judge(mode: Mode = Mode.DEFAULT, /, **given: Any) -> Judge:
    """Return a judge for a context made of the same words as `context`."""
    return Judge(context(mode, **given))
