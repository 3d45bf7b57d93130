#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails on an #include between folders of converter/ that the table in
docs/architecture.md does not allow, on names and numbers of perf's in code that
sees a trace only through the model, and on threads that StartThread does not start.

usage: include_direction_test.py SOURCE_ROOT
"""

import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s+"converter/([^"]+)"', re.M)
ROW = re.compile(r"^\| `converter/([\w/]+)` \| .* \| (.*) \|$", re.M)

# docs/emitters.md: an emitter never meets a perf constant.
MODEL_ONLY = ("emit/", "stages/", "model/")
# The table of tracepoints that Chrome traces show in another way than others.
TRACEPOINT_TABLES = {"emit/tracepoint_roles.cc", "stages/lock_tracepoints.cc"}
COMMENT = re.compile(r"//.*")
PERF_WORDS = re.compile(
    r'"(?:dummy|offcpu-time|cpu-clock|task-clock|bpf-output|page-faults|context-switches|'
    r"cpu-migrations|cgroup-switches)[^\"]*\"|"
    r'"(?:sched|syscalls|raw_syscalls|irq|power|block|probe|uprobes?|kprobes?):[^"]*"|'
    r'"(?:sched_(?:switch|wak\w+|migrate\w*|process\w*)|raw_syscalls|syscalls|sys_(?:enter|exit)_?)"|'
    r"\bPERF_[A-Z]+|\bk(?:Sample(?:Ip|Tid|Time|Addr|Read|Raw)|Record[A-Z]|Misc[A-Z]|"
    r"Software[A-Z]|Type(?:Software|Hardware|Tracepoint|Raw)|Context(?:Max|User|Kernel))\w*|"
    r"0xffffffff0{8}\b|0xf{13}[0-9a-f]{3}\b")


def perf_words(name: str, text: str) -> list[str]:
    """Names and numbers of perf's in the code of a file, without comments."""
    if not name.startswith(MODEL_ONLY) or name in TRACEPOINT_TABLES:
        return []
    return [f"converter/{name}:{number}: {found} is perf's: emitters go by EventKind and the like"
            for number, line in enumerate(text.splitlines(), 1)
            for found in PERF_WORDS.findall(COMMENT.sub("", line))]


STARTS_THREAD = re.compile(r"\bstd::(?:j?thread\s*[({]|async\b)|\bpthread_create\b|\bstd::j?thread \w+\s*[({]")


def threads_started(name: str, text: str) -> list[str]:
    """Where a file starts a thread by itself, which then has no name and may not fail."""
    if name == "base/thread.h":
        return []
    return [f"converter/{name}:{number}: threads are started by StartThread (base/thread.h)"
            for number, line in enumerate(text.splitlines(), 1)
            if STARTS_THREAD.search(COMMENT.sub("", line).replace("std::thread()", ""))]


def rules(page: str) -> dict[str, set[str]]:
    """The table: folder -> the folders that it may include."""
    table = {}
    for folder, may in ROW.findall(page):
        table[folder] = set() if may == "–" else set(may.split(", "))
    for folder, may in table.items():
        if may == {"all"}:
            table[folder] = set(table)
        unknown = table[folder] - set(table)
        assert not unknown, f"{folder} may include {unknown}, which the table lacks"
    return table


def room_of(path: str, table: dict[str, set[str]]) -> str:
    """The longest folder of the table that has the file; "" for none."""
    return max((room for room in table if path.startswith(room + "/")), key=len, default="")


def main() -> int:
    root = pathlib.Path(sys.argv[1])
    table = rules((root / "docs/architecture.md").read_text())
    bad, seen = [], 0
    for path in sorted((root / "converter").rglob("*")):
        if path.suffix not in (".h", ".cc"):
            continue
        name = path.relative_to(root / "converter").as_posix()
        room = room_of(name, table)
        if not room:
            bad.append(f"converter/{name} is in no folder of the table")
            continue
        text = path.read_text()
        bad += perf_words(name, text)
        bad += threads_started(name, text)
        for included in INCLUDE.findall(text):
            seen += 1
            target = room_of(included, table)
            if target != room and target not in table[room]:
                bad.append(f"converter/{name}: {room} may not include {included}")
    for line in ('if (name == "dummy:u")', 'name == "sched:sched_switch"', "t >= 0xffffffff00000000",
                 'ConsumePrefix(&event, "raw_syscalls:")', "type & kSampleRaw"):
        if not perf_words("emit/x.cc", line):
            bad.append(f"{line} should have been found")
    for line in ("std::thread t([] {});", "t = std::thread(work);", "pthread_create(&t, a, b, c);",
                 "auto f = std::async(work);"):
        if not threads_started("emit/x.cc", line):
            bad.append(f"{line} should have been found")
    if seen == 0:
        bad.append("no #include found: wrong folder?")
    print("\n".join(bad) or f"{seen} includes follow the table")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
