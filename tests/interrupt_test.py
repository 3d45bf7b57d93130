#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""perf2x that is told to stop: after Ctrl-C, with a pipe as input, it finishes
when the input does; told again, by SIGTERM, or with other input, it leaves
nothing half done and says by what signal it ended. So it does when the reader of
standard output has gone.

usage: interrupt_test.py PERF2X SOURCE_ROOT
"""

import fcntl
import os
import pathlib
import select
import signal
import subprocess
import sys
import tempfile
import termios
import time


def outputs(perf2x) -> list[list[str]]:
    """Arguments that write each of the formats to a file or a folder."""
    listed = subprocess.run([perf2x, "formats"], stdout=subprocess.PIPE, text=True, check=True)
    return [["--to", line.split()[0], "-o", "out"] for line in listed.stdout.splitlines()]


def wait_for(condition) -> None:
    for _ in range(2000):
        if condition():
            return
        time.sleep(0.01)
    raise AssertionError("nothing came of it")


class Job:
    """perf2x with all of a stream but the end, for which it then waits."""

    def __init__(self, perf2x, recording: bytes, arguments, folder=None, wrapper=()):
        self.rest = recording[-8:]
        self.process = subprocess.Popen([*wrapper, perf2x, *arguments, "-"], cwd=folder,
                                        stdin=subprocess.PIPE, stderr=subprocess.PIPE)
        self.process.stdin.write(recording[:-8])
        self.process.stdin.flush()
        self.wait_until_ready()

    def wait_until_ready(self) -> None:
        """Signals are handled from before the first byte is read."""
        pipe = self.process.stdin.fileno()

        def is_read() -> bool:
            assert self.process.poll() is None, self.process.stderr.read()
            size = bytearray(4)
            fcntl.ioctl(pipe, termios.FIONREAD, size)
            return int.from_bytes(size, sys.byteorder) == 0

        wait_for(is_read)

    def stop(self, how: signal.Signals) -> None:
        self.process.send_signal(how)

    def hears(self) -> str:
        """What is said next."""
        ready, _, _ = select.select([self.process.stderr], [], [], 20)
        assert ready, "nothing was said"
        return os.read(self.process.stderr.fileno(), 4096).decode()

    def finish(self) -> str:
        _, said = self.process.communicate(self.rest, timeout=120)
        return said.decode()

    def died_of(self, how: signal.Signals) -> bool:
        return_code = self.process.wait(timeout=120)
        self.process.stdin.close()
        self.process.stderr.close()
        return return_code == -how


def first_finishes(perf2x, recording: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        def converted(name, *signals) -> bytes:
            job = Job(perf2x, recording, ["--to", "pprof", "-o", name], folder)
            for how in signals:
                job.stop(how)
                assert "finishing at the end of the input" in job.hears()
            said = job.finish()
            assert job.process.returncode == 0, (signals, job.process.returncode, said)
            return (pathlib.Path(folder) / name).read_bytes()

        whole = converted("a.pb.gz")
        assert converted("b.pb.gz", signal.SIGINT) == whole
        # Quiet, it says nothing.
        job = Job(perf2x, recording, ["-q", "--to", "pprof", "-o", "d.pb.gz"], folder)
        job.stop(signal.SIGINT)
        assert job.finish() == "" and job.process.returncode == 0, job.process.returncode


def second_aborts(perf2x, recording: bytes) -> None:
    for output in outputs(perf2x):
        with tempfile.TemporaryDirectory() as folder:
            job = Job(perf2x, recording, output, folder)
            job.stop(signal.SIGINT)
            assert "once more aborts" in job.hears(), output
            job.stop(signal.SIGINT)
            assert job.died_of(signal.SIGINT), (output, job.process.returncode)
            assert os.listdir(folder) == [], (output, os.listdir(folder))


ENDED = "perf2x: ended by SIGTERM; what was unfinished is removed\n"


def others_abort_at_once(perf2x, recording: bytes) -> None:
    for how in (signal.SIGTERM, signal.SIGHUP):
        for output in outputs(perf2x):
            with tempfile.TemporaryDirectory() as folder:
                job = Job(perf2x, recording, ["-q", *output], folder)
                job.stop(how)
                if how == signal.SIGTERM:
                    assert job.hears() == ENDED, output
                assert job.died_of(how), (how, output, job.process.returncode)
                assert os.listdir(folder) == [], (how, output, os.listdir(folder))


def no_writer_comes(perf2x) -> None:
    """FIFOs that nobody opens for writing."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        os.mkfifo(folder / "fifo")
        for arguments in (["-o", "x.pb.gz"], ["--merge", "-o", "x.pb.gz"],
                          ["--to", "parquet", "--dataset", "x"]):
            job = subprocess.Popen([perf2x, "-q", "--no-symbols", *arguments, "fifo"], cwd=folder,
                                   stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            status = pathlib.Path(f"/proc/{job.pid}/status")
            wait_for(lambda: "SigBlk:\t0000000000004003" in status.read_text())
            job.send_signal(signal.SIGTERM)
            _, said = job.communicate(timeout=120)
            assert job.returncode == -signal.SIGTERM and said == ENDED, (arguments, job, said)
            assert os.listdir(folder) == ["fifo"], arguments


def no_reader_is_left(perf2x, root) -> None:
    """As of `perf2x -o - | head`: quiet, by SIGPIPE or, where that is ignored, exit code 1."""
    for restore, code in ((True, -signal.SIGPIPE), (False, 1)):
        for command in (["--to", "folded", "-o", "-"], ["info"], ["dump"]):
            read, write = os.pipe()
            os.close(read)
            done = subprocess.run([perf2x, *command, root / "testdata/callgraph.data"], stdout=write,
                                  stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                  restore_signals=restore, check=False)
            os.close(write)
            assert done.returncode == code, (command, done)
            assert done.stderr == "" if restore else "standard output: Broken pipe" in done.stderr, \
                (command, done)


def a_file_aborts_at_once(perf2x, root) -> None:
    """Input that is all there; the output is a FIFO that no one reads from."""
    for how in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        read, write = os.pipe()
        os.set_blocking(write, False)
        try:
            while os.write(write, b"x" * 65536):
                pass
        except BlockingIOError:
            pass  # full
        os.set_blocking(write, True)
        job = subprocess.Popen([perf2x, "--to", "folded", "--no-symbols",
                                root / "testdata" / "callgraph.data"], stdout=write,
                               stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
        # A thread of its own awaits the signals: others block them.
        status = pathlib.Path(f"/proc/{job.pid}/status")
        wait_for(lambda: "SigBlk:\t0000000000004003" in status.read_text())
        job.send_signal(how)
        assert job.wait(timeout=120) == -how, (how, job.returncode, job.stderr.read())
        job.stderr.close()
        os.close(read)
        os.close(write)


def ignored_stays_ignored(perf2x, recording: bytes) -> None:
    job = Job(perf2x, recording, ["--to", "pprof", "-o", "/dev/null"],
              wrapper=["sh", "-c", "trap '' HUP; exec \"$0\" \"$@\""])
    job.stop(signal.SIGHUP)
    time.sleep(0.2)
    assert job.process.poll() is None, job.process.returncode
    job.finish()
    assert job.process.returncode == 0, job.process.returncode


def main() -> int:
    perf2x, root = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    recording = (root / "testdata" / "pipe.data").read_bytes()
    first_finishes(perf2x, recording)
    second_aborts(perf2x, recording)
    others_abort_at_once(perf2x, recording)
    no_writer_comes(perf2x)
    no_reader_is_left(perf2x, root)
    a_file_aborts_at_once(perf2x, root)
    ignored_stays_ignored(perf2x, recording)
    return 0


if __name__ == "__main__":
    sys.exit(main())
