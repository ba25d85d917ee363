"""Commands as processes: started, read, listed and ended, with all that they start."""

from gantlet.system.supervisor.running import Running
from gantlet.system.supervisor.supervisor import StartError, Supervisor
from gantlet.system.supervisor.values import (
    PLACE_DESCRIPTOR,
    Ending,
    Exited,
    Launch,
    Limits,
    Lost,
    NotStarted,
    Process,
    Signalled,
)

__all__ = [
    "PLACE_DESCRIPTOR",
    "Ending",
    "Exited",
    "Launch",
    "Limits",
    "Lost",
    "NotStarted",
    "Process",
    "Running",
    "Signalled",
    "StartError",
    "Supervisor",
]
