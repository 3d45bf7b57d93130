#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""--wall-clock and --latency in every format, on recordings of testdata/: threads'
stretches sum up to their lives, and sums agree between formats.

usage: wall_clock_test.py PERF2X SOURCE_ROOT
"""

import collections
import csv
import io
import json
import pathlib
import re
import subprocess
import sys
import tempfile


def main() -> int:
    perf2x, root = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    testdata = root / "testdata"

    def convert(recording: str, *arguments) -> str:
        done = subprocess.run(
            [perf2x, "--no-symbols", *arguments, testdata / recording],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        assert done.returncode == 0, (arguments, done.stderr)
        convert.said = done.stderr
        return done.stdout

    def rows(recording: str, *arguments):
        return list(csv.DictReader(io.StringIO(
            convert(recording, "--to", "csv", "--table", "samples", *arguments))))

    def lives(recording: str) -> dict:
        """The life of each thread as its records have it."""
        first = last = None
        begin, end = {}, {}
        for line in subprocess.run([perf2x, "dump", "--sorted", testdata / recording],
                                   capture_output=True, text=True,
                                   check=True).stdout.splitlines():
            found = re.match(r"(\d+)\.(\d{9}) (\w+) .*?\bpid=(-?\d+)(?: ppid=-?\d+)? tid=(-?\d+)",
                             line)
            if not found:
                continue
            time = int(found[1]) * 10**9 + int(found[2])
            first = time if first is None else min(first, time)
            last = time if last is None else max(last, time)
            thread = (found[4], found[5])
            if found[3] == "FORK":
                begin[thread] = time
            elif found[3] == "EXIT":
                end[thread] = time
        return collections.defaultdict(
            lambda: last - first,
            {t: end.get(t, last) - begin.get(t, first) for t in {*begin, *end}})

    for recording in ("switch.data", "tasks.data", "sched.data"):
        table = rows(recording, "--wall-clock")
        assert {row["event"] for row in table} <= {"wall", "cpu", "offcpu"}, table[:3]
        sums, states = collections.Counter(), collections.Counter()
        threads = collections.Counter()
        for row in table:
            sums[row["event"]] += int(row["period"])
            if row["event"] == "wall":
                states[row["state"]] += int(row["period"])
                threads[row["pid"], row["tid"]] += int(row["period"])
        assert sums["wall"] == sums["cpu"] + sums["offcpu"] + states["unknown"], sums
        assert sums["cpu"] == states["running"], (sums, states)
        known = lives(recording)
        for thread, time in threads.items():
            # An exiting thread is switched out a little after its EXIT record.
            assert -1e5 < time - known[thread] < 5e6, (recording, thread, time, known[thread])
        folded = convert(recording, "--to", "folded", "--wall-clock")
        total = sum(int(line.rsplit(" ", 1)[1]) for line in folded.splitlines())
        assert total == sums["wall"], (total, sums)
        # The same sums by thread as in the table.
        by_name, folded_by_name = collections.Counter(), collections.Counter()
        for row in table:
            if row["event"] == "wall":
                by_name[row["thread"]] += int(row["period"])
        for line in folded.splitlines():
            folded_by_name[line.split(";", 1)[0]] += int(line.rsplit(" ", 1)[1])
        assert folded_by_name == by_name, (recording, folded_by_name, by_name)
        if recording == "switch.data":
            assert "unknown" not in states or states["unknown"] < sums["wall"] / 1000, states
            assert any(line.rsplit(" ", 1)[0].endswith("[blocked]")
                       for line in folded.splitlines()), folded
        with_wakers = convert(recording, "--to", "folded", "--wakers")
        assert sum(int(line.rsplit(" ", 1)[1])
                   for line in with_wakers.splitlines()) == total

    convert("clock.data", "--to", "folded", "--wall-clock")
    assert "no context switches" in convert.said, convert.said

    # Every sample has a latency, at most its period.
    table = rows("switch.data", "--latency")
    own = [row for row in table if row["event"] != "latency"]
    latency = [row for row in table if row["event"] == "latency"]
    assert own and len(own) == len(latency), len(table)
    for sample, weighted in zip(own, latency):
        parallelism = int(weighted["parallelism"])
        assert int(weighted["period"]) == int(sample["period"]) // parallelism, weighted

    # A profile for compilers has each sample once.
    for fmt in ("bolt", "profgen"):
        assert (convert("switch.data", "--to", fmt, "--latency")
                == convert("switch.data", "--to", fmt)), fmt
    ranges = convert("switch.data", "--to", "profgen", "--latency").splitlines()
    assert "11c4-11c4:34" in ranges, ranges

    with tempfile.TemporaryDirectory() as name:
        for fmt in ("pprof", "html", "chrome", "perfetto", "firefox", "speedscope"):
            out = pathlib.Path(name) / fmt
            convert("switch.data", "--to", fmt, "--wall-clock", "--latency", "-o", out)
            assert out.stat().st_size > 100, fmt
        for fmt, options, status in (("pprof", ["--branches"], 1), ("bolt", [], 2)):
            done = subprocess.run(
                [perf2x, "--to", fmt, "--wall-clock", *options, "-o", pathlib.Path(name) / "no",
                 root / "testdata/switch.data"], capture_output=True, text=True, check=False)
            assert done.returncode == status and "have no branches" in done.stderr, done
        done = subprocess.run([perf2x, "--to", "bolt", "--dso", "a,b", "no.data"],
                              capture_output=True, text=True, check=False)
        assert done.returncode == 2 and "is about one file" in done.stderr, done
        firefox = json.loads((pathlib.Path(name) / "firefox").read_text())
        assert "offcpu" in json.dumps(firefox), "no track of waits"
        # The same bytes for any number of threads.
        for threads in ("1", "4"):
            convert("switch.data", "--to", "pprof", "--wall-clock", "--threads", threads,
                    "-o", pathlib.Path(name) / threads)
        assert (pathlib.Path(name) / "1").read_bytes() == (pathlib.Path(name) / "4").read_bytes()
    return 0


if __name__ == "__main__":
    sys.exit(main())
