#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No output is written over what is read, and no two outputs to one file.

usage: overwrites_test.py PERF2X SOURCE_ROOT
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile


class Case:
    """A folder with a recording under several names, and what was in it before."""

    def __init__(self, perf2x: pathlib.Path, root: pathlib.Path, folder: pathlib.Path):
        self.perf2x, self.folder = perf2x, folder
        data = root / "testdata"
        shutil.copy(data / "callgraph.data", folder / "perf.data")
        shutil.copy(data / "zstd.data", folder / "other.data")
        os.symlink("perf.data", folder / "soft.pb.gz")
        os.link(folder / "perf.data", folder / "hard.pb.gz")
        os.symlink("soft.pb.gz", folder / "twice.json")
        shutil.copytree(data / "directory.data", folder / "dir.data")
        os.link(folder / "dir.data" / "data", folder / "member.pb.gz")
        (folder / "kallsyms").write_text("ffffffff81000000 T _text\n")
        (folder / "tables").mkdir()
        os.link(folder / "perf.data", folder / "tables" / "results.csv")
        (folder / "out").mkdir()
        os.symlink("../other.data", folder / "out" / "perf.pb.gz")
        os.symlink("nowhere", folder / "dangling")
        shutil.copy("/bin/true", folder / "program")
        (folder / "perf-7.map").write_text("1000 10 jitted\n")
        (folder / "map.pb.gz").symlink_to("perf-7.map")
        (folder / "list").write_text("main\n")
        (folder / "inputs").write_text("perf.data\nother.data\n")
        (folder / "list.of.none").write_text("\n")
        (folder / "new").mkdir()
        (folder / "linked").symlink_to("new")
        self.before = self.contents()

    def contents(self) -> dict:
        return {str(path.relative_to(self.folder)): (path.stat().st_ino, path.stat().st_mtime_ns,
                                                     path.read_bytes())
                for path in self.folder.rglob("*") if path.is_file()}

    def run(self, *arguments, **more) -> subprocess.CompletedProcess:
        return subprocess.run([self.perf2x, *arguments], cwd=self.folder, check=False,
                              capture_output=True, text=True,
                              **{"stdin": subprocess.DEVNULL, **more})

    def refused(self, *arguments, **more) -> str:
        done = self.run(*arguments, **more)
        assert done.returncode == 2, (arguments, done)
        assert done.stderr.count("\n") == 1 and done.stdout == "", (arguments, done)
        assert self.contents() == self.before, arguments
        return done.stderr


OVER_INPUT = [
    # -o, by the same name and by others.
    "--to pprof -o perf.data perf.data",
    "--to pprof -o ./perf.data perf.data",
    "--to pprof -o out/../perf.data perf.data",
    "--to pprof -o perf.data",
    "-o soft.pb.gz perf.data",
    "-o hard.pb.gz perf.data",
    "-o twice.json perf.data",
    "-o perf.data -i hard.pb.gz --to folded",
    "--to chrome -o perf.data soft.pb.gz",
    "--to csv --table results -o perf.data perf.data",
    # A table of the folder; the recording by its name in there.
    "--to csv -o tables perf.data",
    "--to csv -o tables --tables results,stat perf.data",
    "--to csv tables/results.csv -o tables",
    # What is in a folder that is read, and the folder itself.
    "--to pprof -o dir.data/data dir.data",
    "--to pprof -o dir.data/data.0 dir.data",
    "-o member.pb.gz dir.data",
    "--to csv -o dir.data dir.data",
    # The summary.
    "--json-summary perf.data -o x.pb.gz perf.data",
    "--json-summary hard.pb.gz -o x.pb.gz perf.data",
    "--json-summary dir.data/data -o x.pb.gz dir.data",
    # Several inputs: named after one, it is another of them.
    "--to pprof -o out perf.data other.data",
    "--to pprof -o out dir.data other.data --json-summary other.data",
    "--merge --to pprof -o other.data perf.data other.data",
    "--merge --to folded -o soft.pb.gz other.data perf.data",
    "--merge --to csv --table results -o hard.pb.gz other.data perf.data",
    "--merge --to pprof -o inputs @inputs",
    "--merge --to pprof -o x.pb.gz --json-summary inputs @inputs",
    "--to pprof -o out @inputs",
    # Other files that are read.
    "--to pprof -o kallsyms --kallsyms kallsyms perf.data",
]

