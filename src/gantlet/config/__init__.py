"""Settings files: what they say, each value with its source; trust; saving rules."""

from gantlet.config.checkout import main_checkout, project_root
from gantlet.config.exposures import ExposureFound
from gantlet.config.file_reader import FileRead, SettingsOrigin, read_file
from gantlet.config.keys import KEYS, Exposure, Form, Gate, Key
from gantlet.config.last_good import LastGood
from gantlet.config.memory import MemoryFile, read_memory
from gantlet.config.opening import SettingsRequest
from gantlet.config.reloading import carried_over
from gantlet.config.rules_reader import RulesRead, read_rules
from gantlet.config.rules_writer import RuleWriter
from gantlet.config.setting import Ignored, Setting, SettingsProblem
from gantlet.config.settings import Settings, exposures_of, read_settings
from gantlet.config.settings_files import (
    ALL_SOURCES,
    HOOK_FOLDER,
    SettingsFiles,
    config_folder,
    read_sources,
    workspace_at,
)
from gantlet.config.trust import (
    NOT_TRUSTED,
    ExposureTrust,
    FolderTrust,
    Standing,
    TrustQuestion,
    is_accepted_elsewhere,
)
from gantlet.config.trust_store import STORE_NAME, BrokenStoreError, TrustEntry, TrustStore
from gantlet.config.watch import ChangedFile, SettingsWatch

__all__ = [
    "ALL_SOURCES",
    "HOOK_FOLDER",
    "KEYS",
    "NOT_TRUSTED",
    "STORE_NAME",
    "BrokenStoreError",
    "ChangedFile",
    "Exposure",
    "ExposureFound",
    "ExposureTrust",
    "FileRead",
    "FolderTrust",
    "Form",
    "Gate",
    "Ignored",
    "Key",
    "LastGood",
    "MemoryFile",
    "RuleWriter",
    "RulesRead",
    "Setting",
    "Settings",
    "SettingsFiles",
    "SettingsOrigin",
    "SettingsProblem",
    "SettingsRequest",
    "SettingsWatch",
    "Standing",
    "TrustEntry",
    "TrustQuestion",
    "TrustStore",
    "carried_over",
    "config_folder",
    "exposures_of",
    "is_accepted_elsewhere",
    "main_checkout",
    "project_root",
    "read_file",
    "read_memory",
    "read_rules",
    "read_settings",
    "read_sources",
    "workspace_at",
]
