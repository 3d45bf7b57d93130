#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What perf2x opens while it reads a hostile recording, as strace sees it.

usage: sandbox_test.py PERF2X SOURCE_ROOT
"""

import os
import pathlib
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

SKIPPED = 77
DEADLINE = 60  # seconds, for what takes a moment
KERNEL = 0xffffffff81000000
# Files that someone would like to have read or touched for him.
COVETED = ["/etc/shadow", "/proc/kmsg", "/./proc/kmsg", "/tmp/../proc/kmsg", "/proc/self/environ",
           "/proc/1/root/etc/shadow", "/dev/mem", "/dev/../dev/mem", "/sys/kernel/debug/x",
           "/./sys/kernel/security/lsm"]


def record(kind: int, body: bytes, misc: int = 0) -> bytes:
    body += bytes(-len(body) % 8)
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def string(text: str) -> bytes:
    """A perf_header_string: its size and its bytes, padded."""
    text_bytes = text.encode() + bytes(64 - len(text) % 64)
    return struct.pack("<I", len(text_bytes)) + text_bytes


def hostile_recording(names: list[str]) -> bytes:
    """A stream that claims to be of this host and has a sample in code of each file.

    Before these there is one in the kernel."""
    ip_tid_time = 1 | 2 | 4
    attr = struct.pack("<IIQQQQQ", 1, 136, 0, 1000, ip_tid_time, 0, 1 << 8)  # mmap
    stream = struct.pack("<QQ", 0x32454C4946524550, 16)
    stream += record(64, attr.ljust(136, b"\0") + struct.pack("<Q", 1))
    host, release = os.uname().nodename, os.uname().release
    for feature, text in ((3, host), (4, release)):
        stream += record(80, struct.pack("<Q", feature) + string(text))
    stream += record(1, struct.pack("<IIQQQ", 0xffffffff, 0, KERNEL, 0x1000000, KERNEL) +
                     b"[kernel.kallsyms]_text\0", 1)
    stream += record(9, struct.pack("<QIIQ", KERNEL + 0x110, 42, 42, 999), 1)
    user = 2
    for i, name in enumerate(names):
        start = 0x400000 + i * 0x100000
        stream += record(1, struct.pack("<IIQQQ", 42, 42, start, 0x1000, 0) + name.encode() +
                         b"\0", user)
        stream += record(9, struct.pack("<QIIQ", start + 16, 42, 42, 1000 + i), user)
    return stream


def opened(trace: list[str]) -> list[tuple[str, str]]:
    """Files that were opened once the sandbox was there, and how."""
    first, *threads = trace
    inside = "".join([first.split("landlock_restrict_self(", 1)[1], *threads])
    found = re.findall(r'(?:openat|open|openat2|creat)\((?:AT_FDCWD[^,]*, |\d+<([^>]*)>, )?"([^"]*)", '
                       r"(.*)\) = \d+<(.*)>", inside)
    # A file that was looked at first is opened by its number: what counts is the file.
    return [(real if path.startswith("/proc/self/fd/") else os.path.join(at, path), how)
            for at, path, how, real in found if "O_PATH" not in how]


class Folder:
    def __init__(self, perf2x, folder):
        self.perf2x, self.folder = perf2x, folder
        self.home = folder / "home"
        (self.home / ".ssh").mkdir(parents=True)
        (self.home / ".ssh/id_rsa").write_text("secret")
        (folder / "out").mkdir()
        (folder / "tmp").mkdir()
        (folder / "symfs").mkdir()
        names = COVETED + [str(self.home / ".ssh/id_rsa"), str(folder / "tmp/jit-42.dump")]
        (folder / "hostile.data").write_bytes(hostile_recording(names))

    def trace(self, *options, code: int = 0) -> list[str]:
        """What strace says of each thread, the first one's first."""
        logs = self.folder / "logs"
        logs.mkdir()
        done = subprocess.run(
            ["strace", "-ff", "-y", "-s", "4096", "-o", logs / "of", self.perf2x, *options], cwd=self.folder,
            stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
            env={"HOME": str(self.home), "TMPDIR": str(self.folder / "tmp"), "PATH": "/usr/bin"})
        assert done.returncode == code, done
        files = sorted(logs.iterdir(), key=lambda file: int(file.suffix[1:]))
        trace = [file.read_text() for file in files]
        shutil.rmtree(logs)
        for call in ("execve", "socket", "connect", "ptrace", "fork", "vfork"):
            calls = re.findall(rf"(?m)^{call}\(.*", "".join(trace))
            assert len(calls) == (1 if call == "execve" else 0), calls
        return trace


