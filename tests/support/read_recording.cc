// SPDX-License-Identifier: Apache-2.0
#include "tests/support/read_recording.h"

#include <memory>
#include <utility>

namespace perf2x {
namespace {

// Global, because EmitterInfo::make has no argument for the reader.
const RecordingReader* current_reader = nullptr;

class ReadingEmitter final : public Emitter {
 public:
  ReadingEmitter(const RecordingReader& reader, TraceTables& tables)
      : reader_(reader), tables_(tables) {}
  EmitterRequirements requirements() const override { return reader_.needs; }
  absl::Status Begin(const TraceInfo&) override { return absl::OkStatus(); }
  absl::Status OnSample(const Sample& sample) override {
    if (reader_.on_sample) reader_.on_sample(sample, tables_);
    return absl::OkStatus();
  }
  absl::Status OnCall(const Call& call) override {
    if (reader_.on_call) reader_.on_call(call, tables_);
    return absl::OkStatus();
  }
  absl::Status Finish(const TraceSummary& summary) override {
    if (reader_.on_finish) reader_.on_finish(summary);
    return absl::OkStatus();
  }

 private:
  const RecordingReader& reader_;
  TraceTables& tables_;
};

class NoOutputs final : public OutputFactory {
 public:
  absl::StatusOr<std::unique_ptr<Output>> Open(absl::string_view) override {
    return absl::InternalError("no output here");
  }
};

}  // namespace

absl::Status ReadRecording(Input input, const ConvertOptions& options,
                           const RecordingReader& reader,
                           ConvertReport* report) {
  EmitterInfo format{};
  format.name = "read";
  format.extension = format.summary = "";
  format.make = [](const EmitterContext& context)
      -> absl::StatusOr<std::unique_ptr<Emitter>> {
    return std::make_unique<ReadingEmitter>(*current_reader, context.tables);
  };
  current_reader = &reader;
  NoOutputs outputs;
  ConvertReport unread;
  return Convert(std::move(input), format, outputs, options,
                 report != nullptr ? report : &unread);
}

absl::Status ReadRecording(const std::string& path,
                           const ConvertOptions& options,
                           const RecordingReader& reader,
                           ConvertReport* report) {
  auto input = OpenInput(path);
  if (!input.ok()) return input.status();
  return ReadRecording(*std::move(input), options, reader, report);
}

}  // namespace perf2x
