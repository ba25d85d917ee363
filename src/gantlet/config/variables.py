"""Variables that a project's files never set, trusted or not."""

import re
from functools import cache

#: Where requests go and with whose key, through which proxy, whose certificates are believed, where
#: our own files lie, and what makes a shell do something else than the command says.
_NEVER = r"""
    ANTHROPIC_(?!MODEL$|DEFAULT_\w+_MODEL$|SMALL_FAST_MODEL$).*
    | (?:HTTPS?|ALL|NO|FTP|SOCKS\d?|WSS?|RSYNC|GRPC|CLAUDE_CODE)_PROXY(?:_\w+)? | .*_PROXY
    | .*PROXY.*(?:HOST|PORT|AUTH|USER|PASS\w*)
    | SSL_CERT_(?:FILE|DIR) | SSLKEYLOGFILE | .*_CA_(?:BUNDLE|CERTS?|FILE|PATH) | .*_CACERT
    | CURL_SSL_BACKEND | OPENSSL_(?:CONF|MODULES|ENGINES) | NODE_EXTRA_CA_CERTS
    | NODE_TLS_REJECT_UNAUTHORIZED | NODE_USE_SYSTEM_CA | GIT_SSL_\w+ | PYTHONHTTPSVERIFY
    | CLAUDE_CODE_(?:CLIENT_\w+|CERT_\w+|API_\w+|SKIP_\w+|USE_\w+|SIMPLE|SAFE_MODE|SHELL\w*)
    | CLAUDE_CODE_(?:SUBPROCESS_ENV_SCRUB|EXTRA_BODY|TMPDIR|OAUTH_\w+|BUBBLEWRAP|DISABLE_SANDBOX\w*)
    | CLAUDE_CODE_(?:\w*SANDBOX\w*|\w*PERMISSION\w*|\w*TRUST\w*|\w*BYPASS\w*|\w*SETTINGS\w*)
    | CLAUDE_(?:CONFIG_DIR|ENV_FILE|BASH_NO_LOGIN) | IS_SANDBOX | GANTLET_.*
    | (?:AWS|GOOGLE|AZURE|VERTEX|BEDROCK)_\w*(?:ENDPOINT|BASE_URL)\w*
    | OTEL_EXPORTER_\w*(?:ENDPOINT|HEADERS|CERTIFICATE|CLIENT_KEY)\w*
    | LD_(?:PRELOAD|AUDIT) | DYLD_INSERT_LIBRARIES | HOME
    | BASH_ENV | ENV | SHELLOPTS | BASHOPTS | PS4 | PROMPT_COMMAND | IFS | CDPATH | GLOBIGNORE
    | BASH_FUNC_.*
    """
#: What of a project's variables also tunes our own tools, once it is trusted.
_TUNES_TOOLS = re.compile(
    r"BASH_(?:DEFAULT_TIMEOUT_MS|MAX_TIMEOUT_MS|MAX_OUTPUT_LENGTH)|MCP_(?:TOOL_)?TIMEOUT"
    r"|MAX_MCP_OUTPUT_TOKENS|TASK_MAX_OUTPUT_LENGTH|CLAUDE_CODE_MAX_TOOL_USE_CONCURRENCY"
    r"|CLAUDE_CODE_FILE_READ_MAX_OUTPUT_TOKENS|CLAUDE_CODE_GLOB_\w+|ENABLE_TOOL_SEARCH"
    r"|CLAUDE_BASH_MAINTAIN_PROJECT_WORKING_DIR"
)


#: What decides which program a name means, or what a program loads and runs besides.
_STEERS_PROGRAMS = re.compile(
    r"PATH|LD_\w+|DYLD_\w+|PYTHON(?:PATH|HOME|STARTUP|INSPECT|BREAKPOINT|USERBASE|WARNINGS)"
    r"|PERL5?(?:OPT|LIB|DB)|RUBY(?:OPT|LIB)|NODE_(?:OPTIONS|PATH)|\w*JAVA\w*_OPTIONS"
    r"|GIT_(?:EXEC_PATH|SSH\w*|EXTERNAL_DIFF|PROXY_COMMAND|CONFIG\w*|TEMPLATE_DIR|ASKPASS|DIR)"
    r"|\w+_WRAPPER"
)


def is_never_a_projects(name: str) -> bool:
    """Return whether a project's files may not set a variable, even once they are trusted."""
    return _never().fullmatch(name.strip()) is not None


@cache
def _never() -> re.Pattern[str]:
    """Return the pattern, made when it is needed: that takes milliseconds."""
    return re.compile(_NEVER, re.VERBOSE | re.IGNORECASE)


def tunes_tools(name: str) -> bool:
    """Return whether a trusted project's variable also changes limits of our own tools."""
    return _TUNES_TOOLS.fullmatch(name) is not None


def steers_programs(name: str) -> bool:
    """Return whether a variable decides which programs run, or what they load."""
    return _STEERS_PROGRAMS.fullmatch(name) is not None
