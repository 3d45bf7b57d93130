#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails if a source file does not name its licence in its first three lines.

usage: spdx_test.py SOURCE_ROOT
"""

import pathlib
import sys

FOLDERS = ("converter", "include", "examples", "tests", "bench", "proto", "scripts", "cmake",
           "packaging")
SUFFIXES = {".cc", ".h", ".c", ".py", ".proto", ".cmake", ".ts", ".mjs"}
WORDS = "SPDX-License-Identifier: Apache-2.0"


def is_source(path: pathlib.Path) -> bool:
    if not path.is_file() or "node_modules" in path.parts:
        return False
    return path.suffix in SUFFIXES or (path.parent.name in ("scripts", "ci") and not path.suffix)


def main() -> int:
    root = pathlib.Path(sys.argv[1])
    sources = [path for folder in FOLDERS for path in sorted((root / folder).rglob("*"))
               if is_source(path)]
    bad = [path for path in sources
           if not any(WORDS in line for line in path.read_text().splitlines()[:3])]
    print("\n".join(f"{path}: its first lines lack \"{WORDS}\"" for path in bad)
          or f"{len(sources)} source files name their licence")
    return 1 if bad or not sources else 0


if __name__ == "__main__":
    sys.exit(main())
