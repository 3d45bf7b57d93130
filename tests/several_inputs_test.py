#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Several inputs: one output each or one of all, what failed, and the summary
for programs.

usage: several_inputs_test.py PERF2X SOURCE_ROOT
"""

import gzip
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile


def main() -> int:
    perf2x, root = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    data = root / "testdata"
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)

        def run(*arguments, code=0) -> str:
            done = subprocess.run([str(a) for a in (perf2x, "--no-symbols", *arguments)],
                                  cwd=folder, stdin=subprocess.DEVNULL, capture_output=True,
                                  text=True, check=False)
            assert done.returncode == code, done
            return done.stderr

        def run_other(*arguments, code=0) -> str:
            done = subprocess.run([perf2x, *arguments], cwd=folder, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                  check=False)
            assert done.returncode == code, done
            return done.stderr

        def samples(summary) -> int:
            return sum(e["samples"] for i in summary["inputs"] for e in i["events"])

        # One that fails stops no other, and is named.
        (folder / "bad.data").write_text("no recording")
        inputs = [data / "callgraph.data", "bad.data", data / "sched.data", data / "zstd.data"]
        said = run("--to", "pprof", *inputs, "-o", "out/", "--json-summary", "s.json", code=1)
        assert "bad.data: " in said and "1 of 4 inputs failed" in said, said
        names = ["callgraph.pb.gz", "sched.pb.gz", "zstd.pb.gz"]
        assert sorted(path.name for path in (folder / "out").iterdir()) == names
        for path in names:
            alone = run("--to", "pprof", data / path.replace(".pb.gz", ".data"), "-o", "alone.pb.gz")
            assert "samples of" in alone
            # Bytes do not depend on what else is converted.
            assert (folder / "alone.pb.gz").read_bytes() == (folder / "out" / path).read_bytes()
        summary = json.loads((folder / "s.json").read_text())
        assert summary["schema"] == "perf2x-summary-1" and summary["format"] == "pprof"
        assert (summary["converted"], summary["failed"]) == (3, 1)
        assert [i["converted"] for i in summary["inputs"]] == [True, False, True, True]
        assert summary["inputs"][0]["output"] == "out/callgraph.pb.gz"
        assert summary["inputs"][0]["events"][0]["samples"] == 77, summary["inputs"][0]
        assert "not a perf.data" in summary["inputs"][1]["error"]
        first = (folder / "s.json").read_bytes()
        run("--to", "pprof", *inputs, "-o", "out/", "--json-summary", "s.json", code=1)
        assert (folder / "s.json").read_bytes() == first

        # An error of an input names it, in other commands, too.
        (folder / "bomb.pb.gz").write_bytes(gzip.compress(bytes.fromhex("0a0408011002") +
                                                          bytes.fromhex("3200") * 9_000_000))
        (folder / "cut.pb.gz").write_bytes((folder / "out" / "zstd.pb.gz").read_bytes()[:500])
        for part, said in (("bomb.pb.gz", "needs more memory"), ("cut.pb.gz", "is cut short")):
            assert f"{part}: " in run("--to", "folded", part, code=1)
            output = run_other("info", part, code=1)
            assert output.startswith(f"perf2x: {part}: ") and said in output, output
        (folder / "bad.txt").write_text("no recording")
        said = run("--to", "parquet", "--dataset", "set", "bad.txt", code=1)
        assert said.startswith("perf2x: bad.txt: not a perf.data"), said

        # So do those that are not there, whatever they are called.
        said = run("--to", "pprof", data / "flat.data", "inf", "gone.json", data / "sched.data",
                   "-o", "rest/", code=1)
        assert "gone.json: " in said and "2 of 4 inputs failed" in said, said
        assert sorted(path.name for path in (folder / "rest").iterdir()) == \
            ["flat.pb.gz", "sched.pb.gz"]
        shutil.rmtree(folder / "rest")

        # Recordings of one name from several folders.
        for run_name in ("1", "2"):
            (folder / "runs" / run_name).mkdir(parents=True)
            shutil.copy(data / "flat.data", folder / "runs" / run_name / "perf.data")
        run("--to", "folded", "runs/1/perf.data", "runs/2/perf.data", "-o", "two")
        assert sorted(path.name for path in (folder / "two").iterdir()) == [
            "runs-1-perf.folded", "runs-2-perf.folded"]
        assert "runs-1-perf.folded" in run("--to", "folded", "runs/1/perf.data",
                                           "./runs/1/perf.data", "-o", "two", code=2)
        assert "folder" in run("--to", "folded", *inputs, "-o", "-", code=2)
        assert "folder" in run("--to", "folded", *inputs, "-o", "bad.data", code=2)
        assert "standard input" in run("--to", "folded", "-", inputs[0], code=2)
        # A pattern that finds one recording only.
        run("--to", "pprof", inputs[0], "-o", "single/")
        assert (folder / "single" / "callgraph.pb.gz").exists()
        # Named by a list, and by the folder that they are in.
        parts = folder / "parts"
        parts.mkdir()
        for part in ("flat", "callgraph"):
            shutil.copy(data / f"{part}.data", parts)
        os.mkfifo(parts / "fifo.data")
        (parts / "gone.pb.gz").symlink_to("nowhere")
        shutil.copytree(data / "directory.data", parts / "directory.data")
        for end in ("\n", "\r\n"):
            (folder / "list").write_bytes(end.join(["parts/flat.data", "", "parts/callgraph.data",
                                                    ""]).encode())
            said = run("--to", "folded", "@list", "-o", "listed")
            assert "parts/callgraph.data to listed/callgraph.folded" in said, said
            assert sorted(os.listdir(folder / "listed")) == ["callgraph.folded", "flat.folded"]
            shutil.rmtree(folder / "listed")
        said = run("--to", "folded", "parts", "-o", "of_folder", "--json-summary", "s.json")
        assert "left out parts/fifo.data and 1 more: no regular file" in said, said
        assert sorted(os.listdir(folder / "of_folder")) == [
            "callgraph.folded", "directory.folded", "flat.folded"]
        assert [i["output"] for i in json.loads((folder / "s.json").read_text())["inputs"]] == [
            f"of_folder/{part}.folded" for part in ("callgraph", "directory", "flat")]
        assert "need a folder" in run("--to", "folded", "@list", "-o", "-", code=2)
        # find -print0 does not make such a list, nor is a folder one.
        (folder / "nul").write_bytes(b"parts/flat.data\0parts/callgraph.data\n")
        assert "has a NUL in a name" in run("--merge", "--to", "folded", "@nul", code=2)
        assert "parts is a folder" in run("--merge", "--to", "folded", "@parts", code=2)
        assert "--merge" in run("--open", "--to", "html", "@list", code=2)
        run("--merge", "--to", "folded", "parts", "-o", "m.folded")
        run("--merge", "--to", "folded", *(parts / f"{part}.data" for part in (
            "flat", "callgraph", "directory")), "-o", "n.folded")
        assert (folder / "m.folded").read_bytes() == (folder / "n.folded").read_bytes()
        # So they are in other commands; what shows one input takes no more.
        assert "stands for 2 inputs" in run_other("info", "@list", code=2)
        assert "stands for 3 inputs" in run_other("dump", "parts", code=2)
        (folder / "one").write_text("parts/flat.data\n")
        assert run_other("info", "@one") == ""
        assert run_other("diff", "-q", "@one", "--", "@list") == ""
        # Nothing is left where nothing worked.
        run("--to", "folded", "bad.data", "/nonexistent", "-o", "none", code=1)
        assert not (folder / "none").exists()

        # Merged: sums, once for each recording.
        parts = [data / "callgraph.data", data / "zstd.data", data / "callgraph.data"]
        run("--merge", "--to", "pprof", *parts, "-o", "all.pb.gz", "--json-summary", "m.json")
        summary = json.loads((folder / "m.json").read_text())
        assert summary["output"] == "all.pb.gz" and summary["converted"] == 3
        assert samples(summary) == 77 + 149 + 77, samples(summary)
        once = (folder / "all.pb.gz").read_bytes()
        run("--merge", "--to", "pprof", *parts, "-o", "all.pb.gz")
        assert (folder / "all.pb.gz").read_bytes() == once
        if shutil.which("go") is not None:
            top = subprocess.run(["go", "tool", "pprof", "-sample_index=0",
                                  "-top", folder / "all.pb.gz"], capture_output=True, text=True,
                                 check=True, env={**os.environ, "HOME": name})
            assert "Total samples = 303" in top.stdout, top.stdout
        else:
            assert b"cpu-clock:u" in gzip.decompress(once)

        def folded(*arguments) -> dict:
            run("-q", "--to", "folded", "-o", "f.folded", *arguments)
            lines = (folder / "f.folded").read_text().splitlines()
            return {stack: int(count) for stack, count in (line.rsplit(" ", 1) for line in lines)}

        alone = folded(data / "callgraph.data")
        assert folded("--merge", data / "callgraph.data", data / "callgraph.data") == {
            stack: 2 * count for stack, count in alone.items()}
        # Events that only the second one has.
        both = folded("--merge", data / "flat.data", data / "callgraph.data")
        assert sum(both.values()) >= sum(alone.values())
        run("--merge", "--to", "csv", "--table", "results", *parts, "-o", "r.csv")
        assert "--table results" in run("--merge", "--to", "csv", *parts, "-o", "c", code=2)
        assert "merge-fdata" in run("--merge", "--to", "bolt", *parts, "-o", "b", code=2)
        assert "chrome" in run("--merge", "--to", "chrome", *parts, "-o", "c.json", code=2)
        assert "--branches" in run("--merge", "--branches", *parts, "-o", "b.pb.gz", code=2)
        assert "bad.data" in run("--merge", "--to", "pprof", parts[0], "bad.data", "-o", "x.pb.gz",
                                 code=1)
        assert not (folder / "x.pb.gz").exists()
        # A filter must mean something in one of them.
        sched = [data / "sched.data", data / "callgraph.data"]
        run("--merge", "--to", "folded", "--comm", "second", *sched, "-o", "f.folded")
        assert "nosuch" in run("--merge", "--to", "folded", "--comm", "nosuch", *sched, "-o",
                               "f.folded", code=1)

        # Addresses that had to be named: each recording reports its own, as it does alone,
        # though code that two have is looked up once.
        def addresses(*arguments) -> list[int]:
            subprocess.run([perf2x, "-q", "--buildid-dir", "/nonexistent", *arguments,
                            "--json-summary", folder / "a.json"], check=True)
            summary = json.loads((folder / "a.json").read_text())
            return [i["symbols"]["named"] + i["symbols"]["not_named"] for i in summary["inputs"]]

        parts = [data / f"{name}.data" for name in ("callgraph", "tasks", "callgraph")]
        for form in ("pprof", "folded"):
            to = ("--to", form, "-o", folder / "x")
            alone = [addresses(*to, part)[0] for part in parts]
            assert min(alone) > 0, alone
            assert addresses("--merge", *to, *parts) == alone, alone
            # Of several events, folded shows one.
            assert addresses("--merge", *to, data / "events.data") == addresses(
                *to, data / "events.data")

        # What to do about names that are missing.
        said = subprocess.run([perf2x, "--buildid-dir", "/nonexistent", "--to", "pprof", "-o",
                               "/dev/null", data / "callgraph.data"], capture_output=True,
                              text=True, check=True).stderr
        assert "--symfs" in said, said
    return 0


if __name__ == "__main__":
    sys.exit(main())
