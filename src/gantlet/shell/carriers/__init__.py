"""Programs that run other programs: what they carry, found for rules that deny."""
