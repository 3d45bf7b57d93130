#!/usr/bin/env python3
"""Fails on an #include between folders of converter/ that the table does not allow.

usage: include_direction_test.py SOURCE_ROOT
"""

import pathlib
import re
import sys

# Folder -> folders it may include beside itself. The same table, with what each
# folder owns, is in docs/architecture.md.
ALLOWED = {
    "base": [],
    "input": ["base"],
    "perf": ["base", "input"],
    "model": ["base"],
    "tracepoint": ["base"],
    "symbolize": ["base", "model"],
    "unwind": ["base", "model", "symbolize"],
    "session": ["base", "perf", "model", "symbolize", "unwind", "tracepoint"],
    "emit": ["base", "model"],
    "inspect": ["base", "input", "perf"],
}
INCLUDE = re.compile(r'^\s*#\s*include\s+"converter/([^"]+)"', re.M)


def main() -> int:
    root = pathlib.Path(sys.argv[1])
    bad, seen = [], 0
    for path in sorted((root / "converter").rglob("*")):
        if path.suffix not in (".h", ".cc"):
            continue
        parts = path.relative_to(root / "converter").parts
        if len(parts) == 1:
            continue  # convert.cc and main.cc wire everything
        folder = parts[0]
        if folder not in ALLOWED:
            bad.append(f"{path}: folder {folder} is not in the table")
            continue
        for included in INCLUDE.findall(path.read_text()):
            seen += 1
            target = included.split("/")[0] if "/" in included else "(top)"
            if target != folder and target not in ALLOWED[folder]:
                bad.append(f"{path.relative_to(root)}: {folder} may not include {included}")
    if seen == 0:
        bad.append("no #include found: wrong folder?")
    print("\n".join(bad) or f"{seen} includes follow the table")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
