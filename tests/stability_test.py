#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What docs/stability.md promises is there: every option, format, member of the summary, column
of a table and declaration of the library that tests/stability.txt lists.

usage: stability_test.py PERF2X SOURCE_ROOT [--exact]

What was added since joins the list when a version is released, by UPDATE_STABILITY=1; with
--exact, for releases, it must be in it.
"""

import csv
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile


def output_of(*command, **more) -> str:
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          check=False, stdin=subprocess.DEVNULL, **more)
    assert done.returncode == 0, (command, done.stderr)
    return done.stdout


def options(perf2x: pathlib.Path):
    """Of the completions for fish, which come from the definition of the command line."""
    for line in output_of(perf2x, "--generate=fish").splitlines():
        if not line.startswith("complete "):
            continue
        words = shlex.split(line.split(" -d '")[0])
        command, short, long = "perf2x", "", ""
        for flag, value in zip(words, words[1:]):
            if flag == "-n" and value.startswith("__fish_seen_subcommand_from"):
                command = f"perf2x {value.split()[1]}"
            elif flag == "-a" and "-l" not in words:
                yield f"option: {command} {value}"
            elif flag == "-s":
                short = f" -{value}"
            elif flag == "-l":
                long = f" --{value}"
        if long:
            yield f"option: {command}{short}{long}{' VALUE' if {'-r', '-x'} & set(words) else ''}"


def formats(perf2x: pathlib.Path):
    for line in output_of(perf2x, "formats").splitlines():
        name, extension, *_ = line.split()
        yield f"format: {name} {extension}"


def members(value, path: str):
    """The members of a JSON value with their types, those of a list's elements after []."""
    if isinstance(value, dict):
        for name, member in value.items():
            yield from members(member, f"{path}.{name}" if path else name)
    elif isinstance(value, list):
        for element in value:
            yield from members(element, f"{path}[]")
    else:
        kind = {bool: "true or false", int: "number", float: "number", str: "text"}
        yield f"summary: {path}: {kind.get(type(value), 'null')}"


def summary(perf2x: pathlib.Path, root: pathlib.Path, folder: pathlib.Path):
    recordings = sorted((root / "testdata").glob("*.data"))
    cut = folder / "cut.data"  # so that there are problems
    cut.write_bytes((root / "testdata/flat.data").read_bytes()[:-40])
    no_recording = folder / "no.data"
    no_recording.write_text("no recording")
    (folder / "out").mkdir()
    subprocess.run([perf2x, "-q", "--to", "pprof", "-o", folder / "out", "--symfs",
                    root / "testdata/symfs", "--json-summary", folder / "summary.json",
                    *recordings, cut, no_recording], check=False, stdin=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    text = json.loads((folder / "summary.json").read_text())
    assert text["converted"] > 10, text["converted"]
    yield f"summary: schema is {text['schema']}"
    yield from members(text, "")


def tables(perf2x: pathlib.Path, root: pathlib.Path, folder: pathlib.Path):
    output_of(perf2x, "-q", "--to", "csv", "--tables", "all,branches,cachelines",
              "-o", folder / "csv", root / "testdata/flat.data")
    files = sorted((folder / "csv").glob("*.csv"))
    assert len(files) >= 8, files
    for file in files:
        with open(file, newline="", encoding="utf-8") as table:
            for column in next(csv.reader(table)):
                yield f"csv: {file.stem}.{column}"


def declarations(header: pathlib.Path):
    code = re.sub(r"//.*|^#.*", "", header.read_text(), flags=re.M)
    inside = []  # the names of what is open; None: a body, whose statements are no promise
    for statement in re.split(r"(?<=[;{}])", code):
        text = " ".join(statement.split())
        if re.search(r"\w", text) and None not in inside and not text.startswith("namespace"):
            yield f"library: {'::'.join(filter(None, inside))} {text.rstrip('{};, ')}".rstrip()
        if text.endswith("{"):
            named = re.match(r"(?:struct|enum class|namespace) (\w+) ", text)
            inside.append(named[1] if named else None)
        elif text.endswith("}"):
            inside.pop()


def main() -> int:
    perf2x, root = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        found = {*options(perf2x), *formats(perf2x), *summary(perf2x, root, folder),
                 *tables(perf2x, root, folder), *declarations(root / "include/perf2x/convert.h")}
    listed = root / "tests/stability.txt"
    if os.environ.get("UPDATE_STABILITY"):
        listed.write_text("\n".join(sorted(found)) + "\n")
    stable = set(listed.read_text().splitlines())
    assert len(stable) > 200, f"{listed} lists nothing"
    for line in sorted(stable - found):
        print(f"gone or changed, but docs/stability.md promises it: {line}")
    added = sorted(found - stable)
    for line in added:
        print(f"new since {listed.name}: {line}")
    return 1 if stable - found or (added and "--exact" in sys.argv) else 0


if __name__ == "__main__":
    sys.exit(main())
