// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TESTS_SUPPORT_BOMBS_H_
#define PERF2X_TESTS_SUPPORT_BOMBS_H_

#include <cstdint>
#include <functional>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "converter/input/input.h"
#include "converter/perf/records/kernel_records.h"
#include "converter/perf/records/wire.h"
#include "tests/support/perf_data_builder.h"

// Makers of recordings of at most 1 MB (kBoundedInput) that would take much
// time, memory or output, and the check that they do not.
namespace perf2x {

constexpr uint64_t kUsualFields = kSampleIp | kSampleTid | kSampleTime;

// Returns a recording without records, whose samples have `sample_type` and an
// event id: 1 to `events`.
Recording NewRecording(uint64_t sample_type, size_t events = 1);
// Calls `add`, with 1, 2, …, for as many records as there is room for.
Recording Fill(Recording recording,
               const std::function<void(Recording&, uint32_t)>& add);

SampleId At(uint64_t time, int32_t pid = 1, uint64_t id = 1);
SampleRecord SampleAt(uint64_t time, int32_t pid = 1, uint64_t ip = 0x400123);
Mmap2Record Map(int32_t pid, uint64_t start, uint64_t length,
                absl::string_view name);

struct Bomb {
  const char* name;
  ByteVector (*make)();
};
// Expects that the bomb is converted to each of `formats` within the bounds.
void ExpectWithinBounds(const Bomb& bomb,
                        absl::Span<const std::string> formats);
// The same for every format.
void ExpectWithinBounds(const Bomb& bomb);
void ExpectWithinBounds(Input input, const std::string& format);

}  // namespace perf2x

#endif  // PERF2X_TESTS_SUPPORT_BOMBS_H_
