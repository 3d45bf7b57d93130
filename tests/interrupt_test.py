#!/usr/bin/env python3
"""perf2x that is told to stop leaves nothing half done, and says by what signal
it ended.

usage: interrupt_test.py PERF2X SOURCE_ROOT
"""

import pathlib
import signal
import subprocess
import sys
import tempfile
import time


def main() -> int:
    perf2x, root = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    recording = (root / "testdata" / "pipe.data").read_bytes()
    for how in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        for output in (["--to", "pprof", "-o", "out.pb.gz"], ["--to", "csv", "-o", "tables"],
                       ["--to", "chrome", "-o", "out.json"]):
            with tempfile.TemporaryDirectory() as folder:
                job = subprocess.Popen([perf2x, *output, "-"], cwd=folder, stdin=subprocess.PIPE,
                                       stderr=subprocess.PIPE)
                # All but the end, which perf2x then waits for.
                job.stdin.write(recording[:-8])
                job.stdin.flush()
                time.sleep(0.3)
                assert job.poll() is None, job.stderr.read()
                job.send_signal(how)
                assert job.wait(timeout=20) == -how, (how, output, job.returncode)
                left = [path.name for path in pathlib.Path(folder).rglob("*")]
                assert not left, (how, output, left)
                job.stdin.close()
                job.stderr.close()

    # What is ignored when perf2x starts stays ignored.
    job = subprocess.Popen(["sh", "-c", "trap '' HUP; exec \"$0\" --to pprof -o /dev/null -", perf2x],
                           stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    job.stdin.write(recording[:-8])
    job.stdin.flush()
    time.sleep(0.3)
    job.send_signal(signal.SIGHUP)
    time.sleep(0.2)
    assert job.poll() is None, job.returncode
    job.communicate(recording[-8:], timeout=20)
    assert job.returncode == 0, job.returncode
    return 0


if __name__ == "__main__":
    sys.exit(main())
