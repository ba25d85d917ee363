"""Random ids."""

from uuid import UUID

from builders import run_python
from gantlet.system import new_id


def test_ids_are_random_uuids() -> None:
    ids = [new_id() for _ in range(2000)]

    assert len(set(ids)) == 2000
    assert {(UUID(one).version, UUID(one).variant) for one in ids} == {(4, "specified in RFC 4122")}
    assert all(str(UUID(one)) == one for one in ids)


FORKING = """
import os
from gantlet.system import new_id

new_id()
child = os.fork()
if child:
    os.waitpid(child, 0)  # one after the other: what both say must not mix
print(new_id())
"""


def test_a_forked_process_has_others() -> None:
    """In a process of its own: in this one, other threads may hold what a fork needs."""
    ids = run_python(FORKING).split()

    assert len(set(ids)) == len(ids) == 2
