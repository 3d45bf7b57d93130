#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a terminal shows while perf2x converts, and Ctrl-C on it.

usage: terminal_test.py PERF2X SOURCE_ROOT
"""

import fcntl
import os
import pathlib
import re
import select
import struct
import subprocess
import sys
import termios
import time


class Terminal:
    """perf2x in the foreground of a terminal, its input a pipe with all of a recording
    but the end."""

    def __init__(self, perf2x, recording: bytes, *options, **variables):
        self.rest = recording[-8:]
        self.said = b""
        self.end, its_end = os.openpty()

        def take_terminal():
            fcntl.ioctl(its_end, termios.TIOCSCTTY, 0)

        environment = {k: v for k, v in os.environ.items() if k != "CI"} | variables
        self.job = subprocess.Popen([perf2x, *options, "--to", "pprof", "-o", "/dev/null", "-"],
                                    stdin=subprocess.PIPE, stdout=its_end, stderr=its_end,
                                    start_new_session=True, preexec_fn=take_terminal,
                                    env=environment)
        os.close(its_end)
        self.job.stdin.write(recording[:-8])
        self.job.stdin.flush()

    def read_until(self, what: bytes) -> None:
        end = time.monotonic() + 30
        while what not in self.said:
            # Something else may be said all the time.
            ready, _, _ = select.select([self.end], [], [], max(0, end - time.monotonic()))
            assert ready, self.said
            self.said += os.read(self.end, 4096)

    def finish(self) -> bytes:
        self.job.stdin.write(self.rest)
        self.job.stdin.close()
        try:
            while chunk := os.read(self.end, 4096):
                self.said += chunk
        except OSError:
            pass  # how a terminal ends
        os.close(self.end)
        assert self.job.wait() == 0, (self.job.returncode, self.said)
        return self.said


def main() -> int:
    perf2x, root = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    try:
        for end in os.openpty():
            os.close(end)
    except OSError as error:
        print(f"not run: no pseudo-terminal: {error}")
        return 77
    # Its 46 samples, and PERF_RECORD_FINISHED_ROUND until none of them waits for more.
    recording = (root / "testdata" / "pipe.data").read_bytes() + 3 * struct.pack("<IHH", 68, 0, 8)

    # A conversion of more than a second shows how far it is, of a pipe in samples and
    # seconds.
    # With one thread, none waits for a batch of others either.
    terminal = Terminal(perf2x, recording, "--threads", "1")
    terminal.read_until(b"perf2x: 46 samples in ")
    assert re.search(rb"46 samples in \d+ s, 0\.0 MB\x1b\[K", terminal.finish()), terminal.said

    # Never in a log that only calls itself a terminal.
    terminal = Terminal(perf2x, recording, CI="1")
    time.sleep(1.6)
    assert b" samples in " not in terminal.finish(), terminal.said

    # Ctrl-C, as it is typed.
    terminal = Terminal(perf2x, recording)
    terminal.read_until(b" samples in ")
    os.write(terminal.end, b"\x03")
    terminal.read_until(b"interrupted: finishing at the end of the input; once more aborts")
    assert b"samples of cpu-clock" in terminal.finish(), terminal.said
    return 0


if __name__ == "__main__":
    sys.exit(main())
