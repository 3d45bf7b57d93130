#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A recording of `perf stat record` in formats that show counts, and in one that
does not and says which to use.

usage: counters_test.py PERF2X SOURCE_ROOT
"""

import csv
import json
import pathlib
import subprocess
import sys
import tempfile


def main() -> int:
    perf2x, root = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)

        def convert(*arguments) -> tuple[str, str]:
            """What is said, and the warning in the summary for programs."""
            done = subprocess.run(
                [perf2x, "--no-symbols", *arguments, "--json-summary", "s.json",
                 root / "testdata" / "stat.data"], cwd=folder, stdin=subprocess.DEVNULL,
                capture_output=True, text=True, check=False)
            assert done.returncode == 0, done
            summary = json.loads((folder / "s.json").read_text())
            return done.stderr, summary["inputs"][0].get("warning", "")

        for arguments in (["--to", "csv", "-o", "tables"], ["--to", "chrome", "-o", "t.json"]):
            said, warning = convert(*arguments)
            assert "no samples" not in said + warning, (said, warning)
            assert "--to" not in said, said

        with open(folder / "tables" / "counters.csv", newline="", encoding="utf-8") as table:
            rows = list(csv.DictReader(table))
        assert rows and all(float(row["value"]) >= 0 for row in rows), rows
        # One row for each value in the trace.
        trace = json.loads((folder / "t.json").read_text())
        events = trace["traceEvents"] if isinstance(trace, dict) else trace
        names = {event["name"] for event in events if event["ph"] == "C"}
        counted = {row["event"] for row in rows}
        assert any(event in shown for event in counted for shown in names), (counted, names)

        # Filters find counts, too.
        convert("--to", "csv", "--event", "page-faults", "-o", "filtered")
        with open(folder / "filtered" / "counters.csv", newline="", encoding="utf-8") as table:
            filtered = list(csv.DictReader(table))
        assert filtered == [row for row in rows if row["event"] == "page-faults"], filtered
        assert 0 < len(filtered) < len(rows), filtered
        convert("--to", "csv", "--time", ",0.03", "-o", "early")
        with open(folder / "early" / "counters.csv", newline="", encoding="utf-8") as table:
            early = list(csv.DictReader(table))
        assert early == [row for row in rows if int(row["time"]) <= 30_000_000], early
        assert 0 < len(early) < len(rows), early
        for form, option, value, message in (
                ("csv", "--event", "nope", '--event "nope"; it has: '),
                ("csv", "--comm", "nope", '--comm "nope"'),
                ("csv", "--cpu", "0", "no sample or count has a CPU"),
                ("csv", "--time", "10%", "START,STOP"),
                ("folded", "--event", "page-faults", "--to chrome or csv")):
            failed = subprocess.run(
                [perf2x, "--to", form, option, value, "-o", "none",
                 root / "testdata" / "stat.data"],
                cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
            assert failed.returncode == 1 and message in failed.stderr, failed

        said, warning = convert("--to", "pprof", "-o", "p.pb.gz")
        assert "chrome" in said and "the table counters" in said, said
        assert "perf stat" in warning, warning
    return 0


if __name__ == "__main__":
    sys.exit(main())
