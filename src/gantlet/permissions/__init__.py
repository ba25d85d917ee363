"""Whether a call may run: votes, proofs, layers and their one combination."""

from gantlet.permissions.askers import (
    AutoCheck,
    AutomaticCheck,
    Classifier,
    CoordinatorAsker,
    CoordinatorLink,
    InteractiveAsker,
    QuestionQueue,
    Tally,
    WorkerAsker,
)
from gantlet.permissions.asking import (
    PERSON,
    Answer,
    Asker,
    No,
    Overtaken,
    Question,
    Unanswered,
    Yes,
)
from gantlet.permissions.case import Case
from gantlet.permissions.context import PermissionContext, SubagentRequest
from gantlet.permissions.decision import Decision, Permission, Request
from gantlet.permissions.engine import Engine
from gantlet.permissions.evaluation import LAYERS, evaluate
from gantlet.permissions.eyes import Eyes
from gantlet.permissions.facts import NO_FACTS, Facts, Touch
from gantlet.permissions.holder import ContextHolder, Saver
from gantlet.permissions.layers import Layer
from gantlet.permissions.modes import meet, read_mode
from gantlet.permissions.read_only import ReadOnlyPermission
from gantlet.permissions.seeing import see
from gantlet.permissions.updates import (
    AddDirectories,
    AddRules,
    Destination,
    RemoveDirectories,
    RemoveRules,
    ReplaceRules,
    SetMode,
    Update,
    read_update,
    write_update,
)
from gantlet.permissions.verdict import Ballot, Risk, RiskLevel, Verdict
from gantlet.permissions.workspace import NO_FENCE, Directory, Fence, Workspace

__all__ = [
    "LAYERS",
    "NO_FACTS",
    "NO_FENCE",
    "PERSON",
    "AddDirectories",
    "AddRules",
    "Answer",
    "Asker",
    "AutoCheck",
    "AutomaticCheck",
    "Ballot",
    "Case",
    "Classifier",
    "ContextHolder",
    "CoordinatorAsker",
    "CoordinatorLink",
    "Decision",
    "Destination",
    "Directory",
    "Engine",
    "Eyes",
    "Facts",
    "Fence",
    "InteractiveAsker",
    "Layer",
    "No",
    "Overtaken",
    "Permission",
    "PermissionContext",
    "Question",
    "QuestionQueue",
    "ReadOnlyPermission",
    "RemoveDirectories",
    "RemoveRules",
    "ReplaceRules",
    "Request",
    "Risk",
    "RiskLevel",
    "Saver",
    "SetMode",
    "SubagentRequest",
    "Tally",
    "Touch",
    "Unanswered",
    "Update",
    "Verdict",
    "WorkerAsker",
    "Workspace",
    "Yes",
    "evaluate",
    "meet",
    "read_mode",
    "read_update",
    "see",
    "write_update",
]
