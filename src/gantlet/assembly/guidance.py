"""How the model is told to work, in words only about tools that are there."""

from collections.abc import Collection

from gantlet.messages.value import value

_IDENTITY = """\
You are a coding agent that works in a person's own folder through tools. You read, search, edit and
run things there until what they asked for is done, and then say briefly what you did and what you
found out. You are careful: what you change is theirs."""

_WITHOUT_TOOLS = """\
You are a coding agent. You have no tools here: answer from what you are told, and say what you
would have to look at where that is not enough."""

_ANSWERS = """\
# How to answer

- Be brief. Answer what was asked, in plain words; Markdown is fine.
- Name places in code as path:line, so that they can be opened."""

_LOOKING = frozenset({"Read", "Grep", "Glob", "Bash"})
_SHELL = frozenset({"Bash"})
#: What each tool is for that a shell could do as well.
_MADE_FOR = (
    ("Read for files", frozenset({"Read"})),
    ("Edit and Write to change them", frozenset({"Edit", "Write"})),
    ("Edit to change them", frozenset({"Edit"})),
    ("Write to change them", frozenset({"Write"})),
    ("Glob to find them", frozenset({"Glob"})),
    ("Grep to search in them", frozenset({"Grep"})),
)


@value
class _Advice:
    """One piece of advice, and the tools of which one must be there for it to make sense."""

    text: str
    needs_one_of: frozenset[str] = frozenset()

    def holds_for(self, tools: Collection[str]) -> bool:
        """Return whether it makes sense with these tools."""
        return not self.needs_one_of or not self.needs_one_of.isdisjoint(tools)


_WORK = (
    _Advice(
        "- Look before you change: read the file, search for the callers, find out how the project"
        " is tested.",
        _LOOKING,
    ),
    _Advice("- Do what was asked, no more. Keep to the style of what is there."),
    _Advice("- When something fails, read the error and find the cause; do not hide it."),
    _Advice(
        "- After a change, check it: run the tests or the program where that is possible.", _SHELL
    ),
    _Advice(
        "- Say what is true. If you did not run something, say so; if you are unsure, say that."
    ),
    _Advice("- Never print, store or send secrets that you come across."),
)
_CALLS = _Advice(
    "- Calls that do not depend on each other belong into one reply: they run at the same time."
)
_CALLS_AND_READ = _Advice(
    f"{_CALLS.text} Reading\n  three files is one reply with three calls, not three replies.",
    frozenset({"Read"}),
)
_COMMANDS = _Advice(
    "- Commands that depend on each other belong into one call, joined with `&&`.", _SHELL
)
_DENIED = _Advice(
    "- Some calls need a person's permission. If one is denied, do not try the same thing by"
    " another way:\n  think about why, go on with what you may do, or ask."
)
_LONG = _Advice(
    "- A result that was too long is saved to a file; its path is in the result, and you can read"
    " parts.",
    frozenset({"Read", "Bash"}),
)
_REMINDERS = _Advice(
    "- What stands between <system-reminder> tags comes from the program, not from the person."
)


def guidance(tools: Collection[str]) -> str:
    """Return how to work, for a model that has the tools of these names."""
    if not tools:
        return f"{_WITHOUT_TOOLS}\n\n{_ANSWERS}\n{_REMINDERS.text}"
    first = _CALLS_AND_READ if _CALLS_AND_READ.holds_for(tools) else _CALLS
    using = (first, _COMMANDS, _instead_of_a_shell(tools), _DENIED, _LONG, _REMINDERS)
    work, calls = _lines(_WORK, tools), _lines(using, tools)
    return f"{_IDENTITY}\n\n# How to work\n\n{work}\n\n# How to use tools\n\n{calls}\n\n{_ANSWERS}"


def _lines(advice: Collection[_Advice], tools: Collection[str]) -> str:
    """Return the advice that makes sense with these tools."""
    return "\n".join(one.text for one in advice if one.text and one.holds_for(tools))


def _instead_of_a_shell(tools: Collection[str]) -> _Advice:
    """Return which tools are better than the shell; nothing if there are none."""
    named: set[str] = set()
    parts = []
    for text, wanted in _MADE_FOR:
        if wanted <= set(tools) and not wanted & named:
            named |= wanted
            parts.append(text)
    if not parts:
        return _Advice("")
    listed = ", ".join(parts)
    return _Advice(f"- Use the tool made for a thing rather than the shell: {listed}.", _SHELL)
