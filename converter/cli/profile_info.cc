// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/profile_info.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "converter/base/budget.h"
#include "converter/base/status_macros.h"
#include "converter/convert/merge.h"
#include "converter/convert/profile_input.h"
#include "converter/inspect/info_value.h"
#include "converter/profile_source/merged_header.h"
#include "converter/profile_source/profile.h"

namespace perf2x {
namespace {

// A list has at most so many entries; a profile may have millions.
constexpr size_t kMaxListed = 10'000;

// What is known only when all samples are decoded.
struct SampleSums {
  std::vector<int64_t> values;     // by value type
  std::vector<uint64_t> labelled;  // labels, by the index of their key
};

absl::Status SumSamples(const Profile& profile, SampleSums* sums) {
  sums->values.resize(profile.sample_types.size());
  sums->labelled.resize(profile.strings.size());
  ProfileSample sample;
  return profile.samples.ForEach([&](absl::Span<const uint8_t> message) {
    RETURN_IF_ERROR(sample.Decode(profile, message));
    for (size_t i = 0; i < sample.values.size(); ++i) {
      sums->values[i] = AddValues(sums->values[i], sample.values[i]);
    }
    for (const ProfileSample::Label& label : sample.labels) {
      ++sums->labelled[label.key];
    }
    return absl::OkStatus();
  });
}

InfoValue Values(const Profile& profile, const SampleSums& sums) {
  InfoValue::List list;
  for (size_t i = 0; i < profile.sample_types.size(); ++i) {
    const Profile::ValueType& type = profile.sample_types[i];
    InfoValue entry;
    entry["type"] = profile[type.type];
    entry["unit"] = profile[type.unit];
    entry["sum"] = std::to_string(sums.values[i]);
    entry["default"] = profile.default_sample_type == 0
                           ? i + 1 == profile.sample_types.size()
                           : type.type == profile.default_sample_type;
    list.push_back(std::move(entry));
  }
  return list;
}

InfoValue Labels(const Profile& profile, const SampleSums& sums) {
  InfoValue::List list;
  for (size_t key = 0; key < sums.labelled.size(); ++key) {
    if (sums.labelled[key] == 0 || list.size() == kMaxListed) continue;
    InfoValue entry;
    entry["key"] = profile.strings[key];
    entry["labels"] = sums.labelled[key];
    list.push_back(std::move(entry));
  }
  return list;
}

InfoValue Mappings(const Profile& profile) {
  InfoValue::List list;
  for (const Profile::Mapping& mapping : profile.mappings) {
    if (list.size() == kMaxListed) break;
    InfoValue entry;
    entry["file"] = profile[mapping.filename];
    entry["build_id"] = profile[mapping.build_id];
    entry["size"] = mapping.limit - mapping.start;
    entry["offset"] = mapping.offset;
    entry["functions"] = mapping.has_functions;
    entry["lines"] = mapping.has_line_numbers;
    entry["inlined"] = mapping.has_inline_frames;
    list.push_back(std::move(entry));
  }
  return list;
}

InfoValue Describe(const std::string& name, const Profile& profile,
                   const SampleSums& sums) {
  InfoValue out;
  out["input"] = name;
  out["kind"] = "pprof profile";
  InfoValue::List comments;
  for (const StringIndex comment : profile.comments) {
    if (comments.size() < kMaxListed) comments.push_back(profile[comment]);
  }
  if (!comments.empty()) out["comments"] = std::move(comments);
  InfoValue time;
  time["since_1970_ns"] = std::to_string(profile.time_nanos);
  time["duration_ns"] = std::to_string(profile.duration_nanos);
  out["time"] = std::move(time);
  if (profile.period_type.has_value()) {
    InfoValue period;
    period["type"] = profile[profile.period_type->type];
    period["unit"] = profile[profile.period_type->unit];
    period["value"] = std::to_string(profile.period);
    out["period"] = std::move(period);
  }
  InfoValue counts;
  counts["samples"] = profile.samples.size();
  counts["locations"] = uint64_t{profile.locations.size()};
  counts["functions"] = uint64_t{profile.functions.size()};
  counts["strings"] = uint64_t{profile.strings.size()};
  out["counts"] = std::move(counts);
  out["values"] = Values(profile, sums);
  out["labels"] = Labels(profile, sums);
  out["mappings"] = Mappings(profile);
  return out;
}

}  // namespace

absl::Status WriteProfileInfo(Input input, bool json, Output& output) {
  Budget budget;
  input.AddSizesTo(&budget);
  const std::string name = input.name;
  ByteAccount bytes;
  const auto profile = ReadProfileInput(std::move(input), budget, &bytes);
  if (!profile.ok()) return WithInputName(name, profile.status());
  SampleSums sums;
  if (const absl::Status read = SumSamples(*profile, &sums); !read.ok()) {
    return WithInputName(name, read);
  }
  const InfoValue value = Describe(name, *profile, sums);
  return output.Write(json ? ToJson(value) : ToText(value));
}

}  // namespace perf2x
