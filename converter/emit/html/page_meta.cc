// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/html/page_meta.h"

#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "converter/base/text.h"
#include "converter/emit/json_writer.h"

namespace perf2x {
namespace {

// The page's data format; docs/html.md describes it.
constexpr int kFormat = 1;

const char* KindName(EventKind kind) {
  switch (kind) {
    case EventKind::kSampled:
      return "sampled";
    case EventKind::kPageFault:
      return "page-fault";
    case EventKind::kClock:
      return "clock";
    case EventKind::kTracepoint:
      return "tracepoint";
    case EventKind::kOffCpu:
      return "off-cpu";
    case EventKind::kDummy:
      break;
  }
  return "";  // has no samples
}

// Text that the viewer shows as it is.
void PutText(absl::string_view key, absl::string_view text, JsonWriter* json) {
  json->Key(key);
  json->String(PlainText(text));
}

void PutNumber(absl::string_view key, uint64_t value, JsonWriter* json) {
  json->Key(key);
  json->Uint(value);
}

// A number that may be too large for the viewer's.
void PutDecimal(absl::string_view key, std::optional<uint64_t> value,
                JsonWriter* json) {
  json->Key(key);
  value.has_value() ? json->String(absl::StrCat(*value)) : json->Null();
}

void PutEvents(const std::vector<Event>& events, JsonWriter* json) {
  json->Key("events");
  json->BeginArray();
  for (const Event& event : events) {
    json->BeginObject();
    PutText("name", event.name, json);
    PutText("unit", event.unit, json);
    PutText("kind", KindName(event.kind), json);
    PutNumber("period", event.period, json);
    json->Key("frequency");
    json->Bool(event.period_is_frequency);
    json->EndObject();
  }
  json->EndArray();
}

void PutTime(const ShownRecording& shown, JsonWriter* json) {
  const TraceInfo& info = shown.recording->info;
  const TraceSummary& summary = shown.recording->summary;
  const EntryTable& entries = *shown.entries;
  std::optional<uint64_t> start, wall;
  if (entries.bins() > 0) start = entries.start();
  if (start.has_value() && info.wall_clock_offset.has_value()) {
    // Unsigned, because the times of a damaged recording may overflow.
    wall = *start + static_cast<uint64_t>(*info.wall_clock_offset);
  }
  PutDecimal("wallStart", wall, json);
  json->Key("time");
  json->BeginObject();
  PutDecimal("start", start, json);
  PutNumber("duration",
            summary.first_time && summary.last_time
                ? *summary.last_time - *summary.first_time
                : 0,
            json);
  PutNumber("binNs", SampleLog::kFinestBin << entries.bin_shift(), json);
  PutNumber("bins", entries.bins(), json);
  json->EndObject();
}

void PutSums(const EntryTable& entries, JsonWriter* json) {
  json->Key("periodUnit");
  json->BeginArray();
  for (const uint64_t unit : entries.rounding_units()) json->Uint(unit);
  json->EndArray();
  json->Key("totals");
  json->BeginArray();
  for (const EntryTable::Total& total : entries.totals()) {
    json->BeginObject();
    PutNumber("samples", total.samples, json);
    PutNumber("period", total.period, json);
    json->EndObject();
  }
  json->EndArray();
  json->Key("cpus");
  json->BeginArray();
  for (const int32_t cpu : entries.cpus()) json->Int(cpu);
  json->EndArray();
  PutNumber("entries", entries.entries(), json);
}

void PutRecording(absl::string_view key, const ShownRecording& shown,
                  JsonWriter* json) {
  const TraceInfo& info = shown.recording->info;
  json->Key(key);
  json->BeginObject();
  PutText("input", info.input, json);
  PutText("command", absl::StrJoin(info.command_line, " "), json);
  PutText("host", info.hostname, json);
  PutText("kernel", info.os_release, json);
  PutText("arch", info.arch, json);
  PutText("cpu", info.cpu_description, json);
  PutText("perf", info.perf_version, json);
  PutText("clock", info.clock, json);
  PutTime(shown, json);
  PutSums(*shown.entries, json);
  json->Key("losses");
  json->BeginArray();
  for (const std::string& loss : shown.recording->summary.losses) {
    json->String(PlainText(loss));
  }
  json->EndArray();
  json->Key("advice");
  json->BeginArray();
  for (const Advice& advice : shown.advice) {
    json->BeginObject();
    PutText("message", advice.message, json);
    PutText("next", advice.next_step, json);
    json->EndObject();
  }
  json->EndArray();
  json->EndObject();
}

}  // namespace

std::string PageTitle(const TraceInfo& info) {
  constexpr size_t kMaxTitleSize = 100;
  std::string title = info.command_line.empty()
                          ? info.input
                          : absl::StrJoin(info.command_line, " ");
  std::string scratch;
  title = std::string(AsPlainText(title, &scratch));
  if (title.size() > kMaxTitleSize) {
    size_t end = kMaxTitleSize;
    while (end > 0 && (title[end] & 0xc0) == 0x80) --end;
    title.resize(end);
    title += "…";
  }
  return title;
}

std::string PageMeta(const PageEvents& events, const PrunedTree& tree,
                     const std::vector<ShownRecording>& shown) {
  return JsonText([&](JsonWriter& json) {
    json.BeginObject();
    PutNumber("format", kFormat, &json);
    PutText("generator", "perf2x " PERF2X_VERSION, &json);
    PutText("title", PageTitle(shown[0].recording->info), &json);
    PutEvents(events.events(), &json);
    PutNumber("shownFirst", events.InitialEvent(), &json);
    PutRecording("recording", shown[0], &json);
    if (shown.size() > 1) {
      PutRecording("base", shown[1], &json);
    } else {
      json.Key("base");
      json.Null();
    }
    json.Key("cut");
    json.BeginObject();
    PutNumber("nodes", tree.folded, &json);
    json.Key("share");
    json.Double(1.0 / static_cast<double>(PrunedTree::kParts));
    json.EndObject();
    json.EndObject();
  });
}

}  // namespace perf2x
