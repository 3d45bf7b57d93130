#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails on a link of a web site that leads nowhere, and on one that fetches from elsewhere.

usage: site_links.py FOLDER
"""

import html.parser
import pathlib
import re
import sys
import urllib.parse

# The elements that a browser fetches by itself.
FETCHED = {("link", "href"), ("script", "src"), ("img", "src"), ("iframe", "src")}


class Page(html.parser.HTMLParser):
    def __init__(self, path: pathlib.Path):
        super().__init__()
        self.links: list[tuple[str, str, str]] = []
        self.anchors: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        self.anchors |= {values[name] for name in ("id", "name") if values.get(name)}
        self.links += [(tag, name, values[name]) for name in ("href", "src") if values.get(name)]


def main() -> int:
    root = pathlib.Path(sys.argv[1]).resolve()
    pages = {path: Page(path) for path in sorted(root.rglob("*.html"))}
    checked, bad = 0, []
    for path, page in pages.items():
        for tag, name, link in page.links:
            where = f"{path.relative_to(root)}: {link}"
            if re.match(r"[a-z]+:|//", link):
                if (tag, name) in FETCHED and not link.startswith("data:"):
                    bad.append(f"{where}: is fetched from elsewhere")
                continue
            checked += 1
            to, _, anchor = urllib.parse.unquote(link).partition("#")
            target = (path.parent / to).resolve() if to else path
            if not target.is_file():
                bad.append(f"{where}: no such file")
            elif anchor and target in pages and anchor not in pages[target].anchors:
                bad.append(f"{where}: no such place in it")
    print("\n".join(bad) or f"{len(pages)} pages, {checked} links")
    return 1 if bad or len(pages) < 30 else 0


if __name__ == "__main__":
    sys.exit(main())
