#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Parquet tables of the recordings in testdata, as three independent readers read them,
are those in CSV; a dataset has each recording once, however often it is added.

usage: parquet_test.py PERF2X SOURCE_ROOT
"""

import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "viewer"))
import npm_folder  # noqa: E402


def files_of(folder: pathlib.Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes()
            for file in folder.rglob("*") if file.is_file()}


def check_dataset(perf2x: str, root: pathlib.Path, folder: pathlib.Path) -> None:
    """From a file, from a pipe, twice, and with another recording beside it."""
    data = root / "testdata" / "callgraph.data"
    options = ["-q", "--no-symbols", "--to", "parquet", "--partition", "host,service=a b"]
    dataset = folder / "set"

    def add(*recordings, stdin=None):
        subprocess.run([perf2x, *options, "--dataset", dataset, *recordings], stdin=stdin, check=True)
        return files_of(dataset)

    first = add(data)
    assert len(first) == 8 and all("/service=a%20b/" in name for name in first), sorted(first)
    assert add(data) == first, "added again, it has other files"
    with open(data, "rb") as file:
        pipe = subprocess.Popen(["cat"], stdin=file, stdout=subprocess.PIPE)
        assert add("-", stdin=pipe.stdout) == first, "from a pipe, it has other files"
        pipe.wait()
    both = add(data, root / "testdata" / "sched.data")
    assert len(both) == 16 and first.items() <= both.items(), sorted(both)
    # Profiles as well.
    subprocess.run([perf2x, "-q", "--no-symbols", "-o", folder / "one.pb.gz", data], check=True)
    both = add(folder / "one.pb.gz")
    assert len(both) == 24, sorted(both)
    assert all(re.search("/host=testhost/.*/[0-9a-f]{32}.parquet", name) for name in both), sorted(both)
    done = subprocess.run([perf2x, *options, "--dataset", dataset, "-o", "x", data],
                          stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2 and "leave out -o" in done.stderr, done
    # Readers make a column of each folder.
    for name in ("recording", "Function", "pid"):
        done = subprocess.run([perf2x, *options[:-1], f"{name}=1", "--dataset", dataset, data],
                              stderr=subprocess.PIPE, text=True, check=False)
        assert done.returncode == 2 and f"another name than {name}" in done.stderr, done
        assert files_of(dataset) == both and not list(dataset.glob(f"*/{name}=1")), name
    # What fails leaves no file behind.
    broken = folder / "broken.data"
    broken.write_bytes(b"PERFILE2" + bytes(200))
    done = subprocess.run([perf2x, *options, "--dataset", dataset, broken],
                          stderr=subprocess.PIPE, check=False)
    assert done.returncode == 1 and files_of(dataset) == both, done
    check_full_disk([perf2x, *options[:1], *options[2:], "--symfs", root / "testdata/symfs"],
                    data, dataset)


def check_full_disk(command: list, data: pathlib.Path, dataset: pathlib.Path) -> None:
    """A conversion that has finished some of its files when it fails leaves the older ones.
    With symbols, all its files would be others."""
    before = files_of(dataset)
    largest = max(len(content) for content in before.values())

    def full_disk():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (largest - 1, largest - 1))

    done = subprocess.run([*command, "--dataset", dataset, data], stderr=subprocess.PIPE, text=True,
                          check=False, restore_signals=False, preexec_fn=full_disk)
    assert done.returncode == 1 and "cannot write" in done.stderr, done
    assert files_of(dataset) == before, "a failed conversion changed files of an earlier one"


def main() -> int:
    perf2x, root = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made)
        check_dataset(perf2x, root, folder)
        npm_folder.require("npm", "node")
        shutil.copy(root / "tests/parquet/package.json", folder)
        npm_folder.install(folder, "install")
        recordings = sorted((root / "testdata").glob("*.data"))
        return subprocess.run([root / "scripts/check-parquet", perf2x, folder, *recordings],
                              check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
