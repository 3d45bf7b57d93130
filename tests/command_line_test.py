#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The command line, as those meet it who have not read the manual: what is said of
words that are wrong, of options that have no effect, and what happens without any.

usage: command_line_test.py PERF2X SOURCE_ROOT
"""

import gzip
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile


class Folder:
    def __init__(self, perf2x: pathlib.Path, folder: pathlib.Path):
        self.perf2x, self.folder = perf2x, folder

    def run(self, command: str, code=0, **more) -> str:
        done = subprocess.run([self.perf2x, *command.split()], cwd=self.folder, check=False,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, **more)
        assert done.returncode == code, (command, done)
        self.stdout = done.stdout
        return done.stderr

    def refused(self, command: str, *words: str) -> None:
        """As wrong usage, in one line that has the words, with nothing written."""
        before = sorted(self.folder.iterdir())
        said = self.run(command, code=2)
        assert said.count("\n") == 1 and said.startswith("perf2x: "), (command, said)
        for word in words:
            assert word in said, (command, word, said)
        assert sorted(self.folder.iterdir()) == before, command

    def made(self, name: str) -> bytes:
        path = self.folder / name
        data = path.read_bytes()
        path.unlink()
        return data


def inputs(there: Folder) -> None:
    """By -i, as with perf, or as arguments."""
    there.run("-q -o a.pb.gz perf.data")
    profile = there.made("a.pb.gz")
    for command in ("-i perf.data -o a.pb.gz", "-o a.pb.gz --input perf.data",
                    "--input=perf.data -o a.pb.gz", "-iperf.data -o a.pb.gz"):
        there.run("-q " + command)
        assert there.made("a.pb.gz") == profile, command
    with open(there.folder / "perf.data", "rb") as stdin:
        done = subprocess.run([there.perf2x, "-q", "-i", "-", "-o", "a.pb.gz"], cwd=there.folder,
                              stdin=stdin, check=True)
        assert done.returncode == 0
    there.made("a.pb.gz")
    there.run("-q -o both -i perf.data other.data --to folded")
    assert sorted(os.listdir(there.folder / "both")) == ["other.folded", "perf.folded"]
    shutil.rmtree(there.folder / "both")
    there.run("info perf.data")
    shown = there.stdout
    there.run("info -i perf.data")
    assert there.stdout == shown
    there.run("dump -i perf.data")
    assert there.stdout


def values_of_options(there: Folder) -> None:
    """A value that is none of an option's words is wrong usage, before anything is read."""
    for command, *words in (
            ("--labels x", 'no label is called "x"', "process"),
            ("--labels pid,,tid", 'no label is called ""'),
            ("--to chrome --samples x", "slices", "instants", '"x"'),
            ("--to csv --tables x", 'no table is called "x"'),
            ("--max-memory 0", "--max-memory", "64M"), ("--max-memory 0M", "--max-memory", "64M"),
            ("--max-memory=-1", "--max-memory", "64M"),
            ("--max-memory -1", "--max-memory", "64M"), ("--max-memory M", "--max-memory", "64M"),
            ("--max-memory 0x10", "--max-memory", "64M"), ("--max-memory 1.5M", "--max-memory", "64M"),
            ("--max-memory 16E", "--max-memory", "64M"), ("--max-memory 6Q", "--max-memory", "64M"),
            ("--max-memory 99999999999999999999", "--max-memory", "64M")):
        there.refused(f"{command} -o out perf.data", *words)
    # An empty value would take the next word for it.
    for option in ("--pid=", "--output=", "--no-such="):
        there.refused(f"{option} -o out perf.data", option[:-1] + ": the value after = is empty")
    # So would an unset variable of a shell look as if the option was not given.
    for option, said in (("-o", "the value after -o is empty"), ("--to", "the value after --to"),
                         ("--dataset", "the value after --dataset is empty"),
                         ("perf.data", "an argument is empty"), ("--", "an argument is empty")):
        done = subprocess.run([there.perf2x, "perf.data", option, ""], cwd=there.folder, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, check=False)
        assert done.returncode == 2 and said in done.stderr, (option, done)
    there.refused("perf.data --to", "--to: 1 required", "--help")
    there.refused("info perf.data perf.data", "--help")
    # CLI11 2.1 writes "At Most", later versions write "At most".
    assert "at most 1 required" in there.run("info perf.data perf.data", code=2).lower()
    there.refused("--to parquet --dataset - perf.data", "--dataset is a folder, not standard output")
    there.run("-q --max-memory 1K --labels none --to pprof -o a.pb.gz perf.data")
    there.made("a.pb.gz")


