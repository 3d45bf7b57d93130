#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Converts and merges the recordings of a manifest on the workers of Dask distributed.

usage: fleet.py SCHEDULER MANIFEST OUT

A conversion is a future, and so is a merge, which starts when those that it depends on
have ended. Workers reach MANIFEST and OUT under the same paths as this program. What a
worker that died had done, others do again.
"""

import pathlib
import sys

import distributed

CELL = pathlib.Path(__file__).resolve().parent.parent / "cell.py"
sys.path.append(str(CELL.parent))
import cell  # noqa: E402


def run(manifest: str, out: str, level: int, task: int, _below: list[str]) -> str:
    import cell as of_worker  # from upload_file
    return of_worker.run(manifest, out, level, task)


def main() -> int:
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    scheduler, *paths = sys.argv[1:]
    manifest, out = (str(pathlib.Path(path).resolve()) for path in paths)
    with distributed.Client(scheduler) as client:
        client.upload_file(str(CELL))
        futures: list[distributed.Future] = []
        for level, tasks in enumerate(cell.plan(manifest)):
            futures = [
                client.submit(run, manifest, out, level, task,
                              futures[task * cell.FAN_IN:(task + 1) * cell.FAN_IN] if level else [],
                              pure=False, retries=3, priority=level)
                for task in range(tasks)]
        print(futures[0].result())
    return 0


if __name__ == "__main__":
    sys.exit(main())
