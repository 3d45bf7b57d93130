#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails if the code in docs/emitters.md is not code of the emitter that it explains.

usage: doc_excerpts_test.py SOURCE_ROOT

The lines of each C++ block must follow each other in converter/emit/folded.cc;
indentation does not count.
"""

import pathlib
import re
import sys

EXCERPT = re.compile(r"^```cpp\n(.*?)^```", re.M | re.S)


def stripped(text: str) -> str:
    return "".join(line.strip() + "\n" for line in text.splitlines())


def main() -> int:
    root = pathlib.Path(sys.argv[1])
    code = "\n" + stripped((root / "converter/emit/folded.cc").read_text())
    excerpts = EXCERPT.findall((root / "docs/emitters.md").read_text())
    bad = [e for e in excerpts if "\n" + stripped(e) not in code]
    for excerpt in bad:
        print(f"docs/emitters.md: not in converter/emit/folded.cc:\n{excerpt}")
    print(f"{len(excerpts)} excerpts, {len(bad)} that differ")
    return 1 if bad or not excerpts else 0


if __name__ == "__main__":
    sys.exit(main())
