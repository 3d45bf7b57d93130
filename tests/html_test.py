#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pages of `--to html`: what is in them is what CSV and pprof have; comparisons,
and --open.

usage: html_test.py PERF2X SOURCE_ROOT
"""

import collections
import csv
import gzip
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from html_page import Page


def fields_of(message: bytes):
    """Numbers and values of the fields of a protobuf message."""
    at = 0

    def varint() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 0x7f) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(message):
        key = varint()
        if key & 7 == 0:
            yield key >> 3, varint()
        else:
            assert key & 7 == 2, key
            size = varint()
            yield key >> 3, message[at:at + size]
            at += size


def packed(values: bytes) -> list[int]:
    return [value for _, value in fields_of(b"".join(
        b"\x08" + part for part in split_varints(values)))]


def split_varints(values: bytes) -> list[bytes]:
    parts, begin = [], 0
    for at, byte in enumerate(values):
        if byte < 0x80:
            parts.append(values[begin:at + 1])
            begin = at + 1
    return parts


def sums_of_pprof(path: pathlib.Path) -> dict:
    """Samples and period by event, pid, tid, process and thread."""
    profile = list(fields_of(gzip.decompress(path.read_bytes())))
    strings = [value.decode() for number, value in profile if number == 6]
    types = [strings[dict(fields_of(value))[1]] for number, value in profile if number == 1]
    sums = collections.Counter()
    for sample in (list(fields_of(value)) for number, value in profile if number == 2):
        labels = [dict(fields_of(value)) for number, value in sample if number == 3]
        known = {strings[label[1]]: strings[label[2]] if 2 in label else label.get(3, 0)
                 for label in labels}
        thread = (known.get("pid", 0), known.get("tid", 0), known.get("process", ""),
                  known.get("thread", ""))
        values = packed(next(value for number, value in sample if number == 2))
        for name, value in zip(types, values, strict=True):
            sums[name, *thread] += value
    return {key: value for key, value in sums.items() if value}


def sums_of_page(page: Page) -> dict:
    sums = collections.Counter()
    for event, thread, _, _, _, samples, period in page.entries(page.samples,
                                                                page.meta["recording"]):
        who = page.thread(page.samples, thread)
        sums[event + "_samples", *who] += samples
        sums[event, *who] += period
    return {key: value for key, value in sums.items() if value}


def check_rows(page: Page, rows: list[dict]) -> None:
    """Entries against the samples of the CSV: by event, thread, CPU, bin and stack."""
    time = page.meta["recording"]["time"]
    width, start = time["binNs"], int(time["start"] or 0)
    wanted = collections.Counter()
    for row in rows:
        at = (int(row["time"]) - start) // width if row["time"] else time["bins"]
        who = (int(row["pid"]), int(row["tid"]), row["process"], row["thread"])
        wanted[row["event"], who, int(row["cpu"] or -1), at, row["stack"]] += int(row["period"])
    found = collections.Counter()
    for event, thread, at, cpu, node, _, period in page.entries(page.samples,
                                                                page.meta["recording"]):
        stack = ";".join(name.replace(";", ":") for name in page.path(node))
        found[event, page.thread(page.samples, thread), cpu, at, stack] += period
    assert page.meta["cut"]["nodes"] == 0
    assert found == wanted, [(found - wanted), (wanted - found)]


def check_nodes(page: Page) -> None:
    """The sums of nodes are those of the entries."""
    names = [event["name"] for event in page.meta["events"]]
    for block, prefix, recording in ((page.samples, "self", "recording"),
                                     (page.base, "base", "base")):
        if block is None:
            continue
        sums = collections.Counter()
        for event, _, _, _, node, samples, period in page.entries(block, page.meta[recording]):
            sums[event, node, "samples"] += samples
            sums[event, node, "period"] += period
        columns = [page.profile[f"{prefix}.{c}"] for c in ("event", "node", "samples", "period")]
        for event, node, samples, period in zip(*columns, strict=True):
            assert sums.pop((names[event], node, "samples")) == samples
            assert sums.pop((names[event], node, "period")) == period
        assert not sums, sums


class Tool:
    def __init__(self, perf2x: pathlib.Path, folder: pathlib.Path):
        self.perf2x, self.folder = perf2x, folder

    def run(self, *arguments, code=0, **more) -> subprocess.CompletedProcess:
        done = subprocess.run([self.perf2x, *map(str, arguments)], cwd=self.folder, check=False,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, **more)
        assert done.returncode == code, done
        return done

    def page(self, *arguments) -> Page:
        self.run("-q", "--to", "html", "-o", "out.html", *arguments)
        return Page(self.folder / "out.html")


def sums_are_equal(tool: Tool, data: pathlib.Path) -> None:
    symbols = ["--symfs", data / "symfs", "--kallsyms", data / "kallsyms"]
    compared = 0
    for recording in sorted(data.glob("*.data")):
        page = tool.page(*symbols, recording)
        check_nodes(page)
        tool.run("-q", "--to", "pprof", "-o", "out.pb.gz", *symbols, recording)
        sums = sums_of_pprof(tool.folder / "out.pb.gz")
        assert sums_of_page(page) == sums, recording
        tool.run("-q", "--to", "csv", "--table", "samples", "-o", "out.csv", *symbols, recording)
        with open(tool.folder / "out.csv", newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        check_rows(page, rows)
        compared += len(rows)
    assert compared > 1000, compared


def comparison(tool: Tool, data: pathlib.Path) -> None:
    page = tool.page("--no-symbols", "--base", data / "callgraph.data", data / "callgraph.data")
    check_nodes(page)
    for column in ("event", "node", "samples", "period"):
        assert page.profile["self." + column] == page.profile["base." + column]
    assert page.samples.columns == page.base.columns
    page = tool.page("--no-symbols", "--base", data / "kernel.data", data / "events.data")
    check_nodes(page)
    assert page.meta["base"]["input"].endswith("kernel.data")
    assert page.meta["recording"]["input"].endswith("events.data")
    plain = tool.page("--no-symbols", data / "events.data")
    assert sum(page.profile["self.samples"]) == sum(plain.profile["self.samples"])
    assert plain.base is None and plain.meta["base"] is None

    # What is wrong with the base is said of the base.
    done = tool.run("--to", "html", "--base", "none.data", "-o", "x.html", data / "clock.data", code=1)
    assert "none.data" in done.stderr and not (tool.folder / "x.html").exists(), done
    (tool.folder / "bad.data").write_text("no recording")
    done = tool.run("--to", "html", "--base", "bad.data", "-o", "x.html", data / "clock.data", code=1)
    assert "bad.data" in done.stderr and not (tool.folder / "x.html").exists(), done
    for arguments, words in (
            (["--to", "html", "--base", "-"], "--base takes a file"),
            (["--to", "html", "--base", "x.html"], "x.html"),  # would be overwritten
            (["--to", "pprof", "--base", "bad.data"], "--base is an option of html")):
        shutil.copy(data / "clock.data", tool.folder / "x.html")
        done = tool.run("-o", "x.html", *arguments, data / "clock.data", code=2)
        assert words in done.stderr, done
        assert (tool.folder / "x.html").read_bytes() == (data / "clock.data").read_bytes()


def opens(tool: Tool, data: pathlib.Path) -> None:
    tools = tool.folder / "bin"
    tools.mkdir()
    env = {**os.environ, "PATH": str(tools)}
    env.pop("BROWSER", None)
    command = ["-q", "--no-symbols", "--to", "html", "--open", "-o", "o.html", data / "clock.data"]
    done = tool.run(*command, env=env)
    assert "to look at o.html, open it in a browser" in done.stderr, done
    for name in ("xdg-open", "browser"):
        (tools / name).write_text('#!/bin/sh\necho "$0 $*"\n')
        (tools / name).chmod(0o755)
    shell = shutil.which("sh")
    assert shell == "/bin/sh" or os.path.exists("/bin/sh")
    done = tool.run(*command, env=env)
    assert done.stdout == f"{tools}/xdg-open o.html\n", done
    done = tool.run(*command, env={**env, "BROWSER": "missing:browser --new"})
    assert done.stdout == f"{tools}/browser --new o.html\n", done
    (tools / "xdg-open").write_text("#!/bin/sh\nexit 3\n")
    done = tool.run(*command, code=1, env=env)
    assert "the result is written; its viewer ended with status 3" in done.stderr, done
    done = tool.run("--to", "html", "--open", "-o", "-", data / "clock.data", code=2, env=env)
    assert "--open shows one file" in done.stderr, done


def main() -> int:
    perf2x, root = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    for check in (sums_are_equal, comparison, opens):
        with tempfile.TemporaryDirectory() as folder:
            check(Tool(perf2x, pathlib.Path(folder)), root / "testdata")
    return 0


if __name__ == "__main__":
    sys.exit(main())
