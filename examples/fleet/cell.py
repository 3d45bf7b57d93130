#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One task of a fleet's day, for any engine that can start a command.

usage: cell.py plan MANIFEST             prints the number of tasks of each level
       cell.py run MANIFEST OUT LEVEL TASK

MANIFEST has a line for each recording: SERVICE PATH. A task of level 0 adds FLEET_CHUNK
recordings to OUT/dataset and merges them into one profile; one of a higher level merges
FLEET_FAN_IN profiles of the level below. The last level has one task, whose profile is
the sum of all. A task of a level may start when those of the level below have ended.

Every task may be repeated, also while it runs elsewhere: its files appear whole, with the
same bytes. A task that has been done returns at once.

Environment: FLEET_CHUNK (50), FLEET_FAN_IN (10); FLEET_TABLES of the dataset; PERF2X, the
program; PERF2X_OPTIONS, such as "--symfs /srv/symbols", for all conversions.
"""

import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

CHUNK = int(os.environ.get("FLEET_CHUNK", "50"))
FAN_IN = int(os.environ.get("FLEET_FAN_IN", "10"))
TABLES = os.environ.get("FLEET_TABLES", "results,samples,stacks,frames")


def plan(manifest: str) -> list[int]:
    """The number of tasks of each level, from the conversions up to the one last merge."""
    tasks = [-(-len(rows_of(manifest)) // CHUNK)]
    while tasks[-1] > 1:
        tasks.append(-(-tasks[-1] // FAN_IN))
    return tasks


def run(manifest: str, out: str, level: int, task: int) -> str:
    """Does a task. Returns its profile's path, or "" if no recording in it could be read."""
    return convert(manifest, pathlib.Path(out), task) if level == 0 else \
        merge(pathlib.Path(out), level, task, plan(manifest))


def rows_of(manifest: str) -> list[tuple[str, str]]:
    lines = pathlib.Path(manifest).read_text().splitlines()
    return [tuple(line.split(maxsplit=1)) for line in lines if line.strip()]


def path_of(out: pathlib.Path, kind: str, level: int, task: int, extension: str) -> pathlib.Path:
    path = out / kind / str(level) / f"{task:06}{extension}"
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def perf2x(*arguments) -> int:
    command = [os.environ.get("PERF2X", "perf2x"), "-q", "--threads", "1",
               *shlex.split(os.environ.get("PERF2X_OPTIONS", "")), *map(str, arguments)]
    return subprocess.run(command, stdin=subprocess.DEVNULL, check=False).returncode


def merged(inputs: list[str], profile: pathlib.Path) -> None:
    """Labels of processes and threads would keep each sample of the fleet apart."""
    with tempfile.NamedTemporaryFile("w") as names:
        names.write("".join(f"{name}\n" for name in inputs))
        names.flush()
        if perf2x("--merge", "--labels", "none", "-o", profile, f"@{names.name}") != 0:
            raise RuntimeError(f"{profile}: not merged")


def add_to_dataset(out: pathlib.Path, service: str, recordings: list[str]) -> list[dict]:
    """What perf2x says of each recording."""
    with tempfile.TemporaryDirectory() as folder:
        names, summary = pathlib.Path(folder) / "names", pathlib.Path(folder) / "summary"
        names.write_text("".join(f"{name}\n" for name in recordings))
        code = perf2x("--to", "parquet", "--dataset", out / "dataset",
                      "--partition", f"host,date,service={service}", "--tables", TABLES,
                      "--json-summary", summary, f"@{names}")
        if code not in (0, 1) or not summary.exists():
            raise RuntimeError(f"perf2x ended with {code}")
        return json.loads(summary.read_text())["inputs"]


def write_whole(path: pathlib.Path, text: str) -> None:
    with tempfile.NamedTemporaryFile("w", dir=path.parent, suffix=".tmp", delete=False) as file:
        file.write(text)
    os.replace(file.name, path)


def convert(manifest: str, out: pathlib.Path, task: int) -> str:
    report = path_of(out, "reports", 0, task, ".json")
    profile = path_of(out, "profiles", 0, task, ".pb.gz")
    if not report.exists():
        services: dict[str, list[str]] = {}
        for service, recording in rows_of(manifest)[task * CHUNK:(task + 1) * CHUNK]:
            services.setdefault(service, []).append(recording)
        results = [result for service, recordings in services.items()
                   for result in add_to_dataset(out, service, recordings)]
        converted = [result["input"] for result in results if result["converted"]]
        if converted:
            merged(converted, profile)
        failed = {result["input"]: result["error"] for result in results if not result["converted"]}
        write_whole(report, json.dumps({"converted": len(converted), "failed": failed}, indent=1))
    return str(profile) if json.loads(report.read_text())["converted"] else ""


def has_profile(out: pathlib.Path, level: int, task: int, chunks: int) -> bool:
    """False if no recording below could be read. Fails if a task below has not ended."""
    below = FAN_IN ** level
    return any(json.loads(path_of(out, "reports", 0, chunk, ".json").read_text())["converted"]
               for chunk in range(task * below, min((task + 1) * below, chunks)))


def merge(out: pathlib.Path, level: int, task: int, tasks: list[int]) -> str:
    profile = path_of(out, "profiles", level, task, ".pb.gz")
    if not profile.exists():
        children = range(task * FAN_IN, min((task + 1) * FAN_IN, tasks[level - 1]))
        inputs = [str(path_of(out, "profiles", level - 1, child, ".pb.gz")) for child in children
                  if has_profile(out, level - 1, child, tasks[0])]
        if not inputs:
            return ""
        merged(inputs, profile)
    return str(profile)


def main() -> int:
    match sys.argv[1:]:
        case ["plan", manifest]:
            print(*plan(manifest))
        case ["run", manifest, out, level, task]:
            print(run(manifest, out, int(level), int(task)))
        case _:
            sys.exit(__doc__)
    return 0


if __name__ == "__main__":
    sys.exit(main())
