"""The shell's grammar, read by hand: text into a tree, with a doubt for all that is not sure."""
