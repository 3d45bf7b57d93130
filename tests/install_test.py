#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `cmake --install` and cpack make of a build, and that it runs from there.

usage: install_test.py CMAKE BUILD SOURCE_ROOT

tests/roots/packages goes on where this ends: in systems without the libraries.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile


COMMON_LICENSES = pathlib.Path("/usr/share/common-licenses")


def run(*command, **options) -> str:
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          check=False, **options)
    assert done.returncode == 0, (command, done.stdout, done.stderr)
    return done.stdout


def licenses(program: pathlib.Path) -> pathlib.Path:
    return program.parent.parent / "share/doc/perf2x/licenses"


def check_program(prefix: pathlib.Path, root: pathlib.Path) -> None:
    """Both names work from below `prefix`."""
    program = prefix / "bin" / "perf2x"
    assert run(program, "--version").startswith("perf2x "), program
    for package in ("libprotobuf-dev", "libstdc++-*-dev"):
        assert list(licenses(program).glob(package)), (program, package)
    # Terms refer to texts that only Debian's systems have.
    for terms in filter(pathlib.Path.is_file, licenses(program).iterdir()):
        for text in re.findall(r"/usr/share/common-licenses/([\w.-]*\w)", terms.read_text()):
            copy = licenses(program) / "common-licenses" / text
            assert copy.exists() or not (COMMON_LICENSES / text).exists(), (terms, text)
    link = prefix / "bin" / "perf_to_profile"
    assert os.readlink(link) == "perf2x", link
    for document in ("man/man1/perf2x.1", "bash-completion/completions/perf2x",
                     "zsh/site-functions/_perf2x", "fish/vendor_completions.d/perf2x.fish"):
        assert "perf2x" in (prefix / "share" / document).read_text(), document
    assert os.access(prefix / "share/perf2x/ci/report", os.X_OK), prefix
    with tempfile.TemporaryDirectory() as folder:
        for call in ([program, "-q", "-o"], [link, "-f", "-i"]):
            output = pathlib.Path(folder) / (call[0].name + ".pb.gz")
            recording = root / "testdata" / "zstd.data"
            files = [output, recording] if call[-1] == "-o" else [recording, "-o", output]
            run(*call, *files)
            assert output.read_bytes()[:2] == b"\x1f\x8b", output


def check_libraries(program: pathlib.Path) -> None:
    """All libraries but the C library's are those beside the program."""
    beside = (program.parent.parent / "lib" / "perf2x").resolve()
    listed = run("ldd", program)
    for name, path in re.findall(r"(\S+) => (.+) \(0x", listed):
        if re.match(r"lib(c|m|dl|rt|pthread|resolv)\.so", name):
            continue
        assert pathlib.Path(path).parent.resolve() == beside, (name, path)
    assert "libzstd" in listed, listed
    assert (licenses(program) / "libzstd1").exists(), program


def check_library(cmake: pathlib.Path, build: pathlib.Path, root: pathlib.Path,
                  folder: pathlib.Path) -> None:
    """examples/convert builds against what is installed, found by CMake and by pkg-config."""
    prefix = folder / "library"
    run(cmake, "--install", build, "--component", "development", "--prefix", prefix)
    for header in prefix.rglob("*.h"):
        macros = re.findall(r"^\s*#\s*define\s+(\w+)", header.read_text(), re.M)
        assert all(macro.startswith("PERF2X_") for macro in macros), (header, macros)
        assert not re.search(r'#\s*include\s+[<"](absl|converter)/', header.read_text()), header

    by_cmake = folder / "by cmake"
    run(cmake, "-S", root / "examples/convert", "-B", by_cmake, "-G", "Ninja",
        f"-DCMAKE_PREFIX_PATH={prefix}")
    run(cmake, "--build", by_cmake)

    (config,) = prefix.rglob("perf2x.pc")
    found = {**os.environ, "PKG_CONFIG_PATH": str(config.parent)}
    flags = run("pkg-config", "--cflags", "--libs", "perf2x", env=found).split()
    by_hand = folder / "by hand"
    run("c++", "-std=c++17", "-Wall", "-Wextra", "-pedantic", "-Werror",
        root / "examples/convert/main.cc", "-o", by_hand, *flags)

    cut = folder / "cut.data"
    cut.write_bytes((root / "testdata/zstd.data").read_bytes()[:60])
    for example in (by_cmake / "convert_example", by_hand):
        outputs = [folder / "1.folded", folder / "2.folded"]
        said = run(example, root / "testdata/flat.data", outputs[0],
                   root / "testdata/pipe-zstd.data", outputs[1])
        assert len(re.findall(r": [1-9]\d* samples of cpu-clock", said)) == 2, said
        for output, recording in zip(outputs, ("flat.data", "pipe-zstd.data")):
            whole = run(build / "converter/perf2x", "-q", "--to", "folded", "-o", "-",
                        root / "testdata" / recording)
            assert output.read_text() == whole, output
            output.unlink()
        failed = subprocess.run([example, cut, outputs[0], folder / "none", outputs[1]],
                                capture_output=True, text=True, check=False)
        assert failed.returncode == 1 and "cut short" in failed.stderr, failed
        assert "(record again)" in failed.stderr and "(check the path)" in failed.stderr, failed
        assert not any(output.exists() for output in outputs), "nothing is left behind"


def main() -> int:
    cmake, build, root = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    cpack = cmake.with_name("cpack")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)

        # The program that was just built looks for no library where it is run.
        trap = folder / "trap"
        trap.mkdir()
        (trap / "libz.so.1").write_text("no library")
        run(build / "converter/perf2x", "--version", cwd=trap)

        prefix = folder / "a strange prefix"
        run(cmake, "--install", build, "--prefix", prefix)
        check_program(prefix, root)
        assert not (prefix / "lib").exists(), "libraries are for the archive alone"

        check_library(cmake, build, root, folder)

        staged = {**os.environ, "DESTDIR": str(folder / "stage")}
        run(cmake, "--install", build, "--prefix", "/opt/perf2x", env=staged)
        check_program(folder / "stage/opt/perf2x", root)

        run(cpack, "--config", build / "CPackConfig.cmake", "-B", folder / "packages")
        (archive,) = (folder / "packages").glob("perf2x-*.tar.gz")
        (package,) = (folder / "packages").glob("perf2x_*.deb")

        run("tar", "-xzf", archive, "-C", folder)
        unpacked = folder / archive.name.removesuffix(".tar.gz")
        moved = unpacked.rename(folder / "moved elsewhere")
        check_program(moved, root)
        check_libraries(moved / "bin" / "perf2x")

        depends = run("dpkg-deb", "--field", package, "Depends")
        for library in ("libc6", "libzstd1", "libtraceevent1"):
            assert library in depends, depends
        # Loading Abseil's many parts takes longer than a small conversion, and binding the
        # C++ library's symbols a third of the rest of the start.
        for library in ("libprotobuf", "libabsl", "libstdc++"):
            assert library not in depends, depends
        run("dpkg-deb", "--extract", package, folder / "deb")
        check_program(folder / "deb/usr", root)
        assert not (folder / "deb/usr/lib").exists(), "a .deb depends, it does not carry"
    return 0


if __name__ == "__main__":
    sys.exit(main())
