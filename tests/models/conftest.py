"""What the tests of models share."""

import os
from collections.abc import Iterator

import pytest

from gantlet.models.messages_api import Endpoint
from gantlet.models.messages_api.direct import DirectTransport
from gantlet.models.messages_api.transport import HttpTransport
from models.messages_api_kit import way


def early(endpoint: Endpoint) -> DirectTransport:
    """Return a way to the server that has begun to connect before there is a request."""
    transport = DirectTransport(endpoint)
    transport.get_ready()
    return transport


@pytest.fixture(params=[DirectTransport, early, HttpTransport], ids=["direct", "early", "httpx2"])
def each_transport(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """Play a test over our own socket, over one that was begun early, and over httpx2.

    Nobody here speaks TLS, and to read the certificates of the system takes longer than a test.
    """
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    monkeypatch.setenv("SSL_CERT_DIR", os.path.devnull)
    before, way.open = way.open, request.param
    yield
    way.open = before
