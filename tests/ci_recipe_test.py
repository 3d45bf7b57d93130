#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The gate of docs/ci.md, run as the script that it is: it keeps a base for a branch,
comments, and fails for a slow-down only. In place of perf, a stand-in hands out
recordings of testdata/.

usage: ci_recipe_test.py PERF2X SOURCE_ROOT
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

STAND_IN = """#!/bin/sh
while [ $# -gt 1 ]; do
  [ "$1" = -o ] && out=$2
  shift
done
cp "$TESTDATA/$(cat "$1").data" "$out"
"""


def main() -> int:
    perf2x, root = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    page = (root / "docs/ci.md").read_text()
    blocks = re.findall(r"```sh by-hand\n(#!/bin/sh\n.*?)```", page, re.S)
    assert len(blocks) == 1, len(blocks)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        tools = folder / "bin"
        tools.mkdir()
        script = re.search(r"run: sh (\S+) \./app", page).group(1)
        (folder / script).write_text(blocks[0])
        (tools / "perf").write_text(STAND_IN)
        (tools / "perf").chmod(0o755)
        # The recorded programs are not where they were recorded.
        (tools / "perf2x").write_text(f'#!/bin/sh\ncommand=$1\nshift\nexec {perf2x} "$command" '
                                      f'--symfs {root}/testdata/symfs "$@"\n')
        (tools / "perf2x").chmod(0o755)
        # A program is here the name of what is recorded of it.
        (folder / "old-app").write_text("callgraph")
        (folder / "same-app").write_text("callgraph")
        (folder / "slow-app").write_text("dwarf")

        def gate(app: str, status: int, **variables) -> str:
            done = subprocess.run(
                ["sh", folder / script, f"./{app}"], cwd=folder, text=True,
                stdin=subprocess.DEVNULL, capture_output=True, check=False,
                env={**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "BASES": "bases",
                     "TESTDATA": str(root / "testdata"), "RUNS": "4", "BRANCH": "topic",
                     "TARGET": "", **variables})
            assert done.returncode == status, done
            return done.stdout + done.stderr

        assert "nothing to compare with" in gate("same-app", 0, TARGET="main")
        gate("old-app", 0, BRANCH="main")
        assert (folder / "bases/main/app").read_text() == "callgraph"
        said = gate("same-app", 0, TARGET="main")
        assert "No function changed" in said, said
        said = gate("slow-app", 3, TARGET="main", COMMENT="cp -t .")
        assert "share grew by more than 3 %" in said, said
        comment = (folder / "comment.md").read_text()
        assert "| function |" in comment and "beyond the noise" in comment, comment
        assert (folder / "perf-gate/diff.html").stat().st_size > 10_000
        gate("slow-app", 0, TARGET="main", LIMIT="100000%")
        # Another branch's base is its own.
        gate("slow-app", 0, BRANCH="next")
        gate("slow-app", 0, TARGET="next")
        assert (folder / "bases/main/app").read_text() == "callgraph"
    return 0


if __name__ == "__main__":
    sys.exit(main())
