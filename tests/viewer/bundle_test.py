#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The bundle of the page of --to html is what its sources give, and fits into a page.

usage: bundle_test.py SOURCE_ROOT
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile

import npm_folder

NAMES = ("bundle.css", "bundle.js")
# Would end the element that holds the bundle, or change how it is read.
FORBIDDEN = (b"</script", b"</style", b"<!--", b"\r", b"\0")
# Would turn data into code or markup, or reach for the network.
UNSAFE = ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function(",
          "fetch(", "XMLHttpRequest", "WebSocket", "sendBeacon", "importScripts", "DOMParser")
MAX_LINES = 450


def check_sources(viewer: pathlib.Path) -> list[str]:
    bad = []
    sources = sorted((viewer / "src").rglob("*.*"))
    for path in sources:
        text = path.read_text()
        lines = text.splitlines()
        if "SPDX-License-Identifier: Apache-2.0" not in lines[0]:
            bad.append(f"{path}: its first line names no licence")
        if len(lines) > MAX_LINES:
            bad.append(f"{path}: {len(lines)} lines, more than {MAX_LINES}")
        bad += [f"{path}: uses {word}" for word in UNSAFE if word in text]
    return bad if sources else ["no sources"]


def check_bundle(folder: pathlib.Path) -> list[str]:
    return [f"{name}: contains {word!r}" for name in NAMES for word in FORBIDDEN
            if word in (folder / name).read_bytes().lower()]


def rebuild(viewer: pathlib.Path) -> list[str]:
    """Builds the bundle from the sources alone and compares it with the one beside them."""
    npm_folder.require("npm", "node")
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder) / "viewer"
        shutil.copytree(viewer, copy, ignore=shutil.ignore_patterns("node_modules", "dist"))
        npm_folder.install(copy)
        for command in (["npm", "run", "-s", "check"], ["npm", "run", "-s", "build"]):
            done = subprocess.run(command, cwd=copy, text=True, capture_output=True, check=False)
            if done.returncode != 0:
                return [f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}"]
        return [f"dist/{name} is not what its sources give: run npm ci && npm run build"
                for name in NAMES
                if (copy / "dist" / name).read_bytes() != (viewer / "dist" / name).read_bytes()]


def main() -> int:
    viewer = pathlib.Path(sys.argv[1]) / "converter/emit/html/viewer"
    bad = check_sources(viewer) + check_bundle(viewer / "dist")
    # Faults that need no tools count even where the tools are missing.
    bad = bad or rebuild(viewer)
    print("\n".join(bad) or "the bundle is that of its sources")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
