#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records programs in ways that spoil a profile, and checks that the summary
recognises each and says what to do, and nothing of good recordings.

usage: diagnosis_test.py PERF2X

Exits with 77, which stands for skipped, where there is no compiler or perf, or
it may not record.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77

# -O2 leaves out frame pointers; the frames below main take 12 KiB of stack.
PROGRAM = """
volatile unsigned long sink;
#define KEEP __attribute__((noinline, noclone))
KEEP unsigned long Leaf(unsigned long n) {
  for (int i = 0; i < 2000; ++i) n = n * 6364136223846793005UL + i;
  return n;
}
KEEP unsigned long Deep(int depth, unsigned long n) {
  volatile char room[1000];
  room[n % sizeof room] = (char)n;
  n = depth == 0 ? Leaf(n) : Deep(depth - 1, n + 1);
  return n + room[sink % sizeof room];
}
int main(void) {
  for (int i = 0; i < 60000; ++i) sink += Deep(12, i);
  return 0;
}
"""


class Recorder:
    def __init__(self, perf2x, folder):
        self.perf2x = perf2x
        self.folder = pathlib.Path(folder)
        source = self.folder / "program.c"
        source.write_text(PROGRAM)
        for name, flags in (("plain", ["-fomit-frame-pointer"]),
                            ("framed", ["-fno-omit-frame-pointer"])):
            subprocess.run(["gcc", "-O2", "-g", *flags, "-o", self.folder / name, source], check=True)

    def record(self, *options, program="plain", command=()):
        """What perf2x prints of it, and its JSON summary."""
        self.perf("record", *options, "--", *(command or [self.folder / program]))
        return self.convert()

    def perf(self, *words):
        # The build-id cache would keep what the tests take away.
        done = subprocess.run(
            ["perf", words[0], "-q", "-N", "-o", self.folder / "data", *words[1:]],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
        if done.returncode != 0:
            print("perf does not record here:", done.stderr.decode())
            sys.exit(SKIPPED)

    def convert(self, **more):
        out = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        out.chmod(0o777)
        (self.folder / "data").chmod(0o644)
        done = subprocess.run(
            [self.perf2x, "--to", "pprof", "--json-summary", out / "summary.json", "--buildid-dir",
             "/nonexistent", "-o", out / "out.pb.gz", self.folder / "data"],
            stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=True, **more)
        return done.stderr, json.loads((out / "summary.json").read_text())["inputs"][0]


def findings(result):
    """What was found, but for lost records: on a busy machine perf loses some of any recording."""
    return [entry["finding"] for entry in result["findings"] if entry["finding"] != "lost"]


def check(text, result, finding, *words):
    assert finding in findings(result), (finding, result["findings"], result["stacks"], text)
    for word in words:
        assert text.count(word) == 1, (word, text)


def hint(result, name):
    """What is advised for the file, which most samples are of."""
    files = [file for file in result["symbols"]["files"] if name in file["file"]]
    assert len(files) == 1 and files[0]["samples"] * 2 > result["symbols"]["samples"], files
    return files[0]["next_step"]


MEMFD = """
import os, sys
fd = os.memfd_create("copy", 0)
os.write(fd, open(sys.argv[1], "rb").read())
os.execv(f"/proc/self/fd/{fd}", ["copy"])
"""


def hints(recorder, clock):
    """For a program whose symbols are not found, each time for another reason."""
    framed = recorder.folder / "framed"
    program = recorder.folder / "program"

    subprocess.run(["strip", "-o", program, framed], check=True)
    text, result = recorder.record(*clock, program="program")
    assert hint(result, "/program").startswith("it is stripped: keep its symbols"), text
    assert "of samples have code without symbols" in text and "install" not in text, text

    program.unlink()
    text, result = recorder.convert()
    assert hint(result, "/program").startswith("there is no such file here"), text

    shutil.copy(recorder.folder / "plain", program)
    text, result = recorder.convert()
    assert hint(result, "/program").startswith("the file there is another build"), text

    text, result = recorder.record(*clock, command=[sys.executable, "-c", MEMFD, framed])
    assert hint(result, "memfd:copy").startswith("it was in memory only (memfd)"), text

    if os.geteuid() != 0:
        return
    recorder.record(*clock, program="program")
    program.chmod(0o700)
    try:
        text, result = recorder.convert(user=65534, group=65534, extra_groups=[])
    except PermissionError:
        return  # perf2x itself is out of reach
    assert hint(result, "/program").startswith("the file is there, but you may not read it"), text


def main() -> int:
    if shutil.which("gcc") is None or shutil.which("perf") is None:
        print("no gcc or no perf")
        return SKIPPED
    clock = ["-e", "cpu-clock:u", "-F", "997"]
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        recorder = Recorder(pathlib.Path(sys.argv[1]).resolve(), folder)

        text, result = recorder.record(*clock, "--call-graph", "fp", program="framed")
        assert findings(result) == [], (text, result["stacks"])
        assert "nanoseconds" not in text and (" ms\n" in text or " s\n" in text), text
        # A handful of nameless addresses is not worth a line.
        assert "without symbols" not in text and "symbol" not in text, text
        assert "offset 0" not in text, text

        text, result = recorder.record(*clock, "--call-graph", "fp")
        check(text, result, "no-frame-pointers", "--call-graph dwarf", "-fno-omit-frame-pointer")

        text, result = recorder.record(*clock, "--call-graph", "dwarf")
        check(text, result, "short-stack-dumps", "--call-graph dwarf,16384", "8192 bytes")
        assert result["stacks"]["cut"] > 0 and result["stacks"]["dump_size"] == 8192, result

        text, result = recorder.record(*clock, "--call-graph", "dwarf,32768")
        assert findings(result) == [], (text, result["stacks"])

        # Faults of a program that touches little: a sample is every millionth.
        text, result = recorder.record("-e", "page-faults:u", "-c", "1000000", command=["sleep", "0.1"])
        check(text, result, "no-samples", "page-faults:u did not occur", "record without :u")
        text, result = recorder.record("-e", "cpu-clock", "-c", "1000000000", command=["true"])
        check(text, result, "no-samples")
        # On a busy machine even this program does not end at once.
        assert "the program ended after" in text or "record with a smaller -c" in text, text
        hints(recorder, clock)
    return 0


if __name__ == "__main__":
    sys.exit(main())
