// SPDX-License-Identifier: Apache-2.0
#include "tests/support/hardware_trace.h"

#include <algorithm>
#include <utility>

#include "converter/perf/records/aux_records.h"
#include "converter/perf/records/kernel_records.h"
#include "converter/perf/records/wire.h"

namespace perf2x {

void Append(uint64_t value, size_t size, ByteVector* to) {
  for (size_t i = 0; i < size; ++i) {
    to->push_back(static_cast<uint8_t>(value >> (8 * i)));
  }
}

ByteVector Words(const std::vector<uint64_t>& words) {
  ByteVector bytes;
  for (const uint64_t word : words) Append(word, 8, &bytes);
  return bytes;
}

Recording HardwareTraceRecording(const std::string& event) {
  Recording recording;
  Recording::Event out;
  out.attr.type = 8;
  out.attr.sample_type =
      kSampleIp | kSampleTid | kSampleTime | kSampleCpu | kSampleIdentifier;
  out.attr.flags = kSampleIdAll;
  out.ids = {5};
  out.name = event;
  recording.events = {out};
  return recording;
}

void AddTraceInfo(uint64_t type, const std::vector<uint64_t>& words,
                  Recording* to) {
  ByteVector body = Words({type});
  for (const uint64_t word : words) Append(word, 8, &body);
  to->records.push_back({kRecordAuxtraceInfo, 0, std::move(body), {}, 0});
}

std::vector<uint64_t> IntelPtInfo() {
  return {8, 0, 1, 0, 1, 0x400, 0x800, 3, 0, 1, 0x200, 0x3c000, 2, 1, 2, 12, 0};
}

void AddTimeConversion(uint64_t shift, uint64_t mult, uint64_t zero,
                       Recording* to) {
  to->records.push_back(
      {kRecordTimeConv, 0, Words({shift, mult, zero}), {}, 0});
}

void AddAux(const AuxRange& range, const SampleId& id, Recording* to) {
  AuxRecord aux;
  aux.aux_offset = range.offset;
  aux.aux_size = range.size;
  aux.flags = range.flags;
  to->Add(aux, id);
}

void AddTrace(TraceBytes trace, Recording* to) {
  ByteVector body = Words({trace.bytes.size(), trace.offset, 0});
  for (const int32_t word : {0, trace.tid, trace.cpu, 0}) {
    Append(static_cast<uint32_t>(word), 4, &body);
  }
  to->records.push_back({kRecordAuxtrace, 0, body, std::move(trace.bytes), 0});
}

ByteVector PartOf(const ByteVector& trace, size_t begin, size_t end) {
  const auto at = [&](size_t offset) {
    return trace.begin() + static_cast<ptrdiff_t>(offset);
  };
  return {at(begin), at(std::min(end, trace.size()))};
}

}  // namespace perf2x
