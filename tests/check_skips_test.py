#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/check-skips tells skips that are allowed from those that are not.

usage: check_skips_test.py SOURCE_ROOT
"""

import os
import pathlib
import subprocess
import sys
import tempfile


def main() -> int:
    root = pathlib.Path(sys.argv[1])
    rows = [line.split() for line in (root / "tests/allowed_skips.txt").read_text().splitlines()
            if line and not line.startswith("#")]
    names = [row[0].replace("*", "x") for row in rows] + ["FormatTest.Runs"]

    def check(*skipped: str, corpus: str = "/nonexistent", without: str = "", options=()):
        with tempfile.TemporaryDirectory() as folder:
            report = pathlib.Path(folder) / "tests.xml"
            report.write_text("<testsuite>" + "".join(
                f'<testcase name="{name}">{"<skipped/>" if name in skipped else ""}</testcase>'
                for name in names if name != without) + "</testsuite>")
            done = subprocess.run([root / "scripts/check-skips", report, *options], text=True,
                                  check=False, capture_output=True,
                                  env={**os.environ, "PERF2X_CORPUS": corpus})
            return done.returncode, done.stdout

    code, said = check()
    assert code == 0 and said.startswith(f"{len(names)} tests run, 0 skipped"), said
    code, said = check("FormatTest.Runs")
    assert code == 1 and "FormatTest.Runs: skipped, and not in" in said, said
    code, said = check("FullTruthTest.x")
    assert code == 0, said
    # Not allowed where what it needs is there.
    with tempfile.TemporaryDirectory() as corpus:
        (pathlib.Path(corpus) / "MANIFEST.json").write_text("[]")
        code, said = check("FullTruthTest.x", corpus=corpus)
    assert code == 1 and "although there is full-corpus" in said, said
    code, said = check(without="FullTruthTest.x")
    assert code == 1 and "no test is called FullTruthTest.*" in said, said
    # bench/run's test needs the benchmarks, which a sanitized build does not make.
    code, said = check(without="bench_run")
    assert code == 1 and "no test is called bench_run" in said, said
    code, said = check(without="bench_run", options=["--sanitized"])
    assert code == 0, said
    code, said = check(without="FullTruthTest.x", options=["--sanitized"])
    assert code == 1, said
    # Nor is there a test of x86-64 in a build for another machine.
    code, said = check(without="PtSteppedTest.x", options=["--machine", "x86_64"])
    assert code == 1 and "no test is called PtSteppedTest.*" in said, said
    code, said = check(without="PtSteppedTest.x", options=["--machine", "aarch64"])
    assert code == 0, said
    memory = "OutOfMemoryTest.EndsTheProcessWithOneLine"
    code, said = check(memory)
    assert code == 1 and "although there is" in said, said
    code, said = check(memory, options=["--machine", "s390x"])
    assert code == 0, said
    code, said = check(without="FullTruthTest.x", options=["--machine", "aarch64"])
    assert code == 1, said

    # Of a program that ran many tests, its own report has their names.
    with tempfile.TemporaryDirectory() as folder:
        reports = pathlib.Path(folder)
        (reports / "tests").mkdir()
        (reports / "tests.xml").write_text("<testsuite>" + "".join(
            f'<testcase name="{name}"/>' for name in [*names[:-1], "perf_test.1"]) + "</testsuite>")
        (reports / "tests/perf_test.1.xml").write_text(
            '<testsuites><testsuite><testcase name="Runs/1" classname="All/FormatTest"/>'
            '<testcase name="Runs/2" classname="All/FormatTest"><skipped/></testcase>'
            "</testsuite></testsuites>")
        done = subprocess.run([root / "scripts/check-skips", reports / "tests.xml"], text=True,
                              check=False, capture_output=True)
    assert done.returncode == 1 and done.stdout == (
        f"{len(names)} tests run, 1 skipped; not here: nothing\n"
        "All/FormatTest.Runs/2: skipped, and not in tests/allowed_skips.txt\n"), done.stdout
    return 0


if __name__ == "__main__":
    sys.exit(main())
