#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What releases are made with: tags that are refused, notes, container images, bills of
materials, and how outputs of two machines are compared. tests/roots/static tries the static
program itself.

usage: release_test.py SOURCE_ROOT
"""

import base64
import gzip
import hashlib
import importlib.machinery
import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zlib

CMAKE = "project(perf2x VERSION {} LANGUAGES C CXX)\n"
CHANGES = """# Changelog

## Unreleased

- later

## 1.2.0 (2026-01-31)

### Added

- this

## 1.1.0 (2025-12-24)

- that
"""


def script(root: pathlib.Path, name: str):
    """A Python script without an extension, as a module."""
    sys.dont_write_bytecode = True
    loader = importlib.machinery.SourceFileLoader(name.replace("-", "_"),
                                                  str(root / "scripts" / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


class Repository:
    """A repository with the scripts of a release, and checks that pass or fail."""

    def __init__(self, folder: pathlib.Path, root: pathlib.Path):
        self.folder = folder
        (folder / "scripts").mkdir(parents=True)
        for name in ("tag", "release-notes"):
            shutil.copy(root / "scripts" / name, folder / "scripts")
        (folder / "templates").mkdir()
        self.version("1.2.0")
        self.write("CHANGELOG.md", CHANGES)
        self.checks("exit 0")
        self.git("init", "-q", "-b", "main")
        self.commit()

    def write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text)

    def version(self, version: str) -> None:
        self.write("CMakeLists.txt", CMAKE.format(version))
        self.write("action.yml", f"    default: '{version}'\n")
        self.write("templates/perf2x.yml", f'      default: "{version}"\n')

    def checks(self, body: str) -> None:
        self.write("scripts/release-checks", f"#!/bin/sh\n{body}\n")
        (self.folder / "scripts/release-checks").chmod(0o755)

    def git(self, *arguments: str) -> str:
        return subprocess.run(
            ["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments], cwd=self.folder,
            check=True, capture_output=True, text=True).stdout

    def commit(self) -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "x")

    def tag(self, version: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            ["scripts/tag", version], cwd=self.folder, capture_output=True, text=True, check=False,
            env={**os.environ, "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b",
                 "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"})

    def refuses(self, version: str, why: str) -> None:
        done = self.tag(version)
        assert done.returncode == 1 and why in done.stderr, (version, why, done)
        assert "v" + version not in self.git("tag").split() or "is there" in why


def check_tags(folder: pathlib.Path, root: pathlib.Path) -> None:
    repository = Repository(folder, root)
    repository.refuses("1.2", "three numbers")
    repository.refuses("1.02.0", "three numbers")
    repository.refuses("1.3.0", "another version")
    repository.write("new", "")
    repository.refuses("1.2.0", "not committed")
    repository.commit()
    repository.git("switch", "-q", "-c", "topic")
    repository.refuses("1.2.0", "not main")
    repository.git("switch", "-q", "main")
    repository.write("CHANGELOG.md", CHANGES.replace("1.2.0 (2026-01-31)", "1.2.0"))
    repository.commit()
    repository.refuses("1.2.0", "no section")
    repository.write("CHANGELOG.md", CHANGES)
    repository.checks("echo a test failed; exit 1")
    repository.commit()
    repository.refuses("1.2.0", "release-checks failed")
    repository.checks("echo made >made")
    repository.commit()
    repository.refuses("1.2.0", "changed files")
    (repository.folder / "made").unlink()
    repository.checks("exit 0")
    repository.commit()
    for latest in ("1.10.0", "1.0.9", "0.2.0"):
        repository.git("tag", f"v{latest}")
        repository.refuses("1.2.0", f"after {latest} comes ")
        repository.git("tag", "-d", f"v{latest}")
    repository.write("action.yml", "    default: '1.1.0'\n")
    repository.commit()
    repository.refuses("1.2.0", "action.yml has another version")
    repository.version("1.2.0")
    for date, why in (("2026-13-31", "no date"), ("2026-02-30", "no date")):
        repository.write("CHANGELOG.md", CHANGES.replace("2026-01-31", date))
        repository.commit()
        repository.refuses("1.2.0", why)
    repository.write("CHANGELOG.md",
                     "## Unreleased\n\n- later\n\n## 1.2.0 (2026-01-31)\n\n## 1.1.9 (2026-01-01)\n- x\n")
    repository.commit()
    repository.refuses("1.2.0", "says nothing of 1.2.0")
    repository.write("CHANGELOG.md", CHANGES)
    repository.commit()
    for other in ("viewer-1", "v7.0.0-rc1", "v1.1.0"):
        repository.git("tag", other)
    done = repository.tag("1.2.0")
    assert done.returncode == 0, done
    said = repository.git("tag", "-n99", "v1.2.0")
    assert "perf2x 1.2.0" in said and "### Added" in said and "- this" in said, said
    assert "that" not in said and "later" not in said, said
    repository.refuses("1.2.0", "v1.2.0 is there")


def read_image(path: pathlib.Path) -> tuple[dict, bytes]:
    """Its configuration and its layer, whose digests and sizes are what it states."""
    with tarfile.open(path) as tar:
        parts = {part.name: tar.extractfile(part).read() for part in tar if part.isfile()}
    assert json.loads(parts["oci-layout"]) == {"imageLayoutVersion": "1.0.0"}

    def blob(descriptor: dict) -> bytes:
        kind, _, value = descriptor["digest"].partition(":")
        data = parts[f"blobs/{kind}/{value}"]
        assert hashlib.sha256(data).hexdigest() == value and len(data) == descriptor["size"]
        return data

    (entry,) = json.loads(parts["index.json"])["manifests"]
    manifest = json.loads(blob(entry))
    (layer,) = manifest["layers"]
    # As docker's images that are not of the containerd store.
    (docker,) = json.loads(parts["manifest.json"])
    paths = ["blobs/" + part["digest"].replace(":", "/") for part in (manifest["config"], layer)]
    assert [docker["Config"], *docker["Layers"]] == paths, docker
    assert docker["RepoTags"] == [entry["annotations"]["org.opencontainers.image.ref.name"]]
    return json.loads(blob(manifest["config"])), blob(layer)


def check_image(folder: pathlib.Path, root: pathlib.Path) -> None:
    prefix = folder / "prefix"
    (prefix / "bin").mkdir(parents=True)
    (prefix / "bin/perf2x").write_bytes(b"a program")
    (prefix / "share/doc/perf2x/licenses").mkdir(parents=True)
    (prefix / "share/doc/perf2x/licenses/libc6-dev").write_text("terms")
    images = []
    for name, mask in (("one.tar", 0o022), ("two.tar", 0o077)):
        (prefix / "bin/perf2x").chmod(0o777 & ~mask)
        subprocess.run([root / "scripts/oci-image", prefix, "1.2.0", folder / name], check=True,
                       env={**os.environ, "SOURCE_DATE_EPOCH": "1700000000"})
        images.append((folder / name).read_bytes())
    assert images[0] == images[1], "the same program, but not the same image"
    for words, why in (((folder / "none", "1.2.0", "x.tar"), "no program"),
                       ((prefix, "1.2", "x.tar"), "no version"),
                       ((prefix, "1.2.0", "x.tar", "sparc"), "x86_64 or aarch64"),
                       ((prefix, "1.2.0", folder / "none/x.tar"), "No such file"),
                       ((folder, "1.2.0", "x.tar"), "no program")):
        done = subprocess.run([root / "scripts/oci-image", *words], cwd=folder, check=False,
                              capture_output=True, text=True)
        assert done.returncode == 1 and why in done.stderr, done
        assert done.stderr.count("\n") == 1 and not (folder / "x.tar").exists(), done
    subprocess.run([root / "scripts/oci-image", prefix, "1.2.0", folder / "arm.tar", "aarch64"],
                   check=True)
    assert read_image(folder / "arm.tar")[0]["architecture"] == "arm64"

    config, layer_data = read_image(folder / "one.tar")
    assert config["created"] == "2023-11-14T22:13:20Z", config
    assert config["config"]["Entrypoint"] == ["/usr/bin/perf2x"], config
    assert re.fullmatch(r"[1-9]\d*:[1-9]\d*", config["config"]["User"]), "it would be root"
    (folder / "layer").write_bytes(layer_data)
    with tarfile.open(folder / "layer") as tar:
        files = {part.name: part for part in tar}
        assert tar.extractfile("usr/bin/perf2x").read() == b"a program"
        assert tar.extractfile("usr/share/doc/perf2x/licenses/libc6-dev").read() == b"terms"
    assert files["usr/bin/perf2x"].mode == 0o755, files["usr/bin/perf2x"].mode
    assert files["usr/bin/perf_to_profile"].linkname == "perf2x"
    assert {part.mtime for part in files.values()} == {1700000000}
    inputs = files[config["config"]["WorkingDir"].removeprefix("/")]
    assert inputs.uid == int(config["config"]["User"].split(":")[0])


def check_bill(folder: pathlib.Path, root: pathlib.Path) -> None:
    linked, sbom = script(root, "linked-packages"), script(root, "sbom")

    def owners(*paths: str) -> set[str]:
        return {name.split(":")[0] for name in linked.owners(set(paths))}

    assert owners("/usr/include/zstd.h", "/usr/include/x86_64-linux-gnu/../zlib.h",
                  "/usr/include/stdio.h") == {"libzstd-dev", "zlib1g-dev", "libc6-dev"}
    shared = linked.run("gcc", "-print-file-name=libzstd.so").strip()
    shared = os.path.normpath(shared).replace("/usr/lib/", "/lib/")
    assert owners(shared) == {"libzstd-dev"}, shared
    try:
        linked.owners({"/usr/include/of-nobody.h"})
        raise SystemExit("a file of no package was accepted")
    except AssertionError:
        pass
    packages = [linked.Package("libc6-dev", "2.36-9+deb12u1", "glibc", "2.36-9", "amd64"),
                linked.Package("zlib1g-dev", "1:1.2", "zlib", "1:1.2", "amd64")]
    made = folder / "perf2x.tar.gz"
    made.write_bytes(b"an archive")
    bill = sbom.document(packages, "1.2.0", [made])
    assert bill == sbom.document(packages, "1.2.0", [made]), "not the same twice"
    known = {part["SPDXID"] for part in [bill, *bill["packages"], *bill["files"]]}
    assert len(known) == 1 + 3 + 1, known
    for relation in bill["relationships"]:
        assert {relation["spdxElementId"], relation["relatedSpdxElement"]} <= known, relation
    links = [relation for relation in bill["relationships"]
             if relation["relationshipType"] == "STATIC_LINK"]
    assert len(links) == len(packages), bill["relationships"]
    checksums = {sum_["algorithm"]: sum_["checksumValue"] for sum_ in bill["files"][0]["checksums"]}
    assert checksums["SHA256"] == hashlib.sha256(b"an archive").hexdigest()
    locators = [part["externalRefs"][0]["referenceLocator"] for part in bill["packages"][1:]]
    assert locators == ["pkg:deb/debian/libc6-dev@2.36-9%2Bdeb12u1?arch=amd64",
                        "pkg:deb/debian/zlib1g-dev@1%3A1.2?arch=amd64"], locators
    # SPDX's own tools, where they are: of all packages that may be in it.
    if shutil.which("pyspdxtools"):
        parts = [packages[0]._replace(name=name) for name in sbom.LICENSES]
        text = json.dumps(sbom.document(parts, "1.2.0", [made]))
        (folder / "bill.spdx.json").write_text(text)
        (folder / "wrong.spdx.json").write_text(text.replace("LGPL-2.1-only", "LGPL-77"))
        for name, code in (("bill", 0), ("wrong", 1)):
            done = subprocess.run(["pyspdxtools", "-i", folder / f"{name}.spdx.json"],
                                  capture_output=True, text=True, check=False)
            assert done.returncode == code, done
    else:
        print("bill of materials: not validated, there is no pyspdxtools")
    crossed = packages[0]._replace(name="libc6-dev-arm64-cross")
    (_, part) = sbom.document([crossed], "1.2.0", [])["packages"]
    assert part["licenseConcluded"] == sbom.LICENSES["libc6-dev"], part
    try:
        sbom.document([packages[0]._replace(name="libnew-dev")], "1.2.0", [])
        raise AssertionError("a package without a licence was accepted")
    except SystemExit as refused:
        assert "add this package's licence" in str(refused), refused


def check_recipes(folder: pathlib.Path, root: pathlib.Path) -> None:
    release, made = folder / "release", folder / "recipes"
    release.mkdir()
    sums = {"x86_64": "a1" * 32, "aarch64": "b2" * 32}
    lines = [f"{value}  perf2x-1.2.0-Linux-{machine}-static.tar.gz\n" for machine, value in sums.items()]
    (release / "SHA256SUMS").write_text(f"{'0' * 64}  perf2x-1.2.0-Linux-x86_64.tar.gz\n" + lines[0])
    command = [root / "scripts/recipes", release, "https://perf2x.example/", made]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 1 and "for aarch64" in done.stderr, done
    with open(release / "SHA256SUMS", "a", encoding="utf-8") as file:
        file.write(lines[1])
    subprocess.run(command, check=True)
    for name in ("perf2x.rb", "default.nix", "PKGBUILD"):
        text = (made / name).read_text()
        assert not re.search(r"@\w+@", text), text
        text = re.sub(r"\$\{?(version|pkgver)\}?", "1.2.0", text).replace("$url", "https://perf2x.example")
        for machine, value in sums.items():
            address = ("https://perf2x.example/releases/download/v1.2.0/"
                       f"perf2x-1.2.0-Linux-{machine}-static.tar.gz")
            assert value in text, text
            assert address in text.replace("${machine}", machine), text
    # What knows the language, where it is installed.
    for name, *checker in (("PKGBUILD", "bash", "-n"), ("perf2x.rb", "ruby", "-c"),
                           ("default.nix", "nix-instantiate", "--parse")):
        if shutil.which(checker[0]) is None:
            print(f"{name}: not checked, there is no {checker[0]}")
            continue
        done = subprocess.run([*checker, made / name], capture_output=True, text=True, check=False,
                              env={**os.environ, "NIX_STATE_DIR": str(folder / "nix"),
                                   "HOME": str(folder)})
        assert done.returncode == 0, done
    (release / "SHA256SUMS").write_text(lines[0] + lines[1].replace("1.2.0", "1.3.0"))
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 1 and "of two versions" in done.stderr, done
    for wrong in (["http://plain.example"], ["https://a.example/'; touch x"]):
        assert subprocess.run([*command[:2], *wrong, made], check=False,
                              capture_output=True).returncode == 2, wrong


def check_unpacked(folder: pathlib.Path, root: pathlib.Path) -> None:
    """tests/roots/unpack.py: outputs differ after it if and only if what is deflated does."""
    content = b"what two machines compress in other ways " * 50

    def files(level: int, content: bytes) -> dict[str, bytes]:
        stream = zlib.compress(content, level)
        return {"a.pprof": gzip.compress(content, level, mtime=0),
                "a.perfetto": b"trace" + len(stream).to_bytes(8, "little") + stream + b"end",
                "sub/a.html": b"<b>" + base64.b64encode(gzip.compress(content, level)) + b"</b>",
                "a.csv": content, "cut": stream[:-9]}

    read = []
    for name, made in (("1", files(1, content)), ("9", files(9, content)),
                       ("other", files(1, content.replace(b"two", b"ten")))):
        (folder / name / "sub").mkdir(parents=True)
        for path, data in made.items():
            (folder / name / path).write_bytes(data)
        subprocess.run([sys.executable, root / "tests/roots/unpack.py", folder / name], check=True)
        read.append({path: (folder / name / path).read_bytes() for path in made})
        assert read[-1]["cut"] == made["cut"], "a stream without its end was changed"
    small, large, other = read
    assert small["a.pprof"] == content and small["a.csv"] == content
    assert small["a.perfetto"] == b"trace" + content + b"end", small["a.perfetto"]
    assert small["sub/a.html"] == b"<b>" + content + b"</b>", small["sub/a.html"]
    for path in small.keys() - {"cut"}:
        assert small[path] == large[path] != other[path], path


def main() -> int:
    root = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        check_tags(folder / "repository", root)
        check_image(folder, root)
        check_bill(folder, root)
        check_recipes(folder, root)
        check_unpacked(folder / "unpacked", root)
    return 0


if __name__ == "__main__":
    sys.exit(main())
