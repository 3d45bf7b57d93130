#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Names from one end to the other: JIT and compiled languages in the corpus, a
recording that is taken away from home with `perf archive`, and the table of
where symbols were found.

usage: symbols_test.py PERF2X SOURCE_ROOT [CLASS...]

Exits with 77 if something was skipped: what needs perf, go, root or the full corpus
(testdata/corpus/README.md) where that is not.
"""

import csv
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PERF2X, ROOT = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
OWN_CORPUS = ROOT / "testdata/corpus"
FULL_CORPUS = pathlib.Path(os.environ.get("PERF2X_CORPUS", ROOT / "../shared/corpus"))
PROGRAM = """
#include <map>
#include <string>
int main() {
  std::map<std::string, int> m;
  unsigned long sum = 0;
  for (int i = 0; i < 400000; ++i) m[std::to_string(i % 5000)] += i, sum += m.size();
  return sum == 7;
}
"""


def run(*command, check=True, **more) -> subprocess.CompletedProcess:
    return subprocess.run([str(c) for c in command], check=check, stdin=subprocess.DEVNULL,
                          capture_output=True, **more)


class InFolder(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        # No build-id cache of who runs this.
        self.environment = {**os.environ, "HOME": holder.name, "PPROF_TMPDIR": holder.name}
        self.environment.pop("DEBUGINFOD_URLS", None)

    def perf2x(self, *arguments) -> bytes:
        return run(PERF2X, *arguments, cwd=self.folder, env=self.environment).stdout


class Languages(InFolder):
    """What functions were called is in `pprof -top`."""
    corpus = OWN_CORPUS

    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        run("tar", "--use-compress-program", "zstd -d --long=24", "-xf",
            cls.corpus / "symfs/x86_64.tar.zst", "-C", holder.name)
        cls.symfs = pathlib.Path(holder.name)
        if (cls.symfs / "x86_64").exists():
            cls.symfs /= "x86_64"

    def unpack(self, source: pathlib.Path, name: str) -> None:
        (self.folder / name).write_bytes(
            run("zstd", "-dc", "--long=24", source).stdout if source.suffix == ".zst"
            else source.read_bytes())

    def check(self, recording: str, wanted: list[str]) -> None:
        source = self.corpus / "recorded" / recording
        for file in source.iterdir():
            if file.name.startswith(("perf", "raw", "jit-")):
                self.unpack(file, file.name.removesuffix(".zst"))
        # What was recorded before `perf inject` has no code of its own yet.
        data = "raw.data" if (self.folder / "raw.data").exists() else "perf.data"
        self.perf2x(data, "--to", "pprof", "-o", "out.pb.gz", "--symfs", self.symfs,
                    "--perf-map-dir", ".")
        if shutil.which("go") is None:
            self.skipTest("there is no go to run pprof with")
        top = run("go", "tool", "pprof", "-top", "-nodecount=2000", "-nodefraction=0", "out.pb.gz",
                  cwd=self.folder, env=self.environment, text=True).stdout
        names = {line.split("%", 3)[-1].strip() for line in top.splitlines() if "%" in line}
        for name in wanted:
            self.assertTrue(any(name in n for n in names), f"{name} not in\n{top[:3000]}")


class Jits(Languages):
    def test_node_with_perf_basic_prof(self):
        self.check("x86-node_perfmap", ["JS:*hotLoop", "JS:*vectors", "JS:*sortThem"])

    def test_node_with_perf_prof(self):
        self.check("x86-node_jitdump", ["JS:*hotLoop", "JS:*vectors", "JS:*sortThem"])

    def test_java_with_a_perf_map(self):
        self.check("x86-java_perfmap",
                 ["void java.util.ComparableTimSort.mergeLo", "int Work.sortIt(int)"])


@unittest.skipUnless((FULL_CORPUS / "truth").is_dir(),
                     f"the full corpus is not in {FULL_CORPUS}: see testdata/corpus/README.md")
class LinkedRuntimes(Languages):
    """Programs that have a library of others in them."""
    corpus = FULL_CORPUS

    def test_rust(self):
        self.check("x86-rust_prog", ["hello::collatz", "hello::main"])

    def test_go(self):
        self.check("x86-go_prog", ["runtime.mallocgc", "main."])


class Away(InFolder):
    def setUp(self):
        super().setUp()
        if shutil.which("perf") is None or shutil.which("g++") is None:
            self.skipTest("there is no perf or no g++")
        (self.folder / "program.cc").write_text(PROGRAM)
        run("g++", "-O2", "-g", "program.cc", "-o", "program", cwd=self.folder)
        recorded = run("perf", "record", "-e", "cpu-clock:u", "-F", "2000", "-g", "-o",
                       "perf.data", "./program", cwd=self.folder, env=self.environment,
                       check=False)
        if recorded.returncode > 1 or not (self.folder / "perf.data").exists():
            self.skipTest(f"perf cannot record here: {recorded.stderr[-200:]}")

    def test_an_archive_gives_the_profile_of_home(self):
        run("perf", "archive", "perf.data", cwd=self.folder, env=self.environment)
        tar = next(self.folder.glob("perf.data.tar.*"))
        (self.folder / "nothing").mkdir()
        away = ["--symfs", "nothing"]  # no file of this machine but those of perf's cache
        # perf's cache and archive have no file that is in call chains only, as libstdc++
        # is if no sample happens to hit it; so the cache is what the archive is held against.
        self.perf2x("perf.data", "-o", "home.pb.gz", *away)
        shutil.rmtree(self.folder / ".debug")
        self.perf2x("perf.data", "-o", "without.pb.gz", *away)
        self.perf2x("perf.data", "-o", "tar.pb.gz", "--archive", tar, *away)
        (self.folder / "cache").mkdir()
        run("tar", "-xf", tar, "-C", "cache", cwd=self.folder)
        self.perf2x("perf.data", "-o", "unpacked.pb.gz", "--buildid-dir", "cache", *away)
        home = (self.folder / "home.pb.gz").read_bytes()
        self.assertNotEqual(home, (self.folder / "without.pb.gz").read_bytes())
        self.assertEqual(home, (self.folder / "tar.pb.gz").read_bytes())
        self.assertEqual(home, (self.folder / "unpacked.pb.gz").read_bytes())

    def test_the_table_tells_of_every_file(self):
        text = self.perf2x("info", "--symbols", "perf.data", "--buildid-dir", "none").decode()
        program = next(line for line in text.splitlines() if line.endswith("/program"))
        named, not_named, build_id, _ = program.split()
        self.assertGreater(int(named), 3)
        self.assertEqual(int(not_named), 0)
        self.assertEqual(len(build_id), 40)
        self.assertIn(f"from {self.folder}/program", text)
        (self.folder / "program").unlink()
        files = json.loads(self.perf2x("info", "--symbols", "--json", "perf.data",
                                       "--buildid-dir", "none"))["symbols"]
        program = next(f for f in files if f["file"].endswith("/program"))
        self.assertEqual(program["named"], 0)
        self.assertEqual(program["not_named"], int(named))
        self.assertEqual(program["build_id"], build_id)
        self.assertIn("/program (not there)", "".join(program["tried"]))


SPIN = """
#include <stdlib.h>
volatile unsigned long sum;
__attribute__((noinline)) void NAME(void) {
  for (unsigned long i = 0; i < ROUNDS; ++i) sum += i;
}
int main() { NAME(); return 0; }
"""
# Runs generated code, some times or for ever, and names it as JIT compilers do, by its
# own pid.
JITTED = """
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
int main(int argc, char** argv) {
  const unsigned char code[] = {0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3};
  void* at = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memcpy(at, code, sizeof(code));
  char name[4096];
  snprintf(name, sizeof(name), "%s/perf-%d.map", argv[1], (int)getpid());
  FILE* map = fopen(name, "w");
  fprintf(map, "%lx %zx jitted_loop\\n", (unsigned long)at, sizeof(code));
  fclose(map);
  for (int i = 0; argc > 2 || i < 1; ++i) ((void (*)(unsigned long))at)(600000000);
  return 0;
}
"""
GO = """
package main

