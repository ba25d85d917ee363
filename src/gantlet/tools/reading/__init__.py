"""Read files of every kind that can be shown."""

from gantlet.tools.reading.notebook_read import NotebookRead
from gantlet.tools.reading.read import Read

__all__ = ["NotebookRead", "Read"]
