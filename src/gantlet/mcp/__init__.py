"""Tools that live in another process."""
