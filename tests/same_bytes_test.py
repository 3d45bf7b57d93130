#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The same input gives the same bytes: hashes are seeded anew in each process.

usage: same_bytes_test.py PERF2X TESTDATA [THREADS...]

Whatever the number of threads: 1, 2 and 3, or those.
"""
import os
import subprocess
import sys
import tempfile


def output_of(folder):
    """The files of a folder by name, and what is in them."""
    found = {}
    for below, _, names in os.walk(folder):
        for name in names:
            with open(os.path.join(below, name), "rb") as file:
                found[os.path.relpath(os.path.join(below, name), folder)] = file.read()
    return found


def main() -> int:
    perf2x, testdata = sys.argv[1:3]
    threads = sys.argv[3:] or ["1", "2", "3"]
    assert len(threads) > 1, threads
    recordings = sorted(
        os.path.join(testdata, name) for name in os.listdir(testdata)
        if name.endswith(".data") and os.path.isfile(os.path.join(testdata, name)))
    assert len(recordings) >= 5, recordings
    listed = subprocess.run([perf2x, "formats"], capture_output=True, text=True,
                            check=True).stdout
    formats = [line.split()[0] for line in listed.splitlines() if line[:1].isalpha()]
    failed = 0
    for recording in recordings[::max(1, len(recordings) // 8)]:
        for name in formats:
            outputs = []
            for number in threads:
                with tempfile.TemporaryDirectory() as folder:
                    subprocess.run(
                        [perf2x, "--quiet", "--no-symbols", "--threads", number, "--to",
                         name, "-o", os.path.join(folder, "out"), recording], check=True)
                    outputs.append(output_of(folder))
            if not outputs[0] or any(other != outputs[0] for other in outputs):
                failed += 1
                print(f"{recording} to {name}: not the same bytes each time")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
