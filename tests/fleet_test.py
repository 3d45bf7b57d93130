#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The engines of examples/fleet: what their READMEs show, and a worker that is lost.

usage: fleet_test.py PERF2X SOURCE_ROOT parallel|slurm|dask|queries

Recordings of testdata become those of many hosts and two days. Whatever the engine and its
fate, the dataset and the one profile are those that perf2x makes of all of them at once.
PERF2X_FLEET_RECORDINGS sets their number (100).
"""

import collections
import contextlib
import datetime
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parent / "viewer"))
import npm_folder  # noqa: E402
from doc_commands_test import blocks  # noqa: E402

RECORDINGS = int(os.environ.get("PERF2X_FLEET_RECORDINGS", "100"))
KINDS = ("callgraph", "kernel", "tasks", "zstd", "flat", "sched", "dwarf", "pipe")
FIRST_DAY = datetime.datetime(2026, 11, 23, 12, tzinfo=datetime.timezone.utc)
LIMIT = 600  # seconds for anything here


def wait_for(what: str, is_there) -> None:
    for _ in range(LIMIT * 10):
        if is_there():
            return
        time.sleep(0.1)
    raise AssertionError(f"not seen in {LIMIT} s: {what}")


def is_whole(file: pathlib.Path) -> bool:
    """A worker that is lost may leave a file that has no final name yet."""
    return file.suffix != ".tmp"


def files_of(folder: pathlib.Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes()
            for file in folder.rglob("*") if file.is_file() and is_whole(file)}


class Fleet:
    """A folder with recordings/SERVICE/*.data, as the READMEs take for given."""

    def __init__(self, perf2x: pathlib.Path, root: pathlib.Path, folder: pathlib.Path):
        self.folder, self.root = folder, root
        (folder / "bin").mkdir()
        (folder / "bin/perf2x").symlink_to(perf2x)
        for name in ("examples", "testdata"):
            (folder / name).symlink_to(root / name)
        self.environment = {**os.environ, "PERF2X": "perf2x", "FLEET_CHUNK": str(max(1, RECORDINGS // 20)),
                            "FLEET_FAN_IN": "5", "TMPDIR": str(folder),
                            "PATH": f"{folder}/bin:{os.environ['PATH']}:/usr/sbin"}
        for i in range(RECORDINGS):
            self.record(i)
        (folder / "recordings/front/broken.data").write_bytes(b"PERFILE2" + bytes(200))
        self.run(*self.commands("README.md")[:1])

    def record(self, i: int) -> None:
        content = (self.root / "testdata" / f"{KINDS[i % len(KINDS)]}.data").read_bytes()
        host = i // len(KINDS)
        assert content.count(b"testhost") == 1
        path = self.folder / "recordings" / ("front" if i % 3 else "back") / f"{i:06}.data"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.replace(b"testhost", b"web-%04d" % host))
        at = (FIRST_DAY + datetime.timedelta(days=host % 2)).timestamp()
        os.utime(path, (at, at))

    def commands(self, readme: str) -> list[str]:
        """The blocks that a README shows to run."""
        text = (self.root / "examples/fleet" / readme).read_text()
        found = ["\n".join(lines) for mark, lines in blocks(text) if mark == "sh"]
        assert found, f"{readme} shows nothing to run"
        return found

    def run(self, *scripts: str, **options) -> str:
        for script in scripts:
            done = subprocess.run(["bash", "-euo", "pipefail", "-c", script], cwd=self.folder,
                                  env=self.environment, stdin=subprocess.DEVNULL, text=True,
                                  capture_output=True, check=False, timeout=LIMIT, **options)
            assert done.returncode == 0, f"{script}\n{done.stdout}{done.stderr}"
        return done.stdout

    def start(self, script: str) -> subprocess.Popen:
        """Starts a script in a process group of its own."""
        return subprocess.Popen(["bash", "-euo", "pipefail", "-c", script], cwd=self.folder,
                                env=self.environment, stdin=subprocess.DEVNULL,
                                start_new_session=True)

    def make_expected(self) -> None:
        """The dataset and the profile, without an engine and without a tree."""
        self.run("""
            export PERF2X_OPTIONS="--symfs testdata/symfs --kallsyms testdata/kallsyms"
            rm recordings/front/broken.data
            for service in front back; do
              perf2x -q $PERF2X_OPTIONS --to parquet --dataset expected --tables results,samples,stacks,frames \
                --partition host,date,service=$service recordings/$service
            done
            perf2x -q $PERF2X_OPTIONS --merge --labels none -o expected.pb.gz recordings/front recordings/back""")

    def check(self, out: str) -> None:
        got, expected = files_of(self.folder / out / "dataset"), files_of(self.folder / "expected")
        assert len(expected) == 4 * RECORDINGS and got.keys() == expected.keys(), \
            (len(expected), got.keys() ^ expected.keys())
        assert got == expected, "the dataset has other bytes"
        levels = self.folder / out / "profiles"
        last = max(levels.iterdir(), key=lambda level: int(level.name))
        profiles = [path.name for path in last.iterdir() if is_whole(path)]
        assert profiles == ["000000.pb.gz"], profiles
        assert (last / "000000.pb.gz").read_bytes() == (self.folder / "expected.pb.gz").read_bytes(), \
            "the profile has other bytes"
        failed = [path for report in (self.folder / out / "reports/0").glob("*.json")
                  for path in json.loads(report.read_text())["failed"]]
        assert len(failed) == 1 and failed[0].endswith("/broken.data"), failed

    def wait_for_reports(self, out: str, some: int = 6) -> None:
        """Returns in the middle of the conversions."""
        reports = self.folder / out / "reports/0"
        wait_for("some reports", lambda: reports.is_dir() and len(list(reports.glob("*.json"))) >= some)


def peak_memory(pid: int) -> str:
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return re.search(r"VmHWM:\s*(.*)", status)[1]


def timed(what: str, action, *arguments) -> None:
    start = time.monotonic()
    action(*arguments)
    print(f"{what}: {RECORDINGS} recordings in {time.monotonic() - start:.1f} s")


def check_parallel(fleet: Fleet) -> None:
    npm_folder.require("parallel")
    commands = fleet.commands("parallel/README.md")
    timed("parallel", fleet.run, *commands)
    # The whole host is lost, and the run started again.
    lost = [command.replace("manifest out", "manifest lost") for command in commands]
    assert lost != commands
    run = fleet.start("\n".join(lost))
    fleet.wait_for_reports("lost")
    os.killpg(run.pid, signal.SIGKILL)
    run.wait()
    fleet.run(*lost)
    fleet.run(*fleet.commands("README.md"))  # a task again, alone
    fleet.make_expected()
    fleet.check("out")
    fleet.check("lost")


def processes_of_node(node: str, folder: pathlib.Path) -> tuple[set[int], set[int]]:
    """The processes of our jobs on a node, and before them the daemons that started these."""
    daemons, jobs = set(), set()
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            environment = (process / "environ").read_bytes()
            if f"SLURMD_NODENAME={node}".encode() in environment and str(folder).encode() in environment:
                parent = (process / "stat").read_text().rsplit(")", 1)[1].split()[1]
                jobs.add(int(process.name))
                if b"slurmstepd" in pathlib.Path(f"/proc/{parent}/cmdline").read_bytes():
                    daemons.add(int(parent))
    return daemons, jobs


def send(number: signal.Signals, *pids: int) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)


def stop_job_on_n2(fleet: Fleet) -> bool:
    """Stops the daemon of a job on n2. False if the job had ended by then: the daemon may
    have reported it."""
    daemons, jobs = processes_of_node("n2", fleet.folder)
    send(signal.SIGSTOP, *daemons)
    if daemons and jobs & processes_of_node("n2", fleet.folder)[1]:
        return True
    send(signal.SIGCONT, *daemons)
    return False


def lose_node(fleet: Fleet) -> None:
    """The machine n2 dies while it works: its daemon, and what runs on it."""
    slurmd = int((fleet.folder / "cluster/n2.pid").read_text())
    wait_for("a job on n2", lambda: stop_job_on_n2(fleet))
    send(signal.SIGKILL, slurmd)
    daemons, jobs = processes_of_node("n2", fleet.folder)
    send(signal.SIGKILL, *daemons, *jobs)


def check_slurm(fleet: Fleet) -> None:
    npm_folder.require("slurmctld", "slurmd", "sbatch", "munged")
    if os.geteuid() != 0:
        npm_folder.skip("not root: cannot start a Slurm")
    [script] = fleet.commands("slurm/README.md")
    start, *submit, stop = script.splitlines()
    assert start.split()[1] == "start" and stop.split()[1] == "stop", script
    conf = str(fleet.folder / "cluster/slurm.conf")
    for by_default in ("FLEET_CHUNK", "FLEET_FAN_IN"):
        del fleet.environment[by_default]
    try:
        fleet.run(start)
        timed("slurm", fleet.run, "\n".join(submit))
        lost = "\n".join(submit).replace("manifest out --wait", "manifest lost")
        assert lost != "\n".join(submit)
        fleet.run(lost)
        fleet.wait_for_reports("lost", 2)
        lose_node(fleet)
        fleet.environment["SLURM_CONF"] = conf
        # Slurm waits for two minutes before it starts a requeued job.
        wait_for("the end of all jobs", lambda: not fleet.run("""
            for job in $(squeue -h -r -t PD -o %i,%r | sed -n s/,BeginTime$//p); do
              scontrol update JobId="$job" StartTime=now || true
            done
            squeue -h"""))
        log = (fleet.folder / "cluster/slurmctld.log").read_text()
        print("controller:", peak_memory(int((fleet.folder / "cluster/slurmctld.pid").read_text())))
    except BaseException:
        for path in (*fleet.folder.glob("cluster/*.log"), *fleet.folder.glob("*/log/*")):
            print(f"{path.relative_to(fleet.folder)}:\n{path.read_text()}")
        raise
    finally:
        fleet.run(stop)
    fleet.make_expected()
    fleet.check("out")
    fleet.check("lost")
    assert "requeue" in log.lower(), f"no job was requeued: nothing was lost\n{log}"


def python_with_distributed() -> str:
    for python in (sys.executable, "/usr/bin/python3"):
        if subprocess.run([python, "-c", "import distributed"], capture_output=True,
                          check=False).returncode == 0:
            return python
    npm_folder.skip("no Python has the module distributed")


def check_dask(fleet: Fleet) -> None:
    npm_folder.require("dask-scheduler", "dask-worker")
    python = python_with_distributed()
    [script] = fleet.commands("dask/README.md")
    timed("dask", fleet.run, script.replace("/usr/bin/python3", python))

    fleet.environment["PERF2X_OPTIONS"] = "--symfs testdata/symfs --kallsyms testdata/kallsyms"
    scheduler = fleet.start("exec dask-scheduler --host 127.0.0.1 --port 0 --no-dashboard --scheduler-file s.json")
    workers = []
    try:
        wait_for("the scheduler", (fleet.folder / "s.json").exists)
        workers = [fleet.start("exec dask-worker --scheduler-file s.json --host 127.0.0.1 --nthreads 1 "
                               f"--no-dashboard --no-nanny --local-directory w{i}") for i in (1, 2)]
        address = json.loads((fleet.folder / "s.json").read_text())["address"]
        run = fleet.start(f"exec {python} examples/fleet/dask/fleet.py {address} manifest lost")
        fleet.wait_for_reports("lost")
        os.killpg(workers[1].pid, signal.SIGKILL)
        assert run.wait(LIMIT) == 0
        print("scheduler:", peak_memory(scheduler.pid))
    finally:
        for process in (*workers, scheduler):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM)
            process.wait(LIMIT)
    fleet.make_expected()
    fleet.check("out")
    fleet.check("lost")


def folded_of_front(fleet: Fleet) -> str:
    """What perf2x itself says of the stacks that stacks.sql asks for. Of the events, folded
    stacks are one's."""
    by_event: dict[str, list[str]] = {"cpu-clock": [], "cpu-clock:u": []}
    for path in sorted((fleet.folder / "recordings/front").iterdir()):
        kind = KINDS[int(path.stem) % len(KINDS)]
        if kind != "sched":
            by_event["cpu-clock" if kind == "kernel" else "cpu-clock:u"].append(str(path))
    samples: collections.Counter[str] = collections.Counter()
    for event, paths in by_event.items():
        text = fleet.run("perf2x -q --symfs testdata/symfs --kallsyms testdata/kallsyms --comm spin "
                         f"--event {event} --merge --to folded {' '.join(paths)}")
        for line in text.splitlines():
            path, count = line.rsplit(" ", 1)
            samples[path] += int(count)
    return "".join(sorted(f"{path} {count}\n" for path, count in samples.items()))


def check_queries(fleet: Fleet) -> None:
    npm_folder.require("npm", "node")
    fleet.make_expected()
    (fleet.folder / "out").mkdir()
    (fleet.folder / "expected").rename(fleet.folder / "out/dataset")
    shutil.copy(fleet.root / "examples/fleet/queries/package.json", fleet.folder)
    npm_folder.install(fleet.folder, "install")
    for command in fleet.commands("queries/README.md"):
        fleet.run(command)
    assert "<title>" in (fleet.folder / "out/front.html").read_text()

    answers = {}
    for engine in ("duckdb", "clickhouse"):
        for name in ("top", "grew", "stacks"):
            rows = fleet.run(f"cd out; node ../query.mjs {engine} ../examples/fleet/queries/{engine}/{name}.sql")
            # A number of 64 bits is text for one of them.
            answers[engine, name] = [[str(cell) for cell in json.loads(row)] for row in rows.splitlines()]
        answers[engine, "stacks"] = fleet.run("""
            cd out
            ../examples/fleet/queries/to_pprof.py stacks.json front.pb.gz
            perf2x -q --to folded front.pb.gz | LC_ALL=C sort""")
    compact = fleet.run("cd out; node ../query.mjs duckdb top.sql")  # as the README has changed it
    assert compact == fleet.run("cd out; node ../query.mjs duckdb ../examples/fleet/queries/duckdb/top.sql")
    for name in ("top", "grew", "stacks"):
        assert answers["duckdb", name] == answers["clickhouse", name], (name, answers)
    assert answers["duckdb", "stacks"] == folded_of_front(fleet)
    assert {row[1] for row in answers["duckdb", "top"]} == {"2026-11-23", "2026-11-24"}
    assert answers["duckdb", "grew"]


def main() -> int:
    perf2x, root = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
    checks = {"parallel": check_parallel, "slurm": check_slurm, "dask": check_dask,
              "queries": check_queries}
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        checks[sys.argv[3]](Fleet(perf2x, root, pathlib.Path(folder)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
