"""Files that a conversation changed, and tasks it began, as the official Agent SDK sees them."""

from pathlib import Path

import anyio
import pytest

from real_clients.sdk_kit import SECONDS, of, stage

pytestmark = [pytest.mark.anyio, pytest.mark.clients]


async def test_files_go_back_to_a_message(tmp_path: Path) -> None:
    write = [{"call": "Write", "input": {"file_path": "a.txt", "content": "new"}}]
    async with stage(tmp_path, write, "Done.") as desk:
        (desk.cwd / "b.txt").write_text("untouched")
        options = {
            "permission_mode": "acceptEdits",
            "enable_file_checkpointing": True,
            "extra_args": {"replay-user-messages": None},
        }
        with anyio.fail_after(SECONDS):
            async with desk.client(**options) as client:
                await client.query("Write it.")
                messages = [one async for one in client.receive_response()]
                was_there = (desk.cwd / "a.txt").exists()
                said = next(one for one in of("UserMessage", messages) if one.uuid)
                await client.rewind_files(said.uuid)

        assert was_there
        assert not (desk.cwd / "a.txt").exists()
        assert (desk.cwd / "b.txt").read_text() == "untouched"


async def test_a_task_in_the_background_is_told_and_ended(tmp_path: Path) -> None:
    sleep = {"command": "sleep 60", "run_in_background": True, "description": "Sleep"}
    async with stage(tmp_path, [{"call": "Bash", "input": sleep}], "Begun.") as desk:
        with anyio.fail_after(SECONDS):
            async with desk.client(allowed_tools=["Bash"]) as client:
                await client.query("Sleep.")
                ends = []
                async for one in client.receive_messages():
                    if type(one).__name__ == "TaskStartedMessage":
                        await client.stop_task(one.task_id)
                    if type(one).__name__ == "TaskNotificationMessage":
                        ends.append(one.status)
                        break

    assert ends == ["stopped"]


async def test_the_end_of_a_task_begins_a_turn_of_its_own(tmp_path: Path) -> None:
    wait = {"command": "while [ ! -e go ]; do sleep 0.05; done", "run_in_background": True}
    replies = ([{"call": "Bash", "input": wait}], "Begun.", "It has ended.")
    async with stage(tmp_path, *replies) as desk:
        with anyio.fail_after(SECONDS):
            async with desk.client(allowed_tools=["Bash"]) as client:
                await client.query("Wait.")
                first = [one async for one in client.receive_response()]
                (desk.cwd / "go").touch()
                second = [one async for one in client.receive_response()]

    assert of("ResultMessage", first)[0].result == "Begun."
    assert of("ResultMessage", second)[0].result == "It has ended."
    assert of("TaskNotificationMessage", second)[0].status == "completed"
