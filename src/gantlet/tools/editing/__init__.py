"""Tools that change files: Write, Edit, MultiEdit, NotebookEdit."""

from gantlet.tools.editing.edit import Edit
from gantlet.tools.editing.multi_edit import MultiEdit
from gantlet.tools.editing.notebook_edit import NotebookEdit
from gantlet.tools.editing.write import Write

__all__ = ["Edit", "MultiEdit", "NotebookEdit", "Write"]
