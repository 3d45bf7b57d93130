#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`perf2x diff`: recordings are compared, and the gate's exit codes are as documented.
The recordings are one of testdata/, filtered differently: what changes is known.

usage: diff_test.py PERF2X SOURCE_ROOT
"""

import gzip
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from html_page import Page


def number(n: int) -> bytes:
    return bytes([n]) if n < 128 else bytes([n & 127 | 128, n >> 7])


def field(at: int, content) -> bytes:
    if isinstance(content, int):
        return bytes([at << 3]) + number(content)
    return bytes([at << 3 | 2]) + number(len(content)) + content


def two_functions(name: str, value: int) -> bytes:
    """A profile in which the function `name` has a value, and `down` has 100."""
    out = field(1, field(1, 1) + field(2, 2))
    for i, n in ((1, value), (2, 100)):
        out += field(2, field(1, number(i)) + field(2, number(n)))
        out += field(4, field(1, i) + field(2, 1) + field(3, 16 * i) + field(4, field(1, i)))
        out += field(5, field(1, i) + field(2, 2 + i))
    out += field(3, field(1, 1) + field(3, 4096) + field(5, 5))
    for text in ("", "samples", "count", name, "down", "/bin/x"):
        out += field(6, text.encode())
    return out


def twin_events() -> bytes:
    """A profile with two events called cycles: the first in `up`, the second in `down`."""
    out = 2 * field(1, field(1, 1) + field(2, 2))
    for i, values in ((1, (7, 0)), (2, (0, 100))):
        out += field(2, field(1, number(i)) + field(2, bytes(values)))
        out += field(4, field(1, i) + field(4, field(1, i)))
        out += field(5, field(1, i) + field(2, 2 + i))
    for text in ("", "cycles", "count", "up", "down"):
        out += field(6, text.encode())
    return out


def inlined() -> bytes:
    """A profile whose stacks are longer than a page of an input of its size may cause."""
    out = field(1, field(1, 1) + field(2, 2))
    for i in range(300):
        stack = b"".join(number((i + 7 * k) % 100 + 1) for k in range(60))
        out += field(2, field(1, stack) + field(2, number(1)))
    for i in range(100):
        lines = (field(4, field(1, (i + k) % 1000 + 1)) for k in range(1000))
        out += field(4, field(1, i + 1) + b"".join(lines))
    for i in range(1000):
        out += field(5, field(1, i + 1) + field(2, i + 3))
    for text in ("", "samples", "count", *(f"function{i}" for i in range(1000))):
        out += field(6, text.encode())
    return out


def main() -> int:
    perf2x, root = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        source = root / "testdata/callgraph.data"
        other = root / "testdata/dwarf.data"
        for i in range(4):
            shutil.copy(source, folder / f"a{i}.data")
            shutil.copy(source, folder / f"b{i}.data")
            shutil.copy(other, folder / f"c{i}.data")

        def diff(*arguments, status=0):
            done = subprocess.run(
                [perf2x, "diff", "-q", "--symfs", root / "testdata/symfs", *arguments], cwd=folder,
                stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
            assert done.returncode == status, (arguments, done)
            return done

        same = [f"a{i}.data" for i in range(4)], [f"b{i}.data" for i in range(4)]
        changed = [f"c{i}.data" for i in range(4)]

        # The same recordings: nothing changed, whatever the limit.
        text = diff("--fail-above", "0%", "--fail-above=total:0%", "--fail-above=all:0%",
                    *same[0], "--", *same[1]).stdout
        assert "4 recordings before, 4 after" in text, text
        assert "No function changed beyond the noise" in text, text
        result = json.loads(diff("--json", *same[0], "--", *same[1]).stdout)
        assert result["functions"] and len(result["recordings"]) == 8, result
        assert not any(f["self"]["beyond_noise"] or f["self"]["change"]
                       for f in result["functions"]), result
        shares = sum(f["self"]["base_normalized"] for f in result["functions"])
        assert abs(shares - 1) < 1e-9, shares

        # Other work: exit code 3, with the functions on standard error.
        done = diff("--fail-above", "3%", *same[0], "--", *changed, status=3)
        assert "self share grew by more than 3 %" in done.stderr, done.stderr
        assert "* beyond the noise" in done.stdout, done.stdout
        worse = json.loads(diff("--json", *same[0], "--", *changed).stdout)
        named = [f["name"] for f in worse["functions"] if f["self"]["beyond_noise"]]
        assert any(name in done.stderr for name in named), (named, done.stderr)
        markdown = diff("--markdown", "--rows", "1", *same[0], "--", *changed).stdout
        assert markdown.count("\n| ") == 3, markdown

        # --new is the same as --.
        new = [word for path in changed for word in ("--new", path)]
        assert json.loads(diff("--json", *same[0], *new).stdout) == worse

        # Without enough recordings there is no verdict, and no gate.
        text = diff("a0.data", "--", "c0.data").stdout
        assert "cannot be known" in text and "*" not in text, text
        assert "With 2 recordings a side" in diff(
            "a0.data", "a1.data", "--", "c0.data", "c1.data").stdout
        done = diff("--fail-above", "3%", "a0.data", "--", "c0.data", status=2)
        assert "at least 4 recordings a side" in done.stderr, done.stderr

        # Normalizations, and what is refused.
        for how in ("none", "wall", result["event"]):
            diff("--normalize", how, *same[0], "--", *same[1])
        diff("--normalize", "no-such", *same[0], "--", *same[1], status=1)
        diff("--value", "no-such", *same[0], "--", *same[1], status=1)
        diff("a0.data", status=2)
        diff("--to", "pprof", "a0.data", "--", "b0.data", status=2)
        diff("-o", "x.csv", "--to", "csv", "a0.data", "--", "b0.data", status=2)
        diff("-o", "a0.data", "--to", "html", "a0.data", "--", "b0.data", status=2)
        diff("a0.data", "--", "missing.data", status=1)

        # Why there is nothing to compare.
        done = subprocess.run(
            [perf2x, "diff", "--no-symbols", root / "testdata/empty.data", "--", source],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        assert done.returncode == 1 and "nothing to be normalized by" in done.stderr, done
        assert "empty.data: no samples" in done.stderr, done.stderr

        # Profiles have symbols of their own, which are compared; other code of theirs is
        # looked up. Control characters, bars and tags in names are text.
        for i in range(4):
            for kind in "ac":
                subprocess.run([perf2x, "-q", "--symfs", root / "testdata/symfs", "--labels", "none",
                                "-o", f"{kind}{i}.pb.gz", f"{kind}{i}.data"], cwd=folder, check=True)
        def values(result):
            return {f["name"]: (f["self"]["base_normalized"], f["self"]["new_normalized"])
                    for f in result["functions"]}
        of_profiles = json.loads(diff(
            "--no-symbols", "--json", *[f"a{i}.pb.gz" for i in range(4)], "--",
            *[f"c{i}.pb.gz" for i in range(4)]).stdout)
        assert values(of_profiles) == values(worse), (of_profiles, worse)
        for side, up in (("base", 5), ("new", 55)):
            for i in range(4):
                (folder / f"{side}{i}.pb").write_bytes(two_functions("<b>|\x1b[31m", up + i % 2))
        sides = [f"base{i}.pb" for i in range(4)], [f"new{i}.pb" for i in range(4)]
        done = diff("--fail-above", "50%", *sides[0], "--", *sides[1], status=3)
        assert "\x1b[31m" not in done.stdout + done.stderr, done
        assert "<b>|\\x1b[31m" in done.stdout, done.stdout
        shown = values(json.loads(diff("--json", *sides[0], "--", *sides[1]).stdout))
        assert abs(shown["<b>|\\x1b[31m"][1] - 55.5 / 155.5) < 1e-3, shown
        text = diff("--markdown", *sides[0], "--", *sides[1]).stdout
        assert "| `<b>\\|\\x1b[31m` |" in text and "\x1b" not in text, text
        diff("-o", "f.pb.gz", *sides[0], "--", *sides[1])
        assert b"down" in gzip.decompress((folder / "f.pb.gz").read_bytes())
        # The mean of three recordings whose samples have the period 1.
        for i in range(4):
            shutil.copy(root / "testdata/sched.data", folder / f"s{i}.data")
        diff("--event", "sched:sched_switch", "-o", "m.pb.gz",
             *[f"s{i}.data" for i in range(3)], "--", "s3.data")
        means = [subprocess.run([perf2x, "-q", "--to", "folded", "-o", "-", "--event", event,
                                 "m.pb.gz"], cwd=folder, check=True, capture_output=True,
                                text=True).stdout for event in ("base", "new")]
        assert means[0] == means[1] and means[0], means
        diff("-o", "f.html", sides[0][0], "--", sides[1][0])
        assert "down" in (folder / "f.html").read_text()

        # Events of one name stay apart: the second is NAME#2.
        (folder / "twins.pb").write_bytes(twin_events())
        for arguments, event, function in (((), "cycles", "up"),
                                           (("--value", "cycles"), "cycles", "up"),
                                           (("--value", "cycles#2"), "cycles#2", "down")):
            result = json.loads(diff("--json", *arguments, "twins.pb", "--", "twins.pb").stdout)
            assert result["event"] == event, result
            assert [f["name"] for f in result["functions"]] == [function], result
            for name in ("t.html", "t.pb.gz"):
                diff("-o", name, *arguments, "twins.pb", "--", "twins.pb")
            samples = subprocess.run([perf2x, "-q", "--to", "folded", "-o", "-", "--event", "new",
                                      "t.pb.gz"], cwd=folder, check=True, capture_output=True,
                                     text=True).stdout
            assert re.findall(r"up|down", samples) == [function], samples
            events = Page(folder / "t.html").meta["events"]
            assert [one["name"] for one in events] == [event], events
        text = diff("--normalize", "cycles#2", "twins.pb", "--", "twins.pb").stdout
        assert "cycles, by cycles#2 of each recording" in text, text
        done = diff("--value", "cycles#3", "twins.pb", "--", "twins.pb", status=1)
        assert "there are cycles, cycles#2" in done.stderr, done.stderr

        # A page that leaves frames out says so, and is not what --strict asks for.
        (folder / "inlined.pb").write_bytes(inlined())
        arguments = "-o", "i.html", "inlined.pb", "--", "inlined.pb"
        assert not diff(*arguments).stderr
        done = diff("--strict", *arguments, status=1)
        assert "--strict" in done.stderr, done.stderr
        done = subprocess.run([perf2x, "diff", *arguments], cwd=folder, check=True,
                              capture_output=True, text=True)
        for frame in ("frame of the page left out", "base: frame of the page left out"):
            assert f"warning: i.html: skipped: {frame}" in done.stderr, done.stderr

        # A page, and a profile whose difference is signed.
        diff("-o", "d.html", *same[0], "--", *changed)
        page = (folder / "d.html").read_text()
        assert 'id="perf2x-base"' in page
        diff("-o", "d.pb.gz", *same[0], "--", *changed)
        profile = gzip.decompress((folder / "d.pb.gz").read_bytes())
        assert b"difference" in profile and b"new" in profile and b"base" in profile
        diff("-o", "e.pb.gz", *changed, "--", *same[0])
        # -1 and the like are ten bytes in a varint: 0xff…01.
        assert b"\xff\xff\xff\xff\x01" in profile
    return 0


if __name__ == "__main__":
    sys.exit(main())
