#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a pprof profile of the stacks that stacks.sql selected.

usage: to_pprof.py stacks.json PROFILE.pb.gz

Each line of stacks.json is an object: `process`; `frames` from the outermost in, each with
`function`, `dso`, `file` and `line`; `samples`; and `period`, here in nanoseconds.
"""

import gzip
import json
import pathlib
import sys


def varint(number: int) -> bytes:
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes(out + bytes([number]))


def field(number: int, value: int | bytes) -> bytes:
    """A field of a protobuf message. A list of numbers goes in as packed bytes."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


class Profile:
    """Field numbers are those of proto/profile.proto."""

    def __init__(self):
        self.strings: dict[str, int] = {"": 0}
        self.functions: dict[tuple, int] = {}
        self.mappings: dict[str, int] = {}
        self.locations: dict[tuple, int] = {}
        self.samples: list[bytes] = []

    def add(self, stack: dict) -> None:
        leaf_first = b"".join(varint(self.location(frame)) for frame in reversed(stack["frames"]))
        values = b"".join(varint(min(int(stack[name]), 2**63 - 1)) for name in ("samples", "period"))
        process = field(1, self.text("process")) + field(2, self.text(stack["process"]))
        self.samples.append(field(2, field(1, leaf_first) + field(2, values) + field(3, process)))

    def text(self, value: str | None) -> int:
        return self.strings.setdefault(value or "", len(self.strings))

    def location(self, frame: dict) -> int:
        function = (self.text(frame["function"] or "[unknown]"), self.text(frame["file"]))
        function_id = self.functions.setdefault(function, len(self.functions) + 1)
        mapping = 0
        if frame["dso"]:
            self.text(frame["dso"])
            mapping = self.mappings.setdefault(frame["dso"], len(self.mappings) + 1)
        place = (mapping, function_id, int(frame["line"] or 0))
        return self.locations.setdefault(place, len(self.locations) + 1)

    def value_type(self, kind: str, unit: str) -> bytes:
        return field(1, self.text(kind)) + field(2, self.text(unit))

    def bytes(self) -> bytes:
        out = [field(1, self.value_type("samples", "count")),
               field(1, self.value_type("period", "nanoseconds")), *self.samples]
        for dso, number in self.mappings.items():
            has_symbols = b"".join(field(flag, 1) for flag in (7, 8, 9))
            out.append(field(3, field(1, number) + field(5, self.strings[dso]) + has_symbols))
        for (mapping, function, line), number in self.locations.items():
            at = field(4, field(1, function) + field(2, line))
            out.append(field(4, field(1, number) + field(2, mapping) + at))
        for (name, file), number in self.functions.items():
            out.append(field(5, field(1, number) + field(2, name) + field(3, name) + field(4, file)))
        return b"".join(out) + b"".join(field(6, text.encode()) for text in self.strings)


def main() -> int:
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    profile = Profile()
    for line in pathlib.Path(sys.argv[1]).read_text().splitlines():
        profile.add(json.loads(line))
    pathlib.Path(sys.argv[2]).write_bytes(gzip.compress(profile.bytes(), mtime=0))
    return 0


if __name__ == "__main__":
    sys.exit(main())
