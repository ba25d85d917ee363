"""Settings files: what they say, each value with its source; trust; saving rules."""

from gantlet.config.rules_reader import RulesRead, SettingsProblem, read_rules
from gantlet.config.rules_writer import RuleWriter
from gantlet.config.settings_files import (
    SettingsFiles,
    SettingsRules,
    is_trusted,
    read_settings_rules,
    workspace_at,
)

__all__ = [
    "RuleWriter",
    "RulesRead",
    "SettingsFiles",
    "SettingsProblem",
    "SettingsRules",
    "is_trusted",
    "read_rules",
    "read_settings_rules",
    "workspace_at",
]
