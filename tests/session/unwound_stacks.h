#ifndef PERF2X_TESTS_SESSION_UNWOUND_STACKS_H_
#define PERF2X_TESTS_SESSION_UNWOUND_STACKS_H_

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "converter/convert.h"
#include "tests/support/corpus.h"
#include "tests/support/counting_emitter.h"

namespace perf2x {

// A frame in user space, by its look-up address: the offset in a file, or an
// address where there is no file.
struct UserFrame {
  std::string file;
  uint64_t address = 0;
};
using UserStack = std::vector<UserFrame>;  // leaf first

// Where UserStackCollector puts stacks. An emitter is made by a function
// without arguments of its own.
inline std::vector<UserStack>* collected_stacks = nullptr;

// Collects the user part of each sample's stack, in the order of samples.
class UserStackCollector final : public Emitter {
 public:
  explicit UserStackCollector(ProfileTables& tables) : tables_(tables) {}
  absl::Status Begin(const ProfileInfo&) override { return absl::OkStatus(); }
  absl::Status OnSample(const Sample& sample) override {
    std::vector<FrameId> frames;
    tables_.FramesOf(sample.stack, &frames);
    UserStack stack;
    for (FrameId id : frames) {
      const Frame& frame = tables_.frames()[id];
      const CodeFile& file = tables_.files()[frame.file];
      if (file.kind == CodeKind::kKernel ||
          file.kind == CodeKind::kKernelModule ||
          file.kind == CodeKind::kMarker) {
        continue;
      }
      stack.push_back({file.name, frame.address});
    }
    collected_stacks->push_back(std::move(stack));
    return absl::OkStatus();
  }
  absl::Status Finish(const ProfileSummary&) override {
    return absl::OkStatus();
  }

 private:
  ProfileTables& tables_;
};

// The user stacks of a recording of the corpus, with its symbol files.
inline std::vector<UserStack> UnwindRecording(const CorpusEntry& entry) {
  std::vector<UserStack> stacks;
  collected_stacks = &stacks;
  EmitterInfo info = CountingEmitterInfo();
  info.make = [](const EmitterContext& context)
      -> absl::StatusOr<std::unique_ptr<Emitter>> {
    return std::make_unique<UserStackCollector>(context.tables);
  };
  auto input = OpenInput(RecordingOf(entry));
  if (!input.ok()) return stacks;
  NoOutputs outputs;
  ConvertOptions options;
  options.symbolize = false;
  options.symbols.binaries.symfs = SymfsOf(entry);
  ConvertReport report;
  const absl::Status status =
      Convert(*std::move(input), info, outputs, options, &report);
  EXPECT_TRUE(status.ok()) << status;
  return stacks;
}

// The recording of that name; null when there is no corpus or it lacks it.
inline const CorpusEntry* RecordingNamed(const std::string& id) {
  for (const CorpusEntry& entry : Corpus()) {
    if (entry.id == id) return &entry;
  }
  return nullptr;
}

}  // namespace perf2x

#endif  // PERF2X_TESTS_SESSION_UNWOUND_STACKS_H_
