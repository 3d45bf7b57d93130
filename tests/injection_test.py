#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A conversion in which one call fails: an allocation, an mmap, a write, a thread's start,
an open; the first, the second, and so on to the last. Before, one with a small stack.

It must end with exit code 0, and the same output or a line that says what is missing, or
with 1 and one line that says why; leave no half-written file; and take less than 5
seconds.

usage: injection_test.py PERF2X LIBRARY SOURCE_ROOT [TRIED]

Tries a dozen failures a kind and conversion, or so many; 0: every one.
"""

import collections
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

KINDS = ("allocation", "mmap", "write", "thread", "open")
SMALL_STACK = 64 << 10  # bytes


def limit_stack() -> None:
    resource.setrlimit(resource.RLIMIT_STACK, (SMALL_STACK, SMALL_STACK))


class Conversion:
    def __init__(self, perf2x, library, options: list[str], recording: pathlib.Path, piped: bool):
        self.command = [perf2x, *options, "--threads", "2"]
        if options[0] in ("info", "dump"):
            self.command = [perf2x, *options]
        self.command.append("-" if piped else recording)
        self.library, self.input = library, recording.read_bytes() if piped else None
        # libtraceevent, which reads this one's formats, looks at no allocation of its own.
        self.kinds = KINDS[1:] if recording.name == "pipe-sched.data" else KINDS
        self.name = f"{' '.join(options)} of a {'pipe' if piped else 'file'}"

    def run(self, small_stack: bool = False, **failure) -> tuple[int, str, dict[str, bytes]]:
        """The exit code, what is said, and all files that are left."""
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for sub in ("out", "tmp"):
                (folder / sub).mkdir()
            environment = {"LD_PRELOAD": self.library, "CPU_LIMIT": "5",
                           "TMPDIR": str(folder / "tmp"), "HOME": str(folder),
                           "PATH": "/usr/bin:/bin", **failure}
            done = subprocess.run(self.command, cwd=folder, input=self.input, env=environment,
                                  stdin=subprocess.DEVNULL if self.input is None else None,
                                  capture_output=True, check=False, timeout=100,
                                  # Forks all of this process, which takes as long as half
                                  # a conversion.
                                  preexec_fn=limit_stack if small_stack else None)
            files = {str(path.relative_to(folder)): path.read_bytes()
                     for path in sorted(folder.rglob("*")) if path.is_file()}
            files |= {str(path.relative_to(folder)): b"" for path in folder.glob("*/*")
                      if path.is_dir() and not any(path.iterdir())}
            if done.returncode == 0:
                files["-"] = done.stdout
            return done.returncode, done.stderr.decode(), files

    def calls(self, kind: str) -> int:
        with tempfile.NamedTemporaryFile("r") as count:
            code, said, _ = self.run(FAIL_CALL=kind, FAIL_AT="0", FAIL_COUNT=count.name)
            assert code == 0, (self.name, code, said)
            return int(count.read())

    def fault(self, usual, kind: str, number: int, after: bool) -> tuple[str, str]:
        """What became of a conversion with this failure, and what is wrong with that."""
        failure = {"FAIL_CALL": kind, "FAIL_AT": str(number)}
        if after:
            failure["FAIL_AFTER"] = "1"
        code, said, files = self.run(**failure)
        _, _, usual_files = usual
        if code == 0:
            if files == usual_files:
                return "as usual", ""
            if set(files) != set(usual_files):
                return "converted", f"files {sorted(files)}"
            said_so = re.search("note:|warning:|code without symbols", said)
            return "less, and said so", "" if said_so else f"less, and not said: {said}"
        lines = [line for line in said.splitlines() if not line.startswith("perf2x: no format")]
        if code != 1:
            return "crashed", f"exit code {code}: {said}"
        if len(lines) != 1 or not re.match("perf2x: .", lines[0]):
            return "failed", f"not one line: {said}"
        # All was written when the summary of it failed, or nothing is left.
        whole = files == {name: bytes for name, bytes in usual_files.items() if name != "-"}
        return "failed", "" if whole or not files else f"left {sorted(files)}"


def conversions(perf2x, library, root):
    testdata = root / "testdata"
    symbols = ["--symfs", str(testdata / "symfs"), "--kallsyms", str(testdata / "kallsyms")]
    formats = subprocess.run([perf2x, "formats"], stdout=subprocess.PIPE, text=True,
                             check=True).stdout.splitlines()
    for line in formats:
        name = line.split()[0]
        to = ["--to", name, "-o", "out/made"]
        yield Conversion(perf2x, library, to + symbols, testdata / "callgraph.data", False)
        yield Conversion(perf2x, library, to, testdata / "pipe-zstd.data", True)
    yield Conversion(perf2x, library, ["--to", "folded", "-o", "out/made.gz"] + symbols,
                     testdata / "dwarf.data", False)
    yield Conversion(perf2x, library, ["--to", "csv", "-o", "out/made"],
                     testdata / "pipe-sched.data", True)
    for command in (["info"], ["info", "--json"], ["dump"]):
        yield Conversion(perf2x, library, command, testdata / "zstd.data", False)


def main() -> int:
    perf2x, library, root = (pathlib.Path(argument).resolve() for argument in sys.argv[1:4])
    os.environ.pop("DEBUGINFOD_URLS", None)
    tried = int((*sys.argv[4:], 12)[0])
    outcomes = collections.Counter()
    faults = []
    for conversion in conversions(perf2x, library, root):
        usual = conversion.run()
        assert usual[0] == 0, (conversion.name, usual)
        assert conversion.run(small_stack=True) == usual, conversion.name
        for kind in conversion.kinds:
            calls = conversion.calls(kind)
            numbers = range(1, calls + 1)
            if 0 < tried < calls:
                # Others in each conversion.
                step = calls // tried
                numbers = numbers[len(outcomes) * 7 % step::step]
            for number in numbers:
                for after in (False, True) if tried == 0 or number % 2 == 0 else (False,):
                    outcome, wrong = conversion.fault(usual, kind, number, after)
                    outcomes[kind, outcome] += 1
                    if wrong:
                        faults.append(f"{conversion.name}: {kind} {number} of {calls}"
                                      f"{' and all later' if after else ''}: {wrong}")
                        print(faults[-1], flush=True)
    for kind in KINDS:
        row = {outcome: n for (of, outcome), n in sorted(outcomes.items()) if of == kind}
        print(f"{kind}: {sum(row.values())} failures tried; " +
              ", ".join(f"{n} {outcome}" for outcome, n in row.items()))
    print(f"{len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
