"""What the tests of models share."""

from collections.abc import Iterator

import pytest

from gantlet.models.messages_api.direct import DirectTransport
from gantlet.models.messages_api.transport import HttpTransport
from models.messages_api_kit import way


@pytest.fixture(params=[DirectTransport, HttpTransport], ids=["direct", "httpx2"])
def each_transport(request: pytest.FixtureRequest) -> Iterator[None]:
    """Play a test over our own socket and over httpx2."""
    before, way.open = way.open, request.param
    yield
    way.open = before
