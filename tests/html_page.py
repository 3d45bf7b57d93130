# SPDX-License-Identifier: Apache-2.0
"""Reads the data of a page that `perf2x --to html` wrote, as docs/html.md
describes them. Used by tests."""

import base64
import gzip
import json
import pathlib
import re

BLOCK = re.compile(r'<script type="application/octet-stream;base64" id="([^"]*)">([^<]*)</script>')


class Block:
    """The meta data and the columns of a block."""

    def __init__(self, data: bytes):
        assert data[:8] == b"perf2x-1", data[:8]
        size = int.from_bytes(data[8:12], "little")
        header = json.loads(data[12:12 + size])
        self.meta = header["meta"]
        self.columns = {}
        end = 12 + size
        for name, column in header["columns"].items():
            count, width = column["count"], column["width"]
            begin = 12 + size + column["offset"]
            assert begin == end, name
            end = begin + count * width
            planes = [data[begin + count * p:begin + count * (p + 1)] for p in range(width)]
            values = [sum(plane[i] << 8 * p for p, plane in enumerate(planes)) for i in range(count)]
            if column["code"] == "delta":
                for i in range(1, count):
                    values[i] = (values[i] + values[i - 1]) % (1 << 8 * width)
            self.columns[name] = values
        assert end == len(data)

    def __getitem__(self, column: str) -> list[int]:
        return self.columns[column]


class Page:
    def __init__(self, path: pathlib.Path):
        self.html = path.read_text(encoding="utf-8")
        blocks = {name: Block(gzip.decompress(base64.b64decode(text, validate=True)))
                  for name, text in BLOCK.findall(self.html)}
        self.profile = blocks["perf2x-profile"]
        self.samples = blocks["perf2x-samples"]
        self.base = blocks.get("perf2x-base")
        self.meta = self.profile.meta
        data, self.strings, at = bytes(self.profile["string.bytes"]), [], 0
        for size in self.profile["string.size"]:
            self.strings.append(data[at:at + size].decode())
            at += size

    def entries(self, block: Block, recording: dict):
        """(event, row of the thread, bin, cpu, node, samples, period) of each entry."""
        columns = [block["entry." + name] for name in ("bin", "cpu", "node", "samples", "extra")]
        rows = list(zip(*columns, strict=True))
        at = 0
        for group, count in enumerate(block["group.entries"]):
            event = block["group.event"][group]
            least, unit = block["group.least"][group], recording["periodUnit"][event]
            mine = [[*row[:4], row[3] * least + row[4] * unit] for row in rows[at:at + count]]
            mine[0][4] += block["group.period"][group] - sum(row[4] for row in mine)
            at += count
            for time, cpu, node, samples, period in mine:
                yield (self.meta["events"][event]["name"], block["group.thread"][group], time,
                       recording["cpus"][cpu - 1] if cpu else -1, node, samples, period)
        assert at == len(rows)

    def thread(self, block: Block, row: int) -> tuple[int, int, str, str]:
        """pid, tid, process and name of a thread."""
        def signed(number: int) -> int:
            return number - (1 << 32) if number >> 31 else number
        process = block["thread.process"][row]
        return (signed(block["process.pid"][process]), signed(block["thread.tid"][row]),
                self.strings[block["process.name"][process]],
                self.strings[block["thread.name"][row]])

    def path(self, node: int) -> list[str]:
        """The functions from the outermost to that of a node."""
        names = []
        while self.profile["node.up"][node] != 0:
            function = self.profile["node.function"][node]
            names.append(self.strings[self.profile["function.name"][function]])
            node -= self.profile["node.up"][node]
        return names[::-1]
