#!/usr/bin/env python3
"""PreToolUse: let no file be written outside the project, wherever links lead."""

import json
import os
import sys
from pathlib import Path

event = json.load(sys.stdin)
project = Path(os.environ["CLAUDE_PROJECT_DIR"]).resolve()
given = event["tool_input"].get("file_path") or event["tool_input"].get("notebook_path", "")
path = Path(event["cwd"], given).resolve()
if not path.is_relative_to(project):
    print(f"{path} is outside of {project}. Write inside the project.", file=sys.stderr)
    sys.exit(2)
