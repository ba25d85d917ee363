"""Which tools a request sees: order, restriction sets, deferral, search."""

from gantlet.pool.catalog import Catalog
from gantlet.pool.choice import ToolChoice
from gantlet.pool.deferral import Deferral, View, plan_view
from gantlet.pool.definitions import Definitions
from gantlet.pool.flags import DEFAULT_FLAGS, EMBEDDED_SEARCH, STRICT_TOOLS, TOOL_SEARCH
from gantlet.pool.pool import Pool, assemble
from gantlet.pool.presets import Selection
from gantlet.pool.restrictions import CURRENT, SEED, AgentScope, RestrictionSets, for_agent
from gantlet.pool.setting import read_setting
from gantlet.pool.toolbox import RequestTools, Toolbox

__all__ = [
    "CURRENT",
    "DEFAULT_FLAGS",
    "EMBEDDED_SEARCH",
    "SEED",
    "STRICT_TOOLS",
    "TOOL_SEARCH",
    "AgentScope",
    "Catalog",
    "Deferral",
    "Definitions",
    "Pool",
    "RequestTools",
    "RestrictionSets",
    "Selection",
    "ToolChoice",
    "Toolbox",
    "View",
    "assemble",
    "for_agent",
    "plan_view",
    "read_setting",
]
