"""Every key a settings file may hold: what it takes, and who may set it."""

from enum import StrEnum

from gantlet.messages.value import value
from gantlet.tool import Mode


class Form(StrEnum):
    """What a key takes."""

    TEXT = "text"
    TEXTS = "list of texts"
    TEXT_OR_TEXTS = "text or list of texts"
    NUMBER = "number"
    SWITCH = "true or false"
    OBJECT = "object"
    OBJECTS = "list of objects"
    TEXT_MAP = "object of texts"
    ANYTHING = "any value"

    @property
    def is_list(self) -> bool:
        """Whether what several files say is put together, item by item."""
        return self in {Form.TEXTS, Form.OBJECTS}


class Gate(StrEnum):
    """Whose word counts for a key. The policy, the command line and the user always may."""

    OPEN = "every file"
    TRUST = "project and local files once the folder is trusted"
    NARROWS = "project and local files only to narrow"
    NOT_PROJECT = "never project and local files"
    POLICY = "managed files only"


class Exposure(StrEnum):
    """A part of a folder that could widen what happens, trusted or not on its own."""

    ALLOW = "allow rules"
    DIRECTORIES = "directories"
    HOOKS = "hooks"
    ENVIRONMENT = "environment"
    SERVERS = "servers"
    HELPERS = "helper commands"
    SANDBOX = "sandbox exceptions"
    PLUGINS = "plug-ins"
    AGENTS = "agents"
    SKILLS = "skills"


@value
class Key:
    """One key.

    Attributes:
        exposure: What of a folder has to be trusted before a project's word counts.
        narrow: The one value a project may set, where it can only narrow; what a value that cannot
            be read counts as.
        forbids: It lists what is forbidden, so that losing it must not go unnoticed.
        choices: The words it takes, where they are few.
    """

    name: str
    form: Form
    about: str
    gate: Gate = Gate.OPEN
    exposure: Exposure | None = None
    narrow: str | bool | None = None
    forbids: bool = False
    choices: tuple[str, ...] = ()

    @property
    def only_narrows(self) -> bool:
        """Whether whatever is written there can only forbid more."""
        return self.forbids or (self.gate is Gate.POLICY and self.narrow is not None)

    def narrows_with(self, content: object) -> bool:
        """Return whether this value, whoever wrote it, can only forbid more."""
        return self.only_narrows or (self.narrow is not None and content == self.narrow)


_T, _L, _N, _S, _O = Form.TEXT, Form.TEXTS, Form.NUMBER, Form.SWITCH, Form.OBJECT
_TRUST, _NARROWS, _OURS, _POLICY = Gate.TRUST, Gate.NARROWS, Gate.NOT_PROJECT, Gate.POLICY
_MODES = (*Mode, "manual")

_PERMISSIONS = (
    Key("permissions.allow", _L, "Rules for calls that may run.", _TRUST, Exposure.ALLOW),
    Key("permissions.ask", _L, "Rules for calls to ask about.", forbids=True),
    Key("permissions.deny", _L, "Rules for calls that may not run.", forbids=True),
    Key("permissions.defaultMode", _T, "The mode sessions start in.", _OURS, choices=_MODES),
    Key(
        "permissions.disableBypassPermissionsMode", _T, "'disable' switches bypass off.", _NARROWS,
        narrow="disable", choices=("disable",),
    ),
    Key(
        "permissions.disableAutoMode", _T, "'disable' switches auto mode off.", _NARROWS,
        narrow="disable", choices=("disable",),
    ),
    Key(
        "permissions.additionalDirectories", _L, "More working directories.", _TRUST,
        Exposure.DIRECTORIES,
    ),
    Key(
        "permissions.blockReadsOutsideWorkingDirectories", _S,
        "Deny reading outside the working directories.", _NARROWS, narrow=True,
    ),
    Key(
        "permissions.blockWritesOutsideWorkingDirectories", _S,
        "Deny writing outside the working directories.", _NARROWS, narrow=True,
    ),
    Key(
        "permissions.blockReadsExemptPaths", _L, "What may be read there all the same.", _TRUST,
        Exposure.DIRECTORIES,
    ),
    Key(
        "permissions.workingDirectoriesAsGiven", _S,
        "Take working directories as they are written, links and all.", _OURS,
    ),
    Key(
        "permissions.denyInsteadOfPrompting", _S, "Deny whatever would be asked about.", _NARROWS,
        narrow=True,
    ),
)  # fmt: skip

