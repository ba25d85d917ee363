"""What every test shares: the event loop, and how long a property is searched."""

import os

import pytest
from hypothesis import settings

from fair_loop import FairLoop

# The same examples each time: what decides whether a change lands may not depend on luck. The deep
# run searches at random.
settings.register_profile("short", max_examples=50, deadline=None, derandomize=True)
settings.register_profile("deep", max_examples=2000, deadline=None)
settings.load_profile("deep" if os.environ.get("GANTLET_TEST_DEPTH") == "deep" else "short")


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, object]]:
    """Run every async test on asyncio, the only loop we run on, by a clock that is fair."""
    return "asyncio", {"loop_factory": FairLoop}
