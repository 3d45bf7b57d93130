#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails when a reader finds something else in a generated recording than the
generator was asked for: perf2x, and perf where it is installed.

usage: generate_test.py BENCH_GENERATE PERF2X
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SAMPLES = 5000
SHAPE = ["--samples", SAMPLES, "--stacks", 2000, "--addresses", 2000, "--processes", 30,
         "--mappings", 300]
KINDS = {
    "file": [],
    "pipe": ["--pipe"],
    "zstd": ["--zstd", 1],
    "flat": ["--kind", "flat"],
    "sched": ["--kind", "sched"],
    "branches": ["--kind", "branches"],
    "spe": ["--kind", "spe"],
}


def run(*command, check=True) -> subprocess.CompletedProcess:
    return subprocess.run([str(c) for c in command], text=True, capture_output=True, check=check,
                          stdin=subprocess.DEVNULL)


def main() -> int:
    generate, perf2x = sys.argv[1:]
    bad, scripts = [], {}
    with tempfile.TemporaryDirectory() as folder:
        for kind, options in KINDS.items():
            path = pathlib.Path(folder) / f"{kind}.data"
            run(generate, *SHAPE, *options, path)
            # Of an operation that SPE traces, one event of several.
            itrace = ["--itrace", "i1i"] if kind == "spe" else []
            summary = run(perf2x, "--strict", "--no-symbols", "--to", "pprof", "-o", "/dev/null",
                          *itrace, path, check=False)
            found = sum(int(n) for n in re.findall(r"(\d+) samples of", summary.stderr))
            # A wake-up comes with a switch: one more than asked for.
            if summary.returncode != 0 or found not in (SAMPLES, SAMPLES + 1):
                bad.append(f"{kind}: perf2x found {found} samples:\n{summary.stderr}")
            if shutil.which("perf") is not None:
                script = run("perf", "script", "-i", path, "-F", "comm,tid,time,event,ip,sym")
                scripts[kind] = script.stdout
                if "\n" not in script.stdout:
                    bad.append(f"{kind}: perf script finds nothing:\n{script.stderr}")
    # The same recording, whatever it was wrapped in.
    for kind in ("pipe", "zstd"):
        if scripts and scripts[kind] != scripts["file"]:
            bad.append(f"{kind}: perf script reads something else than from the file")
    print("\n".join(bad) or f"{len(KINDS)} kinds, perf {'compared' if scripts else 'not installed'}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
