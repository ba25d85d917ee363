"""A history on disk: append, resume, fork; the audit record; undo."""