_SANDBOX = (
    Key("sandbox.enabled", _S, "Run shell commands in the sandbox.", _NARROWS, narrow=True),
    Key(
        "sandbox.failIfUnavailable", _S, "Run no command where there is no sandbox.", _NARROWS,
        narrow=True,
    ),
    Key("sandbox.autoAllowBashIfSandboxed", _S, "Ask less inside the sandbox.", _NARROWS,
        narrow=False),
    Key("sandbox.allowUnsandboxedCommands", _S, "Let a command ask to run outside.", _NARROWS,
        narrow=False),
    Key("sandbox.excludedCommands", _L, "Commands that run outside.", _OURS),
    Key("sandbox.ignoreViolations", _O, "Violations not to report, by command.", _OURS),
    Key("sandbox.enableWeakerNestedSandbox", _S, "Settle for less inside a container.", _NARROWS,
        narrow=False),
    Key("sandbox.enableWeakerNetworkIsolation", _S, "Settle for less for the network.", _NARROWS,
        narrow=False),
    Key("sandbox.ripgrep", _O, "The program that searches, with its args.", _OURS),
    Key("sandbox.bwrapPath", _T, "Where bubblewrap is.", _OURS),
    Key("sandbox.socatPath", _T, "Where socat is.", _OURS),
    Key("sandbox.credentials", _O, "Files and variables with secrets, to be hidden."),
    Key("sandbox.network.allowedDomains", _L, "Hosts that may be reached.", _TRUST,
        Exposure.SANDBOX),
    Key("sandbox.network.deniedDomains", _L, "Hosts that may not be reached.", forbids=True),
    Key("sandbox.network.strictAllowlist", _S, "Reach no other host, without asking.", _NARROWS,
        narrow=True),
    Key("sandbox.network.allowManagedDomainsOnly", _S, "Only the policy's hosts count.", _POLICY,
        narrow=True),
    Key("sandbox.network.allowUnixSockets", _L, "Sockets that may be used.", _TRUST,
        Exposure.SANDBOX),
    Key("sandbox.network.allowAllUnixSockets", _S, "Every socket may be used.", _NARROWS,
        narrow=False),
    Key("sandbox.network.allowLocalBinding", _S, "Ports may be listened on.", _NARROWS,
        narrow=False),
    Key("sandbox.network.allowMachLookup", _L, "Services of macOS that may be used.", _OURS),
    Key("sandbox.network.httpProxyPort", _N, "The port of a proxy of your own.", _OURS),
    Key("sandbox.network.socksProxyPort", _N, "The port of a SOCKS proxy of your own.", _OURS),
    Key("sandbox.network.tlsTerminate", _O, "How the proxy opens TLS.", _OURS),
    Key("sandbox.filesystem.allowWrite", _L, "Where commands may write.", _TRUST, Exposure.SANDBOX),
    Key("sandbox.filesystem.denyWrite", _L, "Where commands may not write.", forbids=True),
    Key("sandbox.filesystem.denyRead", _L, "What commands may not read.", forbids=True),
    Key("sandbox.filesystem.allowRead", _L, "What they may read all the same.", _TRUST,
        Exposure.SANDBOX),
    Key("sandbox.filesystem.allowManagedReadPathsOnly", _S, "Only the policy's count.", _POLICY,
        narrow=True),
    Key("sandbox.filesystem.disabled", _S, "Do not guard files.", _NARROWS, narrow=False),
)  # fmt: skip

