"""Code that others wrote: whatever it raises becomes an error with a name, and no more."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator
from typing import TypeVar

from gantlet.execution import texts
from gantlet.execution.outcome import Failed
from gantlet.execution.runners import is_cancelled
from gantlet.tool import ToolError

_log = logging.getLogger(__name__)

_T = TypeVar("_T")


class EscapedError(Exception):
    """Something was raised that would have ended more than the call: SystemExit and its like."""

    def __init__(self, error: BaseException) -> None:
        super().__init__(said(error))
        self.error = error


async def contained(ask: Callable[[], Awaitable[_T]]) -> _T:
    """Await foreign code so that it cannot end the program, or pretend to have been cancelled.

    A cancellation by us, and the user's Ctrl-C, pass.

    Raises:
        EscapedError: It raised something that is no `Exception`.
    """
    try:
        return await ask()
    except (Exception, KeyboardInterrupt):
        raise
    except BaseException as error:
        if is_meant_for_us(error):
            raise
        raise EscapedError(error) from error


def contained_now(ask: Callable[[], _T]) -> _T:
    """Call foreign code that is not awaited, in the same way. Nobody cancels what does not wait.

    Raises:
        EscapedError: It raised something that is no `Exception`.
    """
    try:
        return ask()
    except (Exception, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise EscapedError(error) from error


def is_meant_for_us(error: BaseException) -> bool:
    """Return whether we were cancelled or closed, or the user wants out."""
    if isinstance(error, GeneratorExit):
        return _was_raised_here(error) or _is_cancelled()
    if any(isinstance(leaf, KeyboardInterrupt) for leaf in _leaves(error)):
        return True
    is_cancellation = all(isinstance(leaf, asyncio.CancelledError) for leaf in _leaves(error))
    return is_cancellation and _is_cancelled()


def is_ending(error: BaseException) -> bool:
    """Return whether an error says no more than that a coroutine was cancelled or closed."""
    endings = (asyncio.CancelledError, GeneratorExit)
    return all(isinstance(leaf, endings) for leaf in _leaves(error))


def _is_cancelled() -> bool:
    """Return whether somebody wants us to end, or everything has."""
    try:
        return is_cancelled()
    except RuntimeError:  # the event loop is gone: we are being cleared away
        return True


def _was_raised_here(error: BaseException) -> bool:
    """Return whether an error began where we wait, and not in the code we waited for."""
    return error.__traceback__ is None or error.__traceback__.tb_next is None


def class_of(error: BaseException) -> str:
    """Return the name of what was raised."""
    return type(error.error if isinstance(error, EscapedError) else error).__name__


def said(error: BaseException) -> str:
    """Return an error's class and its own words, also if it cannot speak."""
    try:
        words = str(error)
    except Exception:  # noqa: BLE001 - an error without words is still an error
        words = ""
    if isinstance(error, EscapedError):
        return words
    return f"{class_of(error)}: {words}" if words else class_of(error)


def failure_of(tool_name: str, error: Exception) -> Failed:
    """Return what a tool raised as an outcome.

    What it did not mean to raise is a bug: logged whole, and answered without its words, which were
    written for nobody and may hold anything.
    """
    meant = _meant_for_the_model(error)
    if not meant:
        _log.error("%s broke; this is a bug.", tool_name, exc_info=error)
        return bug_in(tool_name, error)
    reasons = dict.fromkeys(_reason(tool_name, one) for one in meant)
    message = "\n".join(reasons)
    is_benign = all(one.is_benign for one in meant)
    is_plain = all(one.is_plain for one in meant)
    content = message if is_plain else texts.error(message)
    return Failed(content, message, class_of(meant[0]), is_benign)


def bug_in(tool_name: str, error: BaseException) -> Failed:
    """Return the outcome of a call on which something broke that should not have."""
    error_class = class_of(error)
    message = texts.bug(tool_name, error_class)
    return Failed(texts.error(message), message, error_class)


def _meant_for_the_model(error: Exception) -> list[ToolError]:
    """Return the tool errors that `error` is, or consists of; none if there is anything else."""
    leaves = list(_leaves(error))
    meant = [leaf for leaf in leaves if isinstance(leaf, ToolError)]
    return meant if len(meant) == len(leaves) else []


def _leaves(error: BaseException) -> Iterator[BaseException]:
    """Yield what a group of errors holds, or the error itself."""
    if isinstance(error, BaseExceptionGroup):
        for one in error.exceptions:
            yield from _leaves(one)
    else:
        yield error


def _reason(tool_name: str, error: ToolError) -> str:
    """Return what a tool wants the model to read."""
    try:
        words = str(error)
    except Exception:  # noqa: BLE001 - an error without words is still an error
        words = ""
    return words or f"{tool_name} failed and gave no reason. Try another way."
