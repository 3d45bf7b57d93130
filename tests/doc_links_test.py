#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails on a link, heading or path in the documents that does not exist.

usage: doc_links_test.py SOURCE_ROOT

Checks relative links with their #anchors, and paths between backticks: from the top
of the repository (`converter/emit/registry.cc`), or from converter/ (`base/block.h`,
`model/frame_table` for both of frame_table.h and .cc). A word in capitals stands for any
name (`tests/fuzz/corpus/TARGET`).
"""

import pathlib
import re
import sys

LINK = re.compile(r"\]\(([^)\s]+)\)")
CODE = re.compile(r"`([\w.-]+(?:/[\w.*-]+)+/?)`")
HEADING = re.compile(r"^#+ +(.*)$", re.M)
FENCE = re.compile(r"^```.*?^```", re.M | re.S)


def anchors(page: pathlib.Path) -> set[str]:
    """The anchors that GitHub makes of a page's headings."""
    headings = HEADING.findall(FENCE.sub("", page.read_text()))
    return {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in headings}


def exists(root: pathlib.Path, path: str) -> bool:
    parts = [re.sub(r"^[A-Z]+$", "*", part) for part in path.rstrip("/").split("/")]
    pattern = "/".join(parts)
    return any(any(root.glob(pattern + suffix)) for suffix in ("", ".h", ".cc"))


def faults(root: pathlib.Path, page: pathlib.Path) -> tuple[int, list[str]]:
    text = page.read_text()
    checked, bad = 0, []
    for link in LINK.findall(FENCE.sub("", text)):
        if re.match(r"[a-z]+:", link):
            continue
        checked += 1
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists():
            bad.append(f"no file for the link {link}")
        elif anchor and anchor not in anchors(target):
            bad.append(f"no heading for the link {link}")
    folders = {p.name for p in root.iterdir() if p.is_dir()} - {"build", "out", "release"}
    rooms = {p.name for p in (root / "converter").iterdir() if p.is_dir()}
    for path in CODE.findall(text):
        first = path.split("/")[0]
        if first in folders or first in rooms:
            checked += 1
            if not (exists(root, path) or exists(root / "converter", path)):
                bad.append(f"no file {path}")
    return checked, [f"{page.relative_to(root)}: {fault}" for fault in bad]


def main() -> int:
    root = pathlib.Path(sys.argv[1]).resolve()
    total, bad = 0, []
    for page in [*root.glob("*.md"), *(root / "docs").rglob("*.md"), root / "testdata/README.md",
                 *(root / "examples").rglob("*.md")]:
        checked, found = faults(root, page)
        total += checked
        bad += found
    assert total > 0, "no link or path was found: wrong folder?"
    print("\n".join(sorted(bad)) or f"{total} links and paths exist")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
