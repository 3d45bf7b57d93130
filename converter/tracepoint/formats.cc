// SPDX-License-Identifier: Apache-2.0
#include "converter/tracepoint/formats.h"

#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "converter/base/byte_reader.h"
#include "converter/tracepoint/parse_format.h"

namespace perf2x {
namespace {

// Reads a text, which follows its u64 length.
absl::string_view SizedText(ByteReader& reader) {
  absl::Span<const uint8_t> bytes = reader.Bytes(reader.U64());
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

absl::StatusOr<TracepointFormats> TracepointFormats::Parse(
    absl::Span<const uint8_t> blob, Diagnostics& diagnostics) {
  constexpr absl::string_view kMagic = "\x17\x08\x44tracing";
  ByteReader head(blob, kHostOrder);
  if (head.FixedString(kMagic.size()) != kMagic) {
    return absl::InvalidArgumentError("tracing data does not start as such");
  }
  head.CString();  // version
  const ByteOrder order = head.U8() != 0 ? ByteOrder::kBig : ByteOrder::kLittle;
  const uint8_t long_size = head.U8();
  if (!head.ok() || (long_size != 4 && long_size != 8)) {
    return absl::InvalidArgumentError("tracing data with a broken head");
  }

  // From here on numbers are in the recording's byte order.
  ByteReader reader(head.Rest(), order);
  reader.U32();  // page size
  for (absl::string_view page : {"header_page", "header_event"}) {
    if (reader.CString() != page) reader.Fail();
    SizedText(reader);
  }
  // The formats of ftrace's own events, which perf does not record.
  uint64_t texts = reader.CheckedCount(reader.U32(), sizeof(uint64_t));
  for (; texts > 0 && reader.ok(); --texts) SizedText(reader);

  TracepointFormats out;
  // A system has at least its name's NUL and a count.
  uint64_t systems = reader.CheckedCount(reader.U32(), 1 + sizeof(uint32_t));
  for (; systems > 0 && reader.ok(); --systems) {
    const absl::string_view system = reader.CString();
    texts = reader.CheckedCount(reader.U32(), sizeof(uint64_t));
    for (; texts > 0; --texts) {
      const absl::string_view text = SizedText(reader);
      if (!reader.ok()) break;
      std::optional<ParsedFormat> parsed =
          ParseFormat(system, text, order, long_size);
      if (!parsed.has_value()) {
        diagnostics.Add(Diagnostics::Severity::kSkipped,
                        "tracepoint format that cannot be understood",
                        /*offset=*/0, text.size());
      } else if (out.by_id_.emplace(parsed->id, out.formats_.size()).second) {
        constexpr uint64_t kOfId = 48;
        out.memory_ += kOfId + parsed->format.memory();
        out.formats_.push_back(std::move(parsed->format));
      }
    }
  }
  if (!reader.ok()) {
    diagnostics.Add(Diagnostics::Severity::kDamage,
                    "tracing data shorter than its parts");
  }
  // The kernel's symbols, print formats and command names follow.
  return out;
}

}  // namespace perf2x
