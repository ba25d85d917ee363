"""The programs we know: what their options and operands mean, as data."""
