// SPDX-License-Identifier: Apache-2.0
#include "converter/perf/header/event_records.h"

#include <bit>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "converter/base/truncate_name.h"
#include "converter/perf/records/attr.h"
#include "converter/perf/records/decode.h"
#include "converter/perf/records/sample_layout.h"
#include "converter/perf/records/wire.h"

namespace perf2x {

std::optional<RecordedEvent> ReadEvent(const RawRecord& record, WordSpan* ids,
                                       Diagnostics* diagnostics) {
  HeaderAttrRecord header;
  std::optional<RecordedEvent> event(std::in_place);
  if (!Decode(record, &header) ||
      !DecodeAttr(record.body, record.order, &event->attr)) {
    diagnostics->Add(Diagnostics::Severity::kSkipped,
                     "HEADER_ATTR record too short for its attr", record.offset,
                     record.body.size());
    return std::nullopt;
  }
  if ((event->attr.sample_type & ~kSampleKnown) != 0) {
    diagnostics->Add(Diagnostics::Severity::kNote,
                     "event with sample_type bits that are not known",
                     record.offset);
  }
  event->layout = SampleLayout::FromAttr(event->attr);
  event->trailer = TrailerLayout::FromAttr(event->attr);
  *ids = header.ids;
  return event;
}

bool ApplyEventUpdate(const EventUpdateRecord& update, uint64_t offset,
                      RecordedEvent* event, Diagnostics* diagnostics) {
  const absl::string_view text =
      TruncateName(update.text, kMaxEventNameSize, offset, diagnostics);
  switch (update.kind) {
    case EventUpdateRecord::kUnit:
      event->unit = std::string(text);
      return true;
    case EventUpdateRecord::kScale:
      event->scale = std::bit_cast<double>(update.scale_bits);
      return true;
    case EventUpdateRecord::kNameText:
      if (!event->has_recorded_name && !update.text.empty()) {
        event->name = std::string(text);
        event->has_recorded_name = true;
      }
      return true;
    default:
      return false;
  }
}

}  // namespace perf2x
