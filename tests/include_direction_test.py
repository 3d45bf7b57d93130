#!/usr/bin/env python3
"""Fails on an #include between folders of converter/ that the table in
docs/architecture.md does not allow.

usage: include_direction_test.py SOURCE_ROOT
"""

import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s+"converter/([^"]+)"', re.M)
ROW = re.compile(r"^\| `converter/([\w/]+)` \| .* \| (.*) \|$", re.M)


def rules(page: str) -> dict[str, set[str]]:
    """The table: folder -> the folders that it may include."""
    table = {}
    for folder, may in ROW.findall(page):
        table[folder] = set() if may == "–" else set(may.split(", "))
    for folder, may in table.items():
        if may == {"all"}:
            table[folder] = set(table)
        unknown = table[folder] - set(table)
        assert not unknown, f"{folder} may include {unknown}, which the table lacks"
    return table


def room_of(path: str, table: dict[str, set[str]]) -> str:
    """The longest folder of the table that has the file; "" for none."""
    return max((room for room in table if path.startswith(room + "/")), key=len, default="")


def main() -> int:
    root = pathlib.Path(sys.argv[1])
    table = rules((root / "docs/architecture.md").read_text())
    bad, seen = [], 0
    for path in sorted((root / "converter").rglob("*")):
        if path.suffix not in (".h", ".cc"):
            continue
        name = path.relative_to(root / "converter").as_posix()
        room = room_of(name, table)
        if not room:
            bad.append(f"converter/{name} is in no folder of the table")
            continue
        for included in INCLUDE.findall(path.read_text()):
            seen += 1
            target = room_of(included, table)
            if target != room and target not in table[room]:
                bad.append(f"converter/{name}: {room} may not include {included}")
    if seen == 0:
        bad.append("no #include found: wrong folder?")
    print("\n".join(bad) or f"{seen} includes follow the table")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
