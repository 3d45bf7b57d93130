// SPDX-License-Identifier: Apache-2.0
#include "converter/profile_source/canonical_writer.h"

#include <algorithm>
#include <compare>
#include <string>
#include <tuple>

#include "converter/base/byte_order.h"
#include "converter/base/status_macros.h"
#include "converter/profile_source/label_bytes.h"
#include "converter/profile_source/profile_dso.h"

namespace perf2x {
namespace {

auto KeyOf(const Profile& profile, const Profile::Mapping& mapping) {
  const absl::string_view name = profile[mapping.filename];
  return std::tuple(name, profile[mapping.build_id], mapping.offset,
                    mapping.limit - mapping.start,
                    IsInFile(KindOfMapping(name)) ? 0 : mapping.start);
}

void AppendBigEndian(uint64_t number, int bytes, std::string* to) {
  for (int i = bytes; i-- > 0;)
    to->push_back(static_cast<char>(number >> 8 * i));
}

}  // namespace

bool MappingBefore(const Profile& profile, uint32_t a, uint32_t b) {
  return KeyOf(profile, profile.mappings[a]) <
         KeyOf(profile, profile.mappings[b]);
}

CanonicalWriter::CanonicalWriter(const MergedProfile& merged,
                                 const Profile& header, Output& output)
    : merged_(merged), tables_(merged.merged_), header_(header), to_(output) {
  type_of_.resize(merged.sums_.columns().size());
  for (const auto& [type, column] : merged.sums_.columns()) {
    type_of_[column] = merged.header_.IndexOf(type);
  }
}

template <class Before>
void CanonicalWriter::Order::Sort(size_t size, Before before) {
  std::sort(ids.begin(), ids.end(), before);
  place_of.assign(size, 0);
  for (uint32_t i = 0; i < ids.size(); ++i) place_of[ids[i]] = i;
}

absl::Status CanonicalWriter::Write() {
  // Locations that Symbolize() has made equal to others are left out.
  for (uint32_t i = 0; i < tables_.locations.size(); ++i) {
    if (merged_.location_now_.empty() || merged_.location_now_[i] == i) {
      locations_.ids.push_back(i);
    }
  }
  std::vector<bool> used(tables_.functions.size());
  for (const uint32_t i : locations_.ids) {
    for (const Profile::Line& line : tables_.LinesOf(tables_.locations[i])) {
      if (line.function != kNoId) used[line.function] = true;
    }
  }
  for (uint32_t i = 0; i < used.size(); ++i) {
    if (used[i]) functions_.ids.push_back(i);
  }
  for (uint32_t i = 0; i < tables_.mappings.size(); ++i) {
    mappings_.ids.push_back(i);
  }
  OrderStrings();
  OrderMappings();
  OrderFunctions();
  OrderLocations();
  OrderLabelSets();
  RETURN_IF_ERROR(WriteSamples());
  RETURN_IF_ERROR(WriteCode());
  RETURN_IF_ERROR(WriteHeader());
  RETURN_IF_ERROR(WriteStrings());
  return to_.Flush();
}

void CanonicalWriter::OrderStrings() {
  std::vector<bool> used(tables_.strings.size());
  const auto use = [&](StringId id) { used[id] = true; };
  use(0);
  for (const uint32_t i : functions_.ids) {
    const Profile::Function& function = tables_.functions[i];
    use(function.name);
    use(function.system_name);
    use(function.filename);
  }
  for (const Profile::Mapping& mapping : tables_.mappings) {
    use(mapping.filename);
    use(mapping.build_id);
  }
  for (StringId set = 0; set < merged_.label_sets_.size(); ++set) {
    ForEachLabel(merged_.label_sets_[set], [&](const auto& label) {
      use(label.key);
      use(label.str);
      use(label.num_unit);
    });
  }
  for (const Profile::ValueType& type : header_.sample_types) {
    use(type.type);
    use(type.unit);
  }
  if (header_.period_type.has_value()) {
    use(header_.period_type->type);
    use(header_.period_type->unit);
  }
  for (const StringIndex comment : header_.comments) use(comment);
  use(header_.default_sample_type);
  use(header_.drop_frames);
  use(header_.keep_frames);
  use(header_.doc_url);
  for (StringId i = 0; i < used.size(); ++i) {
    if (used[i]) strings_.ids.push_back(i);
  }
  strings_.Sort(used.size(), [&](StringId a, StringId b) {
    return tables_.strings[a] < tables_.strings[b];
  });
}

// The program's mapping comes first, as pprof takes the first one for it.
void CanonicalWriter::OrderMappings() {
  const uint32_t main = merged_.main_mapping_;
  mappings_.Sort(tables_.mappings.size(), [&](uint32_t a, uint32_t b) {
    if (a == main || b == main) return a == main && b != main;
    return MappingBefore(tables_, a, b);
  });
}

void CanonicalWriter::OrderFunctions() {
  const auto key = [&](uint32_t i) {
    const Profile::Function& function = tables_.functions[i];
    return std::tuple(strings_.place_of[function.name],
                      strings_.place_of[function.system_name],
                      strings_.place_of[function.filename],
                      function.start_line);
  };
  functions_.Sort(tables_.functions.size(),
                  [&](uint32_t a, uint32_t b) { return key(a) < key(b); });
}

bool CanonicalWriter::LocationBefore(uint32_t a, uint32_t b) const {
  const Profile::Location& x = tables_.locations[a];
  const Profile::Location& y = tables_.locations[b];
  const auto key = [&](const Profile::Location& location) {
    return std::tuple(location.mapping == kNoId
                          ? 0
                          : mappings_.place_of[location.mapping] + 1,
                      location.address, location.is_folded);
  };
  if (key(x) != key(y)) return key(x) < key(y);
  const auto line_key = [&](const Profile::Line& line) {
    return std::tuple(
        line.function == kNoId ? 0 : functions_.place_of[line.function] + 1,
        line.line, line.column);
  };
  const auto of_x = tables_.LinesOf(x), of_y = tables_.LinesOf(y);
  return std::lexicographical_compare(
      of_x.begin(), of_x.end(), of_y.begin(), of_y.end(),
      [&](const Profile::Line& m, const Profile::Line& n) {
        return line_key(m) < line_key(n);
      });
}

void CanonicalWriter::OrderLocations() {
  locations_.Sort(tables_.locations.size(),
                  [&](uint32_t a, uint32_t b) { return LocationBefore(a, b); });
}

void CanonicalWriter::SetLabels(StringId set) {
  sample_.labels.clear();
  ForEachLabel(merged_.label_sets_[set], [&](ProfileSample::Label label) {
    label.key = strings_.place_of[label.key];
    label.str = strings_.place_of[label.str];
    label.num_unit = strings_.place_of[label.num_unit];
    sample_.labels.push_back(label);
  });
  // As places are in the order of texts.
  SortByKey(&sample_.labels);
}

void CanonicalWriter::OrderLabelSets() {
  const StringTable& sets = merged_.label_sets_;
  std::vector<std::string> keys(sets.size());
  for (StringId set = 0; set < sets.size(); ++set) {
    SetLabels(set);
    for (const ProfileSample::Label& label : sample_.labels) {
      std::string* const key = &keys[set];
      AppendBigEndian(label.key, 4, key);
      AppendBigEndian(label.str, 4, key);
      AppendBigEndian(label.num_unit, 4, key);
      AppendBigEndian(static_cast<uint64_t>(label.num) ^ uint64_t{1} << 63, 8,
                      key);
    }
    label_sets_.ids.push_back(set);
  }
  label_sets_.Sort(sets.size(),
                   [&](StringId a, StringId b) { return keys[a] < keys[b]; });
}

uint64_t CanonicalWriter::PlaceIn(absl::Span<const uint8_t> chain,
                                  size_t i) const {
  if (i >= chain.size() / 8) return 0;
  const auto id = Load<uint64_t>(&chain[i * 8], kHostOrder);
  return uint64_t{locations_.place_of[id]} + 1;
}

CanonicalWriter::Samples CanonicalWriter::OrderSamples() {
  const StackTable& stacks = merged_.sums_.stacks();
  Samples samples, scratch;
  samples.reserve(stacks.size());
  for (StackId i = 0; i < stacks.size(); ++i) {
    const absl::Span<const uint8_t> chain = stacks.callchain(i, &room_);
    samples.push_back({PlaceIn(chain, 0) << 32 | PlaceIn(chain, 1), i});
  }
  RadixSort(&samples, &scratch);
  return samples;
}

void CanonicalWriter::OrderRun(const Run& run) {
  std::vector<Run> runs = {run};
  while (!runs.empty()) {
    const Run next = runs.back();
    runs.pop_back();
    OrderByNextFrames(next, &runs);
  }
}

// Orders the samples of a run by their next frames, as many as fit: stacks
// share their frames, and may be much larger here than in the table. Appends
// the runs of samples that are still equal.
void CanonicalWriter::OrderByNextFrames(const Run& run,
                                        std::vector<Run>* equal) {
  constexpr size_t kMaxPlaces = 1 << 20, kMinFrames = 64;
  const StackTable& stacks = merged_.sums_.stacks();
  const size_t next =
      run.frames + std::max(kMaxPlaces / run.samples.size(), kMinFrames);
  struct Part {
    size_t begin, end;  // in `places`
    bool continues;     // the stack has more frames
    uint32_t label_set;
    StackId id;
  };
  std::vector<uint32_t> places;
  std::vector<Part> parts;
  for (const Keyed<StackId>& item : run.samples) {
    const absl::Span<const uint8_t> chain =
        stacks.callchain(item.value, &room_);
    const size_t begin = places.size(), frames = chain.size() / 8;
    for (size_t i = run.frames; i < std::min(frames, next); ++i) {
      places.push_back(static_cast<uint32_t>(PlaceIn(chain, i)));
    }
    parts.push_back({begin, places.size(), next < frames,
                     label_sets_.place_of[stacks.address_space(item.value)],
                     item.value});
  }
  const auto compare = [&](const Part& a, const Part& b) {
    const uint32_t* const at = places.data();
    const auto compared = std::lexicographical_compare_three_way(
        at + a.begin, at + a.end, at + b.begin, at + b.end);
    return compared != 0 ? compared : a.continues <=> b.continues;
  };
  std::sort(parts.begin(), parts.end(), [&](const Part& a, const Part& b) {
    const auto compared = compare(a, b);
    return compared != 0 ? compared < 0 : a.label_set < b.label_set;
  });
  for (size_t i = 0; i < parts.size(); ++i) run.samples[i].value = parts[i].id;
  for (size_t begin = 0, end; begin < parts.size(); begin = end) {
    end = begin + 1;
    while (end < parts.size() && compare(parts[begin], parts[end]) == 0) ++end;
    if (parts[begin].continues && end - begin > 1) {
      equal->push_back({run.samples.subspan(begin, end - begin), next});
    }
  }
}

absl::Status CanonicalWriter::WriteSamples() {
  Samples samples = OrderSamples();
  for (size_t begin = 0, end; begin < samples.size(); begin = end) {
    end = begin + 1;
    while (end < samples.size() && samples[end].key == samples[begin].key) {
      ++end;
    }
    const auto run = absl::MakeSpan(samples).subspan(begin, end - begin);
    if (run.size() > 1) OrderRun({run, 2});
    for (const Keyed<StackId>& sample : run) {
      RETURN_IF_ERROR(WriteSample(sample.value));
    }
  }
  return absl::OkStatus();
}

absl::Status CanonicalWriter::WriteSample(StackId stack) {
  const absl::Span<const uint8_t> chain =
      merged_.sums_.stacks().callchain(stack, &room_);
  sample_.locations.clear();
  for (size_t i = 0; i < chain.size() / 8; ++i) {
    sample_.locations.push_back(static_cast<uint32_t>(PlaceIn(chain, i)));
  }
  sample_.values.assign(header_.sample_types.size(), 0);
  for (size_t column = 0; column < type_of_.size(); ++column) {
    int64_t& sum = sample_.values[type_of_[column]];
    sum = AddValues(sum, merged_.sums_.value(column, stack));
  }
  SetLabels(merged_.sums_.stacks().address_space(stack));
  return to_.Sample(sample_, [](uint32_t place) { return place; });
}

absl::Status CanonicalWriter::WriteCode() {
  for (uint32_t place = 0; place < functions_.ids.size(); ++place) {
    Profile::Function function = tables_.functions[functions_.ids[place]];
    function.id = uint64_t{place} + 1;
    function.name = strings_.place_of[function.name];
    function.system_name = strings_.place_of[function.system_name];
    function.filename = strings_.place_of[function.filename];
    RETURN_IF_ERROR(to_.Function(function));
  }
  for (uint32_t place = 0; place < locations_.ids.size(); ++place) {
    Profile::Location location = tables_.locations[locations_.ids[place]];
    location.id = uint64_t{place} + 1;
    uint64_t mapping = 0;
    if (location.mapping != kNoId) {
      mapping = uint64_t{mappings_.place_of[location.mapping]} + 1;
      location.address += tables_.mappings[location.mapping].start;
    }
    RETURN_IF_ERROR(to_.Location(
        location, mapping, tables_.LinesOf(location),
        [&](const Profile::Line& line) {
          return line.function == kNoId
                     ? 0
                     : uint64_t{functions_.place_of[line.function]} + 1;
        }));
  }
  for (uint32_t place = 0; place < mappings_.ids.size(); ++place) {
    Profile::Mapping mapping = tables_.mappings[mappings_.ids[place]];
    mapping.id = uint64_t{place} + 1;
    mapping.filename = strings_.place_of[mapping.filename];
    mapping.build_id = strings_.place_of[mapping.build_id];
    RETURN_IF_ERROR(to_.Mapping(mapping));
  }
  return absl::OkStatus();
}

absl::Status CanonicalWriter::WriteHeader() {
  Profile header;
  const auto type = [&](const Profile::ValueType& of_all) {
    return Profile::ValueType{strings_.place_of[of_all.type],
                              strings_.place_of[of_all.unit]};
  };
  for (const Profile::ValueType& of_all : header_.sample_types) {
    header.sample_types.push_back(type(of_all));
  }
  if (header_.period_type.has_value()) {
    header.period_type = type(*header_.period_type);
  }
  for (const StringIndex comment : header_.comments) {
    header.comments.push_back(strings_.place_of[comment]);
  }
  header.default_sample_type = strings_.place_of[header_.default_sample_type];
  header.drop_frames = strings_.place_of[header_.drop_frames];
  header.keep_frames = strings_.place_of[header_.keep_frames];
  header.doc_url = strings_.place_of[header_.doc_url];
  header.period = header_.period;
  header.time_nanos = header_.time_nanos;
  header.duration_nanos = header_.duration_nanos;
  return to_.Header(header);
}

absl::Status CanonicalWriter::WriteStrings() {
  for (const StringId id : strings_.ids) {
    RETURN_IF_ERROR(to_.String(tables_.strings[id]));
  }
  return absl::OkStatus();
}

}  // namespace perf2x
