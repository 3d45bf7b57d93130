#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails unless bench/compare runs all tools that are here on a recording and writes their table
between README.md's marks; with stand-ins for the tools of others.

usage: bench_compare_test.py SOURCE_ROOT PERF2X     which must be that of bench/compare, build/'s
"""

import pathlib
import subprocess
import sys
import tempfile

SKIPPED = 77
# What stands in for the tools: their output for --version, and when they convert.
TOOLS = {
    "perf": ("perf version 6.1.9", "echo text"),
    "perf7": ("perf version 7.2", "echo 'no | such event' >&2; exit 3"),
    "samply": ("samply 0.13.4", "echo made >\"$5\""),
    "hotspot-perfparser": ("", "echo 'unhandled event type 81' >&2"),
    "pprof": ("", "perf_to_profile -i \"${4}\" -o \"${3#-output=}\" -f 2>&1"),
}
FACTS = 5  # rows behind those of the recording


def make_tools(folder: pathlib.Path) -> None:
    folder.mkdir()
    for name, (version, body) in TOOLS.items():
        program = folder / name
        program.write_text(f"#!/bin/sh\n[ \"$1\" != --version ] || {{ echo '{version}'; exit 0; }}\n"
                           f"{body}\n")
        program.chmod(0o755)


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.split("|")[1:-1]]


def main() -> int:
    root, perf2x = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    if perf2x != root / "build/converter/perf2x":
        print("skipped: bench/compare measures build/, not this build")
        return SKIPPED
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        make_tools(folder / "tools")
        page = folder / "page.md"
        begin, end = "<!-- bench/compare begins -->\n", "<!-- bench/compare ends -->\n"
        for marks in (begin, end):
            assert marks in (root / "README.md").read_text(), marks
        page.write_text(f"before\n{begin}old\n{end}after\n")
        command = [root / "bench/compare", "--size", "1", "--input", "few", "--no-build", "--tools",
                   folder / "tools", "--dir", folder / "made", "--readme", page]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done
        text = page.read_text()
        assert text.startswith(f"before\n{begin}") and text.endswith(f"{end}after\n"), text
        assert "old\n" not in text and "Not here: perf_to_profile." in text, text
        assert "which is perf2x here" in text, text
        table = [cells(line) for line in text.splitlines() if line.startswith("| ")]
        assert len(table) == 2 + 2 + FACTS, table
        assert {len(line) for line in table} == {1 + 1 + len(TOOLS)}, table
        head, _, times, memory = table[:4]
        version = subprocess.run([perf2x, "--version"], capture_output=True, text=True,
                                 check=True).stdout.split()[1]
        assert head[1:5] == [f"perf2x {version}", "perf script 6.1.9", "perf script 7.2",
                             "samply import 0.13.4"], head
        assert " s (" in times[1] and " MB" in memory[1], table
        assert " s (" in times[2] and " s (" in times[4] and " s (" in times[6], times
        assert times[3] == "exit 3: no / such event" and memory[3] == "", table
        assert times[5] == "refused: unhandled event type 81", times

        page.write_text("no marks\n")
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 1 and page.read_text() == "no marks\n", done
    print("the table has", ", ".join(cell for cell in head if cell))
    return 0


if __name__ == "__main__":
    sys.exit(main())
