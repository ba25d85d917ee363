"""A box for each user that the tests can run commands as."""

from collections.abc import Iterator

import pytest

from sandbox_kit import USERS, Box, boxes, reason_against


@pytest.fixture(params=USERS)
def box(request: pytest.FixtureRequest) -> Iterator[Box]:
    """Give a workspace and a sandbox, as this user and as another."""
    user: int = request.param
    reason = reason_against(user)
    if reason is not None:
        pytest.skip(reason)
    yield from boxes(user)
