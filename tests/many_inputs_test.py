#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Merges several thousand profiles, by a list and as a folder, with few descriptors. The
bytes do not depend on the way, nor the memory on the number.

usage: many_inputs_test.py PERF2X SOURCE_ROOT
"""

import gzip
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

MANY, SOME = 4000, 40
BYTES_AN_INPUT = 4096  # its name and what is said of it


def few_descriptors() -> None:
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))


def main() -> int:
    perf2x, root = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made)

        def merge(*inputs) -> tuple[bytes, int]:
            """The profile, and the peak of the memory in bytes."""
            command = [perf2x, "-q", "--no-symbols", "--merge", "--labels", "none", "--threads", "1",
                       "-o", "sum.pb.gz", *inputs]
            process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL,
                                       preexec_fn=few_descriptors)
            _, status, usage = os.wait4(process.pid, 0)
            assert status == 0, (inputs, status)
            return (folder / "sum.pb.gz").read_bytes(), usage.ru_maxrss * 1024

        subprocess.run([perf2x, "-q", "--no-symbols", "-o", folder / "one.pb.gz",
                        root / "testdata/callgraph.data"], check=True)
        profile = gzip.decompress((folder / "one.pb.gz").read_bytes())
        assert profile.count(b"host: testhost") == 1
        (folder / "many").mkdir()
        names = [f"many/{i:06}.pb.gz" for i in range(MANY)]
        for i, name in enumerate(names):
            of_host = profile.replace(b"testhost", b"web-%04d" % i)
            (folder / name).write_bytes(gzip.compress(of_host, compresslevel=1, mtime=0))
        (folder / "list").write_text("\n".join(reversed(names)))

        whole, much = merge("many")
        listed, _ = merge("@list")
        assert whole == listed, "a list and a folder give other bytes"
        few, little = merge(*names[:SOME])
        assert few != whole
        assert much - little < BYTES_AN_INPUT * MANY, f"{SOME} inputs: {little} bytes, {MANY}: {much}"
    return 0


if __name__ == "__main__":
    sys.exit(main())
