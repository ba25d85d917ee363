"""Search trees of files: by what they hold, and by their names."""

from gantlet.tools.search.glob import Glob
from gantlet.tools.search.grep import Grep
from gantlet.tools.search.ls import LS

__all__ = ["LS", "Glob", "Grep"]