ONE_FILE = [
    "-o x.pb.gz --json-summary x.pb.gz perf.data",
    "-o x.pb.gz --json-summary out/../x.pb.gz perf.data",
    "-o linked/x.pb.gz --json-summary new/x.pb.gz perf.data",
    "--to folded --json-summary - perf.data",
    "--to csv -o t --json-summary t/samples.csv perf.data",
    "--to pprof -o new perf.data dir.data --json-summary new/perf.pb.gz",
    "--merge --to pprof --json-summary merged.pb.gz perf.data other.data",
    "--to pprof --json-summary perf.pb.gz perf.data",
    "--to pprof -o dangling --json-summary nowhere perf.data",
]

NOT_OVER = [
    "--to pprof -o x.pb.gz perf.data --json-summary x.json",
    "--to csv --tables samples,stat -o tables perf.data",
    "--to csv --table samples -o samples.csv tables/results.csv",
    "--to pprof -o dir.data/new.pb.gz dir.data",
    "--to folded -o /dev/null --json-summary /dev/null perf.data",
    "-o dangling --to pprof perf.data",
    "-o x.pb.gz perf.data perf.data --merge",
]


def in_a_case(perf2x, root, check):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name) / "case"
        folder.mkdir()
        check(Case(perf2x, root, folder))


def over_input(case: Case) -> None:
    for command in OVER_INPUT:
        said = case.refused(*command.split())
        assert "would be written over" in said, (command, said)
        assert said.endswith("; name another output\n"), (command, said)
    assert "perf.data, which is the same file" in case.refused("-o", "hard.pb.gz", "perf.data")


def over_symbols(case: Case) -> None:
    """What a recording may name, and what options name."""
    for output, kind in (("program", "ELF"), ("perf-7.map", "generated code"),
                         ("map.pb.gz", "generated code")):
        said = case.refused("--to", "folded", "-o", output, "perf.data")
        assert kind in said and "name another output" in said, said
        case.refused("-o", "x.pb.gz", "--json-summary", output, "perf.data")
    case.refused("--to", "folded", "--comm", "file://list", "-o", "list", "perf.data")


def over_standard_streams(case: Case) -> None:
    recording = case.folder / "perf.data"
    with open(recording, "rb") as stdin:
        assert "standard input" in case.refused("-o", "soft.pb.gz", "-", stdin=stdin)
    for command in (["--to", "folded", "perf.data"], ["-o", "-", "--to", "pprof", "perf.data"],
                    ["info", "perf.data"], ["dump", "perf.data"],
                    ["info", "--symbols", "perf.data"]):
        with open(recording, "ab") as stdout:
            done = subprocess.run([case.perf2x, *command], cwd=case.folder, check=False,
                                  stdin=subprocess.DEVNULL, stdout=stdout,
                                  stderr=subprocess.PIPE, text=True)
        assert done.returncode == 2 and "standard output would be written over" in done.stderr, done
        assert case.contents() == case.before, command


