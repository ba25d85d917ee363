"""The scripted model: plays a written script, in this process or over HTTP."""

from gantlet.models.scripted.history_check import check_history
from gantlet.models.scripted.loader import load_script, parse_script, script_of
from gantlet.models.scripted.model import ScriptedModel
from gantlet.models.scripted.received import ReceivedRequest
from gantlet.models.scripted.script import Script
from gantlet.models.scripted.server import ScriptServer

__all__ = [
    "ReceivedRequest",
    "Script",
    "ScriptServer",
    "ScriptedModel",
    "check_history",
    "load_script",
    "parse_script",
    "script_of",
]
