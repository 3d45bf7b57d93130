#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs every command that README.md, CONTRIBUTING.md and docs/ show.

usage: doc_commands_test.py PERF2X BUILD SOURCE_ROOT [DOCUMENT...]

Commands are the lines of fenced blocks marked sh, and what the pipelines of
docs/ci.md run. They run one after another in a folder of their own, which has the
files that the documents speak of. Blocks marked "sh fresh-root" and "sh debian-root"
are run by tests/roots/; "sh by-hand" is for what takes too long.
Blocks marked sql run in DuckDB, where node finds @duckdb/node-api.

A tool that is not in Debian and not here is said to be missing, and its commands
are left out. Where perf is missing or may not record, a stand-in hands out recordings
of testdata/ in its place.
"""

import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

# Not in Debian: left out when they are not here.
OUTSIDE_DEBIAN = {"pprof", "node", "flamegraph.pl"}

PERF_STAND_IN = """#!/bin/sh
# Hands out recordings in place of perf, which is missing or may not record.
out=perf.data data=zstd.data
while [ $# -gt 0 ]; do
  case $1 in
    -o) out=$2; shift ;;
    sched) data=sched.data ;;
  esac
  shift
done
if [ "$out" = - ]; then exec cat {testdata}/pipe.data; fi
cp {testdata}/$data "$out"
"""

DUCKDB = """
const {DuckDBInstance} = require('@duckdb/node-api');
(async () => {
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  const result = await connection.runAndReadAll(process.argv[1]);
  console.log(JSON.stringify(result.getRowsJson()));
})();
"""


def blocks(text: str):
    """(mark, lines) of each fenced block, and of text that is set off by four spaces."""
    mark, lines = None, []
    for line in text.splitlines():
        if line.startswith("```"):
            if mark is None:
                mark, lines = line[3:].strip(), []
            else:
                yield mark, lines
                mark = None
        elif mark is not None:
            lines.append(line)
        elif re.match(r"    \S", line):
            yield "", [line.strip()]


def pipeline_commands(lines: list[str]):
    """What a GitHub or GitLab job runs, but for installing packages."""
    inside, name = None, ""
    for line in lines:
        indent = len(line) - len(line.lstrip())
        if inside is not None and indent > inside:
            command = line.strip().removeprefix("- ")
            if name != "Install":
                yield command
            continue
        inside = None
        if found := re.match(r"\s*- name: (.*)", line):
            name = found[1]
        if re.match(r"\s*(run: \||script:)$", line):
            inside = indent


class Sandbox:
    def __init__(self, folder: pathlib.Path, given: pathlib.Path, perf2x: pathlib.Path,
                 build: pathlib.Path, root: pathlib.Path):
        self.folder = folder
        self.home = folder / "home"
        tools = folder / "bin"
        self.work = folder / "work"
        for made in (self.home, tools, self.work, self.work / "sysroot"):
            made.mkdir()
        testdata = root / "testdata"
        (tools / "perf2x").symlink_to(perf2x)
        (tools / "perf_to_profile").symlink_to(perf2x)
        if shutil.which("pprof") is None and shutil.which("go") is not None:
            (tools / "pprof").write_text('#!/bin/sh\nexec go tool pprof "$@"\n')
            (tools / "pprof").chmod(0o755)
        for name in ("testdata", "scripts", "docs"):
            (self.work / name).symlink_to(root / name)
        (self.work / "build").symlink_to(build)
        shutil.copy(testdata / "kallsyms", self.work)
        shutil.copy(root / "examples/first-profile/primes.c", self.work)
        program = testdata / "symfs/opt/demo/bin/spin"
        (self.work / "app").write_text(f"#!/bin/sh\nexec {shlex.quote(str(program))} 100\n")
        (self.work / "app").chmod(0o755)
        self.environment = {
            **os.environ, "HOME": str(self.home), "PPROF_TMPDIR": str(folder),
            "PATH": f"{tools}:{given}:{os.environ['PATH']}", "DEBUGINFOD_URLS": "",
            "BROWSER": "true"}  # a program that shows nothing
        if not (given / "perf.data").exists():
            self.make(given, testdata)
        for name in ("perf.data", "app.data", "board.data", "old.data", "new.data"):
            shutil.copy(given / "perf.data", self.work / name)
        for name in ("before.pb.gz", "host-1.pb.gz", "host-2.pb.gz", "profile.pb.gz"):
            shutil.copy(given / "profile.pb.gz", self.work / name)

    def make(self, given: pathlib.Path, testdata: pathlib.Path) -> None:
        """What every document takes for given, and perf's stand-in if it needs one."""
        if self.run(f"perf record -q -e cpu-clock -o {given}/probe.data true",
                    check=False).returncode != 0:
            print("perf cannot record here: a stand-in takes its place")
            (given / "perf").write_text(PERF_STAND_IN.format(testdata=testdata))
            (given / "perf").chmod(0o755)
        self.run(f"perf record -q -F 499 -e cpu-clock -g -z -o {given}/perf.data ./app")
        self.run(f"perf2x -q -o {given}/profile.pb.gz {given}/perf.data")

    def run(self, command: str, check: bool = True, **options):
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", command], cwd=self.work, env=self.environment,
            stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
            check=False, timeout=600,
            **options)
        assert not check or done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
        return done

    def serve(self, command: str) -> None:
        """A command that serves pages until it is ended: they must come."""
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        command = re.sub(r"-http=\S+", f"-http=127.0.0.1:{port} -no_browser", command)
        with subprocess.Popen(["bash", "-c", command], cwd=self.work, env=self.environment,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, start_new_session=True) as server:
            page = b""
            for _ in range(300):
                try:
                    with urllib.request.urlopen(f"http://127.0.0.1:{port}/ui/top") as answer:
                        page = answer.read()
                    break
                except OSError:
                    if server.poll() is not None:
                        break
                    time.sleep(0.1)
            if server.poll() is None:
                os.killpg(server.pid, signal.SIGTERM)
            assert b"cpu-clock" in page, f"{command}\n{server.stdout.read().decode()}"

    def query(self, sql: str) -> None:
        done = subprocess.run(["node", "-e", DUCKDB, sql], cwd=self.work, env=self.environment,
                              capture_output=True, text=True, check=False)
        if "Cannot find module" in done.stderr:
            raise FileNotFoundError("@duckdb/node-api")
        assert done.returncode == 0, f"{sql}\n{done.stderr}"
        assert json.loads(done.stdout), f"{sql}\nno rows"


