"""What a tree of commands does: which commands run, where, and with which words."""
