"""One file for each model provider, and the scripted model."""