_SHELL = (
    Key("shell.snapshot", _S, "Have functions and aliases of the user's shell in commands.", _OURS),
    Key("shell.trackChanges", _S, "Look for the files that a command changed.", _OURS),
    Key("shell.keepBackgroundTasks", _S, "Let background tasks outlive the session.", _OURS),
    Key("shell.keepVariables", _L, "Credentials that commands get all the same.", _OURS),
    Key("shell.programFolders", _L, "Folders whose programs are the known ones.", _OURS),
    Key("shell.maxProcesses", _N, "How many processes one command may have.", _OURS),
    Key("shell.maxMemoryBytes", _N, "How much memory each of its processes may have.", _OURS),
    Key("shell.maxFileBytes", _N, "How large a file it may write.", _OURS),
    Key("shell.maxOpenFiles", _N, "How many files each of its processes may open.", _OURS),
    Key("shell.maxCpuSeconds", _N, "How long each of its processes may compute.", _OURS),
)  # fmt: skip

_PROGRAMS = (
    Key("hooks", _O, "Programs to run at named events.", _TRUST, Exposure.HOOKS),
    Key("disableAllHooks", _S, "Run no hooks but the policy's.", _TRUST, Exposure.HOOKS),
    Key("allowManagedHooksOnly", _S, "Run only the policy's hooks.", _POLICY, narrow=True),
    Key("allowedHttpHookUrls", _L, "Where http hooks may send to.", _TRUST, Exposure.HOOKS),
    Key("httpHookAllowedEnvVars", _L, "Variables http hooks may send.", _TRUST, Exposure.HOOKS),
    Key("env", Form.TEXT_MAP, "Variables for the programs that are run.", _TRUST,
        Exposure.ENVIRONMENT),
    Key("apiKeyHelper", _T, "A command that prints the API key.", _TRUST, Exposure.HELPERS),
    Key("awsAuthRefresh", _T, "A command that signs in.", _TRUST, Exposure.HELPERS),
    Key("awsCredentialExport", _T, "A command that prints credentials.", _TRUST, Exposure.HELPERS),
    Key("gcpAuthRefresh", _T, "A command that signs in.", _TRUST, Exposure.HELPERS),
    Key("otelHeadersHelper", _T, "A command that prints telemetry headers.", _TRUST,
        Exposure.HELPERS),
    Key("statusLine", _O, "A command that prints the status line.", _TRUST, Exposure.HELPERS),
    Key("subagentStatusLine", _O, "The same for sub-agents.", _TRUST, Exposure.HELPERS),
    Key("fileSuggestion", _O, "A command that suggests files.", _TRUST, Exposure.HELPERS),
    Key("enableAllProjectMcpServers", _S, "Start every server of .mcp.json.", _TRUST,
        Exposure.SERVERS),
    Key("enabledMcpjsonServers", _L, "Servers of .mcp.json to start.", _TRUST, Exposure.SERVERS),
    Key("disabledMcpjsonServers", _L, "Servers of .mcp.json not to start.", forbids=True),
    Key("allowedMcpServers", Form.OBJECTS, "The only servers that may be used.", _OURS),
    Key("deniedMcpServers", Form.OBJECTS, "Servers that may not be used.", forbids=True),
    Key("allowManagedMcpServersOnly", _S, "Only the policy's servers count.", _POLICY,
        narrow=True),
    Key("enabledPlugins", _O, "Plug-ins that are on.", _TRUST, Exposure.PLUGINS),
    Key("extraKnownMarketplaces", _O, "Where plug-ins come from.", _TRUST, Exposure.PLUGINS),
    Key("strictKnownMarketplaces", Form.OBJECTS, "The only places they come from.", _POLICY),
    Key("blockedMarketplaces", Form.OBJECTS, "Places they may not come from.", _POLICY),
    Key("allowManagedPermissionRulesOnly", _S, "Only the policy's allow rules count.", _POLICY,
        narrow=True),
    Key("forceLoginMethod", _T, "How people have to sign in.", _POLICY),
    Key("forceLoginOrgUUID", Form.TEXT_OR_TEXTS, "Where they have to sign in.", _POLICY),
    Key("companyAnnouncements", _L, "What people are told at the start.", _POLICY),
    Key("skipDangerousModePermissionPrompt", _S, "Do not warn of bypass again.", _OURS),
    Key("skipAutoPermissionPrompt", _S, "Do not explain auto mode again.", _OURS),
    Key("disableSkillShellExecution", _S, "Skills run no commands.", _NARROWS, narrow=True),
    Key("plansDirectory", _T, "Where plans are kept.", _TRUST, Exposure.DIRECTORIES),
    Key("autoMemoryDirectory", _T, "Where memory is kept.", _OURS),
    Key("worktree", _O, "How worktrees are made.", _TRUST, Exposure.DIRECTORIES),
)  # fmt: skip

