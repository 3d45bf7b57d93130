# SPDX-License-Identifier: Apache-2.0
"""Folders with npm packages, as a lock file names them."""

import pathlib
import shutil
import subprocess
import sys

SKIPPED = 77
# npm's words when it cannot reach its registry.
UNREACHABLE = ("ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "ECONNRESET", "ETIMEDOUT", "ENETUNREACH",
               "EHOSTUNREACH", "ERR_SOCKET_TIMEOUT", "ENOTCACHED", "network")


def skip(reason: str) -> None:
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)


def require(*programs: str) -> None:
    """Skips the test unless all programs are there."""
    for program in programs:
        if shutil.which(program) is None:
            skip(f"there is no {program}")


def install(folder: pathlib.Path, command: str = "ci") -> None:
    """Installs the packages that the folder's lock file names; runs none of their scripts.
    With the command "install", those of package.json, where a lock file would have to name
    the packages of other systems."""
    done = subprocess.run(["npm", command, "--ignore-scripts", "--no-audit", "--no-fund",
                           "--prefer-offline", "--fetch-retries=1"],
                          cwd=folder, text=True, capture_output=True, check=False)
    if done.returncode == 0:
        return
    if any(word in done.stderr for word in UNREACHABLE):
        skip("npm does not reach its registry")
    sys.exit(f"npm {command} failed:\n{done.stderr}")
