#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails unless bench/run records its mixed load and converts it to every format.

usage: bench_run_test.py SOURCE_ROOT PERF2X     which must be that of bench/run, build/'s
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
# Short processes of the load, which run in every system that builds perf2x.
PROGRAMS = {"ls", "sed"}


def run(*command, check=True) -> subprocess.CompletedProcess:
    return subprocess.run([str(c) for c in command], text=True, capture_output=True, check=check,
                          stdin=subprocess.DEVNULL)


def main() -> int:
    root, perf2x = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    if perf2x != root / "build/converter/perf2x":
        print("skipped: bench/run measures build/, not this build")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        probe = ["perf", "record", "-q", "-a", "-g", "-e", "cpu-clock", "-F", "25000",
                 "-o", f"{folder}/probe.data", "true"]
        if shutil.which("perf") is None or run(*probe, check=False).returncode != 0:
            print("skipped: there is no perf that records the whole machine")
            return SKIPPED
        done = run(root / "bench/run", "--input", "live", "--size", "1", "--format", "all",
                   "--rival", "none", "--no-build", "--no-results", "--dir", folder, check=False)
        bad = [] if done.returncode == 0 else [f"exit code {done.returncode}"]
        rows = [line.split("|") for line in done.stdout.splitlines() if line.startswith("| live")]
        written = {row[2].split()[-1]: row[7].strip() for row in rows if "--to" in row[2]}
        formats = [line.split()[0] for line in run(perf2x, "formats").stdout.splitlines()]
        bad += [f"{name}: wrote {written.get(name, 'no row')}" for name in formats
                if not written.get(name)]
        stacks = run(perf2x, "-q", "--to", "folded", "-o", "-", f"{folder}/live-1.data").stdout
        seen = {line.split(";")[0] for line in stacks.splitlines()}
        bad += [f"the recording has no {program}" for program in sorted(PROGRAMS - seen)]
    print("\n".join(bad + [done.stdout, done.stderr]) if bad else f"{len(formats)} formats")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
