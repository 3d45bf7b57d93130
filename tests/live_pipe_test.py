#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`perf record -a -g -o - | perf2x`, ended as Ctrl-C ends it: the whole process
group is interrupted, perf writes what it still has, and all of it is converted.

usage: live_pipe_test.py PERF2X
"""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

RECORD = ["perf", "record", "-q", "-a", "-g", "-e", "cpu-clock", "-F", "199", "-o"]
# Keeps the bytes, and outlives what perf and perf2x are sent.
TEE = ["sh", "-c", "trap '' INT; exec tee raw.data"]


def missing(folder: pathlib.Path) -> str:
    if shutil.which("perf") is None:
        return "there is no perf"
    tried = subprocess.run([*RECORD, folder / "probe.data", "true"], check=False,
                           stdin=subprocess.DEVNULL, capture_output=True, text=True)
    return "" if tried.returncode == 0 else f"perf cannot record: {tried.stderr.strip()}"


def record_and_interrupt(perf2x, folder: pathlib.Path, between: list) -> str:
    """Runs perf, the commands between and perf2x as a shell runs a pipeline; gives what
    perf2x said."""
    jobs = []
    for command in ([*RECORD, "-"], *between,
                    [perf2x, "--no-symbols", "--json-summary", "live.json", "-o", "live.pb.gz"]):
        jobs.append(subprocess.Popen(
            command, cwd=folder, stdin=jobs[-1].stdout if jobs else subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE if command[0] == perf2x else None,
            text=True, process_group=jobs[0].pid if jobs else 0))
        if len(jobs) > 1:
            jobs[-2].stdout.close()
    # Once perf2x converts, which is on a thread of its own, for a while.
    tasks = pathlib.Path(f"/proc/{jobs[-1].pid}/task")
    while jobs[-1].poll() is None and len(list(tasks.iterdir())) < 3:
        time.sleep(0.01)
    time.sleep(1)
    for job in jobs:
        assert job.poll() is None, job.args
    os.killpg(jobs[0].pid, signal.SIGINT)
    _, said = jobs[-1].communicate(timeout=60)
    for job in jobs:
        job.wait(timeout=60)
    assert jobs[-1].returncode == 0, (jobs[-1].returncode, said)
    return said


def main() -> int:
    perf2x = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if reason := missing(folder):
            print(f"not run: {reason}")
            return 77
        profile, summary, raw = (folder / n for n in ("live.pb.gz", "live.json", "raw.data"))
        for between in ([], [TEE]):
            for path in (profile, summary, raw):
                path.unlink(missing_ok=True)
            said = record_and_interrupt(perf2x, folder, between)
            assert "finishing at the end of the input" in said, said
            events = json.loads(summary.read_text())["inputs"][0]["events"]
            samples = sum(event["samples"] for event in events)
            # perf samples its own wake-up at the least; idle CPUs give none.
            assert samples > 0 and profile.stat().st_size > 0, said
            if not between:
                continue
            # What perf reports of the same bytes is the truth.
            report = subprocess.run(["perf", "report", "--stats", "-i", raw], check=True,
                                    stdin=subprocess.DEVNULL, capture_output=True,
                                    text=True).stdout
            of_perf = int(re.search(r"SAMPLE events:\s+(\d+)", report)[1])
            print(f"perf reports {of_perf} samples, the profile has {samples}")
            assert samples == of_perf, (samples, of_perf)
    return 0


if __name__ == "__main__":
    sys.exit(main())
