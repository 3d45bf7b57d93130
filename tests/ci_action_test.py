#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs what action.yml and templates/perf2x.yml make a runner of GitHub or GitLab do: fetch a
release, convert, compare, comment, fail. In place of curl and gh, stand-ins hand out a release
and write down what is sent.

usage: ci_action_test.py PERF2X SOURCE_ROOT
"""

import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

VERSION = "0.1.0"
CURL = """#!/bin/sh
# Releases are below $SITE; all else is sent.
for url; do :; done
case $url in
  https://releases.example/*) ;;
  *) { printf '%s ' "$@"; cat; } >>"$SENT"; exit "${REFUSED:-0}" ;;
esac
out=${url##*/}
while [ $# -gt 1 ]; do
  [ "$1" != -o ] || out=$2
  shift
done
cp "$SITE/${url#https://releases.example/}" "$out"
"""
GH = """#!/bin/sh
[ -z "${REFUSED:-}" ] || exit "$REFUSED"
case "$*" in
  "api user "*) exit 1 ;;
  *'"github-actions[bot]"'*--jq*|*--jq*'"github-actions[bot]"'*) cat "$KNOWN" ;;
  *--jq*) exit 2 ;;
  *) printf '%s ' "$@" >>"$SENT"; for word; do case $word in body=@*) cat "${word#body=@}" >>"$SENT" ;; esac; done ;;
