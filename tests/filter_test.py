#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Filters of the command line: each in every format, and, where perf is
installed, the same samples as perf script finds with its own.

usage: filter_test.py PERF2X SOURCE_ROOT
"""

import csv
import gzip
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

# Our options, and perf's.
SAME = [
    ("sched.data", ["--comm", "second,tasks"], ["--comms", "second,tasks"]),
    ("sched.data", ["--cpu", "0"], ["--cpu", "0"]),
    ("sched.data", ["--cpu", "0,1-1"], ["--cpu", "0,1-1"]),
    ("sched.data", ["--time", "10%/2"], ["--time", "10%/2"]),
    ("sched.data", ["--time", "0%-10%,50%-70%"], ["--time", "0%-10%,50%-70%"]),
    ("callgraph.data", ["--time", "50%/2"], ["--time", "50%/2"]),
    ("callgraph.data", ["--dso", "libc.so.6"], ["--dsos", "libc.so.6"]),
    ("callgraph.data", ["--dso", "spin"], ["--dsos", "spin"]),
    ("kernel.data", ["--dso", "[kernel.kallsyms]"], ["--dsos", "[kernel.kallsyms]"]),
]


def run(*command, check=True) -> subprocess.CompletedProcess:
    return subprocess.run([str(c) for c in command], text=True, capture_output=True, check=check,
                          stdin=subprocess.DEVNULL)


class Tool:
    def __init__(self, perf2x: pathlib.Path, data: pathlib.Path, folder: str):
        self.perf2x, self.data, self.folder = perf2x, data, pathlib.Path(folder)

    def samples(self, name, *options) -> list[dict]:
        out = self.folder / "samples.csv"
        run(self.perf2x, "--no-symbols", "-q", "--to", "csv", "--table", "samples", "-o", out,
            self.data / name, *options)
        with open(out, newline="", encoding="utf-8") as rows:
            return list(csv.DictReader(rows))

    def complaint(self, code, name, *options) -> str:
        done = run(self.perf2x, "--no-symbols", "--to", "pprof", "-o", self.folder / "none.pb.gz",
                   self.data / name, *options, check=False)
        assert done.returncode == code, done
        assert not (self.folder / "none.pb.gz").exists(), options
        return done.stderr


def compare_with_perf(tool: Tool) -> int:
    if shutil.which("perf") is None:
        print("not compared with perf: it is not installed")
        return 0
    for name, ours, perfs in SAME:
        script = run("perf", "script", "-i", tool.data / name, "--no-itrace", "-F",
                     "comm,tid,event", *perfs)
        expected = len([line for line in script.stdout.splitlines() if line.strip()])
        done = run(tool.perf2x, "--no-symbols", "--to", "csv", "--table", "samples", "-o",
                   tool.folder / "same.csv", tool.data / name, *ours, check=False)
        if expected == 0 and done.returncode == 1:
            continue  # a name that does not occur, which only we complain of
        assert done.returncode == 0, done
        found = sum(1 for _ in csv.reader(open(tool.folder / "same.csv", encoding="utf-8"))) - 1
        assert found == expected, (name, ours, found, expected)
    return len(SAME)


def main() -> int:
    perf2x, root = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    with tempfile.TemporaryDirectory() as folder:
        tool = Tool(perf2x, root / "testdata", folder)
        everything = tool.samples("sched.data")

        # One filter leaves what its column says, in time order, untouched.
        one = everything[len(everything) // 2]
        for option, column in (("--event", "event"), ("--tid", "tid"), ("--pid", "pid"),
                               ("--comm", "thread"), ("--cpu", "cpu")):
            wanted = [row for row in everything if row[column] == one[column]]
            assert tool.samples("sched.data", option, one[column]) == wanted, option
        start, stop = (int(everything[i]["time"]) for i in (3, 10))
        seconds = ",".join(f"{t // 10**9}.{t % 10**9:09}" for t in (start, stop))
        assert tool.samples("sched.data", "--time", seconds) == [
            row for row in everything if start <= int(row["time"]) <= stop]

        # Every format has the same samples; what was left out is counted.
        left = len(tool.samples("sched.data", "--event", "sched:sched_switch"))
        listed = [line.split()[0] for line in run(perf2x, "formats").stdout.splitlines()]
        assert {"pprof", "chrome", "csv", "folded"} <= set(listed), listed
        for form in listed:
            done = run(perf2x, "--no-symbols", "--to", form, "-o", tool.folder / form,
                       "--event", "sched:*switch", tool.data / "sched.data")
            assert f"{left} samples of sched:sched_switch" in done.stderr, done.stderr
            assert f"{len(everything) - left} samples left out" in done.stderr, done.stderr
        profile = gzip.decompress((tool.folder / "pprof").read_bytes())
        assert b"sched:sched_switch" in profile and b"sched_wakeup_samples" not in profile
        trace = (tool.folder / "chrome").read_text()
        assert '"cat":"sched:sched_switch' in trace and '"cat":"sched:sched_wakeup' not in trace
        lines = (tool.folder / "folded").read_text().splitlines()
        assert sum(int(line.rsplit(" ", 1)[1]) for line in lines) == left
        with open(tool.folder / "csv" / "overview.csv", newline="", encoding="utf-8") as rows:
            kinds = [row["type"] for row in csv.DictReader(rows)]
        assert kinds.count("SAMPLE") == left, kinds

        # The record that introduces a thread is the thread's as well.
        def comms(*filters: str) -> list[str]:
            out = tool.folder / "overview.csv"
            run(perf2x, "-q", "--no-symbols", "--to", "csv", "--table", "overview", "-o", out,
                *filters, tool.data / "sched.data")
            with open(out, newline="", encoding="utf-8") as rows:
                return [row["tid"] for row in csv.DictReader(rows) if row["type"] == "COMM"]
        named = [tid for tid in comms() if tid == one["tid"]]
        assert named and comms("--tid", one["tid"]) == named, (one, comms())

        # Stacks that are cut.
        for most in (1, 2, 3):
            out = tool.folder / "short.folded"
            run(perf2x, "--no-symbols", "-q", "--to", "folded", "--max-stack", most, "-o", out,
                tool.data / "callgraph.data")
            depths = [line.count(";") for line in out.read_text().splitlines()]
            assert max(depths) == most, depths

        # Names that do not occur, with those that do; what is no filter.
        for option, known in (("--event", "sched:sched_switch"), ("--comm", one["thread"]),
                              ("--tid", one["tid"]), ("--cpu", one["cpu"])):
            word = "987654" if option in ("--tid", "--cpu") else "nosuch"
            complaint = tool.complaint(1, "sched.data", option, word)
            assert f'{option} "{word}"' in complaint and known in complaint, complaint
        assert "nosuch" in tool.complaint(1, "callgraph.data", "--dso", "nosuch")
        assert "[spin]" in tool.complaint(1, "callgraph.data", "--symbol", "nosuch")
        for wrong in (["--cpu", "x"], ["--time", "2,1"], ["--max-stack", "0"], ["--pid", "a"]):
            assert re.search(wrong[0], tool.complaint(2, "sched.data", *wrong)), wrong

        # A stream does not say when it ends.
        stream = subprocess.run(
            f"cat {tool.data / 'pipe.data'} | {perf2x} --to pprof -o /dev/null --time 10%/2 -",
            shell=True, capture_output=True, text=True, check=False)
        assert stream.returncode == 1 and "percent" in stream.stderr, stream
        print(f"{compare_with_perf(tool)} filters compared with perf")
    return 0


if __name__ == "__main__":
    sys.exit(main())
