#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What perf2x does when it cannot write, and that names in a recording do
nothing to a terminal.

usage: outputs_test.py PERF2X SOURCE_ROOT
"""

import csv
import gzip
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parent / "roots"))
from unpack import inflated  # noqa: E402


def run(*command, **more):
    return subprocess.run(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False,
                          timeout=60, **more)


def extensions(perf2x):
    """The formats and the extensions of their files."""
    lines = subprocess.run([perf2x, "formats"], stdout=subprocess.PIPE, text=True,
                           check=True).stdout.splitlines()
    found = dict(line.split()[:2] for line in lines)
    assert "pprof" in found and "chrome" in found, found
    return found


def formats(perf2x):
    """Each format's options that make it write one file."""
    return [["--to", name, *(["--table", "samples"] if name in ("csv", "parquet") else [])]
            for name in extensions(perf2x)]


def is_text(output):
    """Not so pprof's, whose numbers may be any bytes."""
    try:
        return "\0" not in output.decode()
    except UnicodeDecodeError:
        return False


def to_stdout(how):
    return ["-o", "-"] if how[0] == "--to" else []


def full_disk(perf2x, recording):
    for how in formats(perf2x):
        done = run(perf2x, *how, "-o", "/dev/full", recording)
        assert done.returncode == 1, (how, done)
        assert b"cannot write /dev/full: No space left on device" in done.stderr, (how, done)
    for how in [*formats(perf2x), ["info"], ["info", "--json"], ["dump"]]:
        with open("/dev/full", "wb") as full:
            done = run(perf2x, *how, *to_stdout(how), recording, stdout=full)
        assert done.returncode == 1, (how, done)
        assert b"cannot write standard output: No space left" in done.stderr, (how, done)
    with open("/dev/full", "wb") as full:
        for words in (["formats"], ["--help"], ["--help-all"], ["--version"]):
            done = run(perf2x, *words, stdout=full)
            assert done.returncode == 1, (words, done)
            assert b"cannot write standard output" in done.stderr, (words, done)


def closed_pipe(perf2x, recording):
    for how in [*formats(perf2x), ["dump"]]:
        for ignored in (False, True):
            read, write = os.pipe()
            os.close(read)
            # As `perf2x | head` does; and as those do that ignore SIGPIPE.
            shell = "trap '' PIPE; exec \"$@\"" if ignored else 'exec "$@"'
            done = run("sh", "-c", shell, "sh", perf2x, *how, *to_stdout(how), recording,
                       stdout=write)
            os.close(write)
            if ignored:
                assert done.returncode == 1, (how, done)
                assert b"cannot write standard output: Broken pipe" in done.stderr, (how, done)
            else:
                assert done.returncode == -signal.SIGPIPE, (how, done)


def unwritable_folder(perf2x, recording):
    for how in formats(perf2x):
        for path in ("/nonexistent/out", "/proc/out"):
            done = run(perf2x, *how, "-o", path, recording)
            assert done.returncode == 1, (how, done)
            assert b"perf2x: cannot write " + path.encode() in done.stderr, (how, done)
    with tempfile.TemporaryDirectory() as folder:
        if os.geteuid() == 0:
            return  # may write anywhere
        os.chmod(folder, 0o555)
        done = run(perf2x, "--to", "pprof", "-o", f"{folder}/out", recording)
        os.chmod(folder, 0o755)
        assert done.returncode == 1 and b"Permission denied" in done.stderr, done


