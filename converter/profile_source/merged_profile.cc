// SPDX-License-Identifier: Apache-2.0
#include "converter/profile_source/merged_profile.h"

#include <string>
#include <utility>

#include "converter/base/status_macros.h"
#include "converter/profile_source/canonical_writer.h"
#include "converter/profile_source/label_bytes.h"
#include "converter/profile_source/profile_dso.h"
#include "converter/profile_source/profile_reader.h"

namespace perf2x {
namespace {

constexpr uint64_t kMergedMapping = 192, kMergedFunction = 96,
                   kMergedLocation = 96, kMergedLine = 24;
// Samples, of which one of many columns, labels or frames is worth more.
constexpr uint64_t kAccountEvery = 4096, kColumnsOfOne = 16, kLabelsOfOne = 16,
                   kFramesOfOne = 64;

}  // namespace

StringId MergedProfile::Intern(absl::string_view s) {
  const StringId id = strings_.Intern(s);
  while (merged_.strings.size() <= id) {
    merged_.strings.push_back(
        strings_[static_cast<StringId>(merged_.strings.size())]);
  }
  return id;
}

StringId MergedProfile::StringOf(const Profile& profile, StringIndex s,
                                 Translation* to) {
  StringId& id = to->strings[s];
  if (id == kNoId) id = Intern(profile[s]);
  return id;
}

absl::Status MergedProfile::Add(Profile* profile, SampleGate gate) {
  Translation to;
  to.strings.resize(profile->strings.size(), kNoId);
  to.functions.resize(profile->functions.size(), kNoId);
  to.locations.resize(profile->locations.size(), kNoId);
  Intern("");
  header_.Add(*profile);
  RETURN_IF_ERROR(AddColumns(*profile, &to));
  AddMappings(*profile, &to);
  ProfileSample sample;
  std::vector<uint64_t> locations;
  uint64_t unaccounted = 0;
  const absl::Status added =
      profile->samples.Drain([&](absl::Span<const uint8_t> message) {
        RETURN_IF_ERROR(sample.Decode(*profile, message));
        if (!gate(&sample)) return absl::OkStatus();
        locations.clear();
        for (const uint32_t location : sample.locations) {
          locations.push_back(LocationOf(*profile, location, &to));
        }
        sums_.Add(locations, LabelSetOf(*profile, sample, &to), to.columns,
                  sample.values);
        unaccounted += 1 + sums_.columns().size() / kColumnsOfOne +
                       sample.labels.size() / kLabelsOfOne +
                       locations.size() / kFramesOfOne;
        if (unaccounted < kAccountEvery) return absl::OkStatus();
        unaccounted = 0;
        return Account();
      });
  RETURN_IF_ERROR(added);
  return Account();
}

absl::Status MergedProfile::Account() {
  memory_.Set(strings_.memory() + label_sets_.memory() + sums_.memory() +
              merged_.mappings.size() * kMergedMapping +
              merged_.functions.size() * kMergedFunction +
              merged_.locations.size() * kMergedLocation +
              merged_.lines.size() * kMergedLine);
  return !budget_.exhausted()
             ? absl::OkStatus()
             : absl::ResourceExhaustedError(
                   "the merged profile needs more memory than inputs of this "
                   "size may take (see SECURITY.md)");
}

// A new column has a value for every stack: its memory is charged before.
absl::Status MergedProfile::AddColumns(const Profile& profile,
                                       Translation* to) {
  for (MergedHeader::Type& type : MergedHeader::TypesOf(profile)) {
    to->columns.push_back(sums_.ColumnOf(std::move(type)));
  }
  if (sums_.columns().size() > kMaxValueTypes) {
    return TooManyValueTypes("the merged profile would have");
  }
  RETURN_IF_ERROR(Account());
  sums_.FillColumns();
  return absl::OkStatus();
}

void MergedProfile::AddMappings(const Profile& profile, Translation* to) {
  for (const Profile::Mapping& mapping : profile.mappings) {
    Profile::Mapping of_all = mapping;
    of_all.filename = StringOf(profile, mapping.filename, to);
    of_all.build_id = StringOf(profile, mapping.build_id, to);
    const bool anywhere = IsInFile(KindOfMapping(profile[mapping.filename]));
    const auto [it, inserted] = mapping_ids_.try_emplace(
        {of_all.filename, of_all.build_id, mapping.offset,
         mapping.limit - mapping.start, anywhere ? 0 : mapping.start},
        static_cast<uint32_t>(merged_.mappings.size()));
    to->mappings.push_back(it->second);
    if (inserted) {
      merged_.mappings.push_back(of_all);
      continue;
    }
    Profile::Mapping& known = merged_.mappings[it->second];
    if (mapping.start < known.start) {
      known.start = mapping.start;
      known.limit = mapping.limit;
    }
    AddFlags(mapping, &known);
  }
  if (to->mappings.empty()) return;
  if (main_mapping_ == kNoId ||
      MappingBefore(merged_, to->mappings[0], main_mapping_)) {
    main_mapping_ = to->mappings[0];
  }
}

uint32_t MergedProfile::InternFunction(const FunctionKey& function) {
  const auto [it, inserted] = function_ids_.try_emplace(
      function, static_cast<uint32_t>(merged_.functions.size()));
  if (inserted) {
    Profile::Function& out = merged_.functions.emplace_back();
    std::tie(out.name, out.system_name, out.filename, out.start_line) =
        function;
  }
  return it->second;
}

uint32_t MergedProfile::FunctionOf(const Profile& profile, uint32_t function,
                                   Translation* to) {
  if (function == kNoId) return kNoId;
  uint32_t& id = to->functions[function];
  if (id == kNoId) {
    const Profile::Function& of_one = profile.functions[function];
    const StringId name = StringOf(profile, of_one.name, to);
    const StringId system_name = StringOf(profile, of_one.system_name, to);
    id = InternFunction({name, system_name,
                         StringOf(profile, of_one.filename, to),
                         of_one.start_line});
  }
  return id;
}

uint32_t MergedProfile::LocationOf(const Profile& profile, uint32_t location,
                                   Translation* to) {
  uint32_t& id = to->locations[location];
  if (id != kNoId) return id;
  const Profile::Location& of_one = profile.locations[location];
  Profile::Location out = of_one;
  if (of_one.mapping != kNoId) {
    out.mapping = to->mappings[of_one.mapping];
    out.address -= profile.mappings[of_one.mapping].start;
  }
  out.first_line = merged_.lines.size();
  for (const Profile::Line& line : profile.LinesOf(of_one)) {
    merged_.lines.push_back(
        {FunctionOf(profile, line.function, to), line.line, line.column});
  }
  merged_.locations.push_back(out);
  return id = InternLastLocation();
}

Hash128 MergedProfile::HashOf(const Profile::Location& location) const {
  std::vector<uint64_t> words = {
      location.mapping, location.address,
      uint64_t{location.line_count} << 1 | location.is_folded};
  for (const Profile::Line& line : merged_.LinesOf(location)) {
    words.insert(words.end(), {line.function, static_cast<uint64_t>(line.line),
                               static_cast<uint64_t>(line.column)});
  }
  return HashBytes({reinterpret_cast<const uint8_t*>(words.data()),
                    words.size() * sizeof(uint64_t)});
}

uint32_t MergedProfile::InternLastLocation() {
  const auto last = static_cast<uint32_t>(merged_.locations.size() - 1);
  const Profile::Location location = merged_.locations.back();
  const auto [it, inserted] = location_ids_.try_emplace(HashOf(location), last);
  if (!inserted) {
    merged_.locations.pop_back();
    merged_.lines.resize(location.first_line);
  }
  return it->second;
}

uint32_t MergedProfile::LabelSetOf(const Profile& profile,
                                   const ProfileSample& sample,
                                   Translation* to) {
  std::string bytes;
  for (const ProfileSample::Label& label : sample.labels) {
    AppendLabel(label, &bytes);
  }
  const StringId own = to->label_sets.Intern(bytes);
  if (own < to->merged_label_sets.size()) return to->merged_label_sets[own];
  std::vector<ProfileSample::Label> labels = sample.labels;
  for (ProfileSample::Label& label : labels) {
    label.key = StringOf(profile, label.key, to);
    label.str = StringOf(profile, label.str, to);
    label.num_unit = StringOf(profile, label.num_unit, to);
  }
  // Equal sets have to be equal bytes. CanonicalWriter orders the keys by text.
  SortByKey(&labels);
  std::string merged;
  for (const ProfileSample::Label& label : labels) AppendLabel(label, &merged);
  // Id 0 is the empty set, of which every table has one from the start.
  while (to->merged_label_sets.size() < own) {
    to->merged_label_sets.push_back(0);
  }
  to->merged_label_sets.push_back(label_sets_.Intern(merged));
  return to->merged_label_sets[own];
}

Profile MergedProfile::Header() {
  Profile header;
  const auto intern_type = [this](absl::string_view type,
                                  absl::string_view unit) {
    const StringId of_type = Intern(type);
    return Profile::ValueType{of_type, Intern(unit)};
  };
  for (const MergedHeader::Type& type : header_.types()) {
    header.sample_types.push_back(intern_type(type.type, type.unit));
  }
  if (const auto& type = header_.period_type(); type.has_value()) {
    header.period_type = intern_type(type->first, type->second);
  }
  for (const std::string& comment : header_.Comments()) {
    header.comments.push_back(Intern(comment));
  }
  header.default_sample_type = Intern(header_.default_type());
  header.drop_frames = Intern(header_.drop_frames());
  header.keep_frames = Intern(header_.keep_frames());
  header.doc_url = Intern(header_.doc_url());
  header.period = header_.period();
  header.time_nanos = header_.time_nanos();
  header.duration_nanos = header_.duration_nanos();
  return header;
}

absl::Status MergedProfile::Write(Output& output) {
  const Profile header = Header();
  return CanonicalWriter(*this, header, output).Write();
}

}  // namespace perf2x
