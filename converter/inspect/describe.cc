// SPDX-License-Identifier: Apache-2.0

// The tree that `perf2x info` prints, except for the parts in describe_*.cc.

#include "converter/inspect/describe.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "converter/inspect/attr_bit_names.h"
#include "converter/inspect/recording_info.h"
#include "converter/perf/header/event_name.h"
#include "converter/perf/records/all_records.h"

namespace perf2x {
namespace {

InfoValue Container(const RecordingInfo& info) {
  InfoValue out;
  const FileHeader& h = info.header;
  switch (h.kind) {
    case FileHeader::Kind::kFile:
      out["kind"] = info.directory.empty() ? "file" : "directory";
      break;
    case FileHeader::Kind::kFileV1:
      out["kind"] = "file, version 1";
      break;
    case FileHeader::Kind::kPipe:
      out["kind"] = "pipe";
      break;
  }
  out["byte_order"] =
      h.order == ByteOrder::kLittle ? "little-endian" : "big-endian";
  if (h.kind != FileHeader::Kind::kPipe) {
    out["attr_size"] = h.attr_size;
    out["data_offset"] = h.data.offset;
    out["data_size"] = h.data.size;
    if (h.data.size != 0) out["features_offset"] = h.data.offset + h.data.size;
  }
  AddOptional(info.features.directory_version, "directory_version", &out);
  AddNonZero(info.data_files, "data_files", &out);
  return out;
}

std::string ClockName(uint32_t clockid) {
  switch (clockid) {
    case 0:
      return "realtime";
    case 1:
      return "monotonic";
    case 4:
      return "monotonic_raw";
    case 7:
      return "boottime";
    case 11:
      return "tai";
    default:
      return absl::StrCat("clock ", clockid);
  }
}

InfoValue Time(const RecordingInfo& info) {
  InfoValue out;
  AddOptional(info.first_time, "first_ns", &out);
  AddOptional(info.last_time, "last_ns", &out);
  if (info.first_time) out["span_ns"] = *info.last_time - *info.first_time;
  const HeaderFeatures& f = info.features;
  if (f.sample_time) {
    out["first_sample_ns"] = f.sample_time->first;
    out["last_sample_ns"] = f.sample_time->second;
  }
  AddOptional(f.clock_resolution_ns, "clock_resolution_ns", &out);
  if (f.clock_data) {
    out["clock"] = ClockName(f.clock_data->clockid);
    out["clock_id"] = f.clock_data->clockid;
    out["reference_wall_ns"] = f.clock_data->wall_ns;
    out["reference_clock_ns"] = f.clock_data->clock_ns;
  }
  return out;
}

InfoValue Event(const RecordingInfo& info, size_t index) {
  const RecordedEvent& e = info.events[index];
  const EventAttr& a = e.attr;
  InfoValue out;
  out["name"] = info.event_names[index];
  out["samples"] = info.samples[index];
  out["type"] = a.type;
  AddText(e.pmu, "pmu", &out);
  out["config"] = HexText(a.config);
  out[a.freq() ? "frequency" : "period"] = a.sample_period;
  AddText(e.unit, "unit", &out);
  if (e.scale != 1) out["scale"] = e.scale;
  out["sample_type"] = ListOf(SampleTypeBitNames(a.sample_type));
  out["read_format"] = ListOf(ReadFormatBitNames(a.read_format));
  out["flags"] = ListOf(AttrFlagNames(a));
  AddNonZero(static_cast<uint64_t>(a.precise_ip()), "precise_ip", &out);
  AddNonZero(a.wakeup_events, "wakeup_events", &out);
  AddNonZero(a.bp_type, "bp_type", &out);
  AddHex(a.config1, "config1", &out);
  AddHex(a.config2, "config2", &out);
  AddHex(a.config3, "config3", &out);
  AddHex(a.config4, "config4", &out);
  if (a.branch_sample_type != 0) {
    out["branch_sample_type"] =
        ListOf(BranchTypeBitNames(a.branch_sample_type));
  }
  AddHex(a.sample_regs_user, "sample_regs_user", &out);
  AddNonZero(a.sample_stack_user, "sample_stack_user", &out);
  if (a.use_clockid() || a.clockid != 0) out["clockid"] = a.clockid;
  AddHex(a.sample_regs_intr, "sample_regs_intr", &out);
  AddNonZero(a.aux_watermark, "aux_watermark", &out);
  AddNonZero(a.sample_max_stack, "sample_max_stack", &out);
  AddNonZero(a.aux_sample_size, "aux_sample_size", &out);
  AddHex(a.aux_action, "aux_action", &out);
  AddHex(a.sig_data, "sig_data", &out);
  out["attr_size"] = a.size;
  out["ids"] = InfoValue::List(e.ids.begin(), e.ids.end());
  return out;
}

InfoValue Groups(const RecordingInfo& info) {
  InfoValue::List groups;
  // An event is in at most one group, which bounds the members of damaged
  // groups.
  uint64_t left = info.events.size();
  for (const EventGroup& g : info.features.groups) {
    InfoValue v;
    v["name"] = g.name;
    InfoValue::List members;
    for (uint64_t i = g.leader; i < uint64_t{g.leader} + g.members &&
                                i < info.events.size() && left > 0;
         ++i, --left) {
      members.push_back(info.event_names[i]);
    }
    v["events"] = std::move(members);
    groups.push_back(std::move(v));
  }
  return groups;
}

InfoValue Compression(const RecordingInfo& info) {
  InfoValue out;
  if (const auto& c = info.features.compression) {
    out["method"] = c->type == 1 ? "zstd" : absl::StrCat("type ", c->type);
    out["level"] = c->level;
    out["ratio"] = c->ratio;
    out["mmap_size"] = c->mmap_len;
  }
  if (info.bytes.compressed > 0) {
    out["compressed_bytes"] = info.bytes.compressed;
    out["decompressed_bytes"] = info.bytes.decompressed;
  }
  return out;
}

InfoValue Features(const RecordingInfo& info, bool missing) {
  // The bitmap of a file also names features without data.
  std::vector<uint32_t> present = info.features.present;
  if (!info.header.features.empty()) present = info.header.features;
  InfoValue::List names;
  for (uint32_t i = 0; i < 256; ++i) {
    const bool has =
        std::find(present.begin(), present.end(), i) != present.end();
    const absl::string_view name = FeatureName(i);
    if (has == missing || (missing && (name.empty() || i > kFeatureClnSize))) {
      continue;
    }
    names.push_back(name.empty() ? absl::StrCat("feature ", i)
                                 : std::string(name));
  }
  return names;
}

InfoValue Records(const RecordingInfo& info) {
  InfoValue::List list;
  auto add = [&](uint32_t type, uint64_t count, uint64_t bytes) {
    InfoValue v;
    const absl::string_view name = RecordName(type);
    v["name"] = name.empty() ? absl::StrCat("type ", type) : std::string(name);
    v["type"] = type;
    v["count"] = count;
    v["bytes"] = bytes;
    list.push_back(std::move(v));
  };
  for (const auto& [type, r] : info.records) add(type, r.count, r.bytes);
  const ByteAccount& b = info.bytes;
  if (b.compressed_records > 0) {
    add(kRecordCompressed, b.compressed_records, b.compressed - b.compressed2);
  }
  if (b.compressed2_records > 0) {
    add(kRecordCompressed2, b.compressed2_records, b.compressed2);
  }
  return list;
}

void AddMembers(const InfoValue& from, InfoValue* out) {
  for (const auto& [key, value] : *from.object()) (*out)[key] = value;
}

}  // namespace

InfoValue DescribeHeader(const RecordingInfo& info) {
  const HeaderFeatures& f = info.features;
  InfoValue out;
  AddText(f.perf_version, "perf_version", &out);
  if (!f.command_line.empty()) out["command_line"] = ListOf(f.command_line);
  AddOptional(f.directory_version, "directory_version", &out);
  AddList(f.groups, "groups", &out, [](const EventGroup& group) {
    InfoValue v;
    v["name"] = group.name;
    v["leader"] = group.leader;
    v["members"] = group.members;
    return v;
  });
  AddMembers(DescribeHost(f), &out);
  AddMembers(Time(info), &out);
  AddMembers(Compression(info), &out);
  AddContents(info, &out);
  AddMembers(DescribeMachine(f), &out);
  return out;
}

InfoValue Describe(const RecordingInfo& info) {
  const HeaderFeatures& f = info.features;
  InfoValue out;
  out["input"] = info.name;
  out["container"] = Container(info);
  AddText(f.perf_version, "perf_version", &out);
  if (!f.command_line.empty()) out["command_line"] = ListOf(f.command_line);
  out["host"] = DescribeHost(f);
  out["time"] = Time(info);
  InfoValue compression = Compression(info);
  if (!compression.object()->empty()) {
    out["compression"] = std::move(compression);
  }
  InfoValue::List events;
  for (size_t i = 0; i < info.events.size(); ++i) {
    events.push_back(Event(info, i));
  }
  out["events"] = std::move(events);
  if (!f.groups.empty()) out["groups"] = Groups(info);
  out["records"] = Records(info);
  InfoValue& bytes = out["bytes"];
  bytes["data"] = info.bytes.data;
  bytes["payload"] = info.bytes.payload;
  bytes["damaged"] = info.bytes.damaged;
  InfoValue& lost = out["lost"];
  lost["records"] = info.lost_records;
  lost["samples"] = info.lost_samples;
  AddNonZero(info.dropped_samples, "samples_dropped_by_filter", &out);
  AddNonZero(info.samples_of_no_event, "samples_of_no_event", &out);
  out["features"] = Features(info, false);
  out["missing_features"] = Features(info, true);
  AddContents(info, &out);
  out["machine"] = DescribeMachine(f);
  return out;
}

}  // namespace perf2x
