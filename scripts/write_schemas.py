"""Write the schemas of the built-in tools again, as a model reads them."""

import json
import sys
from pathlib import Path

from gantlet import tools
from gantlet.tool.inputs import ModelFormat


def main() -> int:
    classes, broken = tools.discover(tools)
    for problem in broken:
        print(f"{problem.tool_name}: {problem.reason}", file=sys.stderr)
    schemas = {
        tool_class.name: ModelFormat(tool_class.input_type).fresh_schema()
        for tool_class in classes
        if tool_class.input_type is not None
    }
    target = Path(tools.__path__[0]) / tools.SNAPSHOT_FILE
    target.write_text(json.dumps(schemas, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{target}: {len(schemas)} schema{'' if len(schemas) == 1 else 's'}")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
