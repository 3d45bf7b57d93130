// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TESTS_FUZZ_RECORD_TRIAL_H_
#define PERF2X_TESTS_FUZZ_RECORD_TRIAL_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "converter/stages/filter_options.h"
#include "tests/fuzz/random.h"
#include "tests/fuzz/record_sequence.h"

namespace perf2x {

// A recording, and one of the ways in which perf2x can be run on it.
struct RecordTrial {
  enum class Command : uint8_t { kConvert, kInfo, kDump };
  // The recording's file or, of a folder, `data`, `data.0`, …
  std::vector<ByteVector> files;
  std::vector<ByteVector> second;  // to merge with `files`; empty: none
  Command command = Command::kConvert;
  std::string format;  // of kConvert
  std::map<std::string, std::string> emitter_options;
  FilterOptions filter;
  bool json = false;          // of kInfo
  bool sorted = false;        // of kDump
  bool from_pipe = false;     // reads the file a few bytes at a time
  bool symbolize = false;     // with the symbol files of testdata/
  bool run_twice = false;     // on one thread and on three: the same output
  bool other_source = false;  // with run_twice: as a file and through a pipe
  int threads = 1;
  uint64_t max_memory = 64 << 20;

  uint64_t Size() const;
  // Returns the trial as arguments of perf2x, as far as perf2x has such
  // arguments.
  std::string Description() const;
  // Returns the kind by which trials are counted: "csv results", "info", ….
  std::string Kind() const;
};

// Returns the recordings to begin with: those of testdata/ in both byte orders,
// and those of the fuzz targets' corpora. The current folder must be that of
// the sources.
std::vector<RecordSequence> RecordingSeeds();

// Returns the trial of a seed; depends on nothing but the arguments.
RecordTrial MakeTrial(uint64_t seed, const std::vector<RecordSequence>& seeds);
// Returns a random way to run perf2x on `files`. Words for filters are taken
// from `list`.
RecordTrial AnyTrial(std::vector<ByteVector> files, const RecordSequence& list,
                     Random& random);

// The cost of a trial.
struct TrialCost {
  double seconds = 0;                // CPU time
  uint64_t memory = 0, written = 0;  // bytes
};

// Runs a trial, checks its output, and returns one line that says which promise
// is broken, or "". The bounds on time and memory of SECURITY.md are checked in
// builds without sanitizers only.
std::string RunTrial(const RecordTrial& trial, TrialCost* cost);

}  // namespace perf2x

#endif  // PERF2X_TESTS_FUZZ_RECORD_TRIAL_H_