def did_you_mean(there: Folder) -> None:
    for wrong, meant in {
            "--tp": "--to", "--ouput": "--output", "--quite": "--quiet", "--simfs": "--symfs",
            "--symbol-fs": "", "--debug": "--debug-dir", "--jason-summary=x": "--json-summary",
            "--lables": "--labels", "--tabel": "--table", "--strcit": "--strict",
            "--inptu": "--input", "--xyzzy": ""}.items():
        there.refused(f"{wrong} perf.data", f"no option is called {wrong.split('=')[0]}",
                      f"did you mean {meant}?" if meant else "--help")
    there.refused("--format pprof perf.data", "use --to")
    there.refused("info --jsn perf.data", "did you mean --json?")
    there.refused("dump --callchians perf.data", "did you mean --callchain?")
    for wrong, meant in {"prof": "pprof", "ppfor": "pprof", "chrom": "chrome", "cvs": "csv",
                         "fold": "folded", "fodled": "folded"}.items():
        there.refused(f"--to {wrong} perf.data", f"did you mean {meant}?")
    there.refused("--to svg perf.data", "there are pprof")
    there.refused("perf.data out.pb.gz", "did you mean -o out.pb.gz?")
    there.refused("help", "did you mean --help?")
    assert "4294967295" in there.run("--max-stack -1 perf.data", code=2)
    for option in ("--kallsyms", "--vmlinux", "--archive", "--guest-kallsyms", "--symfs",
                   "--debug-dir", "--perf-map-dir", "--symfs 7="):
        missing = f"{option}/no/such" if option.endswith("=") else f"{option} /no/such"
        assert "does not exist: /no/such" in there.run(f"{missing} perf.data", code=2), option
    there.refused("--debuginfod perf.data", "DEBUGINFOD_URLS is not set")
    there.refused("inof perf.data", "did you mean info?")
    there.refused("pprof perf.data", "did you mean --to pprof?")
    for wrong, meant in {"x.pb": ".pb.gz", "x.jsn": ".json", "x.cvs": ".csv", "x.fold": ".folded",
                         "x.jsno.gz": ".json", "x.pprof": ".pb.gz", "x.chrome": ".json",
                         "dir.d/x.foldde": ".folded"}.items():
        there.refused(f"-o {wrong} perf.data", meant, "say --to")
    there.refused("-o flame.svg perf.data", ".svg", ".folded")
    for packed in ("-o x.pb.gz.zst perf.data", "--to pprof -o x.zst perf.data"):
        there.refused(packed, "pprof is compressed by itself", "let the name end in .pb.gz")


def no_format(there: Folder) -> None:
    """pprof, and that is said in one line; not where there is an extension."""
    for command, made in (("perf.data", "perf.pb.gz"), ("", "perf.pb.gz"),
                          ("-o profile perf.data", "profile"), ("-o run.2 perf.data", "run.2")):
        said = there.run(command)
        assert said.count("no format given: pprof") == 1, (command, said)
        assert b"cpu-clock" in gzip.decompress(there.made(made)), command
    assert "no format given" not in there.run("-o x.pb.gz perf.data")
    there.made("x.pb.gz")
    assert there.run("-q perf.data") == ""
    there.made("perf.pb.gz")
    (there.folder / "a.dir").mkdir()
    there.run("-q -o a.dir perf.data")
    assert os.listdir(there.folder / "a.dir") == ["perf.pb.gz"]
    shutil.rmtree(there.folder / "a.dir")


