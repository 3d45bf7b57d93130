// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TESTS_SUPPORT_PERF_DATA_BUILDER_H_
#define PERF2X_TESTS_SUPPORT_PERF_DATA_BUILDER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "converter/base/byte_order.h"
#include "converter/input/input.h"
#include "converter/perf/records/attr.h"
#include "converter/perf/records/encode.h"
#include "converter/perf/records/sample.h"
#include "converter/perf/records/wire.h"

namespace perf2x {

using ByteVector = std::vector<uint8_t>;

inline constexpr uint64_t kSampleIdAll = uint64_t{1} << 18;  // attr.flags

// A recording taken apart into what every container stores: events, header
// features and records, all in one byte order.
struct Recording {
  struct Event {
    EventAttr attr;
    std::vector<uint64_t> ids;
    std::string name;  // in files of the first version; else in EVENT_DESC
  };
  struct Feature {
    uint32_t number = 0;
    ByteVector data;
  };
  struct Record {
    uint32_t type = 0;
    uint16_t misc = 0;
    ByteVector body;     // trailer included
    ByteVector payload;  // of AUXTRACE
    uint64_t time = 0;   // 0: none
  };
  ByteOrder order = ByteOrder::kLittle;
  std::vector<Event> events;
  std::vector<Feature> features;
  std::vector<Record> records;

  // Appends an event of a software counter, whose samples have these fields.
  // Its id is its place, from 1 on. Returns its attr, for further settings.
  EventAttr& AddSoftwareEvent(uint64_t sample_type, uint64_t period = 1000);
  // Adds the feature with the name of the machine (uname -m).
  void SetArch(absl::string_view name);

  // Appends a kernel record, padded to 8 bytes, with a trailer if the first
  // event has sample_id_all.
  template <class R>
  void Add(const R& record, const SampleId& id = SampleId(),
           uint16_t misc = 0) {
    const EventAttr& attr = events.at(0).attr;
    ByteVector body = Encode(record, order, misc, attr);
    body.resize((body.size() + 7) / 8 * 8);
    if (attr.sample_id_all() && R::kType != kRecordSample) {
      const ByteVector trailer = Encode(id, order, misc, attr);
      body.insert(body.end(), trailer.begin(), trailer.end());
    }
    records.push_back({R::kType, misc, std::move(body), {}, id.time});
  }
};

// Opens a file of testdata/.
Input OpenTestdata(const std::string& name);
// Reads a recording of any container.
Recording TakeApart(Input input);
// Calls `change` for each sample of a recording of one event, and stores what
// it changed if it returns true. Returns how many were changed.
int ChangeSamples(Recording* recording,
                  absl::FunctionRef<bool(SampleRecord*)> change);

// Return the bytes of the recording as a file of either version, or as a pipe
// stream.
ByteVector AsFile(const Recording& recording);
ByteVector AsFirstVersion(const Recording& recording);
ByteVector AsPipe(const Recording& recording);

// Returns a copy whose records with a time are compressed into one zstd stream,
// which is flushed after every `chunk` bytes, so records straddle the flushes.
// COMPRESSED or COMPRESSED2 records hold at most `slice` bytes of the stream.
Recording Compressed(const Recording& recording, uint32_t type,
                     size_t chunk = 1000, size_t slice = 60000);

// Writes a directory recording to `path`: records with a time are in two
// data.N.
void WriteDirectory(const Recording& recording, const std::string& path);

}  // namespace perf2x

#endif  // PERF2X_TESTS_SUPPORT_PERF_DATA_BUILDER_H_
