"""From the user's words to the model's last: turns, history, limits, compaction."""

from gantlet.loop.attachments import may_be_said
from gantlet.loop.compaction import CHARS_PER_TOKEN
from gantlet.loop.conversation import Conversation
from gantlet.loop.history import History, InvalidHistoryError
from gantlet.loop.limits import LimitHit, Limits, Taken
from gantlet.loop.record import Record
from gantlet.loop.repair import repair
from gantlet.loop.settings import CompactionSettings, LoopSettings
from gantlet.loop.turn import Loop
from gantlet.loop.turn_result import Priority, TurnResult

__all__ = [
    "CHARS_PER_TOKEN",
    "CompactionSettings",
    "Conversation",
    "History",
    "InvalidHistoryError",
    "LimitHit",
    "Limits",
    "Loop",
    "LoopSettings",
    "Priority",
    "Record",
    "Taken",
    "TurnResult",
    "may_be_said",
    "repair",
]
