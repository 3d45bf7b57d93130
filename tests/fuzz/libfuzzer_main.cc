// SPDX-License-Identifier: Apache-2.0

// The fuzzer: perf2x_fuzz --target=NAME [libFuzzer's options] FOLDERS. A copy
// of the program that is called perf2x_fuzz_NAME needs no --target.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "absl/strings/strip.h"
#include "tests/fuzz/record_mutator.h"
#include "tests/fuzz/targets.h"

namespace {

using perf2x::ByteVector;
using perf2x::FuzzInput;

const perf2x::FuzzTarget* target = nullptr;

// Returns true if inputs are recordings whose records are to be rearranged.
bool MutatesRecords() { return absl::string_view(target->name) == "records"; }

perf2x::RecordSequence RecordsOf(FuzzInput input) {
  return perf2x::ParseRecordSequence(perf2x::FuzzPieces(input)[0]);
}

// Changes `list` and stores it in `out`. Returns the size, or 0 if it is more
// than `max_size`.
size_t StoreChanged(perf2x::RecordSequence list,
                    const perf2x::RecordSequence& other, unsigned seed,
                    uint8_t* out, size_t max_size) {
  perf2x::Random random(seed);
  perf2x::MutateRecords(other, random, &list);
  ByteVector bytes;
  for (const ByteVector& file :
       perf2x::Store(list, perf2x::AnyStorage(list, random))) {
    if (!bytes.empty()) {
      bytes.insert(bytes.end(), perf2x::kFuzzCut.begin(),
                   perf2x::kFuzzCut.end());
    }
    bytes.insert(bytes.end(), file.begin(), file.end());
  }
  if (bytes.size() > max_size) return 0;
  std::copy(bytes.begin(), bytes.end(), out);
  return bytes.size();
}

}  // namespace

// libFuzzer calls these functions by name, and ignores options that begin with
// "--".
extern "C" {

size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

int LLVMFuzzerInitialize(int* argc, char*** argv) {
  absl::string_view program = (*argv)[0];
  constexpr absl::string_view kProgram = "perf2x_fuzz_";
  if (const size_t at = program.rfind(kProgram); at != program.npos) {
    target = perf2x::FindFuzzTarget(program.substr(at + kProgram.size()));
  }
  for (int i = 1; i < *argc; ++i) {
    absl::string_view name = (*argv)[i];
    if (absl::ConsumePrefix(&name, "--target=")) {
      target = perf2x::FindFuzzTarget(name);
    }
  }
  if (target == nullptr) {
    std::fprintf(stderr, "usage: perf2x_fuzz --target=NAME ..., one of\n");
    for (const perf2x::FuzzTarget& t : perf2x::FuzzTargets()) {
      std::fprintf(stderr, "  %s\n", t.name);
    }
    std::exit(2);
  }
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  target->run({data, size});
  return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                               unsigned seed) {
  if (MutatesRecords() && seed % 8 != 0) {
    const perf2x::RecordSequence list = RecordsOf({data, size});
    const size_t made = StoreChanged(list, list, seed, data, max_size);
    if (made > 0) return made;
  }
  return LLVMFuzzerMutate(data, size, max_size);
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t* data1, size_t size1,
                                 const uint8_t* data2, size_t size2,
                                 uint8_t* out, size_t max_size, unsigned seed) {
  if (!MutatesRecords()) return 0;  // libFuzzer tries something else
  return StoreChanged(RecordsOf({data1, size1}), RecordsOf({data2, size2}),
                      seed, out, max_size);
}

}  // extern "C"
