"""A typed function becomes a tool: how a model sees it, and what it is answered.

Run it with `python examples/a_function_as_a_tool.py`. No model and no network are needed.
"""

import json
from typing import Annotated, Literal

from gantlet import tool
from gantlet.tool import Invalid, RequestView, as_text, parse

DEGREES = {"Oslo": 4, "Lisbon": 19, "Nairobi": 24}


@tool(read_only=True)
def temperature(
    city: Annotated[str, "Name of the city, in English."],
    unit: Literal["celsius", "fahrenheit"] = "celsius",
) -> str:
    """Tell how warm it is in a city right now."""
    degrees = DEGREES.get(city, 15)
    if unit == "fahrenheit":
        degrees = round(degrees * 9 / 5 + 32)
    return f"{degrees} degrees {unit} in {city}"


def answer(given: dict[str, object]) -> str:
    """Answer one call as the engine would: check the input, then run the function."""
    outcome = parse(temperature, given)
    if isinstance(outcome, Invalid):
        return outcome.message
    return as_text(temperature(**outcome.args))


def show(title: str, text: str) -> None:
    """Print a text below its title."""
    print(f"\n{title}")
    for line in text.splitlines():
        print(f"    {line}")


def main() -> None:
    """Show the tool from the model's side."""
    schema = temperature.input_format.json_schema
    fields = schema["properties"]
    assert isinstance(fields, dict)

    print(f"The function {temperature.name}() is a tool. A model sees:")
    print(f"\n    {temperature.describe(RequestView())}")
    for name, field in fields.items():
        print(f"    {name:<5} {json.dumps(field)}")

    good: dict[str, object] = {"city": "Oslo", "unit": "fahrenheit"}
    show(f"It calls the tool with {json.dumps(good)} and reads:", answer(good))

    bad: dict[str, object] = {"city": 7, "units": "kelvin"}
    show(f"It makes mistakes, {json.dumps(bad)}, and reads how to mend them:", answer(bad))

    show("You can still call it like the function it is:", temperature("Nairobi"))


if __name__ == "__main__":
    main()
