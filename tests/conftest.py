"""What every test shares: the event loop, the environment, and how long a property is searched."""

import os

import pytest
from hypothesis import HealthCheck, settings

from fair_loop import FairLoop

#: What the environment of whoever runs the tests may say about us, git and the network.
FOREIGN = ("ANTHROPIC_", "API_", "BASH_", "CLAUDE", "ENABLE_", "GANTLET_", "GIT_", "MAX_", "OTEL_")
PROXIES = ("all_proxy", "http_proxy", "https_proxy", "no_proxy")
for name in list(os.environ):
    is_foreign = name.startswith(FOREIGN) and not name.startswith("GANTLET_TEST_")
    if is_foreign or name.lower() in PROXIES:
        del os.environ[name]
os.environ |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}

#: How slow the machine is says nothing about us.
UNHURRIED = [HealthCheck.too_slow]
# The same examples each time: what decides whether a change lands may not depend on luck. The deep
# run searches at random.
settings.register_profile(
    "short", max_examples=50, deadline=None, derandomize=True, suppress_health_check=UNHURRIED
)
settings.register_profile("deep", max_examples=2000, deadline=None, suppress_health_check=UNHURRIED)
settings.load_profile("deep" if os.environ.get("GANTLET_TEST_DEPTH") == "deep" else "short")


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, object]]:
    """Run every async test on asyncio, the only loop we run on, by a clock that is fair."""
    return "asyncio", {"loop_factory": FairLoop}
