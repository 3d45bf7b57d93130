// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TESTS_SUPPORT_HOSTILE_H_
#define PERF2X_TESTS_SUPPORT_HOSTILE_H_

#include <cstdint>
#include <map>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "converter/convert/convert.h"
#include "tests/support/perf_data_builder.h"

// For tests that convert hostile inputs and measure the cost.

namespace perf2x {

// The result and the cost of converting or inspecting an input.
struct Outcome {
  absl::Status status;
  ConvertReport report;
  uint64_t samples = 0;  // that reached the emitter
  uint64_t output_bytes = 0;
  double seconds = 0;        // CPU time of all threads
  uint64_t peak_memory = 0;  // growth of resident memory, in bytes

  // Returns the error and all diagnostics of skipped and damaged parts, one
  // line each.
  std::string Complaints() const;
  // Returns true if every byte of the input is accounted for; see ByteAccount.
  bool BytesAddUp() const;
};

// Calls `run` and stores the time and memory that it takes in `*outcome`.
void MeasureRun(absl::FunctionRef<void()> run, Outcome* outcome);

// Converts without opening any file but the input. With "walk" instead of a
// format, looks at every frame of every stack and writes nothing.
Outcome ConvertHostile(Input input, absl::string_view format = "walk",
                       int threads = 1);
// The same with these options of the format and, unlike above, with names from
// the recording itself.
using FormatOptions = std::map<std::string, std::string>;
Outcome ConvertWithNames(Input input, absl::string_view format,
                         const FormatOptions& format_options, int threads);

// As ConvertHostile, with the symbol files below the folder `symfs`.
Outcome ConvertWithSymfs(Input input, absl::string_view format,
                         const std::string& symfs);

// Does what `perf2x dump` or `perf2x info` does. Only status, output_bytes,
// seconds, peak_memory and the report's diagnostics are set.
Outcome InspectHostile(Input input, bool dump);

// Returns options with which no file but the input is opened.
ConvertOptions WithoutFiles();

// Returns true in builds with a sanitizer, whose time and memory are not
// perf2x's.
bool Sanitized();

}  // namespace perf2x

#endif  // PERF2X_TESTS_SUPPORT_HOSTILE_H_
