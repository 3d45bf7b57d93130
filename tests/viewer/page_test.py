#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the checks of the page of --to html in a headless Chromium without a network.

usage: page_test.py SOURCE_ROOT SCRIPT ARGUMENT...     SCRIPT: a file in tests/viewer
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import npm_folder


def main() -> int:
    root = pathlib.Path(sys.argv[1]).resolve()
    here = root / "tests/viewer"
    npm_folder.require("npm", "node", "chromium")
    with tempfile.TemporaryDirectory() as folder:
        for name in ("package.json", "package-lock.json"):
            shutil.copy(here / name, folder)
        npm_folder.install(pathlib.Path(folder))
        return subprocess.run(
            ["node", here / sys.argv[2], *sys.argv[3:]], check=False, cwd=root,
            env={**os.environ, "PLAYWRIGHT_FOLDER": folder,
                 "CHROMIUM": shutil.which("chromium")}).returncode


if __name__ == "__main__":
    sys.exit(main())
