#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Guards of the compiler and the linker, as they are found in the program.

usage: hardened_test.py PERF2X
"""

import os
import pathlib
import re
import subprocess
import sys


def readelf(*arguments) -> str:
    return subprocess.run(["readelf", "-W", *arguments], check=True, capture_output=True,
                          text=True, env={**os.environ, "LC_ALL": "C"}).stdout


def main() -> int:
    program = pathlib.Path(sys.argv[1]).resolve()
    assert re.search(r"Type: +DYN ", readelf("-h", program)), "not position independent"
    dynamic = readelf("-d", program)
    # A tag of its own where the linker writes old dynamic tags (cmake/install.cmake).
    assert re.search(r"\(BIND_NOW\)|FLAGS\).* BIND_NOW", dynamic), dynamic
    assert re.search(r"FLAGS_1\).* NOW .*PIE|FLAGS_1\).* PIE .*NOW|FLAGS_1\).*NOW PIE", dynamic)
    segments = readelf("-l", program)
    assert "GNU_RELRO" in segments, segments
    assert re.search(r"GNU_STACK .* RW +0x", segments), "the stack is executable"
    symbols = readelf("--dyn-syms", program)
    assert "__stack_chk_fail" in symbols, "no stack protector"
    checked = set(re.findall(r"__\w+_chk\b", symbols)) - {"__stack_chk"}
    assert len(checked) >= 3, f"no _FORTIFY_SOURCE: {checked}"
    if os.uname().machine == "x86_64":
        # Where indirect jumps may go. The program's note of it needs that all archives
        # in it, those of Debian among them, were built likewise.
        marks = program.read_bytes().count(b"\xf3\x0f\x1e\xfa")
        assert marks > 1000, f"only {marks} endbr64"
    print(f"hardened: BIND_NOW, RELRO, PIE, stack protector, {', '.join(sorted(checked))}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