func square(x int) int { return x * x }

//go:noinline
func Work(n int) int {
	sum := 0
	for i := 0; i < n; i++ {
		sum += square(sum ^ i)
	}
	return sum
}

func main() {
	total := 0
	for i := 0; i < 3000; i++ {
		total += Work(100000)
	}
	println(total)
}
"""


class Live(InFolder):
    """Programs that are recorded here and now."""

    def setUp(self):
        super().setUp()
        if shutil.which("perf") is None or shutil.which("gcc") is None:
            self.skipTest("there is no perf or no gcc")

    def compile(self, name: str, text: str, *more) -> pathlib.Path:
        (self.folder / f"{name}.c").write_text(text)
        run("gcc", "-O1", "-static", f"{name}.c", "-o", name, *more, cwd=self.folder)
        return self.folder / name

    def record(self, *command, options=()) -> str:
        recorded = run("perf", "record", "-e", "cpu-clock:u", "-F", "2000", "-o", "perf.data",
                       *options, *command, cwd=self.folder, env=self.environment, check=False,
                       text=True)
        if recorded.returncode > 1 or not (self.folder / "perf.data").exists():
            self.skipTest(f"perf cannot record here: {recorded.stderr[-200:]}")
        return recorded.stdout

    def folded(self, *arguments) -> tuple[str, str]:
        """The stacks, and what is said of them."""
        (self.folder / "folded").unlink(missing_ok=True)
        said = run(PERF2X, "--to", "folded", "-o", "folded", "perf.data", *arguments,
                   cwd=self.folder, env=self.environment).stderr.decode()
        return (self.folder / "folded").read_text(), said

    def test_a_killed_perf(self):
        program = self.compile("spin", SPIN.replace("NAME", "spinning").replace("ROUNDS", "~0ul"))
        perf = subprocess.Popen(["perf", "record", "-e", "cpu-clock:u", "-F", "2000", "-o",
                                 "perf.data", program], cwd=self.folder, env=self.environment,
                                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL, start_new_session=True)
        try:
            for _ in range(300):
                if perf.poll() is not None:
                    self.skipTest("perf cannot record here")
                if (self.folder / "perf.data").exists() and \
                        (self.folder / "perf.data").stat().st_size > 20000:
                    break
                time.sleep(0.1)
        finally:
            os.killpg(perf.pid, signal.SIGKILL)
            perf.wait()
        # The very file that ran, by its inode: on some file systems.
        stacks, said = self.folded()
        if "--trust-host" in said:
            self.assertNotIn("spinning", stacks)
        else:
            self.assertIn("spinning", stacks)
        # Another file of that name: it is used when the user says so.
        shutil.copy2(program, self.folder / "copy")
        (self.folder / "copy").rename(program)
        stacks, said = self.folded()
        self.assertNotIn("spinning", stacks)
        self.assertIn("pass --trust-host if this is the recorded machine", said)
        stacks, said = self.folded("--trust-host")
        self.assertIn("spinning", stacks)
        self.assertNotIn("--trust-host", said)
        self.assertNotIn("after the recording", said)
        # Written since: it may be another build.
        os.utime(program)
        stacks, said = self.folded("--trust-host")
        self.assertIn("spinning", stacks)
        # By its inode, where the file system numbers them, else by its time.
        self.assertRegex(said, "(replaced since|written after)")

    def test_roots_of_processes(self):
        if os.geteuid() != 0:
            self.skipTest("only root can change its root folder")
        for name in ("one", "two"):
            (self.folder / name).mkdir()
            self.compile(f"{name}/app", SPIN.replace("NAME", f"work_of_{name}")
                         .replace("ROUNDS", "200000000"))
        said = self.record("sh", "-c", "chroot one /app & echo $!; chroot two /app & echo $!; wait")
        one, two = said.split()[:2]
        stacks, _ = self.folded("--symfs", f"{one}=one", "--symfs", f"{two}=two")
        for name in ("one", "two"):
            self.assertRegex(stacks, rf"app;.*work_of_{name} ")
        stacks, _ = self.folded("--symfs", f"{one}=one")
        self.assertIn("work_of_one", stacks)
        self.assertNotIn("work_of_two", stacks)

    def test_the_root_of_a_process_that_runs(self):
        if os.geteuid() != 0:
            self.skipTest("only root can change its root folder")
        (self.folder / "root").mkdir()
        self.compile("root/app", SPIN.replace("NAME", "spinning").replace("ROUNDS", "~0ul"))
        process = subprocess.Popen(["chroot", self.folder / "root", "/app"])
        try:
            self.record("sleep", "0.3", options=["-p", process.pid])
            # No cache, into which perf may have copied the program.
            for root in (f"{process.pid}=/proc/{process.pid}/root", f"/proc/{process.pid}/root/"):
                symbols = ["--symfs", root, "--buildid-dir", "none"]
                stacks, _ = self.folded(*symbols)
                self.assertIn("spinning", stacks)
                told = self.perf2x("info", "--symbols", *symbols, "perf.data").decode()
                self.assertIn(f"/proc/{process.pid}/root/app", told)
                self.assertNotIn("/proc/self", told)
        finally:
            process.kill()
            process.wait()

    def test_the_start_of_a_function_is_not_in_a_file_that_it_includes(self):
        (self.folder / "body.inc").write_text("sum += i * i;\nsum ^= sum >> 3;\n")
        self.compile("app", """volatile unsigned long sum;
            __attribute__((noinline)) void loop(unsigned long n) {
              for (unsigned long i = 0; i < n; ++i) {
            #include "body.inc"
              }
            }
            int main() { loop(200000000); }""", "-g")
        self.record(self.folder / "app")
        rows = list(csv.DictReader(self.perf2x(
            "-q", "--to", "csv", "--table", "results", "perf.data").decode().splitlines()))
        lines = {pathlib.Path(row["file"]).name: row["line"] for row in rows
                 if row["function"] == "loop"}
        self.assertEqual(lines.get("body.inc"), "", lines)
        self.assertEqual(lines.get("app.c", "2"), "2", lines)

    def test_a_perf_map_of_a_container_that_ended(self):
        if os.uname().machine != "x86_64" or os.geteuid() != 0:
            self.skipTest("needs root on x86-64")
        if run("unshare", "-p", "--fork", "true", check=False).returncode != 0:
            self.skipTest("there are no pid namespaces")
        self.compile("jitted", JITTED)
        (self.folder / "maps").mkdir()
        self.record("unshare", "-p", "--fork", "./jitted", "maps", options=["--namespaces"])
        self.assertTrue((self.folder / "maps/perf-1.map").exists())
        stacks, _ = self.folded("--perf-map-dir", "maps")
        self.assertIn("jitted_loop", stacks)

    def test_a_perf_map_of_a_container_that_runs(self):
        if os.uname().machine != "x86_64" or os.geteuid() != 0:
            self.skipTest("needs root on x86-64")
        if run("unshare", "-p", "--fork", "true", check=False).returncode != 0:
            self.skipTest("there are no pid namespaces")
        self.compile("jitted", JITTED)
        (self.folder / "root/tmp").mkdir(parents=True)
        shutil.move(self.folder / "jitted", self.folder / "root")
        # perf-1.map: of this process's own root folder, by its own pid.
        container = subprocess.Popen(
            ["unshare", "-p", "--fork", "--kill-child", "chroot", self.folder / "root", "/jitted",
             "/tmp", "for ever"])
        try:
            children = pathlib.Path(f"/proc/{container.pid}/task/{container.pid}/children")
            while not (self.folder / "root/tmp/perf-1.map").exists():
                self.assertIsNone(container.poll())
                time.sleep(0.01)
            self.record("sleep", "0.3", options=["--namespaces", "-p", children.read_text().strip()])
            stacks, said = self.folded("--verbose")
            self.assertIn("jitted_loop", stacks)
            self.assertRegex(said, r"/proc/\d+/root/tmp/perf-1\.map")
        finally:
            container.kill()
            container.wait()

    def test_a_stripped_go_program(self):
        if shutil.which("go") is None:
            self.skipTest("there is no go")
        (self.folder / "work.go").write_text(GO)
        environment = {**self.environment, "GO111MODULE": "off", "CGO_ENABLED": "0"}
        run("go", "build", "-ldflags", "-s -w", "-o", "work", "work.go", cwd=self.folder,
            env=environment)
        self.record("./work", options=["-g"])
        stacks, _ = self.folded()
        self.assertIn(";main.Work;main.square ", stacks)
        self.perf2x("perf.data", "-o", "out.pb.gz")
        top = run("go", "tool", "pprof", "-top", "-lines", "out.pb.gz", cwd=self.folder,
                  env=environment, text=True).stdout
        self.assertRegex(top, r"main\.square .*work\.go:4")


if __name__ == "__main__":
    program = unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2, exit=False)
    if not program.result.wasSuccessful():
        sys.exit(1)
    sys.exit(77 if program.result.skipped else 0)
