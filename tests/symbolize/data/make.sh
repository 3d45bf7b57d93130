#!/bin/sh
# Makes the binaries beside it: chains.cc with its debug information in each of
# the ways that perf2x reads, and own.cc. Needs GCC 12, clang 14,
# binutils, dwz, xz and llvm-dwp of Debian 12.
set -e
cd "$(dirname "$0")"
src=$PWD/chains.cc
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
flags="-O2 -nostdlib -ffreestanding -fno-asynchronous-unwind-tables -static-pie -fPIE -Wl,--build-id=sha1 -Wl,-z,noseparate-code -ffile-prefix-map=$PWD=/src -ffile-prefix-map=$work=/src"
here=$PWD; cd "$work"
cp "$src" "$here"/own.* .
for v in 2 3 4 5; do
  g++ $flags -gdwarf-$v chains.cc -o gcc-dwarf$v
done
clang++ $flags -Wno-unused-command-line-argument -gdwarf-5 -fdebug-compilation-dir=/src chains.cc -o clang-dwarf5
clang++ $flags -Wno-unused-command-line-argument -m32 -gdwarf-4 -fdebug-compilation-dir=/src chains.cc -o clang-i386
# Compressed sections, the standard and the older way.
objcopy --compress-debug-sections=zlib gcc-dwarf5 gcc-zlib
objcopy --compress-debug-sections=zlib-gnu gcc-dwarf4 gcc-zdebug
# A separate file, found by link or build id.
objcopy --only-keep-debug gcc-dwarf5 separate.debug
objcopy --strip-all --add-gnu-debuglink=separate.debug gcc-dwarf5 separate
g++ $flags -gdwarf-5 own.cc -o own
# Split units, and a package of them.
for v in 4 5; do
  g++ $flags -gdwarf-$v -gsplit-dwarf -c chains.cc -o split$v.o
  g++ $flags split$v.o -o split$v
  llvm-dwp split$v.dwo -o package$v.dwp || dwp split$v.dwo -o package$v.dwp
  objcopy split$v package$v
done
# Files that are not linked, as kernel modules are, packed or not.
for m in 64 32; do
  g++ -m$m -O2 -ffreestanding -fno-asynchronous-unwind-tables -fno-pie -gdwarf-5 -ffile-prefix-map=$work=/src -c chains.cc -o module$m.ko
done
xz -k --check=crc32 module64.ko
zstd -q module64.ko
# What two programs share, in a third file.
cp gcc-dwarf4 dwz1
g++ $flags -DOTHER -gdwarf-4 chains.cc -o dwz2
dwz -m dwz.common -M dwz.common dwz1 dwz2
# Mini debug information.
objcopy --only-keep-debug gcc-dwarf5 mini.full
objcopy -S --keep-symbol=plain_c --keep-symbol=_ZN4demo5OuterEi mini.full mini.debug
xz -k mini.debug
objcopy --strip-all --add-section .gnu_debugdata=mini.debug.xz gcc-dwarf5 mini
rm -f *.o own.cc own.h own.inc mini.debug mini.full mini.debug.xz chains.cc dwz2
for f in *; do cp "$f" "$here"/; done
