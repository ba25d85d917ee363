"""Real classes that stand in for what a test does not have: a person, hooks, a session."""
