#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Replaces what is deflated in perf2x's outputs by what it is, in place: ISA-L's code for
another machine finds other matches, so that only the contents can be compared.

usage: unpack.py FOLDER...
"""

import base64
import pathlib
import re
import sys
import zlib

BASE64 = re.compile(rb"[A-Za-z0-9+/]{64,}={0,2}")
STARTS = (b"\x1f\x8b\x08", b"\x78\x01", b"\x78\x5e", b"\x78\x9c", b"\x78\xda")


def inflated(data: bytes, before: int = 0) -> bytes:
    """The data, each gzip or zlib stream that is complete in it replaced by its contents, and
    the bytes before it left out: in Perfetto's traces, tags and lengths."""
    out, at = b"", 0
    for found in re.finditer(b"|".join(map(re.escape, STARTS)), data):
        if found.start() < at:
            continue
        stream = zlib.decompressobj(zlib.MAX_WBITS | 32)
        try:
            content = stream.decompress(data[found.start():])
        except zlib.error:
            continue
        if stream.eof:
            out += data[at:max(at, found.start() - before)] + content
            at = len(data) - len(stream.unused_data)
    return out + data[at:]


def text_inflated(found: re.Match) -> bytes:
    if len(found[0]) % 4 == 1:  # a long path, no base64
        return found[0]
    raw = base64.b64decode(found[0] + b"=" * (-len(found[0]) % 4))
    return inflated(raw)


def main() -> int:
    for folder in map(pathlib.Path, sys.argv[1:]):
        for path in (path for path in folder.rglob("*") if path.is_file()):
            data = path.read_bytes()
            if path.suffix == ".html":
                changed = BASE64.sub(text_inflated, data)
            else:
                changed = inflated(data, before=8 if path.suffix == ".perfetto" else 0)
            if changed != data:
                path.write_bytes(changed)
    return 0


if __name__ == "__main__":
    sys.exit(main())
