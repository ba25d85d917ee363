"""Processes, files, paths and clocks: the only room that touches the machine."""

from gantlet.system.child_life import Leftover
from gantlet.system.clock import Clock, RealClock
from gantlet.system.environment import Environment, is_on
from gantlet.system.folders import account_home, home_folder
from gantlet.system.git_files import Repository
from gantlet.system.ids import new_id
from gantlet.system.opening import OpenFile, RefusedFileError, open_file, stamp_of
from gantlet.system.path_facts import FileKind, Found, PathFacts, directory_names, look_at
from gantlet.system.paths import NOTHING, Identity, Parts, Place, absolute, identify, locate
from gantlet.system.private_files import (
    keep_bytes,
    keep_private,
    make_private_folder,
    write_private,
)
from gantlet.system.private_lines import PrivateLines
from gantlet.system.processes import (
    MAX_OUTPUT_BYTES,
    Child,
    ChildResult,
    ChildStarter,
    ProcessCommand,
    open_child,
    run_child,
    start_child,
)
from gantlet.system.real_paths import RealPaths
from gantlet.system.replacing import (
    ChangedFileError,
    Replaced,
    digest_of,
    is_same,
    missing_folders,
    remove_file,
    remove_folders,
    replace_file,
)
from gantlet.system.scout import Scout
from gantlet.system.secrets import MASK, Masker, is_secret_name
from gantlet.system.shown_names import meant_path, shown_name
from gantlet.system.text_form import (
    FileText,
    TextForm,
    UnencodableError,
    detect,
    newlines_of,
    read_text,
    shown,
    with_newlines,
)
from gantlet.system.threads import in_loop_thread, run_in_thread

__all__ = [
    "MASK",
    "MAX_OUTPUT_BYTES",
    "NOTHING",
    "ChangedFileError",
    "Child",
    "ChildResult",
    "ChildStarter",
    "Clock",
    "Environment",
    "FileKind",
    "FileText",
    "Found",
    "Identity",
    "Leftover",
    "Masker",
    "OpenFile",
    "Parts",
    "PathFacts",
    "Place",
    "PrivateLines",
    "ProcessCommand",
    "RealClock",
    "RealPaths",
    "RefusedFileError",
    "Replaced",
    "Repository",
    "Scout",
    "TextForm",
    "UnencodableError",
    "absolute",
    "account_home",
    "detect",
    "digest_of",
    "directory_names",
    "home_folder",
    "identify",
    "in_loop_thread",
    "is_on",
    "is_same",
    "is_secret_name",
    "keep_bytes",
    "keep_private",
    "locate",
    "look_at",
    "make_private_folder",
    "meant_path",
    "missing_folders",
    "new_id",
    "newlines_of",
    "open_child",
    "open_file",
    "read_text",
    "remove_file",
    "remove_folders",
    "replace_file",
    "run_child",
    "run_in_thread",
    "shown",
    "shown_name",
    "stamp_of",
    "start_child",
    "with_newlines",
    "write_private",
]
