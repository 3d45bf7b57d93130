// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TESTS_SUPPORT_READ_PROFILE_H_
#define PERF2X_TESTS_SUPPORT_READ_PROFILE_H_

#include <functional>
#include <string>

#include "converter/convert/convert.h"

namespace perf2x {

// Callbacks of a test that reads a recording without writing a format. Empty
// functions are not called.
struct RecordingReader {
  EmitterRequirements needs;
  std::function<void(const Sample&, TraceTables&)> on_sample;
  std::function<void(const Call&, TraceTables&)> on_call;
  std::function<void(const TraceSummary&)> on_finish;
};

// Converts with `reader` in place of an emitter. Must not be called by two
// threads at once.
absl::Status ReadRecording(Input input, const ConvertOptions& options,
                           const RecordingReader& reader,
                           ConvertReport* report = nullptr);
absl::Status ReadRecording(const std::string& path,
                           const ConvertOptions& options,
                           const RecordingReader& reader,
                           ConvertReport* report = nullptr);

}  // namespace perf2x

#endif  // PERF2X_TESTS_SUPPORT_READ_PROFILE_H_