def no_effect(there: Folder) -> None:
    """Options that a format or a command would ignore."""
    for command, words in {
            "--to chrome --labels addr": ("--labels", "of pprof", "not of chrome"),
            "--to folded --branches": ("--branches", "of pprof", "not of folded"),
            "-o x.json --table samples": ("--table", "of csv", "not of chrome"),
            "--tables samples": ("--tables", "of csv", "not of pprof"),
            "--to csv --samples none": ("--samples", "of chrome", "not of csv"),
            "--to csv --table samples --tables stat": ("--tables", "--table"),
            "--to csv --table nosuch": ("nosuch", "overview"),
            "--to csv --tables samples,nosuch -o t": ("nosuch", "overview"),
            "--to chrome --merge": ("chrome", "several recordings"),
            "--to csv --merge -o t": ("--table results",)}.items():
        there.refused(f"{command} perf.data", *words)
    for command in ("--comm a info", "--to csv info", "-o x info", "--strict dump",
                    "--symfs . dump", "--to pprof formats", "--symfs . info",
                    "--to csv info --symbols"):
        option = next(word for word in command.split() if word.startswith("-"))
        there.refused(f"{command} {'' if 'formats' in command else 'perf.data'}", option,
                      "is no option of perf2x")
    there.run("info --symbols --symfs . --comm spin perf.data")


def nothing_here(there: Folder) -> None:
    """Without a recording, what to do."""
    (there.folder / "empty").mkdir()
    said = subprocess.run([there.perf2x], cwd=there.folder / "empty", stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, check=False)
    assert said.returncode == 1 and "cannot read perf.data" in said.stderr, said
    assert "--help" in said.stderr, said
    (there.folder / "empty").rmdir()


def opens(there: Folder) -> None:
    """--open hands the file to what is installed, or says what to do with it."""
    tools = there.folder / "tools"
    tools.mkdir()
    path = {"env": {**os.environ, "PATH": str(tools)}}

    def tool(name: str) -> None:
        (tools / name).write_text('#!/bin/sh\nIFS=" "\necho "$0 $*"\n')
        (tools / name).chmod(0o755)

    said = there.run("--open perf.data", **path)
    assert "to look at perf.pb.gz, install pprof" in said and there.stdout == "", said
    tool("go")
    there.run("--open perf.data", **path)
    assert there.stdout == f"{tools}/go tool pprof -http=localhost: perf.pb.gz\n", there.stdout
    tool("pprof")
    there.run("--open -o -x.pb.gz perf.data", **path)
    assert there.stdout == f"{tools}/pprof -http=localhost: ./-x.pb.gz\n", there.stdout
    there.made("-x.pb.gz")
    for command, made, advice in (("--to chrome", "perf.json", "https://ui.perfetto.dev"),
                                  ("--to folded", "perf.folded", "speedscope"),
                                  ("--to csv --table stat", "perf.csv", "SQLite")):
        said = there.run(f"--open {command} perf.data", **path)
        assert f"to look at {made}, " in said and advice in said, said
        assert there.stdout == ""
        there.made(made)
    there.run("--open --merge perf.data other.data", **path)
    assert "merged.pb.gz" in there.stdout
    # The signal of a file that grows too large is ignored while perf2x writes, and then as before.
    (tools / "pprof").write_text("#!/bin/sh\nwhile read -r name value; do\n"
                                 '  [ "$name" = SigIgn: ] && echo "$value"\n'
                                 "done < /proc/$PPID/status\nexit 0\n")
    bit = 1 << (signal.SIGXFSZ - 1)
    for how in (signal.SIG_IGN, signal.SIG_DFL):
        there.run("--open perf.data", preexec_fn=lambda: signal.signal(signal.SIGXFSZ, how), **path)
        assert bool(int(there.stdout, 16) & bit) == (how == signal.SIG_IGN), there.stdout
    there.refused("--open perf.data other.data", "--open", "--merge")
    there.refused("--open -o - perf.data", "--open")
    # What failed is not shown.
    (there.folder / "bad.data").write_text("no recording")
    there.run("--open bad.data", code=1, **path)
    assert there.stdout == ""


def main() -> int:
    perf2x, root = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    os.environ.pop("DEBUGINFOD_URLS", None)
    for check in (inputs, values_of_options, did_you_mean, no_format, no_effect, nothing_here, opens):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            shutil.copy(root / "testdata" / "callgraph.data", folder / "perf.data")
            shutil.copy(root / "testdata" / "zstd.data", folder / "other.data")
            check(Folder(perf2x, folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
