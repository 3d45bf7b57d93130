#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""perf2x under the name perf_to_profile, as pprof calls it.

usage: drop_in_test.py PERF2X SOURCE_ROOT
"""

import gzip
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile


def pprof_top(recording: pathlib.Path, environment: dict) -> str:
    done = subprocess.run(["go", "tool", "pprof", "-top", recording],
                          env=environment, stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, check=False)
    assert done.returncode == 0, done
    return done.stdout


def main() -> int:
    perf2x, root = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    recording = root / "testdata" / "callgraph.data"
    with tempfile.TemporaryDirectory() as folder:
        tool = pathlib.Path(folder) / "perf_to_profile"
        tool.symlink_to(perf2x)

        # pprof reads the descriptor of a file that it made itself, so that the
        # file must be written, not replaced.
        output = pathlib.Path(folder) / "out.pb.gz"
        with open(output, "w+b") as made:
            done = subprocess.run(
                [tool, "-i", recording, "-o", output, "-f"],
                stdin=subprocess.DEVNULL, capture_output=True, check=False,
                env={**os.environ, "HOME": folder, "DEBUGINFOD_URLS": ""})
            assert done.returncode == 0, done
            assert done.stdout == b"", done.stdout
            # What has no names, and what to do: pprof passes it on.
            assert b"/opt/demo/bin/spin" in done.stderr and b"--symfs" in done.stderr, done
            profile = gzip.decompress(made.read())
            assert b"cpu-clock" in profile, profile[:200]

        missing = subprocess.run([tool, "-i", "/nonexistent", "-o", output, "-f"],
                                 capture_output=True, check=False)
        assert missing.returncode == 1, missing
        assert b"cannot read /nonexistent" in missing.stderr, missing.stderr

        if shutil.which("go") is None:
            print("not driven through pprof itself: there is no go here")
            return 0
        environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}",
                       "PPROF_TMPDIR": folder, "HOME": folder}
        for name in ("callgraph.data", "zstd.data"):
            top = pprof_top(root / "testdata" / name, environment)
            assert "Total samples" in top and "[spin]" in top, top

        # Recorded here, with names.
        program = root / "testdata" / "symfs" / "opt" / "demo" / "bin" / "spin"
        recording = pathlib.Path(folder) / "perf.data"
        record = ["perf", "record", "-q", "-z", "-g", "-e", "cpu-clock", "-o", recording,
                  program, "100"]
        if shutil.which("perf") is None or \
                subprocess.run(record, capture_output=True, check=False).returncode != 0:
            print("no names in pprof looked for: perf cannot record here")
            return 0
        assert "demo::Mixer::Step" in pprof_top(recording, environment)
    return 0


if __name__ == "__main__":
    sys.exit(main())
