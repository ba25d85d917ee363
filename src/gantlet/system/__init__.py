"""Processes, files, paths and clocks: the only room that touches the machine."""

from gantlet.system.clock import Clock, RealClock
from gantlet.system.environment import Environment, is_on
from gantlet.system.folders import home_folder
from gantlet.system.path_facts import FileKind, Found, PathFacts, Scout, directory_names, look_at
from gantlet.system.paths import Identity, Parts, Place, absolute, identify, locate
from gantlet.system.private_files import keep_private, make_private_folder, write_private
from gantlet.system.private_lines import PrivateLines
from gantlet.system.process_groups import Group
from gantlet.system.processes import (
    MAX_OUTPUT_BYTES,
    Child,
    ChildResult,
    ProcessCommand,
    open_child,
    run_child,
)
from gantlet.system.secrets import MASK, Masker
from gantlet.system.threads import in_loop_thread, run_in_thread

__all__ = [
    "MASK",
    "MAX_OUTPUT_BYTES",
    "Child",
    "ChildResult",
    "Clock",
    "Environment",
    "FileKind",
    "Found",
    "Group",
    "Identity",
    "Masker",
    "Parts",
    "PathFacts",
    "Place",
    "PrivateLines",
    "ProcessCommand",
    "RealClock",
    "Scout",
    "absolute",
    "directory_names",
    "home_folder",
    "identify",
    "in_loop_thread",
    "is_on",
    "keep_private",
    "locate",
    "look_at",
    "make_private_folder",
    "open_child",
    "run_child",
    "run_in_thread",
    "write_private",
]
