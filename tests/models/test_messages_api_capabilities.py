"""What is assumed of a model by its name and its host."""

import pytest

from gantlet.messages import Capabilities
from gantlet.models.messages_api import Endpoint, MessagesApi
from gantlet.models.messages_api.capabilities import capabilities_of

CURRENT = [
    "claude-fable-5-2",
    "claude-haiku-5-5",
    "claude-mythos-5-2",
    "claude-opus-5-5",
    "claude-sonnet-5-5",
]


@pytest.mark.parametrize("model", CURRENT)
def test_the_current_models_can_do_everything_at_the_public_api(model: str) -> None:
    known = MessagesApi(Endpoint()).capabilities(model)

    assert known.model == model
    assert known.thinking
    assert known.strict_tools
    assert known.input_examples
    assert known.deferred_tools
    assert known.context_tokens == 200_000


@pytest.mark.parametrize("model", CURRENT)
def test_another_host_is_asked_for_nothing_it_might_not_know(model: str) -> None:
    elsewhere = Endpoint("http://gateway.test")
    known = MessagesApi(elsewhere).capabilities(model)

    assert known.thinking
    assert not known.strict_tools
    assert not known.input_examples
    assert not known.deferred_tools


def test_another_host_can_be_vouched_for() -> None:
    mine = Capabilities("mine", thinking=True, context_tokens=32_000)
    model = MessagesApi(Endpoint("http://gateway.test", full_api=True), known_models={"mine": mine})

    assert model.capabilities("claude-opus-5-5").strict_tools
    assert model.capabilities("mine") == mine
    assert model.capabilities("other") == Capabilities("other")


@pytest.mark.parametrize(
    ("model", "price"),
    [
        ("claude-opus-5-5", (4.0, 20.0, 5.0, 0.2)),
        ("claude-opus-5", (5.0, 25.0, 6.25, 0.5)),
        ("claude-opus-4-5-20251101", (5.0, 25.0, 6.25, 0.5)),
        ("claude-opus-4-1@20250805", (15.0, 75.0, 18.75, 1.5)),
        ("claude-opus-4-20250514", (15.0, 75.0, 18.75, 1.5)),
        ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", (3.0, 15.0, 3.75, 0.3)),
        ("anthropic/claude-sonnet-4.6", (3.0, 15.0, 3.75, 0.3)),
        ("claude-haiku-4-5", (1.0, 5.0, 1.25, 0.1)),
        ("claude-opus-5-9", (None, None, None, None)),
        ("claude-opus-55", (None, None, None, None)),
        ("llama", (None, None, None, None)),
        ("", (None, None, None, None)),
    ],
)
def test_a_price_is_known_or_it_is_not(model: str, price: tuple[float | None, ...]) -> None:
    known = capabilities_of(model, has_full_api=True)

    assert price == (
        known.input_usd_per_million,
        known.output_usd_per_million,
        known.cache_write_usd_per_million,
        known.cache_read_usd_per_million,
    )


@pytest.mark.parametrize(
    ("model", "can_defer", "max_output"),
    [
        ("claude-3-5-haiku-20241022", False, 8_192),
        ("claude-opus-4-20250514", False, 32_000),
        ("claude-opus-4-1-20250805", False, 32_000),
        ("claude-sonnet-4-0", False, 64_000),
        ("claude-sonnet-4-5", True, 64_000),
        ("claude-opus-4-5", True, 64_000),
        ("claude-opus-4-8", True, 128_000),
        ("claude-haiku-7", True, 128_000),
    ],
)
def test_older_models_can_do_less(model: str, can_defer: bool, max_output: int) -> None:
    known = capabilities_of(model, has_full_api=True)

    assert (known.deferred_tools, known.max_output_tokens) == (can_defer, max_output)
