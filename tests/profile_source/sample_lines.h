// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TESTS_PROFILE_SOURCE_SAMPLE_LINES_H_
#define PERF2X_TESTS_PROFILE_SOURCE_SAMPLE_LINES_H_

#include <gtest/gtest.h>

#include <string>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "converter/model/tag_fields.h"
#include "converter/profile_source/profile_source.h"
#include "tests/profile_source/profile_maker.h"

namespace perf2x {

// Notes the samples as text.
class Notes final : public Emitter {
 public:
  explicit Notes(TraceTables& tables) : tables_(tables) {}
  EmitterRequirements requirements() const override { return {.fields = true}; }
  absl::Status Begin(const TraceInfo& info) override {
    info_ = info;
    return absl::OkStatus();
  }
  absl::Status OnSample(const Sample& sample) override {
    const Thread& thread = tables_.threads[sample.thread];
    std::string& line = lines_.emplace_back(
        absl::StrCat(tables_.events[sample.event].name, " ", sample.count, " ",
                     sample.period, " ", tables_.strings[thread.process_name],
                     "/", tables_.strings[thread.name], "/", thread.tid));
    std::vector<FrameId> frames;
    tables_.FramesOf(sample.stack, &frames);
    for (const FrameId frame : frames) {
      for (const Line& of : tables_.Lines(frame)) {
        absl::StrAppend(&line, " ",
                        tables_.strings[tables_.functions()[of.function].name],
                        ":", of.line);
      }
    }
    const TagFields tags(tables_, sample.tags);
    for (const Fields fields : {sample.fields, tags.fields()}) {
      for (const Field& field : fields) {
        absl::StrAppend(&line, " ", field.name, "=", Show(field));
      }
    }
    return absl::OkStatus();
  }
  absl::Status OnThread(ThreadId, std::optional<uint64_t>) override {
    ++threads_;
    return absl::OkStatus();
  }
  absl::Status Finish(const TraceSummary&) override { return absl::OkStatus(); }

  static std::string Show(const Field& field) {
    if (const auto* text = std::get_if<absl::string_view>(&field.value)) {
      return std::string(*text);
    }
    if (const auto* hex = std::get_if<Field::Hex>(&field.value)) {
      return absl::StrCat("0x", absl::Hex(hex->value));
    }
    if (const auto* number = std::get_if<int64_t>(&field.value)) {
      return absl::StrCat(*number);
    }
    return absl::StrCat(std::get<uint64_t>(field.value));
  }

  TraceTables& tables_;
  TraceInfo info_;
  std::vector<std::string> lines_;
  int threads_ = 0;
};

inline std::vector<std::string> Show(const ProfileMaker& maker,
                                     Budget& budget = Budget::Unlimited(),
                                     Diagnostics* diagnostics = nullptr) {
  const auto profile = ReadBytes(maker.Bytes());
  EXPECT_TRUE(profile.ok()) << profile.status();
  TraceTables tables;
  Diagnostics unused;
  ProfileSource source(*profile, tables, nullptr, budget,
                       diagnostics == nullptr ? unused : *diagnostics);
  Notes notes(tables);
  EXPECT_TRUE(source.EmitSamples(TraceInfo(), notes).ok());
  EXPECT_TRUE(source.Finish(notes).ok());
  return notes.lines_;
}

}  // namespace perf2x

#endif  // PERF2X_TESTS_PROFILE_SOURCE_SAMPLE_LINES_H_
