#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""pprof profiles as input: copied, symbolized later, merged in any tree, shown by
other formats.

usage: profile_test.py PERF2X SOURCE_ROOT
"""

import csv
import gzip
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

SYMBOLS = ("--symfs", "testdata/symfs", "--kallsyms", "testdata/kallsyms",
           "--buildid-dir", "/nonexistent")


class Tests:
    def __init__(self, perf2x: pathlib.Path, root: pathlib.Path, folder: pathlib.Path):
        self.perf2x, self.root, self.folder = perf2x, root, folder
        self.recordings = sorted((root / "testdata").glob("*.data"))
        self.direct = {}  # of each recording, its profile with symbols

    def run(self, *arguments, code=0, stdin=subprocess.DEVNULL) -> str:
        done = subprocess.run([str(a) for a in (self.perf2x, *arguments)], cwd=self.root,
                              stdin=stdin, capture_output=True, text=True, check=False)
        assert done.returncode == code, (arguments, done)
        return done.stderr + done.stdout

    def convert(self, name: str, *arguments) -> bytes:
        self.run("-q", "-o", self.folder / name, *arguments)
        return (self.folder / name).read_bytes()

    def copies(self) -> None:
        """A profile of ours becomes the same bytes, compressed or not."""
        assert len(self.recordings) > 5
        for recording in self.recordings:
            once = self.direct[recording] = self.convert("a.pb.gz", *SYMBOLS, recording)
            assert self.convert("b.pb.gz", "--no-symbols", self.folder / "a.pb.gz") == once, recording
            (self.folder / "plain.pb").write_bytes(gzip.decompress(once))
            assert self.convert("b.pb.gz", "--no-symbols", self.folder / "plain.pb") == once, recording
        with open(self.folder / "a.pb.gz", "rb") as file:
            self.run("-q", "--no-symbols", "-", "-o", self.folder / "piped.pb.gz", stdin=file)
        assert (self.folder / "piped.pb.gz").read_bytes() == once

    def go(self) -> None:
        """pprof shows the same of Go's profiles before and after."""
        if shutil.which("go") is None:
            return
        def raw(path) -> str:
            return subprocess.run(["go", "tool", "pprof", "-symbolize=none", "-raw", path],
                                  capture_output=True, text=True, check=True,
                                  env={**os.environ, "HOME": str(self.folder)}).stdout
        for path in sorted((self.root / "tests/fuzz/corpus/profile").glob("go-*")):
            self.convert("go.pb.gz", "--no-symbols", path)
            assert raw(path) == raw(self.folder / "go.pb.gz"), path

    def symbolizes_later(self) -> None:
        changed = 0
        for recording in self.recordings:
            # Kernel symbols also tell which addresses are no return addresses.
            direct = self.direct[recording]
            # Stacks are unwound by the programs' code, which is no symbol.
            bare = self.convert("bare.pb.gz", "--no-symbols", *SYMBOLS[:2], recording)
            changed += bare != direct
            later = self.convert("later.pb.gz", *SYMBOLS, self.folder / "bare.pb.gz")
            assert later == direct, recording
        assert changed > 3

    def merges(self) -> None:
        """Any tree of merges gives the same bytes, of recordings and profiles."""
        chosen = random.Random(3)
        leaves = []
        for i, recording in enumerate(self.recordings):
            leaves.append(recording)
            if i % 2 == 0:
                profile = self.folder / f"leaf{i}.pb.gz"
                self.run("-q", "--no-symbols", "-o", profile, recording)
                leaves[-1] = profile
        made = 0
        def tree(parts: list, depth: int):
            nonlocal made
            if len(parts) == 1:
                return parts[0]
            chosen.shuffle(parts)
            cuts = sorted(chosen.sample(range(1, len(parts)), min(len(parts) - 1, 3)))
            groups = [parts[a:b] for a, b in zip([0, *cuts], [*cuts, len(parts)])]
            made += 1
            out = self.folder / f"node{made}.pb.gz"
            self.run("-q", "--no-symbols", "--merge", "-o", out,
                     *[tree(group, depth + 1) for group in groups])
            return out
        results = {tree(list(leaves), 0).read_bytes() for _ in range(4)}
        assert len(results) == 1
        whole = results.pop()
        assert self.convert("again.pb.gz", "--no-symbols", "--merge",
                            self.folder / "node1.pb.gz") == whole or made > 1
        # Of one: the same contents, in another order.
        one = self.convert("one.pb.gz", "--no-symbols", "--merge", leaves[0])
        assert self.convert("two.pb.gz", "--no-symbols", "--merge", self.folder / "one.pb.gz") == one

        # Of different events, the pairs of values remain.
        different = ("callgraph", "fields")
        sources = [self.root / f"testdata/{name}.data" for name in different]
        samples = []
        for name, arguments in (("r.csv", sources), ("p.csv", [self.folder / "pairs.pb.gz"])):
            if name == "p.csv":
                self.convert("pairs.pb.gz", "--no-symbols", "--merge", *sources)
            text = self.convert(name, "--no-symbols", "--merge", "--to", "folded", "--event",
                                "cpu-clock:u", *arguments)
            samples.append(sum(int(line.rsplit(b" ", 1)[1]) for line in text.splitlines()))
        assert samples[0] == samples[1], samples
        counts = self.run("--no-symbols", "--to", "folded", "-o", self.folder / "n.folded",
                          self.folder / "pairs.pb.gz")
        alone = [self.run("--no-symbols", "--to", "folded", "-o", self.folder / "n.folded", source)
                 for source in sources]
        lines = lambda text: {line for line in text.splitlines() if " of " in line and "sample" in line}
        assert {line.split(",")[0] for line in lines(counts)} == {
            line.split(",")[0] for text in alone for line in lines(text)}, (counts, alone)

        # Lists, folders, pipes and standard input.
        (self.folder / "list").write_text("\n".join(str(leaf) for leaf in leaves) + "\n\n")
        assert self.convert("l.pb.gz", "--no-symbols", "--merge", f"@{self.folder}/list") == whole
        inputs = self.folder / "inputs"
        inputs.mkdir()
        for i, leaf in enumerate(leaves[1:]):
            shutil.copy(leaf, inputs / f"{i:03}.{'pb.gz' if leaf.suffix == '.gz' else 'data'}")
        (inputs / "notes.txt").write_text("no input")
        with open(leaves[0], "rb") as file:
            self.run("-q", "--no-symbols", "--merge", inputs, "-", "-o",
                     self.folder / "f.pb.gz", stdin=file)
        assert (self.folder / "f.pb.gz").read_bytes() == whole
        fifo = self.folder / "fifo"
        os.mkfifo(fifo)
        with subprocess.Popen(["cp", str(leaves[0]), str(fifo)]) as writer:
            self.run("-q", "--no-symbols", "--merge", fifo, inputs, "-o", self.folder / "p.pb.gz")
            assert writer.wait() == 0
        assert (self.folder / "p.pb.gz").read_bytes() == whole
        assert "names no input" in self.run("--merge", "@/dev/null", "-o", "x.pb.gz", code=2)
        assert "/nonexistent" in self.run("--merge", "@/nonexistent", "-o", "x.pb.gz", code=2)

    def merged_symbols(self) -> None:
        """Symbols before or after a merge."""
        names = [self.root / "testdata" / f"{n}.data" for n in ("tasks", "callgraph", "flat")]
        bare = []
        for i, name in enumerate(names):
            bare.append(self.folder / f"bare{i}.pb.gz")
            self.run("-q", "--no-symbols", "-o", bare[-1], name)
        after = self.convert("after.pb.gz", "--merge", *SYMBOLS, *bare)
        assert self.convert("before.pb.gz", "--merge", *SYMBOLS, *names) == after
        assert b"main" in gzip.decompress(after)

    def shows(self) -> None:
        """Other formats show of a profile what they show of its recording."""
        recording = self.root / "testdata/callgraph.data"
        self.convert("c.pb.gz", *SYMBOLS, recording)
        profile = self.folder / "c.pb.gz"
        def lines(data: bytes) -> list:
            return sorted(data.decode().splitlines())
        for arguments in (("--to", "folded"), ("--to", "csv", "--table", "results"),
                          ("--to", "folded", "--comm", "spin"),
                          ("--to", "csv", "--table", "results", "--symbol", "demo::Mixer::Step")):
            of_recording = self.convert("r.txt", *arguments, *SYMBOLS, recording)
            of_profile = self.convert("p.txt", *arguments, *SYMBOLS, profile)
            assert len(of_recording.splitlines()) > 1, arguments
            strip = lambda data: [",".join(line.split(",")[:11]) for line in lines(data)]
            assert strip(of_profile) == strip(of_recording), arguments
        for form in ("html", "speedscope", "csv"):
            self.run("-q", "--to", form, "-o", self.folder / f"x.{form}", profile)
        self.run("-q", "--to", "html", "--base", profile, "-o", self.folder / "x.html", recording)
        for form in ("chrome", "perfetto", "firefox"):
            said = self.run("--to", form, "-o", self.folder / "no", profile, code=1)
            assert "does not say" in said, said
        for option in ("--wall-clock", "--latency", "--time=10%/2"):
            for more in (("--to", "pprof"), ("--to", "folded"), ("--merge", recording)):
                said = self.run(option, *more, "-o", self.folder / "no", profile, code=1)
                assert "does not say when" in said, said
        merged = self.convert("m.folded", "--merge", "--to", "folded", profile, recording)
        alone = self.convert("s.folded", "--to", "folded", *SYMBOLS, recording)
        total = lambda data: sum(int(line.rsplit(b" ", 1)[1]) for line in data.splitlines())
        assert total(merged) == 2 * total(alone)
        # Filters and labels, to pprof.
        everything = json.loads(self.run("info", "--json", profile))
        self.run("-q", "--comm", "spin", "--labels", "thread", "-o", self.folder / "f.pb.gz", profile)
        some = json.loads(self.run("info", "--json", self.folder / "f.pb.gz"))
        assert [label["key"] for label in some["labels"]] == ["thread"], some["labels"]
        assert some["values"][0] == everything["values"][0]
        assert "nosuch" in self.run("--comm", "nosuch", "-o", self.folder / "n.pb.gz", profile, code=1)
        assert "--branches" in self.run("--branches", "-o", self.folder / "n.pb.gz", profile, code=1)

    def fields(self) -> None:
        """Labels become the columns that the fields of the recording have."""
        for recording, more, columns in (
                ("fields.data", (), ("phys_addr", "weight3", "code_page_size", "addr")),
                ("sched.data", ("--wall-clock",), ("state", "waker"))):
            def values(name: str, *arguments) -> dict:
                rows = csv.DictReader(self.convert(name, "--to", "csv", "--table", "samples",
                                                   *arguments).decode().splitlines())
                found = [tuple(row[column] for column in columns) for row in rows]
                return {column: set(of) for column, of in zip(columns, zip(*found))}
            source = self.root / "testdata" / recording
            expected = values("r.csv", "--no-symbols", *more, source)
            assert all(of - {""} for of in expected.values()), expected
            profile = self.folder / "fields.pb.gz"
            self.run("-q", "--no-symbols", *more, "--labels", ",".join(columns), "-o", profile,
                     source)
            assert values("p.csv", profile) == expected, (recording, columns)
            self.run("-q", "--to", "parquet", "--table", "samples", "-o",
                     self.folder / "fields.parquet", profile)
    def oddities(self) -> None:
        """Values below 0, unknown fields, damage, no samples: what is said of them."""
        head = b"\x0a\x04\x08\x01\x10\x02"
        strings = b"\x32\x00\x32\x07samples\x32\x05count\x32\x01f"
        code = b"\x22\x06\x08\x01\x22\x02\x08\x01\x2a\x04\x08\x01\x10\x03"
        minus = b"\x12\x0f\x0a\x01\x01\x12\x0a" + b"\xf9" + b"\xff" * 8 + b"\x01"
        plus = b"\x12\x06\x0a\x01\x01\x12\x01\x05"
        good = head + plus + code + strings
        odd = self.folder / "odd.pb"
        out = self.folder / "odd.out"

        def said(content: bytes, *arguments, code=0) -> str:
            odd.write_bytes(content)
            return self.run(*arguments, "-o", out, odd, code=code)

        for form in (("folded",), ("csv", "--table", "samples"), ("speedscope",), ("html",)):
            text = said(head + minus + plus + code + strings, "--to", *form)
            assert "negative value" in text, text
            said(head + minus + plus + code + strings, "--strict", "--to", *form, code=1)
        assert "negative" not in said(head + minus + plus + code + strings, "--strict", "--to", "pprof")
        assert b"\xf9" + b"\xff" * 8 + b"\x01" in gzip.decompress(out.read_bytes())
        for field in (b"\x82\x01\x01x", b"\xfa\x01\x01x", b"\x9a\x06\x01x"):
            for content in (good + field, field + good):
                said(content, "--strict", "--to", "folded")
                assert out.read_text() == "profile;f 5\n", out.read_text()
        text = said(good + b"\0" * 8, "--to", "folded", code=1)
        assert f"{odd}: " in text and "damaged" in text and "perf.data" not in text, text
        assert f"{odd}: " in self.run("info", odd, code=1)
        text = said(head + code + strings, "--to", "folded")
        assert "no value of the profile" in text and "paranoid" not in text, text
        for arguments in (("--to", "folded"), ("--merge", "--to", "pprof")):
            text = said(good + b"\x0a\x00" * 3000, *arguments, code=1)
            assert f"{odd}: " in text and "2048 value types" in text, text

    def reports(self) -> None:
        profile = self.folder / "c.pb.gz"
        said = self.run("info", profile)
        assert "pprof profile" in said and "cpu-clock:u" in said and "/spin" in said, said
        assert "pprof -raw" in self.run("dump", profile, code=1)
        self.run("-q", "--json-summary", self.folder / "s.json", "-o", self.folder / "d.pb.gz",
                 profile)
        summary = json.loads((self.folder / "s.json").read_text())
        assert summary["inputs"][0]["events"][0]["samples"] == 77, summary
        untrusted = self.folder / "u.pb.gz"
        # A sanitized build does without seccomp and is content.
        whole = r"sandbox: Landlock ABI \d+, (seccomp|no seccomp with sanitizers)\n"
        if re.search(whole, self.run("--version", "-v")):
            self.run("-q", "--untrusted", "-o", untrusted, profile)
            assert untrusted.read_bytes() == profile.read_bytes()
        else:  # as by emulation
            said = self.run("-q", "--untrusted", "-o", untrusted, profile, code=1)
            assert "needs a whole sandbox" in said and not untrusted.exists(), said
        (self.folder / "cut.pb.gz").write_bytes(gzip.compress(
            gzip.decompress(profile.read_bytes())[:-100]))
        said = self.run("-o", self.folder / "n.pb.gz", self.folder / "cut.pb.gz", code=1)
        assert "profile" in said and "Traceback" not in said, said
        assert not (self.folder / "n.pb.gz").exists()


def main() -> int:
    perf2x, root = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    with tempfile.TemporaryDirectory() as name:
        tests = Tests(perf2x, root, pathlib.Path(name))
        for test in (tests.copies, tests.go, tests.symbolizes_later, tests.merges,
                     tests.merged_symbols, tests.shows, tests.fields, tests.oddities,
                     tests.reports):
            print(test.__name__, flush=True)
            test()
    return 0


if __name__ == "__main__":
    sys.exit(main())