def check(there: Folder) -> None:
    outputs = (str(there.folder / "out"), "out", str(there.folder / "tmp"))
    source = os.path.realpath(there.folder / "hostile.data")
    convert = ("--to", "folded", "-o", "out/o.folded", "hostile.data")

    # As is: files anywhere, for reading, but none that is no storage.
    files = opened(there.trace(*convert))
    stacks = (there.folder / "out/o.folded").read_text().splitlines()
    assert sum(int(line.split()[-1]) for line in stacks) > 0, stacks
    assert source in [path for path, _ in files], files
    for path, how in files:
        real = os.path.realpath(there.folder / path)
        if re.search("O_WRONLY|O_RDWR|O_CREAT", how):
            assert path.startswith(outputs), (path, how)
        elif re.match("/(proc|sys|dev)(/|$)", real):
            assert path in ("/proc/kallsyms", "/sys/kernel/notes"), (path, how)

    # Only where the user says.
    symfs = opened(there.trace(*convert, "--symfs", "symfs"))
    for commands in (("info", "hostile.data"), ("dump", "hostile.data")):
        symfs += opened(there.trace(*commands))
    assert source in [path for path, _ in symfs], symfs
    for path, how in symfs:
        assert path.startswith(outputs) or path == source or \
            path in ("/proc/kallsyms", "/sys/kernel/notes"), (path, how)
    # In each of several folders; /tmp is allowed anyway.
    with tempfile.TemporaryDirectory(dir="/var/tmp") as root_of_process:
        wanted = pathlib.Path(root_of_process) / "etc/shadow"
        wanted.parent.mkdir()
        wanted.write_text("no program")
        several = opened(there.trace(*convert, "--symfs", "symfs", "--symfs", f"42={root_of_process}"))
        assert str(wanted) in [os.path.join(there.folder, path) for path, _ in several], several

    # Nothing but the input.
    for words in (("--to", "folded", "-o", "out/o.folded"), ("info",), ("dump",)):
        for path, how in opened(there.trace(*words, "--untrusted", "hostile.data")):
            assert path.startswith(outputs) or path == source, (path, how)


def untrusted(there: Folder, dwarf: pathlib.Path) -> None:
    (there.folder / "link.data").symlink_to("hostile.data")
    os.mkfifo(there.folder / "fifo.data")

    def run(*words, code=0) -> str:
        done = subprocess.run([there.perf2x, *words], cwd=there.folder, capture_output=True,
                              stdin=subprocess.DEVNULL, text=True, check=False)
        assert done.returncode == code, done
        assert code == 0 or done.stderr.count("\n") == 1 or code == 2, done.stderr
        return done.stderr + done.stdout

    for command in (("--to", "folded", "-o", "-"), ("info",), ("dump",)):
        run(*command, "--untrusted", "hostile.data")
        run(*command, "--untrusted", "--no-sandbox", "hostile.data")
        for name, kind in (("link.data", "a symbolic link"), ("fifo.data", "a pipe"),
                           ("symfs", "a folder"), ("-", "standard input")):
            said = run(*command, "--untrusted", name, code=1)
            assert "--untrusted reads regular files only" in said and kind in said, said
    assert "--symfs" in run("--untrusted", "--symfs", "symfs", "hostile.data", code=2)
    assert "--open" in run("--untrusted", "--open", "hostile.data", code=2)
    assert "info --symbols" in run("info", "--symbols", "--untrusted", "hostile.data", code=2)
    # Not even the code is read that stacks are unwound with.
    (there.folder / "dwarf.data").write_bytes(dwarf.read_bytes())
    stacks = run("-q", "--to", "folded", "-o", "-", "--untrusted", "dwarf.data")
    assert stacks and "main" not in stacks, stacks