def over_standard_error(case: Case) -> None:
    """No message is written into what is read: nothing is said, then."""
    for command, log in (("--to pprof -o z perf.data", "perf.data"),
                         ("--to pprof -o z soft.pb.gz", "perf.data"),
                         ("--to pprof -o z", "perf.data"),
                         ("--to pprof -o z -", "perf.data"),
                         ("--merge --to pprof -o z other.data perf.data", "perf.data"),
                         ("--merge --to pprof -o z @inputs", "other.data"),
                         ("--merge --to pprof -o z @inputs", "inputs"),
                         ("--to pprof -o z dir.data", "dir.data/data"),
                         ("--to pprof -o z --kallsyms kallsyms perf.data", "kallsyms"),
                         ("--to nosuch perf.data", "perf.data"),
                         ("--to html --base other.data -o z perf.data", "other.data"),
                         ("--to pprof -o z @list.of.none perf.data", "perf.data"),
                         ("--to pprof -o z @list.of.none", "list.of.none"),
                         ("diff @list.of.none -- @inputs", "inputs"),
                         ("info perf.data", "perf.data"),
                         ("dump perf.data", "perf.data"),
                         ("diff other.data -- perf.data", "perf.data")):
        for mode in ("ab", "r+b"):
            with open(case.folder / log, mode) as stderr, \
                    open(case.folder / "perf.data", "rb") as stdin:
                done = subprocess.run([case.perf2x, *command.split()], cwd=case.folder, check=False,
                                      stdin=stdin if command.endswith("-") else subprocess.DEVNULL,
                                      stdout=subprocess.PIPE, stderr=stderr)
            assert done.returncode == 1 and done.stdout == b"", (command, done)
            assert case.contents() == case.before, command
    # Nor one about the command line itself.
    for command in ("--nosuch perf.data", "--to pprof --threads x perf.data", "--pid= perf.data",
                    "info -o x perf.data", "--to pprof --nosuch --base=perf.data",
                    "--merge --nosuch @perf.data"):
        with open(case.folder / "perf.data", "ab") as stderr:
            done = subprocess.run([case.perf2x, *command.split()], cwd=case.folder, check=False,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=stderr)
        assert done.returncode == 2 and done.stdout == b"", (command, done)
        assert case.contents() == case.before, command
    # A log in a folder that is read is not read.
    for command, log, code, said in (
            ("--to pprof -o z.d inputs.d", "inputs.d/log", 0, b"perf2x: inputs.d/perf.data to"),
            ("--symfs . --nosuch perf.data", "log", 2, b"perf2x: "),
            ("--symfs / --nosuch perf.data", "log", 2, b"perf2x: ")):
        (case.folder / "inputs.d").mkdir(exist_ok=True)
        shutil.copy(case.folder / "perf.data", case.folder / "inputs.d")
        with open(case.folder / log, "wb") as stderr:
            done = subprocess.run([case.perf2x, *command.split()], cwd=case.folder, check=False,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=stderr)
        text = (case.folder / log).read_bytes()
        assert done.returncode == code and text.startswith(said), (command, done, text)
    # Another file may take the messages, even that of standard output.
    with open(case.folder / "log", "wb") as log:
        subprocess.run([case.perf2x, "--to", "folded", "perf.data"], cwd=case.folder, check=True,
                       stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    assert b"perf2x: perf.data to standard output" in (case.folder / "log").read_bytes()


def closed_streams(case: Case) -> None:
    """No file that is opened takes the place of a standard stream that is closed."""
    for closed in ((2,), (1, 2), (0, 2), (0, 1, 2)):
        def close(closed=closed) -> None:
            for descriptor in closed:
                os.close(descriptor)

        subprocess.run([case.perf2x, "--to", "folded", "-o", "out", "perf.data", "dir.data"],
                       cwd=case.folder, check=True, preexec_fn=close)
        for name in ("perf.folded", "dir.folded"):
            lines = (case.folder / "out" / name).read_text().splitlines()
            assert lines and all(line.split()[-1].isdigit() for line in lines), (closed, lines)
        done = subprocess.run([case.perf2x, "--to", "folded", "-o", "-", "perf.data"],
                              cwd=case.folder, check=False, stdout=subprocess.DEVNULL,
                              preexec_fn=close)
        assert done.returncode == (1 if 1 in closed else 0), (closed, done)


def drop_in(case: Case) -> None:
    tool = case.folder.parent / "perf_to_profile"
    tool.symlink_to(case.perf2x)
    case.perf2x = tool
    for output in ("perf.data", "soft.pb.gz", "hard.pb.gz"):
        said = case.refused("-i", "perf.data", "-o", output, "-f")
        assert "would be written over" in said, said


def links(case: Case) -> None:
    """To what is not there yet; and another user's, in a folder that everyone may write to."""
    done = case.run("-q", "--to", "folded", "-o", "dangling", "perf.data")
    assert done.returncode == 0 and done.stderr == "", done
    assert (case.folder / "dangling").is_symlink() and (case.folder / "nowhere").stat().st_size > 0
    if os.geteuid() != 0:
        return
    shared = case.folder / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    for target in ("../list", "../not there yet"):
        (shared / "out").symlink_to(target)
        os.lchown(shared / "out", 65534, 65534)
        for options in (["-o", "shared/out"],
                        ["-o", "x", "--json-summary", "shared/out"]):
            done = case.run("-q", "--to", "folded", *options, "perf.data")
            assert done.returncode == 1 and "another user's symbolic link" in done.stderr, done
            assert done.stderr.count("\n") == 1, done
            assert done.stdout == "", done
        (shared / "out").unlink()
    # A folder that files are written into.
    shutil.copy(case.folder / "perf.data", case.folder / "copy.data")
    (case.folder / "private").mkdir()
    (shared / "out").symlink_to("../private")
    os.lchown(shared / "out", 65534, 65534)
    for arguments in (["--to", "csv", "-o", "shared/out", "perf.data"],
                      ["--to", "folded", "-o", "shared/out/x", "perf.data"],
                      ["--to", "folded", "-o", "shared/out", "perf.data", "copy.data"]):
        done = case.run("-q", *arguments)
        assert done.returncode == 1 and "another user's symbolic link" in done.stderr, done
    assert os.listdir(case.folder / "private") == []
    (shared / "out").unlink()
    assert (case.folder / "list").read_text() == "main\n"
    assert not (case.folder / "not there yet").exists()


def datasets(case: Case) -> None:
    """The names of a dataset's files are known when the recording has been read."""
    kallsyms, lists = case.folder / "kallsyms", case.folder / "inputs"
    outside = case.folder / "outside"
    outside.mkdir()
    command = ["-q", "--to", "parquet", "--tables", "stat,results", "--dataset", "set",
               "--kallsyms", "kallsyms"]

    def convert(*arguments) -> subprocess.CompletedProcess:
        return case.run(*command, *arguments, timeout=60)

    assert convert("perf.data").returncode == 0
    (table,) = (case.folder / "set" / "results").rglob("*.parquet")
    whole, stat = table.read_bytes(), next((case.folder / "set" / "stat").rglob("*.parquet"))
    name = str(table.relative_to(case.folder))

    def refused(why: str, *arguments) -> None:
        """It fails with one line, and neither table is another one."""
        before = case.contents(), stat.stat().st_ino, list(outside.iterdir())
        done = convert(*arguments)
        assert done.returncode == 1 and why in done.stderr, done
        assert done.stderr.count("\n") == 1 and done.stdout == "", done
        assert (case.contents(), stat.stat().st_ino, list(outside.iterdir())) == before, arguments

    # The input under its own name there, under another, and other files that are read.
    for argument in (name, "perf.data"):
        table.unlink()
        os.link(case.folder / "perf.data", table)
        refused("would be written over the input " +
                ("of that name" if argument == name else "perf.data"), argument)
    for read, argument in ((kallsyms, "perf.data"), (lists, "@inputs")):
        table.unlink()
        os.link(read, table)
        if argument == "perf.data":
            refused("would be written over the input kallsyms", argument)
        else:
            done = convert(argument)
            assert done.returncode == 1 and "written over the input inputs" in done.stderr, done
            assert table.samefile(lists)
    table.unlink()
    shutil.copy(case.folder / "program", table)
    refused("ELF", "perf.data")
    # Links, and what is no file.
    for target in ("perf.data", "kallsyms", "nowhere", "set/other"):
        table.unlink()
        table.symlink_to(case.folder / target)
        refused("symbolic link", "perf.data")
        assert not (case.folder / "set" / "other").exists()
    table.unlink()
    os.mkfifo(table)
    refused("no regular file", "perf.data")
    table.unlink()
    host = case.folder / "set" / "results" / table.relative_to(case.folder / "set/results").parts[0]
    shutil.rmtree(host)
    host.symlink_to(outside)
    refused("symbolic link", "perf.data")
    host.unlink()
    # The summary is no table.
    assert convert("perf.data").returncode == 0 and table.read_bytes() == whole
    (case.folder / "to_table").symlink_to(table)
    for summary in (name, "./" + name, "to_table", "set/new.parquet"):
        done = convert("--json-summary", summary, "perf.data")
        assert done.returncode == 2 and "may be a file of the dataset set" in done.stderr, done
        assert table.read_bytes() == whole and not (case.folder / "set/new.parquet").exists()
    for summary in ("set/summary.json", "new.parquet"):
        assert convert("--json-summary", summary, "perf.data").returncode == 0, summary


def main() -> int:
    perf2x, root = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    for check in (over_input, over_symbols, over_standard_streams, over_standard_error,
                  closed_streams, drop_in, links, datasets):
        in_a_case(perf2x, root, check)

    def one_file(case: Case) -> None:
        for command in ONE_FILE:
            said = case.refused(*command.split())
            assert "two outputs would be written to" in said, (command, said)

    in_a_case(perf2x, root, one_file)
    for command in NOT_OVER:
        def allowed(case: Case, command=command) -> None:
            done = case.run("-q", *command.split())
            assert done.returncode == 0 and done.stderr == "", (command, done)
            for name in ("perf.data", "other.data", "dir.data/data"):
                assert case.contents()[name][2] == case.before[name][2], (command, name)

        in_a_case(perf2x, root, allowed)
    return 0


if __name__ == "__main__":
    sys.exit(main())