esac
"""


def inputs_of(action: str) -> dict[str, str]:
    """The names of the inputs and their defaults."""
    block = action[action.index("\ninputs:"):action.index("\noutputs:")]
    return {name: default.strip("'") for name, default in
            re.findall(r"\n  ([\w-]+):\n    description: .*\n    default: (.*)", block)}


def steps_of(action: str) -> list[dict]:
    steps = []
    for text in action[action.index("\n  steps:"):].split("\n    - name: ")[1:]:
        found = re.search(r"\n      run: \|\n((?:        .*\n?)+)", text)
        steps.append({
            "name": text.splitlines()[0],
            "if": (re.search(r"\n      if: (.*)", text) or [None, ""])[1],
            "env": dict(re.findall(r"\n        ([A-Z0-9_]+): (.*)", text)),
            "run": re.sub(r"(?m)^ {8}", "", found[1]) if found else ""})
    return steps


class Runner:
    def __init__(self, folder: pathlib.Path, perf2x: pathlib.Path, root: pathlib.Path):
        self.folder, self.root = folder, root
        self.tools, self.work = folder / "bin", folder / "work"
        for made in (self.tools, self.work, folder / "temp"):
            made.mkdir()
        for name, text in (("curl", CURL), ("gh", GH)):
            (self.tools / name).write_text(text)
            (self.tools / name).chmod(0o755)
        for name, recording in (("old", "callgraph"), ("same", "callgraph"), ("slow", "dwarf")):
            for i in range(4):
                shutil.copy(root / f"testdata/{recording}.data", self.work / f"{name}-{i}.data")
        self.release(perf2x)
        (folder / "known").write_text("")

    def release(self, perf2x: pathlib.Path) -> None:
        prefix = self.folder / f"perf2x-{VERSION}-Linux-{os.uname().machine}-static"
        (prefix / "bin").mkdir(parents=True)
        shutil.copy(perf2x, prefix / "bin/perf2x")
        shutil.copytree(self.root / "packaging/ci", prefix / "share/perf2x/ci")
        self.site = self.folder / "site" / f"v{VERSION}"
        self.site.mkdir(parents=True)
        self.archive = self.site / f"{prefix.name}.tar.gz"
        with tarfile.open(self.archive, "w:gz", compresslevel=1) as tar:
            tar.add(prefix, prefix.name)
        self.sha256 = hashlib.sha256(self.archive.read_bytes()).hexdigest()
        (self.site / "SHA256SUMS").write_text(f"{self.sha256}  {self.archive.name}\n")

    def sent(self) -> str:
        path = self.folder / "sent"
        text = path.read_text() if path.exists() else ""
        path.unlink(missing_ok=True)
        return text

    def reported(self) -> pathlib.Path:
        """Where the action put what it made last."""
        (folder,) = re.findall(r"(?m)^folder=(.*)$", (self.folder / "output").read_text())
        return pathlib.Path(folder)

    def shell(self, command: str, **variables) -> subprocess.CompletedProcess:
        return subprocess.run(
            ["sh", "-e", "-c", command], cwd=self.work, capture_output=True, text=True, check=False,
            stdin=subprocess.DEVNULL,
            env={"PATH": f"{self.tools}:{os.environ['PATH']}", "HOME": str(self.folder),
                 "SITE": str(self.folder / "site"), "SENT": str(self.folder / "sent"),
                 "KNOWN": str(self.folder / "known"), **variables})

    def github(self, pull_request: str, refused: str = "", **inputs) -> tuple[int, str]:
        """Runs the action's steps; returns the status of the last and all that was said.

        With `refused`, every call of gh ends with that status."""
        action = (self.root / "action.yml").read_text()
        values = {f"inputs.{name}": value for name, value in inputs_of(action).items()}
        for name, value in inputs.items():
            name = "inputs." + name.replace("_", "-")
            assert name in values, f"no input {name}"
            values[name] = value
        values |= {"github.event.number": pull_request, "github.server_url": "https://h",
                   "github.action_repository": "x/y", "inputs.token": "secret"}
        said = ""
        for name in ("output", "summary"):
            (self.folder / name).write_text("")
        for step in steps_of(action):
            assert "${{" not in step["run"], f"{step['name']}: what others write becomes a script"
            outputs = dict(line.split("=", 1)
                           for line in (self.folder / "output").read_text().splitlines())
            values |= {f"steps.report.outputs.{name}": value for name, value in outputs.items()}
            if step["name"] == "Comment" and (
                    values["inputs.comment"] != "true" or "compared" not in outputs or
                    not pull_request):
                continue
            environment = {name: re.sub(r"\$\{\{ (\S+) \}\}", lambda m: values[m[1]], value)
                           for name, value in step["env"].items()}
            done = self.shell(step["run"], **environment,
                              GITHUB_ACTION_PATH=str(self.root), GITHUB_REPOSITORY="a/b",
                              GITHUB_OUTPUT=str(self.folder / "output"),
                              GITHUB_STEP_SUMMARY=str(self.folder / "summary"), REFUSED=refused,
                              RUNNER_TEMP=str(self.folder / "temp"))
            said += done.stdout + done.stderr
            if done.returncode != 0:
                return done.returncode, said
        return 0, said

    def gitlab(self, merge_request: str, refused: str = "", **inputs) -> tuple[int, str]:
        template = (self.root / "templates/perf2x.yml").read_text()
        values = {name: (default or '""').strip('"') for name, default in
                  re.findall(r"(?m)^    ([\w-]+):\n(?:      (?!default).*\n)*(?:      default: (.*))?",
                             template[:template.index("\n---")])}
        for name, value in inputs.items():
            assert name.replace("_", "-") in values, f"no input {name}"
            values[name.replace("_", "-")] = value
        variables = {name: re.sub(r"\$\[\[ inputs\.(\S+) \]\]", lambda m: values[m[1]], value)
                     for name, value in re.findall(r'\n    (PERF2X\w*): "?(.*?)"?(?=\n)', template)}
        lines = re.findall(r"\n    - (.*)", template[template.index("\n  script:"):])
        assert len(lines) > 5, lines
        for line in lines:  # else it would be no text in YAML
            assert ": " not in line and " #" not in line and line[0].isalpha(), line
        shutil.rmtree(self.work / "perf2x", ignore_errors=True)
        done = self.shell("\n".join(lines), **variables, CI_MERGE_REQUEST_IID=merge_request,
                          CI_PROJECT_ID="7", CI_API_V4_URL="https://gitlab.example/api/v4",
                          PERF2X_TOKEN="secret", REFUSED=refused)
        return done.returncode, done.stdout + done.stderr


def check_report(folder: pathlib.Path, compared: bool) -> None:
    assert (folder / "profile.html").read_text().startswith("<!"), folder
    assert (folder / "profile.pb.gz").read_bytes()[:2] == b"\x1f\x8b", folder
    assert json.loads((folder / "summary.json").read_text())["converted"] >= 1
    assert (folder / "comparison.html").exists() == compared, folder
    assert not (folder / "comparison.new").exists()


def check_github(runner: Runner, symfs: str) -> None:
    common = {"releases": "https://releases.example", "options": f"--symfs {symfs}"}
    status, said = runner.github("", recordings="old-0.data", **common)
    assert status == 0 and f"perf2x {VERSION}" in said, said
    check_report(runner.reported(), compared=False)
    assert not runner.sent()

    slow = {"recordings": "slow-*.data", "base": "old-*.data", "fail_above": "3%", **common}
    status, said = runner.github("12", **slow)
    assert status == 3, said
    check_report(runner.reported(), compared=True)
    sent = runner.sent()
    assert "repos/a/b/issues/12/comments" in sent and "<!-- perf2x -->" in sent, sent
    assert "| function |" in sent and "PATCH" not in sent, sent
    assert "| function |" in (runner.folder / "summary").read_text()

    status, said = runner.github("", diff_options="--normalize none", **slow)
    assert status in (0, 3) and "not normalized" in (runner.folder / "summary").read_text(), said
    runner.sent()

    (runner.folder / "known").write_text("77\n78\n")
    same = {**slow, "recordings": "same-*.data"}
    status, said = runner.github("12", **same)
    assert status == 0, said
    sent = runner.sent()
    assert "PATCH repos/a/b/issues/comments/77 " in sent, sent
    runner.github("12", comment="false", **same)
    assert not runner.sent()
    runner.github("", **same)
    assert not runner.sent()
    # Neither a comment that fails nor names in recordings change the result.
    status, said = runner.github("12", refused="22", **slow)
    assert status == 3 and "::warning::perf2x: the comparison did not" in said, (status, said)
    stopped = re.search(r"(?m)^::stop-commands::([0-9a-f]{32})$", said)
    assert f"::{stopped[1]}::" in said, said
    # What an earlier run left is not taken for what this one made.
    status, said = runner.github("12", recordings="old-0.data", **common)
    assert status == 0 and not runner.sent(), said
    check_report(runner.reported(), compared=False)
    assert "| function |" not in (runner.folder / "summary").read_text()

    status, said = runner.github("", options=f"--symfs {symfs} --time 10%-90%",
                                 profile_options="--labels none",
                                 **{k: v for k, v in slow.items() if k != "options"})
    assert status in (0, 3), said
    check_report(runner.reported(), compared=True)
    status, said = runner.github("", recordings="none.data", **common)
    assert status == 1 and "none.data" in said, (status, said)
    assert {path.name for path in runner.reported().iterdir()} <= {"summary.json"}
    status, said = runner.github("", recordings=" ", **common)
    assert status == 2 and "names no recording" in said, (status, said)
    os.mkfifo(runner.work / "pipe")
    status, said = runner.github("", recordings="pipe", **common)
    assert status == 2 and "pipe is a pipe" in said, (status, said)
    for name in ("-q.data", "@names.data", "two words.data"):
        shutil.copy(runner.work / "old-0.data", runner.work / name)
        pattern = name.replace(" ", "?")
        status, said = runner.github("", recordings=pattern, base=pattern, **common)
        assert status == 0, (name, said)
    status, said = runner.github("", sha256="0" * 64, recordings="old-0.data", **common)
    assert status == 1 and "not what was released" in said, said
    status, said = runner.github("", version="0.0.9", recordings="old-0.data", **common)
    assert status == 1 and "cannot fetch https://releases.example/v0.0.9/" in said, said


def check_gitlab(runner: Runner, symfs: str) -> None:
    common = {"releases": "https://releases.example", "options": f"--symfs {symfs}"}
    report = runner.work / "perf2x"
    status, said = runner.gitlab("", recordings="old-0.data", **common)
    assert status == 0, said
    check_report(report, compared=False)
    slow = {"recordings": "slow-*.data", "base": "old-*.data", "fail_above": "3%", **common}
    status, said = runner.gitlab("5", **slow)
    assert status == 3, said
    check_report(report, compared=True)
    sent = runner.sent()
    assert "https://gitlab.example/api/v4/projects/7/merge_requests/5/notes" in sent, sent
    # The token goes by standard input, not by arguments.
    assert sent.index("PRIVATE-TOKEN: secret") > sent.index("/notes"), sent
    status, said = runner.gitlab("5", refused="22", **slow)
    assert status == 3 and "did not become a comment" in said, (status, said)
    runner.sent()
    status, said = runner.gitlab("", **slow)
    assert status == 3 and not runner.sent()
    status, said = runner.gitlab("", sha256="0" * 64, recordings="old-0.data", **common)
    assert status != 0, said


def check_folder(runner: Runner) -> None:
    """packaging/ci/report, run again and again in one folder."""
    def report(recordings: str, folder: str = "again", **variables) -> tuple[int, str]:
        done = runner.shell(f"{runner.root}/packaging/ci/report {folder}",
                            PERF2X=str(runner.folder / "temp/perf2x/bin/perf2x"),
                            PERF2X_RECORDINGS=recordings, **variables)
        return done.returncode, done.stderr

    made = runner.work / "again"
    for wrong in (" ", "old-0.data pipe"):
        assert report("old-?.data", PERF2X_BASE="same-?.data")[0] == 0
        check_report(made, compared=True)
        assert report(wrong)[0] == 2 and not list(made.iterdir()), wrong
    # Several recordings in a folder are one profile.
    (runner.work / "many").mkdir()
    for name in ("old-0.data", "slow-0.data"):
        shutil.copy(runner.work / name, runner.work / "many")
    for _ in range(2):
        assert report("many")[0] == 0
        check_report(made, compared=False)
    # Recordings are not what is made.
    shutil.copy(runner.work / "old-0.data", runner.work / "comparison.data")
    assert report("comparison.data", ".")[0] == 0
    (runner.work / "comparison.html").write_bytes((runner.work / "old-0.data").read_bytes())
    status, said = report("comparison.html", ".")
    assert status == 2 and "would replace a recording" in said, said
    assert (runner.work / "comparison.html").exists()
    assert report("old-0.data", "-dash")[0] == 0
    check_report(runner.work / "-dash", compared=False)


def check_length(runner: Runner) -> None:
    """GitHub refuses comments of more than 65,536 characters."""
    table = "<!-- perf2x -->\n" + "".join(f"| {i} {'long ' * 500} |\n" for i in range(40))
    (runner.folder / "long.md").write_text(table)
    (runner.folder / "known").write_text("")
    done = runner.shell(f"{runner.root}/packaging/ci/comment {runner.folder}/long.md",
                        PERF2X_PULL_REQUEST="1", GITHUB_REPOSITORY="a/b")
    assert done.returncode == 0, done
    sent = runner.sent()
    assert 50_000 < len(sent) < 65_000 and "in the artifact" in sent[-100:], len(sent)


def main() -> int:
    perf2x, root = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    with tempfile.TemporaryDirectory() as name:
        runner = Runner(pathlib.Path(name), perf2x, root)
        check_github(runner, f"{root}/testdata/symfs")
        check_gitlab(runner, f"{root}/testdata/symfs")
        check_folder(runner)
        check_length(runner)
    return 0


if __name__ == "__main__":
    sys.exit(main())
