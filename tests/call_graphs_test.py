#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records one program with frame pointers and with stack copies, and checks
that both flame graphs say the same of each function, within sampling noise.

usage: call_graphs_test.py PERF2X

Exits with 77, which stands for skipped, where there is no compiler or perf, or
it may not record.
"""

import collections
import math
import pathlib
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
# Standard deviations between two shares. With some ten functions a difference
# that is none goes beyond this once in ten thousand runs.
NOISE = 4.5

# gcc leaves leaf functions without a frame pointer unless they ask for it.
PROGRAM = """
#define KEEP __attribute__((noinline, noclone))
volatile unsigned long sink;
KEEP void Spin(int n) {
  void* volatile frame = __builtin_frame_address(0);
  for (int i = 0; i < n; ++i) sink += i * 7;
  sink += frame != 0;
}
KEEP void Sort(int n) {
  void* volatile frame = __builtin_frame_address(0);
  for (int i = 0; i < n; ++i) sink ^= i << 3;
  sink += frame != 0;
}
KEEP void Parse(int n) { Spin(2 * n); Sort(n); sink++; }
KEEP void Walk(int depth, int n) {
  volatile char room[200] = {0};
  if (depth > 0) Walk(depth - 1, n); else Spin(n);
  sink += room[depth];
}
KEEP void Render(int n) { Walk(12, n); Parse(n); sink++; }
KEEP void Load(int n) { Sort(3 * n); sink++; }
KEEP void Run(int n) { Load(n); Render(n); Parse(n); sink++; }
int main() { for (int i = 0; i < 1500; ++i) Run(100000); return 0; }
"""


def record(folder: pathlib.Path, mode: str, perf2x: str) -> collections.Counter:
    """Samples by stack, of the program's own functions, root first."""
    data = folder / f"{mode.split(',')[0]}.data"
    done = subprocess.run(["perf", "record", "-q", "-N", "-e", "cpu-clock:u", "-F", "1997",
                           "--call-graph", mode, "-o", data, folder / "program"],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        print("perf cannot record here:", done.stderr.strip())
        sys.exit(SKIPPED)
    folded = subprocess.run([perf2x, "-q", "--to", "folded", "-o", "-", data],
                            capture_output=True, text=True, check=True).stdout
    stacks: collections.Counter = collections.Counter()
    for line in folded.splitlines():
        stack, _, count = line.rpartition(" ")
        names = stack.split(";")
        if "main" in names:  # else it is of the dynamic loader
            stacks[tuple(names[names.index("main"):])] += int(count)
    return stacks


def shares(stacks: collections.Counter) -> dict[str, collections.Counter]:
    """Samples by function: with it on the stack, and in it."""
    out = {"total": collections.Counter(), "self": collections.Counter()}
    for stack, count in stacks.items():
        for name in set(stack):
            out["total"][name] += count
        out["self"][stack[-1]] += count
    return out


def main() -> int:
    perf2x = sys.argv[1]
    if shutil.which("perf") is None or shutil.which("g++") is None:
        print("no perf or no g++ here")
        return SKIPPED
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "program.cc").write_text(PROGRAM)
        subprocess.run(["g++", "-O1", "-g", "-fno-omit-frame-pointer",
                        "-fno-optimize-sibling-calls", "-o", folder / "program",
                        folder / "program.cc"], check=True)
        by_mode = [record(folder, mode, perf2x) for mode in ("fp", "dwarf,8192")]
    counts = [sum(stacks.values()) for stacks in by_mode]
    print(f"{counts[0]} samples with frame pointers, {counts[1]} with stack copies")
    if min(counts) < 300:
        print("too few samples")
        return SKIPPED
    fp, dwarf = map(shares, by_mode)
    print(f"{'function':12} {'':5} {'fp %':>7} {'dwarf %':>7} {'deviations':>10}")
    failed = 0
    for kind in ("total", "self"):
        for function in sorted(set(fp[kind]) | set(dwarf[kind])):
            a, b = fp[kind][function], dwarf[kind][function]
            both = (a + b) / sum(counts)
            # A share of nothing has no deviation; one sample is none either.
            deviation = math.sqrt(max(both * (1 - both), 1 / sum(counts)) *
                                  (1 / counts[0] + 1 / counts[1]))
            apart = abs(a / counts[0] - b / counts[1]) / deviation
            print(f"{function:12} {kind:5} {100 * a / counts[0]:7.2f} "
                  f"{100 * b / counts[1]:7.2f} {apart:10.1f}")
            failed += apart > NOISE
    deepest = [max(map(len, stacks)) for stacks in by_mode]
    print(f"deepest stacks: {deepest[0]} and {deepest[1]} frames")
    if deepest[0] != deepest[1]:
        failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
