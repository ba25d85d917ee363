"""What `gantlet -p --help` says about each flag: its value's name, and one sentence."""

from collections.abc import Mapping

#: Flags by the heading they stand under and the field they fill: the value's name, and the words.
WORDS: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "what goes in and comes out": {
        "is_print": ("", "run the prompt without a screen and print what came of it"),
        "output_format": (
            "FORMAT",
            "text (default), json (one object) or stream-json (as it happens)",
        ),
        "input_format": (
            "FORMAT",
            "text (default), or stream-json: a program drives us over stdin",
        ),
        "is_verbose": ("", "tell everything; stream-json needs it"),
        "include_partial_messages": ("", "stream-json: also the model's words while they come"),
        "include_hook_events": ("", "stream-json: also what hooks do"),
        "replay_user_messages": ("", "stream-json: repeat each user message when it is taken"),
        "json_schema": ("SCHEMA", "have the answer fit a JSON Schema, as structured_output"),
    },
    "the model": {
        "model": ("MODEL", "which to ask: a whole name, or sonnet, opus, haiku, fable, default"),
        "fallback_model": ("MODELS", "whom to ask when that one is overloaded, with commas"),
        "max_turns": ("N", "how many requests one prompt may take"),
        "max_budget_usd": ("USD", "how much one run may cost"),
        "max_output_tokens": ("N", "how many tokens may be written for one prompt"),
        "max_seconds": ("SECONDS", "how long one prompt may take"),
        "effort": ("LEVEL", "low, medium, high, xhigh or max"),
        "thinking": ("KIND", "adaptive, enabled or disabled"),
        "max_thinking_tokens": ("N", "how long it may think; 0 is not at all"),
        "thinking_display": ("KIND", "taken from programs that send it; changes nothing"),
        "task_budget": ("N", "taken from programs that send it; changes nothing"),
        "betas": ("NAMES", "beta features of the API to switch on"),
        "script": ("FILE", "play a script in the model's place; needs no key"),
        "record": ("FILE", "write what the model is asked and says to a new cassette"),
        "replay": ("FILE", "play a cassette in the model's place; needs no key"),
    },
    "what the model is told": {
        "system_prompt": ("TEXT", "say this instead of our own instructions"),
        "system_prompt_file": ("FILE", "the same from a file"),
        "append_system_prompt": ("TEXT", "say this after our own instructions"),
        "append_system_prompt_file": ("FILE", "the same from a file"),
        "exclude_dynamic": ("", "tell folder, date and repository with the prompt instead"),
        "is_bare": ("", "leave out what CLAUDE.md files say"),
        "agents": ("JSON", "agents by name, each with a description and a prompt"),
    },
    "what it may do": {
        "tools": ("TOOLS", "which built-in tools there are: default, A,B or '' for none"),
        "allowed_tools": ("RULES", "what needs no question, such as Read or 'Bash(git status:*)'"),
        "disallowed_tools": ("RULES", "what must not happen"),
        "permission_mode": (
            "MODE",
            "default, acceptEdits, plan, auto, dontAsk or bypassPermissions",
        ),
        "permission_prompt_tool": (
            "TOOL",
            "who is asked: stdio for the driving program, or a tool of one of its servers",
        ),
        "add_dir": ("FOLDER", "another folder to work in; more may follow"),
        "skip_permissions": ("", "ask about nothing; refused as root without IS_SANDBOX=1"),
        "allow_skip_permissions": ("", "let a program switch to that mode later"),
        "trust": ("", "trust this folder for this run"),
    },
    "settings and servers": {
        "settings": ("FILE-OR-JSON", "settings of this run, above those of files"),
        "setting_sources": ("SOURCES", "which files count: user, project, local; '' for none"),
        "mcp_config": ("FILE-OR-JSON", "MCP servers of this run; more may follow"),
        "strict_mcp_config": ("", "take only the servers of --mcp-config"),
        "disable_slash_commands": ("", "take words that begin with / as they are"),
        "await_initialize": ("", "taken from programs that send it; changes nothing"),
        "forward_subagent_text": ("", "taken from programs that send it; changes nothing yet"),
    },
    "sessions": {
        "is_continued": ("", "go on with the newest session of this folder"),
        "resume": ("SESSION", "go on with this session, by its id or name"),
        "fork_session": ("", "with one of those: go on with a copy"),
        "resume_session_at": ("UUID", "go on behind this message, and drop what came later"),
        "resume_drops_turn": ("UUID", "refuse that unless this message is dropped by it"),
        "session_id": ("UUID", "the id of the new session"),
        "name": ("TEXT", "the title of the session"),
        "is_unrecorded": ("", "write nothing down"),
    },
    "finding out what is wrong": {
        "debug": ("FILTER", "log what happens to stderr; a filter names parts of gantlet"),
        "debug_file": ("FILE", "log it to a file"),
    },
}