def old_file_stays(perf2x, root):
    """Until a whole new one takes its place, whatever goes wrong."""
    stream = (root / "testdata" / "pipe.data").read_bytes()
    for how in formats(perf2x):
        with tempfile.TemporaryDirectory() as folder:
            output = pathlib.Path(folder) / "out"
            output.write_text("before")
            done = run(perf2x, *how, "-o", output, root / "README.md")
            assert done.returncode == 1, (how, done)
            assert output.read_text() == "before", how
            # Killed, with all but the end of the input read.
            job = subprocess.Popen([perf2x, *how, "-o", output, "-"], stdin=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
            job.stdin.write(stream[:-8])
            job.stdin.flush()
            time.sleep(0.2)
            assert output.read_text() == "before", how
            job.kill()
            job.communicate()
            assert output.read_text() == "before", how
            assert os.listdir(folder) == ["out"], (how, os.listdir(folder))


def standard_output_by_name(perf2x, recording):
    """It keeps what is in it, and its link stays one, even to a file without a name."""
    with tempfile.TemporaryDirectory() as folder:
        link = pathlib.Path(folder) / "out.folded"
        link.symlink_to("/proc/self/fd/1")
        with tempfile.TemporaryFile() as nameless:
            nameless.write(b"before\n")
            nameless.flush()
            done = run(perf2x, "--no-symbols", "-o", link, recording, stdout=nameless)
            assert done.returncode == 0, done
            nameless.seek(0)
            lines = nameless.read().splitlines()
            assert lines[0] == b"before" and len(lines) > 2, lines
        assert os.readlink(link) == "/proc/self/fd/1" and os.listdir(folder) == ["out.folded"]
        # Of another descriptor it cannot be replaced either.
        other = pathlib.Path(folder) / "other.folded"
        with tempfile.TemporaryFile() as nameless:
            os.symlink(f"/proc/{os.getpid()}/fd/{nameless.fileno()}", other)
            done = run(perf2x, "--no-symbols", "-o", other, recording, stdout=subprocess.PIPE)
            assert done.returncode == 1 and b"cannot write" in done.stderr, done
        assert other.is_symlink()


def hostile_names(perf2x, root):
    """Control characters that stand in names of threads, files and events."""
    recording = (root / "testdata" / "callgraph.data").read_bytes()
    for old, new in ((b"spin", b"\x1bp\nn"), (b"cpu-clock:u", b"cpu-\x1b[31m:u")):
        assert old in recording and len(old) == len(new)
        recording = recording.replace(old, new)
    with tempfile.TemporaryDirectory() as folder:
        name = pathlib.Path(folder) / "hostile\x1b.data"
        name.write_bytes(recording)
        for how in (["info"], ["info", "--json"], ["info", "--symbols"], ["dump"]):
            done = run(perf2x, *how, name, stdout=subprocess.PIPE)
            assert done.returncode == 0, (how, done)
            assert b"\x1b" not in done.stdout + done.stderr, how
        done = run(perf2x, "--to\x1b", name)
        assert done.returncode == 2 and b"--to\\x1b" in done.stderr, done
        for how in formats(perf2x):
            done = run(perf2x, *how, "-v", "-o", "-", name, stdout=subprocess.PIPE)
            assert done.returncode == 0, (how, done)
            text = inflated(done.stdout)
            assert is_text(text) or how[1] not in ("chrome", "csv", "folded"), how
            if is_text(text):
                assert b"\x1b" not in text, how
            assert b"\x1b" not in done.stderr and b"\\x1b" in done.stderr, (how, done.stderr)
            if how[1] != "parquet":  # compressed inside
                assert b"\x1bp" not in text and b"\x1b[" not in text, how
            if extensions(perf2x)[how[1]].endswith(".json"):
                json.loads(text)
            if how[1] == "csv":
                rows = list(csv.reader(text.decode().splitlines()))
                assert len({len(row) for row in rows}) == 1, how
            if how[1] == "folded":
                assert all(line.rsplit(b" ", 1)[1].isdigit() for line in text.splitlines())


def names_choose_the_compression(perf2x, recording):
    """A name in .gz or .zst has the same text, compressed; a folder's files as well."""
    unpacks = {".gz": gzip.decompress}
    if shutil.which("zstd"):
        unpacks[".zst"] = lambda packed: subprocess.run(
            ["zstd", "-dc"], input=packed, stdout=subprocess.PIPE, check=True).stdout
    with tempfile.TemporaryDirectory() as folder:
        there = pathlib.Path(folder)

        def converted(output, threads):
            done = run(perf2x, "-q", "--no-symbols", "--threads", threads, "-o", there / output,
                       recording)
            assert done.returncode == 0, (output, done)
            return there / output

        for name in ("out.folded", "out.json", "out.csv"):
            plain = converted(name, "1")
            for suffix, unpack in unpacks.items():
                for threads in ("1", "3"):
                    packed = converted(f"{threads}-{name}{suffix}", threads)
                    if plain.is_dir():
                        made = {file.name: unpack(file.read_bytes()) for file in packed.iterdir()}
                        assert made == {file.name + suffix: file.read_bytes()
                                        for file in plain.iterdir()}, (name, suffix, threads)
                    else:
                        assert unpack(packed.read_bytes()) == plain.read_bytes(), (name, suffix)


def endless_input(perf2x):
    """What is no recording is refused before it fills the disk."""
    with open("/dev/zero", "rb") as zeros, tempfile.TemporaryDirectory() as folder:
        for name, source in (("-", zeros), ("/dev/zero", None)):
            done = subprocess.run([perf2x, "--to", "pprof", "-o", "out.pb.gz", name], stdin=source,
                                  stderr=subprocess.PIPE, cwd=folder, timeout=60, check=False)
            assert done.returncode == 1 and b"not a perf.data" in done.stderr, done


def names_leave_symfs_alone(perf2x, root):
    """A recorded path with ".." or through a link stays below --symfs."""
    recording = (root / "testdata" / "callgraph.data").read_bytes()
    program = b"/opt/demo/bin/spin"
    assert program in recording
    with tempfile.TemporaryDirectory() as folder:
        symfs = pathlib.Path(folder) / "symfs"
        (symfs / "opt" / "demo" / "bin").mkdir(parents=True)
        outside = pathlib.Path(folder) / "spin"
        outside.write_bytes((root / "testdata/symfs/opt/demo/bin/spin").read_bytes())
        before = outside.stat()
        (symfs / "opt" / "demo" / "bin" / "spin").symlink_to(outside)
        (symfs / "opt" / "out").symlink_to(folder)
        data = pathlib.Path(folder) / "recording"
        options = ["-v", "--to", "pprof", "--symfs", symfs, "--buildid-dir", "/nonexistent", "-o",
                   "/dev/null", data]
        for path in (program, b"/opt/../../../spin", b"/opt/out/spin/////"[:18]):
            data.write_bytes(recording.replace(program, path.ljust(len(program), b"\0")))
            done = run(perf2x, *options)
            assert done.returncode == 0, done
            assert b"from " + str(outside).encode() not in done.stderr, done.stderr.decode()
            assert b"from " + str(symfs).encode() not in done.stderr, done.stderr.decode()
        # The same file inside is used.
        (symfs / "opt" / "demo" / "bin" / "spin").unlink()
        (symfs / "opt" / "demo" / "bin" / "spin").write_bytes(outside.read_bytes())
        data.write_bytes(recording)
        done = run(perf2x, *options)
        assert str(symfs).encode() in done.stderr, done.stderr.decode()
        # Nothing that a recording names is ever written.
        after = outside.stat()
        assert (before.st_mtime_ns, before.st_size) == (after.st_mtime_ns, after.st_size)


def main() -> int:
    perf2x, root = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    recording = root / "testdata" / "callgraph.data"
    os.environ.pop("DEBUGINFOD_URLS", None)
    full_disk(perf2x, recording)
    closed_pipe(perf2x, recording)
    unwritable_folder(perf2x, recording)
    old_file_stays(perf2x, root)
    standard_output_by_name(perf2x, recording)
    hostile_names(perf2x, root)
    names_choose_the_compression(perf2x, recording)
    endless_input(perf2x)
    names_leave_symfs_alone(perf2x, root)
    return 0


if __name__ == "__main__":
    sys.exit(main())
