"""Use an agent in a program that is not async, and talk to it more than once.

Run it with `python examples/agent_sync.py`. No key and no network are needed.
"""

from gantlet import Agent, ScriptedModel, script_of, tool


@tool(read_only=True)
def roman(number: int) -> str:
    """Write a number between 1 and 39 in Roman numerals."""
    tens, ones = divmod(number, 10)
    units = ("", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX")
    return "X" * tens + units[ones]


SCRIPT = script_of(
    {"call": "roman", "input": {"number": 14}},
    "It is {{ result.last.text }}.",
    {"call": "roman", "input": {"number": 28}},
    "Twice that is {{ result.last.text }}.",
)


def main() -> None:
    """Ask twice; the second question goes on with the conversation of the first."""
    agent = Agent(ScriptedModel(SCRIPT), tools=[roman])

    for prompt in ("Write 14 as a Roman would.", "And twice as much?"):
        result = agent.run_sync(prompt)
        print(f"you:   {prompt}\nmodel: {result.text}\n")

    print(f"The conversation has {len(agent.messages)} messages now.")


if __name__ == "__main__":
    main()