def while_stopped(there: Folder, call: str, options: list, change) -> tuple[int, str, str]:
    """Stops perf2x in a system call ("call" or "call:when=n"), makes a change, and lets it go on."""
    log = there.folder / "stopped.log"
    name, *when = call.split(":")
    strace = ["strace", "-f", "-o", log, "-e", f"trace={name}", "-e",
              ":".join([f"inject={name}", "signal=STOP", *when])]
    with subprocess.Popen([*strace, there.perf2x, "-q", *options], cwd=there.folder,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, env={"TMPDIR": str(there.folder / "tmp")}) as running:
        pid = stopped(log)
        change()
        os.kill(pid, signal.SIGCONT)
        try:
            out, said = running.communicate(timeout=DEADLINE)
        except subprocess.TimeoutExpired:
            os.kill(pid, signal.SIGKILL)
            raise
    log.unlink()
    return running.returncode, out, said


def swapped(there: Folder) -> None:
    """What has the input's name by the time that it is opened is not opened."""
    place = there.folder / "tmp/place"  # the sandbox allows to read there
    other = there.folder / "hostile.data"
    swaps = {"link": lambda: place.symlink_to(other), "FIFO": lambda: os.mkfifo(place),
             "file": lambda: shutil.copy(other, place)}
    # Before Landlock's rules are made, and after that.
    for call in ("landlock_create_ruleset:when=1", "landlock_restrict_self"):
        for kind, swap in swaps.items():
            for option in ("--untrusted", "--no-symbols"):
                shutil.copy(other, place)

                def change(swap=swap) -> None:
                    place.rename(there.folder / "tmp/aside")
                    swap()

                code, out, said = while_stopped(
                    there, call, [option, "--to", "folded", "-o", "-", place], change)
                assert code == 1 and out == "", (call, kind, option, code, out, said)
                assert "another file has taken its place" in said, (call, kind, option, said)
                place.unlink()


def output_decided_once(there: Folder) -> None:
    """A FIFO that appears where the output goes is not waited for: it is replaced, if the output
    is a file by itself, and an error in a folder."""
    late, member = there.folder / "out/late", there.folder / "out/tables/samples.csv"
    refusal = "perf2x: cannot write out/tables/samples.csv: it is no regular file; remove it\n"
    for options, output, expected in (
            (["--to", "folded", "-o", "out/late"], late, (0, "", "")),
            (["--to", "csv", "-o", "out/tables"], member, (1, "", refusal))):
        def change(output=output) -> None:
            output.parent.mkdir(exist_ok=True)
            os.mkfifo(output)

        result = while_stopped(there, "landlock_restrict_self", [*options, "hostile.data"], change)
        assert result == expected, result
        assert [path.name for path in output.parent.glob("*.csv")] == (
            [member.name] if output == member else []), output
    assert late.is_file() and late.read_text()
    assert member.is_fifo()


def shortages(there: Folder, root: pathlib.Path) -> None:
    """Limits of the process are called by their names, in one line, and nothing is left."""
    def run(limit: int, size: int, *words, code: int | None = 1) -> str:
        done = subprocess.run(
            [there.perf2x, "-q", "--threads", "1", *words], cwd=there.folder,
            stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
            preexec_fn=lambda: resource.setrlimit(limit, (size, size)))
        assert code is None or done.returncode == code and done.stderr.count("\n") == 1, done
        return done.stderr

    folded = ("--to", "folded", "-o")
    assert "Too many open files" in run(resource.RLIMIT_NOFILE, 4, *folded, "-", "hostile.data")
    said = run(resource.RLIMIT_FSIZE, 16, *folded, "out/limited", "hostile.data")
    assert "cannot write out/limited: File too large" in said, said
    assert not [path for path in (there.folder / "out").iterdir() if "limited" in path.name]
    # Wherever memory ends, that is no damage of the input.
    for name in ("zstd.data", "wrapped.data.zst"):
        recording = root / "testdata" / name
        if not recording.exists():
            recording = there.folder / name
            recording.write_bytes(zstd_frame((there.folder / "hostile.data").read_bytes()))
        for megabytes in range(8, 300, 6):
            said = run(resource.RLIMIT_AS, megabytes << 20, *folded, "-", "--no-symbols",
                       recording, code=None)
            assert "damaged" not in said, (megabytes, said)


