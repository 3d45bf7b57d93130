// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TESTS_CONVERT_UNWOUND_STACKS_H_
#define PERF2X_TESTS_CONVERT_UNWOUND_STACKS_H_

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "converter/convert/convert.h"
#include "tests/support/corpus.h"
#include "tests/support/read_recording.h"

namespace perf2x {

// A frame in user space, by its look-up address: the offset in a file, or an
// address where there is no file.
struct UserFrame {
  std::string file;
  uint64_t address = 0;
};
using UserStack = std::vector<UserFrame>;  // leaf first

// The user part of each sample's stack, in the order of samples, of a recording
// of the corpus, with its symbol files.
inline std::vector<UserStack> UnwindRecording(const CorpusEntry& entry) {
  std::vector<UserStack> stacks;
  std::vector<FrameId> frames;
  RecordingReader reader;
  reader.on_sample = [&](const Sample& sample, TraceTables& tables) {
    tables.FramesOf(sample.stack, &frames);
    UserStack& stack = stacks.emplace_back();
    for (FrameId id : frames) {
      const Frame& frame = tables.frames()[id];
      const Dso& file = tables.dsos()[frame.dso];
      if (file.kind == DsoKind::kKernel ||
          file.kind == DsoKind::kKernelModule ||
          file.kind == DsoKind::kMarker) {
        continue;
      }
      stack.push_back({file.name, frame.address});
    }
  };
  ConvertOptions options;
  options.symbolize = false;
  options.symbols.binaries.symfs = SymfsOf(entry);
  const absl::Status status =
      ReadRecording(RecordingOf(entry), options, reader);
  EXPECT_TRUE(status.ok()) << status;
  return stacks;
}

}  // namespace perf2x

#endif  // PERF2X_TESTS_CONVERT_UNWOUND_STACKS_H_
