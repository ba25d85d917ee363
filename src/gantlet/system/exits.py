"""Learn of a child's end without reaping it, so that its number stays its own."""

import asyncio
import os
import threading

import anyio


class ExitWatch:
    """Waits for one child's end: by a descriptor where the kernel gives one, else in a thread."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._wake = anyio.Event()
        self._code: int | None = None
        self.has_ended = False
        self._fd = _pidfd(pid)
        if self._fd is None:
            self._watch_in_thread()
        else:
            asyncio.get_running_loop().add_reader(self._fd, self._readable)

    async def wait(self) -> None:
        """Wait for the child's end, or until somebody wakes us."""
        await self._wake.wait()
        if not self.has_ended:
            self._wake = anyio.Event()

    def wake(self) -> None:
        """End the wait before the child does."""
        self._wake.set()

    def exit_code(self) -> int | None:
        """Return the exit code, or minus the signal's number; None while it runs."""
        return self._code

    def _readable(self) -> None:
        """Note the end that the descriptor tells of."""
        self._ended(_look(self._pid))

    def _ended(self, code: int | None) -> None:
        """Note the end, and how it was."""
        self.close()
        self._code = code
        self.has_ended = True
        self._wake.set()

    def close(self) -> None:
        """Stop watching."""
        if self._fd is not None:
            asyncio.get_running_loop().remove_reader(self._fd)
            os.close(self._fd)
            self._fd = None

    def _watch_in_thread(self) -> None:
        """Have a thread wait. It ends with the child."""
        loop = asyncio.get_running_loop()

        def wait() -> None:
            code = _look(self._pid)
            try:
                loop.call_soon_threadsafe(self._ended, code)
            except RuntimeError:  # the loop is closed: nobody waits any more
                return

        threading.Thread(target=wait, name="gantlet child", daemon=True).start()


def _pidfd(pid: int) -> int | None:
    """Return a descriptor that becomes readable when the process ends, where there is one."""
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):
        return None


def _look(pid: int) -> int | None:
    """Wait for a child and return how it ended; where possible its zombie stays where it is."""
    try:
        if not hasattr(os, "waitid"):
            return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        found = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    except ChildProcessError:  # somebody else reaped it: how it ended is lost
        return None
    if found is None:
        return None
    return found.si_status if found.si_code == os.CLD_EXITED else -found.si_status
