#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Help, man page and completions: what the definition of the command line has
is in each of them, and those who read them have no complaints.

usage: command_docs_test.py PERF2X
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile


def output_of(*command, **more) -> str:
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, check=False,
                          stdin=subprocess.DEVNULL, **more)
    assert done.returncode == 0, done
    assert done.stderr == "", done.stderr
    return done.stdout


def complete(script: pathlib.Path, *words: str, cwd=None) -> list[str]:
    """What bash offers for the last of the words that follow perf2x."""
    line = " ".join(f"'{word}'" for word in ("perf2x", *words))
    return output_of("bash", "-c", f"""
        source {script}
        COMP_WORDS=({line})
        COMP_CWORD={len(words)}
        [[ $(complete -p perf2x) == *_perf2x* ]] || exit 1
        _perf2x
        printf '%s\\n' "${{COMPREPLY[@]}}" """, cwd=cwd).split()


def main() -> int:
    perf2x = pathlib.Path(sys.argv[1]).resolve()
    brief, everything = output_of(perf2x, "--help"), output_of(perf2x, "--help-all")
    lines = brief.splitlines()
    listed = [line.split() for line in output_of(perf2x, "formats").splitlines()]
    first = next(i for i, line in enumerate(lines) if line.startswith("Formats ("))
    formats = lines[first:lines.index("", first)]
    for name, extension, *_ in listed:
        assert f"{name} ({extension})" in " ".join(formats), name
    # Ten formats have 7 lines at most: CommandDocsTest.
    others = len(lines) - len(formats)
    assert others + max(len(formats), 7) < 50, f"{len(lines)} lines are more than two screens"
    for line in lines + everything.splitlines():
        assert len(line) <= 80, line
    assert "{" not in everything, everything
    for words in listed:
        assert " ".join(words) in " ".join(everything.split()), words
    for word in ("--to FORMAT", "--output FILE", "--symfs", "--debug-dir", "perf2x info"):
        assert word in brief, word

    usages = {command: output_of(perf2x, command, "--help").splitlines()[2]
              for command in ("info", "diff")}
    assert usages["info"] == "Usage: perf2x info [OPTIONS] [INPUT]", usages
    assert usages["diff"] == "Usage: perf2x diff [OPTIONS] [-o FILE] BASE... -- NEW...", usages

    options = set(re.findall(r"(?m)^  (?:-\w, )?(--[\w-]+)", everything))
    assert len(options) > 25, options
    made = {what: output_of(perf2x, f"--generate={what}") for what in
            ("man", "bash", "zsh", "fish")}
    assert made["man"] == output_of(perf2x, "--generate=man")
    assert r"[-o FILE] BASE... -- NEW...".replace("-", r"\-") in made["man"]
    for option in options:
        assert option.replace("-", "\\-") in made["man"], option
        assert re.search(rf"{option}\b", made["bash"]), option
        assert f"{option}[" in made["zsh"] or f"{option}=[" in made["zsh"], option
        assert f" -l {option[2:]} " in made["fish"], option

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for what, text in made.items():
            (folder / f"perf2x.{what}").write_text(text)
        script = folder / "perf2x.bash"
        output_of("bash", "-n", script)
        assert complete(script, "--to", "pp") == ["pprof"]
        assert complete(script, "--to", "=", "chr") == ["chrome"]
        assert complete(script, "--to", "=") == complete(script, "--to", "")
        assert complete(script, "--kall") == ["--kallsyms"]
        assert complete(script, "in", cwd=folder) == ["info"]
        assert complete(script, "dump", "--sor") == ["--sorted"]
        assert "--to" not in complete(script, "dump", "--")
        (folder / "here.data").touch()
        (folder / "heap").mkdir()
        assert complete(script, "--to", "csv", "he", cwd=folder) == ["here.data", "heap"] or \
            complete(script, "--to", "csv", "he", cwd=folder) == ["heap", "here.data"]
        assert complete(script, "--symfs", "he", cwd=folder) == ["heap"]

        # What reads them; each where it is installed.
        page = folder / "perf2x.man"
        readers = {
            "man": ["man", "--warnings", "-l", "-Tutf8", "-P", "cat", page],
            "groff": ["groff", "-man", "-ww", "-Tutf8", "-z", page],
            # A date would make two builds differ.
            "mandoc": ["sh", "-c", "! mandoc -T lint -W warning $0 | grep -v 'missing date'", page],
            "zsh": ["zsh", "-n", folder / "perf2x.zsh"],
            "fish": ["fish", "--no-execute", folder / "perf2x.fish"],
        }
        for tool, command in readers.items():
            if shutil.which(tool) is None:
                print(f"not read by {tool}: not installed")
            else:
                output_of(*command)
    return 0


if __name__ == "__main__":
    sys.exit(main())