def zstd_frame(data: bytes) -> bytes:
    """RFC 8878: one frame of raw blocks, with a window of 8 MB."""
    frame = struct.pack("<IBB", 0xFD2FB528, 0, 13 << 3)
    for at in range(0, len(data), 1 << 16):
        block = data[at:at + (1 << 16)]
        last = at + len(block) == len(data)
        frame += struct.pack("<I", len(block) << 3 | last)[:3] + block
    return frame


def stopped(log: pathlib.Path) -> int:
    """The process that strace has stopped, once it has."""
    until = time.monotonic() + DEADLINE
    while time.monotonic() < until:
        found = re.search(r"(?m)^(\d+) +--- stopped by SIGSTOP", log.read_text() if log.exists() else "")
        if found:
            return int(found[1])
        time.sleep(0.01)
    raise AssertionError(log.read_text())


def kept_kallsyms(there: Folder) -> None:
    """The names beside a folder's data are a regular file, without a link on the way."""
    folder, kept = there.folder / "kcore.data", there.folder / "kcore.data/kcore_dir"
    real = there.folder / "kept"
    for place in (folder, real):
        place.mkdir()
    (real / "kallsyms").write_text(f"{KERNEL:x} T _text\n{KERNEL + 0x100:x} T kept_name\n")
    shutil.copy(there.folder / "hostile.data", folder / "data")

    def named() -> bool:
        done = subprocess.run([there.perf2x, "-q", "--to", "folded", "-o", "-", folder],
                              capture_output=True, text=True, check=True)
        return "kept_name" in done.stdout

    shutil.copytree(real, kept)
    assert named()
    (kept / "kallsyms").unlink()
    (kept / "kallsyms").symlink_to(real / "kallsyms")
    assert not named()
    shutil.rmtree(kept)
    kept.symlink_to(real)
    assert not named()


def versions(perf2x) -> bool:
    """Whether the kernel has all that the sandbox is made of."""
    said = [subprocess.run([perf2x, *words], capture_output=True, text=True, check=True).stdout
            for words in (("--version",), ("--version", "-v"), ("-v", "--version"))]
    assert re.fullmatch(r"perf2x [\d.]+\n", said[0]), said
    assert said[1] == said[2] and said[1].startswith(said[0]), said
    line = said[1][len(said[0]):]
    assert re.fullmatch(r"sandbox: (none: .*|(no )?Landlock.*, (no )?seccomp.*)\n", line), line
    print(line, end="")
    return re.fullmatch(r"sandbox: Landlock ABI \d+, seccomp\n", line) is not None


def main() -> int:
    perf2x, root = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    os.environ.pop("DEBUGINFOD_URLS", None)
    whole = versions(perf2x)
    # Turned off, it is not there, in each command.
    recording = root / "testdata/callgraph.data"
    for words in (["--to", "folded", "-o", "-"], ["info"], ["dump"]):
        subprocess.run([perf2x, *words, "--no-sandbox", recording], capture_output=True, check=True)
    if not whole:
        print("skipped: the kernel or the build lacks a part of the sandbox")
        return SKIPPED
    if shutil.which("strace") is None:
        print("skipped: there is no strace")
        return SKIPPED
    with tempfile.TemporaryDirectory() as name:
        folder = Folder(perf2x, pathlib.Path(name))
        off = folder.trace("--no-sandbox", "--to", "folded", "-o", "out/off", "hostile.data")
        assert "landlock_restrict_self" not in "".join(off)
        check(folder)
        untrusted(folder, root / "testdata/dwarf.data")
        swapped(folder)
        output_decided_once(folder)
        shortages(folder, root)
        kept_kallsyms(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