_PLAIN = (
    Key("model", _T, "The model to ask."),
    Key("fallbackModel", Form.TEXT_OR_TEXTS, "Models to ask when it cannot answer."),
    Key("availableModels", _L, "The models that may be chosen."),
    Key("effortLevel", _T, "How hard the model thinks.",
        choices=("low", "medium", "high", "xhigh", "max")),
    Key("alwaysThinkingEnabled", _S, "Let the model think first."),
    Key("outputStyle", _T, "The output style, by name."),
    Key("language", _T, "The language to answer in."),
    Key("agent", _T, "The agent that a session is, by name."),
    Key("cleanupPeriodDays", _N, "How long sessions are kept; 30 days."),
    Key("includeCoAuthoredBy", _S, "Sign commits as a co-author."),
    Key("attribution", _O, "What commits and pull requests are signed with."),
    Key("skillOverrides", _O, "Which skills are shown."),
    Key("skillListingMaxDescChars", _N, "How long a skill's description may be."),
    Key("skillListingBudgetFraction", _N, "How much of the context skills may take."),
    Key("defaultShell", _T, "The shell for commands.", choices=("bash", "powershell")),
    Key("bashOutputMaxChars", _N, "How much a command may print into the conversation."),
    Key("taskOutputMaxChars", _N, "The same for a task in the background."),
    Key("autoCompactEnabled", _S, "Compact by itself."),
    Key("autoCompactWindow", _N, "How many tokens may be there before."),
    Key("fileCheckpointingEnabled", _S, "Keep what edits replace."),
    Key("respectGitignore", _S, "Leave out what git ignores when files are suggested."),
    Key("askUserQuestionTimeout", _T, "How long a question waits.", choices=("60s", "5m", "10m")),
    Key("claudeMdExcludes", _L, "Memory files to leave out."),
    Key("autoMemoryEnabled", _S, "Keep a memory."),
    Key("siblingFailure", _T, "Which calls a failed command stops.",
        choices=("dependent", "all", "off")),
    Key("spinnerTipsEnabled", _S, "Show tips while waiting."),
    Key("prefersReducedMotion", _S, "Move less on the screen."),
    Key("showThinkingSummaries", _S, "Show what the model thought, in short."),
    Key("autoUpdatesChannel", _T, "Which versions are offered."),
    Key("editorMode", _T, "How the prompt is edited.", choices=("normal", "vim")),
    Key("theme", _T, "The colours."),
    Key("feedbackSurveyRate", _N, "How often you are asked how it went."),
)  # fmt: skip

KEYS = {key.name: key for key in (*_PERMISSIONS, *_PLAIN, *_PROGRAMS, *_SANDBOX, *_SHELL)}
#: Objects whose members are keys of their own.
GROUPS = frozenset(
    {"permissions", "sandbox", "sandbox.network", "sandbox.filesystem", "shell"}
)  # fmt: skip
#: What an editor needs, and we do not.
SCHEMA_KEY = "$schema"
