// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TESTS_SUPPORT_HOSTILE_H_
#define PERF2X_TESTS_SUPPORT_HOSTILE_H_

#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "converter/convert/convert.h"
#include "tests/support/perf_data_builder.h"

// For tests that convert what may be hostile, and look at what it costs.

namespace perf2x {

// What became of an input.
struct Outcome {
  absl::Status status;
  ConvertReport report;
  uint64_t samples = 0;  // that reached the emitter, by the summary
  uint64_t output_bytes = 0;
  double seconds = 0;        // of CPU, on all threads
  uint64_t peak_memory = 0;  // resident, grown by the conversion; bytes

  // Everything that was said of skipped and damaged parts, one line each.
  std::string Complaints() const;
  // Whether every byte of the input went somewhere; see ByteAccount.
  bool BytesAddUp() const;
};

// Notes in `*outcome` what calling `run` takes.
void MeasureRun(absl::FunctionRef<void()> run, Outcome* outcome);

// Converts without opening any file but the input. The format "walk" is no
// format: it looks at every frame of every stack and writes nothing.
Outcome ConvertHostile(Input input, absl::string_view format = "walk",
                       int threads = 1);

// What `perf2x dump` or `perf2x info` makes of it: only status, output_bytes,
// seconds and peak_memory, and of the report the diagnostics.
Outcome InspectHostile(Input input, bool dump);

// Options under which no file is opened.
ConvertOptions WithoutFiles();

// Whether a sanitizer is built in: memory and time are not perf2x's own then.
bool Sanitized();

}  // namespace perf2x

#endif  // PERF2X_TESTS_SUPPORT_HOSTILE_H_
