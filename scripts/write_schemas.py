"""Write again what is kept of the built-in tools, and the schema of settings files."""

import json
import sys
from pathlib import Path

from gantlet import tools
from gantlet.config.schema import settings_schema
from gantlet.tool.keeping import keep


def main() -> int:
    classes, broken = tools.discover(tools)
    for problem in broken:
        print(f"{problem.tool_name}: {problem.reason}", file=sys.stderr)
    schemas = {tool_class.name: keep(tool_class) for tool_class in classes}
    target = Path(tools.__path__[0]) / tools.SNAPSHOT_FILE
    target.write_text(json.dumps(schemas, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    index = {one.name: [one.__module__, *one.aliases] for one in classes}
    target.with_name(tools.INDEX_FILE).write_text(json.dumps(index, indent=2) + "\n")
    print(f"{target}: {len(schemas)} tool{'' if len(schemas) == 1 else 's'}")
    settings = Path(__file__).parent.parent / "docs" / "settings.schema.json"
    settings.write_text(json.dumps(settings_schema(), indent=2) + "\n", encoding="utf-8")
    print(f"{settings}: settings files")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
