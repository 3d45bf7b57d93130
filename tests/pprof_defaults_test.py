#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `go tool pprof` shows with its default options, under which it may look
for names itself, is what perf2x wrote: of programs that are there, that were
stripped since, and that are gone.

usage: pprof_defaults_test.py PERF2X

Exits with 77, which stands for skipped, where there is no go, no compiler or no
perf, or it may not record.
"""

import itertools
import pathlib
import shutil
import subprocess
import sys
import tempfile

import pprof_reports

SKIPPED = 77
PPROF = ["go", "tool", "pprof"]
# A function gets inlined ones, so that there are chains to lose.
PROGRAM = """
#include <vector>
#include <algorithm>
extern "C" void Nameless(int n);
volatile unsigned sink;
struct Mixer {
  std::vector<unsigned> values = std::vector<unsigned>(64, 1);
  unsigned Twist(unsigned x) { return (x ^ x >> 7) * 2654435761u; }
  unsigned At(unsigned i) { return Twist(values[i % values.size()] + i); }
  __attribute__((noinline)) void Step(int n) {
    for (int i = 0; i < n; ++i) sink += At(i);
  }
};
template <class T>
__attribute__((noinline)) void Sort(std::vector<T> of) {
  std::sort(of.begin(), of.end());
  sink += of[0];
}
int main() {
  Mixer mixer;
  for (int i = 0; i < 400; ++i) {
    mixer.Step(100000);
    Sort(mixer.values);
    Nameless(50000);
  }
}
"""
# Compiled without debug information; its symbol is taken away.
NAMELESS = """
extern volatile unsigned sink __asm__("sink");
void Nameless(int n) { for (int i = 0; i < n; ++i) sink += i * 7; }
"""
LINKED = {"static": ["-static"], "static-pie": ["-static-pie", "-fPIE"], "PIE": ["-pie", "-fPIE"],
          "not PIE": ["-no-pie", "-fno-pie"]}


def skip(why: str) -> None:
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


class Trial:
    """A program that was recorded, in a folder of its own."""

    def __init__(self, perf2x: pathlib.Path, folder: pathlib.Path):
        self.perf2x, self.folder, self.program = perf2x, folder, folder / "program"

    def build(self, compiler: str, how: list[str]) -> bool:
        flags = ["-O2", "-fno-omit-frame-pointer", *how]
        (self.folder / "main.cc").write_text(PROGRAM)
        (self.folder / "nameless.c").write_text(NAMELESS)
        commands = [
            [compiler, "-x", "c", "-c", *flags[:-1], *how[-1:], "nameless.c", "-o", "nameless.o"],
            [compiler, "-g", *flags, "main.cc", "nameless.o", "-o", "program"],
            ["objcopy", "--strip-symbol=Nameless", "program"]]
        return all(subprocess.run(c, cwd=self.folder, capture_output=True, check=False
                                  ).returncode == 0 for c in commands)

    def record(self) -> None:
        done = subprocess.run(
            ["perf", "record", "-q", "-N", "-g", "-e", "cpu-clock:u", "-F", "997", "-o",
             "perf.data", self.program], cwd=self.folder, capture_output=True, text=True,
            check=False)
        if done.returncode != 0:
            skip(f"perf cannot record here: {done.stderr.strip()}")

    def convert(self) -> None:
        subprocess.run([self.perf2x, "-q", "--buildid-dir", self.folder / "none", "--to", "pprof",
                        "-o", "perf.pb.gz", "perf.data"], cwd=self.folder, check=True)

    def check(self, state: str, *options: str) -> pprof_reports.Report:
        shown, share, name = pprof_reports.compare(PPROF, self.folder / "perf.pb.gz", *options)
        assert share <= 0.001, f"{state}: {100 * share:.1f} % of the samples differ in {name}"
        return shown

    def run(self) -> None:
        self.record()
        self.convert()
        self.check("there, by line", "-lines")
        shown = self.check("there")
        for name in ("Mixer::Step", "Mixer::Twist", "[program]"):
            assert shown.rows.get(name, (0, 0))[0] > 0, (name, shown.text)
        subprocess.run(["strip", self.program], check=True)
        assert self.check("stripped since").rows == shown.rows
        self.convert()
        stripped = self.check("stripped").rows
        assert "Mixer::Step" not in stripped and "[program]" in stripped, stripped
        self.program.unlink()
        assert self.check("gone since").rows == stripped
        self.convert()
        assert self.check("gone").rows["[program]"] == stripped["[program]"]


def main() -> int:
    perf2x = pathlib.Path(sys.argv[1]).resolve()
    for tool in ("go", "perf", "objcopy"):
        if shutil.which(tool) is None:
            skip(f"there is no {tool}")
    wanted = [*itertools.product(["g++"], LINKED), ("clang++", "static-pie"), ("clang++", "PIE")]
    tried = 0
    for compiler, name in wanted:
        if shutil.which(compiler) is None:
            continue
        with tempfile.TemporaryDirectory() as folder:
            trial = Trial(perf2x, pathlib.Path(folder))
            if not trial.build(compiler, LINKED[name]):
                print(f"not tried: {compiler} cannot build {name} programs")
                continue
            trial.run()
            tried += 1
            print(f"as pprof shows it without options: {compiler}, {name}")
    if tried == 0:
        skip("there is no compiler")
    return 0


if __name__ == "__main__":
    sys.exit(main())
