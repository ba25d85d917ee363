"""Random ids."""

import os
from uuid import UUID

from gantlet.system import new_id


def test_ids_are_random_uuids() -> None:
    ids = [new_id() for _ in range(2000)]

    assert len(set(ids)) == 2000
    assert {(UUID(one).version, UUID(one).variant) for one in ids} == {(4, "specified in RFC 4122")}
    assert all(str(UUID(one)) == one for one in ids)


def test_a_forked_process_has_others() -> None:
    new_id()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writing, new_id().encode())
        os._exit(0)
    os.waitpid(child, 0)

    theirs = os.read(reading, 100).decode()
    os.close(reading)
    os.close(writing)
    assert theirs != new_id()
