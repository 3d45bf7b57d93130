#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bench_step_branches records programs whose threads come and go, and ends with them.

usage: step_branches_test.py BENCH_STEP_BRANCHES PERF2X
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile

PROGRAM = """
#include <pthread.h>
static volatile int turns[4];
static void* turn(void* at) {
  for (int i = 0; i < 2000; ++i) ++*(volatile int*)at;
  return 0;
}
int main() {
  for (int round = 0; round < 5; ++round) {
    pthread_t threads[4];
    for (int i = 0; i < 4; ++i) pthread_create(&threads[i], 0, turn, (void*)&turns[i]);
    for (int i = 0; i < 4; ++i) pthread_join(threads[i], 0);
  }
  return turns[0] != 10000;
}
"""


def main() -> int:
    record, perf2x = sys.argv[1:]
    if shutil.which("cc") is None:
        print("skipped: no C compiler")
        return 77
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "app.c").write_text(PROGRAM)
        subprocess.run(["cc", "-pthread", "-o", "app", "app.c"], cwd=folder, check=True)
        for interval in ("100", "0"):
            done = subprocess.run(
                [record, "--interval", interval, "--max-samples", "100000", "app.data",
                 "--", "./app"],
                cwd=folder, timeout=120, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done
        branches = subprocess.run(
            [perf2x, "-q", "--to", "bolt", "--dso", "app", "-o", "-", "app.data"], cwd=folder,
            capture_output=True, text=True, check=True).stdout
        assert any(line.startswith("B ") for line in branches.splitlines()), branches
    return 0


if __name__ == "__main__":
    sys.exit(main())
