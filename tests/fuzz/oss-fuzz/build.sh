#!/bin/bash -eu
# Builds the fuzzers as OSS-Fuzz wants them: a program, a corpus, a dictionary
# and options for each target in $OUT, and the libraries that the programs need
# beside them.
# $SRC/perf2x are the sources; $CC, $CXX, $CFLAGS, $CXXFLAGS and
# $LIB_FUZZING_ENGINE say how to compile.
source=$SRC/perf2x
build=${WORK:-/tmp}/perf2x-build

# The libraries are Debian's, which are made for GNU's standard library.
export CXXFLAGS="${CXXFLAGS//-stdlib=libc++/} -DPERF2X_SANITIZED"
export CFLAGS
cmake -S "$source" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=None \
  -DPERF2X_BENCH=OFF -DPERF2X_FUZZ=ON \
  -DPERF2X_FUZZ_ENGINE="$LIB_FUZZING_ENGINE" \
  -DCMAKE_BUILD_RPATH='$ORIGIN/lib' \
  -DCMAKE_EXE_LINKER_FLAGS=-Wl,--disable-new-dtags
cmake --build "$build" --target perf2x_fuzz

mkdir -p "$OUT/lib"
ldd "$build/tests/perf2x_fuzz" | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' |
  grep -Ev '/(ld-linux.*|lib(c|m|dl|rt|pthread|resolv))\.so' |
  xargs -r cp -L -t "$OUT/lib"
for corpus in "$source"/tests/fuzz/corpus/*/; do
  fuzzer=perf2x_fuzz_$(basename "$corpus")
  cp "$build/tests/perf2x_fuzz" "$OUT/$fuzzer"
  cp "$source/tests/fuzz/dictionary" "$OUT/$fuzzer.dict"
  # Else no input is longer than the longest seed. As in scripts/fuzz.
  length=16384
  [[ $fuzzer != *_records ]] || length=200000
  printf '[libfuzzer]\nmax_len = %d\n' "$length" >"$OUT/$fuzzer.options"
  python3 -m zipfile -c "$OUT/${fuzzer}_seed_corpus.zip" "$corpus"*
done
