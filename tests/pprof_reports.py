# SPDX-License-Identifier: Apache-2.0
"""Reports of pprof on a profile, with its default options and without its own
look for names, and how they differ. Used by tests and scripts."""

import os
import pathlib
import re
import subprocess
import tempfile

# pprof -top: flat flat% sum% cum cum% name; "(inline)" if nowhere else.
ROW = re.compile(r"\s*(-?\d+)\s+\S+%\s+\S+%\s+(-?\d+)\s+\S+%\s+(.*?)(?: \(inline\))?")


class Report:
    """Samples by function or line: in it, and in it and below."""

    def __init__(self, pprof: list[str], profile: pathlib.Path, *options: str):
        with tempfile.TemporaryDirectory() as home:
            done = subprocess.run(
                [*pprof, "-sample_index=0", "-top", "-nodecount=1000000", "-nodefraction=0",
                 *options, profile],
                stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
                env={**os.environ, "HOME": home, "PPROF_TMPDIR": home})
        assert done.returncode == 0, done
        self.text = done.stdout
        total = re.search(r"of (\d+) total|Total samples = (\d+)", self.text)
        assert total, self.text
        self.total = int(total[1] or total[2])
        self.rows: dict[str, tuple[int, int]] = {}
        for line in self.text.splitlines():
            if row := ROW.fullmatch(line):
                flat, cum = self.rows.get(row[3], (0, 0))
                self.rows[row[3]] = (flat + int(row[1]), cum + int(row[2]))
        assert self.rows, self.text

    def difference(self, other: "Report") -> tuple[float, str]:
        """The largest difference of a share, and of which function it is. A
        function that only one report has differs by all."""
        largest, name = 0.0, ""
        for function in sorted({*self.rows, *other.rows}):
            if function in self.rows and function in other.rows:
                pairs = zip(self.rows[function], other.rows[function], strict=True)
                share = max(abs(a - b) for a, b in pairs) / max(self.total, 1)
            else:
                share = 1.0
            if share > largest:
                largest, name = share, function
        return largest, name


def compare(pprof: list[str], profile: pathlib.Path, *options: str) -> tuple[Report, float, str]:
    """What pprof shows by default, and how it differs from -symbolize=none."""
    shown = Report(pprof, profile, *options)
    return shown, *shown.difference(Report(pprof, profile, "-symbolize=none", *options))
