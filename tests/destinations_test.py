#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Where outputs go without -o does not depend on where perf2x runs.

usage: destinations_test.py PERF2X SOURCE_ROOT terminal|script|ci|su|tee
"""

import gzip
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

# Commands, and the file or folder that each writes; None: to standard output.
WITHOUT_O = [
    ("perf2x perf.data", "perf.pb.gz"),
    ("perf2x --to pprof perf.data", "perf.pb.gz"),
    ("perf2x --to pprof <perf.data -", "perf.pb.gz"),
    ("cat perf.data | perf2x", "perf.pb.gz"),
    ("perf2x --to chrome perf.data", "perf.json"),
    ("perf2x --to csv perf.data", "perf.csv"),
    ("perf2x --to pprof --merge perf.data perf.data", "merged.pb.gz"),
    ("perf2x --to folded perf.data", None),
    ("perf2x --to csv --table results perf.data", None),
    ("perf2x --to folded --merge perf.data perf.data", None),
]


def terminal(command: str, folder: pathlib.Path) -> tuple[int, bytes]:
    controlling, its_end = os.openpty()
    with subprocess.Popen(["bash", "-c", command], cwd=folder, stdin=its_end, stdout=its_end,
                          stderr=subprocess.PIPE) as job:
        os.close(its_end)
        out = b""
        try:
            while chunk := os.read(controlling, 4096):
                out += chunk
        except OSError:
            pass  # how a terminal ends
        os.close(controlling)
        job.stderr.read()
    return job.returncode, out.replace(b"\r\n", b"\n")


def run(words: list[str], folder: pathlib.Path, **more) -> tuple[int, bytes]:
    done = subprocess.run(words, cwd=folder, check=False, stdin=subprocess.DEVNULL,
                          **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **more})
    return done.returncode, done.stdout


def script(command: str, folder: pathlib.Path) -> tuple[int, bytes]:
    path = folder.parent / "script"
    path.write_text(f"#!/bin/sh\n{command}\n")
    path.chmod(0o755)
    return run([path], folder)


def ci(command: str, folder: pathlib.Path) -> tuple[int, bytes]:
    """Both streams are one log, a file."""
    log = folder.parent / "log"
    with open(log, "wb") as to:
        code, _ = run(["bash", "-c", command], folder, stdout=to, stderr=to,
                      env={**os.environ, "CI": "true"})
    return code, log.read_bytes()


def su(command: str, folder: pathlib.Path) -> tuple[int, bytes]:
    return run(["su", "-c", f"cd {shlex.quote(str(folder))} && {command}", "root"], folder)


def tee(command: str, folder: pathlib.Path) -> tuple[int, bytes]:
    return run(["bash", "-o", "pipefail", "-c", f"{{ {command}; }} | tee ../copy"], folder)


def missing(place: str) -> str:
    """Why this cannot be tried here; empty: it can."""
    if place == "terminal":
        try:
            for end in os.openpty():
                os.close(end)
        except OSError as error:
            return f"no pseudo-terminal: {error}"
    if place == "su" and (os.geteuid() != 0 or shutil.which("su") is None or
                          subprocess.run(["su", "-c", "true", "root"], check=False,
                                         stdin=subprocess.DEVNULL).returncode != 0):
        return "su needs root and a working PAM"
    return ""


def readme_says_what_help_says(perf2x: pathlib.Path, root: pathlib.Path) -> None:
    said = subprocess.run([perf2x, "--help"], capture_output=True, text=True, check=True).stdout
    sentence = re.search(r"Without -o.*?\)\.", said, re.S)
    assert sentence, said
    words = " ".join(sentence[0].split())
    readme = " ".join((root / "README.md").read_text().replace("`", "").split())
    assert words in readme, words


def main() -> int:
    perf2x, root = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
    place = sys.argv[3]
    if reason := missing(place):
        print(f"not run: {reason}")
        return 77
    run_there = globals()[place]

    def there(command: str, check) -> None:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name) / "here"
            folder.mkdir()
            shutil.copy(root / "testdata" / "callgraph.data", folder / "perf.data")
            program = f"{shlex.quote(str(perf2x))} -q --no-symbols"
            code, out = run_there(command.replace("perf2x", program), folder)
            check(folder, code, out, sorted(path.name for path in folder.iterdir()
                                            if path.name != "perf.data"))

    for command, made in WITHOUT_O:
        def check(folder, code, out, names, command=command, made=made):
            assert code == 0, (command, code, out)
            assert names == ([made] if made else []), (command, names)
            if made:
                assert out == b"", (command, out)
            else:
                assert out.count(b"\n") > 2 and b"\0" not in out, (command, out)

        there(command, check)

    # A new file that standard output is redirected to is written to.
    for command in ("perf2x perf.data >x", "perf2x --to chrome perf.data >x",
                    "perf2x --to folded perf.data >x", "perf2x -o - perf.data >x",
                    "perf2x -o - perf.data | cat >x"):
        def into_x(folder, code, out, names, command=command):
            assert code == 0 and out == b"" and names == ["x"], (command, code, out, names)
            written = (folder / "x").read_bytes()
            if "chrome" not in command and "folded" not in command:
                written = gzip.decompress(written)
            assert b"cpu-clock" in written or b";" in written, command

        there(command, into_x)

    # A log is not: one that something is in, or that errors go to as well.
    for command in ("(echo log; perf2x perf.data) >log", "echo log >log; perf2x perf.data >>log",
                    "perf2x perf.data >log 2>&1", "perf2x perf.data >/dev/null"):
        def beside_log(folder, code, out, names, command=command):
            assert code == 0 and out == b"", (command, code, out)
            assert [n for n in names if n != "log"] == ["perf.pb.gz"], (command, names)
            log = folder / "log"
            assert not log.exists() or log.read_bytes() in (b"", b"log\n"), command

        there(command, beside_log)

    # Asked for, a pipe gets anything; a terminal lines of text only.
    for what in ("pprof", "chrome"):
        def asked_for(folder, code, out, names, what=what):
            if place == "terminal":
                assert code == 2 and out == b"" and names == [], (what, code, out)
            else:
                assert code == 0 and len(out) > 500 and names == [], (what, code)

        there(f"perf2x --to {what} -o - perf.data", asked_for)
        there(f"perf2x --to {what} -o /dev/stdout perf.data", asked_for)
    readme_says_what_help_says(perf2x, root)
    return 0


if __name__ == "__main__":
    sys.exit(main())
