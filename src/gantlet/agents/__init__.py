"""Sub-agents, teams and background work: loops that loops start."""
