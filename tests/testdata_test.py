#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails when testdata/ and the table in its README disagree, when a recording is
too large, or when it carries something of the machine that made it.

usage: testdata_test.py SOURCE_ROOT
"""

import hashlib
import json
import pathlib
import re
import sys

MOST_BYTES = 64 * 1024
MOST_BYTES_IN_ALL = 2 * 1024 * 1024
# What stands beside the recordings.
OTHERS = {"README.md", "remake", "src", "symfs", "kallsyms", "expected", "corpus"}
MOST_BYTES_OF_CORPUS = 25 * 1000 * 1000
COLUMNS = ["file", "command", "perf", "kernel", "arch", "purpose"]
LEAK = re.compile(rb"/home/|/root/|/tmp/|/mnt/")


def table(readme: str) -> list[list[str]]:
    rows = [line for line in readme.splitlines() if line.startswith("|")]
    cells = [[c.strip() for c in re.split(r"(?<!\\)\|", row)[1:-1]] for row in rows]
    if not cells or cells[0] != COLUMNS:
        raise SystemExit(f"README.md: the table's columns are not {COLUMNS}")
    return cells[2:]


def may_lack_host(path: pathlib.Path) -> bool:
    """Killed recordings and the data.N of directories have no features."""
    return path.name.startswith("killed") or re.fullmatch(r"data\.\d+", path.name) is not None


def check_corpus(folder: pathlib.Path) -> list[str]:
    """Its manifest, its files and the tables in its README are of one mind."""
    entries = json.loads((folder / "MANIFEST.json").read_text())
    rows = re.findall(r"^\| ((?:x86|vm|aarch64|armv7l|s390x|broken)-\S+) \|",
                      (folder / "README.md").read_text(), re.M)
    ids = [entry["id"] for entry in entries]
    bad = [f"corpus: {i} is in the README or in the manifest only" for i in set(ids) ^ set(rows)]
    listed = set()
    for entry in entries:
        if entry["licence"] != "same as project":
            bad.append(f"corpus: {entry['id']} is not ours")
        for file in entry["files"]:
            path = folder / file["path"]
            listed.add(path)
            if not path.exists():
                bad.append(f"{path}: missing")
            elif hashlib.sha256(path.read_bytes()).hexdigest() != file["sha256"]:
                bad.append(f"{path}: not what the manifest says")
    for path in [*folder.glob("recorded/*/*"), *folder.glob("broken/*")]:
        if path not in listed and path.name != "cmd":
            bad.append(f"{path}: not in the manifest")
    for path in folder.glob("truth/*"):
        if not any(path.name.startswith(i + ".") for i in ids):
            bad.append(f"{path}: belongs to no recording")
    total = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    if total > MOST_BYTES_OF_CORPUS:
        bad.append(f"{total} bytes in the corpus, more than {MOST_BYTES_OF_CORPUS}")
    return bad


def main() -> int:
    folder = pathlib.Path(sys.argv[1]) / "testdata"
    bad = []
    named = [row[0] for row in table((folder / "README.md").read_text())]
    there = {p.name for p in folder.iterdir()} - OTHERS
    bad += [f"{n}: in the table twice" for n in {n for n in named if named.count(n) > 1}]
    bad += [f"{n}: in the table, not in the folder" for n in set(named) - there]
    bad += [f"{n}: in the folder, not in the table" for n in there - set(named)]
    for row in table((folder / "README.md").read_text()):
        if len(row) != len(COLUMNS) or not all(row):
            bad.append(f"{row[0]}: a cell of its row is empty")

    expected = {p.name for p in (folder / "expected").iterdir()}
    for name in named:
        wanted = [f"{name}.stat"] if name.startswith("stat") else [f"{name}.stats", f"{name}.script"]
        bad += [f"expected/{w}: missing" for w in wanted if w not in expected]
        expected -= set(wanted)
    bad += [f"expected/{e}: belongs to no recording" for e in expected]

    bad += check_corpus(folder / "corpus")
    total = 0
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        if path.is_relative_to(folder / "corpus"):
            continue
        data = path.read_bytes()
        total += len(data)
        top = path.relative_to(folder).parts[0]
        if top in named or top == "symfs":
            if len(data) > MOST_BYTES:
                bad.append(f"{path}: {len(data)} bytes, more than {MOST_BYTES}")
            if leak := LEAK.search(data):
                bad.append(f"{path}: holds {leak.group()!r}")
        if top in named and not may_lack_host(path) and b"testhost" not in data:
            bad.append(f"{path}: was not made on testhost")
    if total > MOST_BYTES_IN_ALL:
        bad.append(f"{total} bytes in all, more than {MOST_BYTES_IN_ALL}")
    print("\n".join(sorted(bad)) or f"{len(named)} recordings, {total} bytes in all")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
