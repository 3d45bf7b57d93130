// SPDX-License-Identifier: Apache-2.0
#include "converter/perf/header/tracing_data.h"

#include "absl/strings/string_view.h"
#include "converter/base/byte_reader.h"

namespace perf2x {
namespace {

constexpr absl::string_view kMagic = "\x17\x08\x44tracing";

// Skips `n` texts, each of which follows its u64 size.
void SkipTexts(ByteReader* in, uint64_t n) {
  for (uint64_t i = 0; i < n && in->ok(); ++i) in->Skip(in->U64());
}

}  // namespace

bool ReadTracingDataSummary(absl::Span<const uint8_t> data,
                            TracingDataSummary* summary) {
  ByteReader start(data, kHostOrder);
  if (start.FixedString(kMagic.size()) != kMagic) return false;
  summary->version = std::string(start.CString());
  summary->big_endian = start.U8() != 0;
  ByteReader in(start.Rest(),
                summary->big_endian ? ByteOrder::kBig : ByteOrder::kLittle);
  summary->long_size = in.U8();
  summary->page_size = in.U32();
  for (const absl::string_view part : {"header_page", "header_event"}) {
    if (in.CString() != part) return false;
    SkipTexts(&in, 1);
  }
  summary->ftrace_events = in.CheckedCount(in.U32(), 8);
  SkipTexts(&in, summary->ftrace_events);
  const uint64_t systems = in.CheckedCount(in.U32(), 1 + 4);
  for (uint64_t i = 0; i < systems && in.ok(); ++i) {
    TracingDataSummary::System system;
    system.name = std::string(in.CString());
    system.events = in.CheckedCount(in.U32(), 8);
    SkipTexts(&in, system.events);
    if (in.ok()) summary->systems.push_back(std::move(system));
  }
  return in.ok();
}

}  // namespace perf2x
