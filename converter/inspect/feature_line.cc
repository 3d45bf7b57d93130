// SPDX-License-Identifier: Apache-2.0
#include "converter/inspect/feature_line.h"

#include "absl/strings/str_cat.h"
#include "converter/base/byte_reader.h"
#include "converter/inspect/describe.h"
#include "converter/inspect/header_collector.h"
#include "converter/inspect/line_text.h"
#include "converter/perf/header/event_name_table.h"
#include "converter/perf/records/wire.h"

namespace perf2x {
namespace {

constexpr size_t kMaxText = 400;  // bytes of a value

// Sets `*is_whole` to false if the list ends at damage.
InfoValue EventDescriptions(const RawRecord& record, bool* is_whole) {
  // AttrTable counts the damage.
  Diagnostics counted;
  InfoValue out;
  AddList(ReadEventDesc(record, &counted), "events", &out,
          [](const EventDescription& event) {
            InfoValue v;
            v["name"] = event.name;
            v["ids"] = uint64_t{event.ids.size()};
            return v;
          });
  for (const auto& [message, entry] : counted.entries()) {
    if (entry.severity == Diagnostics::Severity::kDamage) *is_whole = false;
  }
  return out;
}

}  // namespace

void FeatureLine::Append(const RawRecord& record, std::string* line) {
  ByteReader in(record.body, record.order);
  const uint64_t number = in.U64();
  const absl::string_view name =
      number < 256 ? FeatureName(static_cast<uint32_t>(number)) : "";
  if (!name.empty()) {
    absl::StrAppend(line, " feature_name=", QuotedText(name));
  }
  absl::StrAppend(line, " size=", in.left());

  InfoValue value;
  bool is_whole = true;
  if (number == kFeatureEventDesc) {
    value = EventDescriptions(record, &is_whole);
  } else {
    RecordingInfo info;
    HeaderFeatures& features = info.features;
    features.cpus_available = cpus_available_;
    HeaderCollector collector(&info, budget_, &diagnostics_);
    is_whole = collector.Observe(record);
    collector.ReportSkipped();
    if (number == kFeatureNrCpus) {
      cpus_available_ = features.cpus_available;
    } else {
      features.cpus_available.reset();
    }
    value = DescribeHeader(info);
  }
  AppendMembers(*value.object(), kMaxText, line);
  if (!is_whole) absl::StrAppend(line, " (cut short)");
}

}  // namespace perf2x
