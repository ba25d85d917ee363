#!/usr/bin/env python3
"""PostToolUse: format a file that was written or edited; say so only if that changed it."""

import json
import subprocess
import sys
from pathlib import Path

FORMATTERS = {".py": ["ruff", "format", "--quiet"], ".json": [sys.executable, "-m", "json.tool"]}

event = json.load(sys.stdin)
path = Path(event["cwd"], event["tool_input"]["file_path"])
command = FORMATTERS.get(path.suffix)
if command and path.is_file():
    before = path.read_bytes()
    extra = [str(path), str(path)] if path.suffix == ".json" else [str(path)]
    done = subprocess.run([*command, *extra], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{path.name} cannot be formatted: {done.stderr.strip()}")
    if path.read_bytes() != before:
        told = f"{path.name} was formatted after your change. Read it again before you edit it."
        special = {"hookEventName": event["hook_event_name"], "additionalContext": told}
        print(json.dumps({"hookSpecificOutput": special}))
