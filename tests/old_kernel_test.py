#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""perf2x on a kernel of 2016 (old_kernel.py) writes what it writes on this one.

usage: old_kernel_test.py PERF2X SOURCE_ROOT
"""
import pathlib
import subprocess
import sys
import tempfile

import old_kernel

SKIPPED = 77
RECORDINGS = ["callgraph.data", "directory.data", "dwarf.data", "pipe-zstd.data", "sched.data"]


def results(command: list, folder: pathlib.Path, **how) -> dict:
    """Runs a command in a new folder; what it prints, its status, and the files by name."""
    folder.mkdir(parents=True)
    run = subprocess.run(command, cwd=folder, capture_output=True, check=False, **how)
    files = {str(path.relative_to(folder)): path.read_bytes()
             for path in sorted(folder.rglob("*")) if path.is_file()}
    return {"status": run.returncode, "stdout": run.stdout, "stderr": run.stderr, **files}


def main() -> int:
    perf2x, root = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
    if not old_kernel.is_known():
        print("skipped: the system calls of this machine have numbers that are not known here")
        return SKIPPED
    formats = subprocess.run([perf2x, "formats"], capture_output=True, text=True,
                             check=True).stdout
    formats = [line.split()[0] for line in formats.splitlines() if line[:1].isalpha()]
    symbols = ["--symfs", root / "testdata/symfs"]
    failed = written = 0
    with tempfile.TemporaryDirectory() as scratch:
        for name in RECORDINGS:
            recording = root / "testdata" / name
            commands = [[perf2x, "--to", format, *symbols, "-o", "out", recording]
                        for format in formats]
            commands += [[perf2x, "info", recording], [perf2x, "dump", recording]]
            for number, command in enumerate(commands):
                folder = pathlib.Path(scratch, f"{name}.{number}")
                new = results(command, folder / "new")
                old = results(command, folder / "old", preexec_fn=old_kernel.enter)
                written += new["status"] == 0
                if old != new:
                    failed += 1
                    print(f"{command} differs:", *(
                        f"{key}: {old.get(key)!r:.300} instead of {new.get(key)!r:.300}"
                        for key in old.keys() | new.keys() if old.get(key) != new.get(key)))
    assert written >= len(RECORDINGS) * len(formats) / 2, written
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