def missing_tool(command: str, environment: dict) -> str | None:
    """The first of OUTSIDE_DEBIAN that a command starts, and that is not here."""
    for part in re.split(r"\||&&|;", command):
        words = part.split()
        if words and words[0] in OUTSIDE_DEBIAN:
            if shutil.which(words[0], path=environment["PATH"]) is None:
                return words[0]
    return None


def run_document(document: pathlib.Path, *places: pathlib.Path) -> tuple[int, list[str]]:
    """How many commands ran, and what did not, and why."""
    with tempfile.TemporaryDirectory() as folder:
        sandbox = None
        if any(mark in ("sh", "sql", "yaml") for mark, _ in blocks(document.read_text())):
            sandbox = Sandbox(pathlib.Path(folder), *places)
        return run_commands(document, sandbox)


def run_commands(document: pathlib.Path, sandbox: Sandbox | None) -> tuple[int, list[str]]:
    ran, left_out = 0, []
    for mark, lines in blocks(document.read_text()):
        if mark == "sh":
            commands = "\n".join(lines).replace("\\\n", " ").splitlines()
            commands = [command for command in commands if command.strip()]
        elif mark == "yaml":
            commands = list(pipeline_commands(lines))
            assert commands, f"{document.name}: a pipeline without commands"
        elif mark == "sql":
            try:
                sandbox.query("\n".join(lines))
                ran += 1
            except FileNotFoundError as tool:
                left_out.append(f"a query: there is no {tool}")
            continue
        else:
            if mark == "sh by-hand":
                left_out.append(f"{len(lines)} commands are run by hand")
            elif mark not in ("sh fresh-root", "sh debian-root"):
                for line in lines:
                    assert not re.match(r"(\$ )?(perf2x|perf|pprof|cmake|scripts/\w+) -{0,2}\w", line), \
                        f"{document.name}: not marked as sh, so not tried: {line}"
            continue
        for command in commands:
            if tool := missing_tool(command, sandbox.environment):
                left_out.append(f"{command}: there is no {tool}")
            elif "-http=" in command:
                sandbox.serve(command)
                ran += 1
            else:
                sandbox.run(command)
                ran += 1
    return ran, left_out


def main() -> int:
    perf2x, build, root = (pathlib.Path(argument).resolve() for argument in sys.argv[1:4])
    documents = [pathlib.Path(name) for name in sys.argv[4:]] or \
        [root / "README.md", root / "CONTRIBUTING.md", *sorted((root / "docs").rglob("*.md"))]
    total = 0
    with tempfile.TemporaryDirectory() as given:
        for document in documents:
            ran, left_out = run_document(document, pathlib.Path(given), perf2x, build, root)
            if ran or left_out:
                print(f"{document.name}: {ran} commands ran")
            for reason in left_out:
                print(f"  not run: {reason}")
            total += ran
    assert total > 0, "no command was found"
    return 0


if __name__ == "__main__":
    sys.exit(main())
