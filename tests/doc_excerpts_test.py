#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails if the code in docs/emitters.md is not code of the emitter that it explains, or that
of docs/tutorial.md not the program that the test of its commands compiles.

usage: doc_excerpts_test.py SOURCE_ROOT

The lines of each block must follow each other in the file; indentation does not count.
"""

import pathlib
import re
import sys

# A document, the mark of its blocks, and the file that they are from.
EXCERPTS = [("docs/emitters.md", "cpp", "converter/emit/folded.cc"),
            ("docs/tutorial.md", "c", "examples/first-profile/primes.c")]


def stripped(text: str) -> str:
    return "".join(line.strip() + "\n" for line in text.splitlines())


def main() -> int:
    root = pathlib.Path(sys.argv[1])
    failed = False
    for document, mark, source in EXCERPTS:
        code = "\n" + stripped((root / source).read_text())
        excerpts = re.findall(rf"^```{mark}\n(.*?)^```", (root / document).read_text(), re.M | re.S)
        bad = [e for e in excerpts if "\n" + stripped(e) not in code]
        for excerpt in bad:
            print(f"{document}: not in {source}:\n{excerpt}")
        print(f"{document}: {len(excerpts)} excerpts, {len(bad)} that differ")
        failed |= bool(bad) or not excerpts
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
