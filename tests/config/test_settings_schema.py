"""The published schema of settings files: fresh, and of one mind with whoever reads them."""

import json
from pathlib import Path

import jsonschema_rs
import pytest

from config.settings_kit import Desk
from gantlet.config import KEYS, Form
from gantlet.config.schema import settings_schema

ROOT = Path(__file__).resolve().parents[2]
SAMPLES: list[object] = [
    "default",
    "disable",
    "low",
    "bash",
    "60s",
    "dependent",
    "vim",
    "",
    "  ",
    "a\0b",
    0,
    7,
    1.5,
    -1,
    10**16,
    True,
    False,
    None,
    [],
    ["a", "b"],
    ["a", 3],
    [" "],
    [{}],
    {},
    {"A": "1"},
    {"A": 1},
    {"A=B": "1"},
]


def test_the_published_schema_is_fresh() -> None:
    published = json.loads((ROOT / "docs" / "settings.schema.json").read_text())

    assert published == settings_schema(), "Run: make schemas"


def test_the_schema_is_one() -> None:
    jsonschema_rs.meta.validate(settings_schema())


@pytest.mark.parametrize("key", [name for name in KEYS if name != "hooks"])
def test_the_schema_accepts_exactly_what_is_taken_without_a_word(tmp_path: Path, key: str) -> None:
    desk = Desk(tmp_path.resolve())
    schema = jsonschema_rs.validator_for(settings_schema())

    for sample in SAMPLES:
        settings: object = sample
        for name in reversed(key.split(".")):
            settings = {name: settings}
        desk.write("policy", settings)

        read = desk.read()

        accepted = schema.is_valid(settings)
        malformed_rules = KEYS[key].form is Form.TEXTS and len(read.rules) > 0 and accepted
        assert accepted == (not read.problems) or malformed_rules, (sample, read.problems)


@pytest.mark.parametrize(
    ("hooks", "is_fine"),
    [
        ({}, True),
        ({"PreToolUse": []}, True),
        ({"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}, True),
        (
            {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "x"}]}]},
            True,
        ),
        ({"Nope": []}, False),
        ({"PreToolUse": {}}, False),
        ({"PreToolUse": [{"matcher": 3, "hooks": []}]}, False),
        ({"PreToolUse": [{"hooks": [{"type": "nope"}]}]}, False),
        ([], False),
    ],
    ids=str,
)
def test_the_schema_and_the_reader_agree_on_hooks(
    tmp_path: Path, hooks: object, is_fine: bool
) -> None:
    desk = Desk(tmp_path.resolve())
    desk.write("user", {"hooks": hooks})

    assert (not desk.read().problems) == is_fine
    assert jsonschema_rs.is_valid(settings_schema(), {"hooks": hooks}) == is_fine


def test_unknown_keys_and_the_schemas_own_are_accepted() -> None:
    settings = {"$schema": "./settings.schema.json", "later": 1, "sandbox": {"later": {}}}

    assert jsonschema_rs.is_valid(settings_schema(), settings)
