// SPDX-License-Identifier: Apache-2.0
#include "converter/session/recorded_formats.h"

#include <utility>

#include "converter/perf/records/decode.h"
#include "converter/perf/records/simpleperf_records.h"
#include "converter/perf/records/wire.h"

namespace perf2x {

bool RecordedFormats::Observe(const RawRecord& record,
                              Diagnostics& diagnostics) {
  absl::Span<const uint8_t> blob;
  if (record.type == kRecordHeaderTracingData) {
    blob = record.payload;
  } else if (record.type == kRecordHeaderFeature && record.body.size() >= 8 &&
             Load<uint64_t>(record.body.data(), record.order) ==
                 kFeatureTracingData) {
    blob = record.body.subspan(8);
  } else if (SimpleperfTracingDataRecord data;
             record.type == kRecordSimpleperfTracingData &&
             Decode(record.body, record.order, record.misc, EventAttr(),
                    &data)) {
    blob = data.data;
  } else {
    return false;
  }
  // A recording has the formats once; parsing more of them is not worth the
  // time.
  constexpr int kMaxTries = 4;
  if (formats_ || ++tried_ > kMaxTries) return false;
  auto formats = TracepointFormats::Parse(blob, diagnostics);
  if (!formats.ok()) {
    diagnostics.Add(Diagnostics::Severity::kDamage, formats.status().message(),
                    record.offset, blob.size());
    return false;
  }
  formats_ = *std::move(formats);
  return true;
}

const TracepointFormat* RecordedFormats::Find(const EventAttr& attr) const {
  if (attr.type != kTypeTracepoint || !formats_) return nullptr;
  return formats_->Find(attr.config);
}

}  // namespace perf2x
