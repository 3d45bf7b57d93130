// SPDX-License-Identifier: Apache-2.0
#include "converter/profile_source/symbolized_profile.h"

#include <algorithm>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "converter/base/pprof_names.h"
#include "converter/base/status_macros.h"
#include "converter/model/symbol_facts.h"

namespace perf2x {
namespace {

// A string table that begins with strings of another profile, under their
// indexes there.
class NewStrings {
 public:
  void Keep(absl::string_view s) {
    indexes_.try_emplace(s, static_cast<StringIndex>(strings_.size()));
    strings_.push_back(s);
  }
  // Returns the index of `s`, which must outlive this.
  StringIndex IndexOf(absl::string_view s) {
    const auto [it, inserted] =
        indexes_.try_emplace(s, static_cast<StringIndex>(strings_.size()));
    if (inserted) strings_.push_back(s);
    return it->second;
  }
  const std::vector<absl::string_view>& strings() const { return strings_; }

 private:
  std::vector<absl::string_view> strings_;
  absl::flat_hash_map<absl::string_view, StringIndex> indexes_;
};

class SymbolizedWriter {
 public:
  SymbolizedWriter(const Profile& profile, const ProfileTrace& trace,
                   TraceTables& tables, SampleGate gate, Output& output)
      : profile_(profile),
        trace_(trace),
        tables_(tables),
        gate_(gate),
        to_(output) {}

  absl::Status Write();

 private:
  absl::Status WriteSamples();
  void NoteLines();
  absl::Status WriteFunctions();
  absl::Status WriteLocations();
  absl::Status WriteMappings();
  absl::Status WriteHeader();
  // Returns true if the location has lines in the new profile.
  bool HasLines(uint32_t location) const {
    return profile_.locations[location].line_count > 0 ||
           trace_.FoundSymbol(location);
  }
  StringIndex NewString(StringIndex s) { return strings_.IndexOf(profile_[s]); }
  Profile::ValueType NewType(const Profile::ValueType& type) {
    const StringIndex name = NewString(type.type);
    return {name, NewString(type.unit)};
  }

  const Profile& profile_;
  const ProfileTrace& trace_;
  TraceTables& tables_;
  const SampleGate gate_;
  ProfileEncoder to_;
  NewStrings strings_;
  std::vector<uint64_t> id_of_;     // by FunctionId; 0: not used
  std::vector<SymbolFacts> found_;  // by DSO
};

// Also keeps the strings of labels, which come first in the profiles of the
// pprof emitter.
absl::Status SymbolizedWriter::WriteSamples() {
  ProfileSample sample;
  StringIndex last = 0;
  const absl::Status read =
      profile_.samples.ForEach([&](absl::Span<const uint8_t> message) {
        RETURN_IF_ERROR(sample.Decode(profile_, message));
        if (!gate_(&sample)) return absl::OkStatus();
        for (const ProfileSample::Label& label : sample.labels) {
          last = std::max({last, label.key, label.str, label.num_unit});
        }
        return to_.Sample(sample, [&](uint32_t location) {
          return profile_.locations[location].id;
        });
      });
  RETURN_IF_ERROR(read);
  for (StringIndex i = 0; i <= last; ++i) strings_.Keep(profile_[i]);
  return absl::OkStatus();
}

void SymbolizedWriter::NoteLines() {
  id_of_.resize(tables_.functions().size());
  found_.resize(tables_.dsos().size());
  for (uint32_t i = 0; i < profile_.locations.size(); ++i) {
    if (!HasLines(i)) continue;
    const absl::Span<const Line> lines = tables_.Lines(i);
    for (const Line& line : lines) id_of_[line.function] = 1;
    if (!trace_.FoundSymbol(i)) continue;
    found_[tables_.frames()[i].dso].Add(tables_, lines);
  }
}

absl::Status SymbolizedWriter::WriteFunctions() {
  uint64_t last = 0;
  for (FunctionId i = 0; i < id_of_.size(); ++i) {
    if (id_of_[i] == 0) continue;
    id_of_[i] = ++last;
    const Function& function = tables_.functions()[i];
    const absl::string_view name = tables_.strings[function.name];
    const bool hide =
        function.name == function.system_name && PprofWouldShorten(name);
    Profile::Function out;
    out.id = last;
    out.name = strings_.IndexOf(name);
    out.system_name =
        hide ? 0 : strings_.IndexOf(tables_.strings[function.system_name]);
    out.filename = strings_.IndexOf(tables_.strings[function.file]);
    out.start_line = function.start_line;
    RETURN_IF_ERROR(to_.Function(out));
  }
  return absl::OkStatus();
}

absl::Status SymbolizedWriter::WriteLocations() {
  std::vector<Profile::Line> lines;
  for (uint32_t i = 0; i < profile_.locations.size(); ++i) {
    const Profile::Location& location = profile_.locations[i];
    lines.clear();
    if (HasLines(i)) {
      for (const Line& line : tables_.Lines(i)) {
        lines.push_back({line.function, line.line, 0});
      }
    }
    // The numbers of lines that the profile has itself, and columns.
    if (!trace_.FoundSymbol(i) && lines.size() == location.line_count) {
      for (size_t k = 0; k < lines.size(); ++k) {
        lines[k].line = profile_.LinesOf(location)[k].line;
        lines[k].column = profile_.LinesOf(location)[k].column;
      }
    }
    RETURN_IF_ERROR(to_.Location(
        location,
        location.mapping == kNoId ? 0 : profile_.mappings[location.mapping].id,
        lines,
        [&](const Profile::Line& line) { return id_of_[line.function]; }));
  }
  return absl::OkStatus();
}

absl::Status SymbolizedWriter::WriteMappings() {
  for (uint32_t i = 0; i < profile_.mappings.size(); ++i) {
    Profile::Mapping mapping = profile_.mappings[i];
    const SymbolFacts& found = found_[trace_.dso_of_mapping(i)];
    mapping.filename = NewString(mapping.filename);
    mapping.build_id = NewString(mapping.build_id);
    mapping.has_functions |= found.has_functions;
    mapping.has_filenames |= found.has_filenames;
    mapping.has_line_numbers |= found.has_line_numbers;
    mapping.has_inline_frames |= found.has_inline_frames;
    RETURN_IF_ERROR(to_.Mapping(mapping));
  }
  return absl::OkStatus();
}

absl::Status SymbolizedWriter::WriteHeader() {
  Profile header;
  for (const Profile::ValueType& type : profile_.sample_types) {
    header.sample_types.push_back(NewType(type));
  }
  header.default_sample_type = NewString(profile_.default_sample_type);
  if (profile_.period_type.has_value()) {
    header.period_type = NewType(*profile_.period_type);
  }
  header.period = profile_.period;
  header.time_nanos = profile_.time_nanos;
  header.duration_nanos = profile_.duration_nanos;
  for (const StringIndex comment : profile_.comments) {
    header.comments.push_back(NewString(comment));
  }
  header.drop_frames = NewString(profile_.drop_frames);
  header.keep_frames = NewString(profile_.keep_frames);
  header.doc_url = NewString(profile_.doc_url);
  return to_.Header(header);
}

absl::Status SymbolizedWriter::Write() {
  RETURN_IF_ERROR(WriteSamples());
  NoteLines();
  RETURN_IF_ERROR(WriteFunctions());
  RETURN_IF_ERROR(WriteLocations());
  RETURN_IF_ERROR(WriteMappings());
  RETURN_IF_ERROR(WriteHeader());
  for (const absl::string_view text : strings_.strings()) {
    RETURN_IF_ERROR(to_.String(text));
  }
  return to_.Flush();
}

}  // namespace

absl::Status WriteSymbolizedProfile(const Profile& profile,
                                    const ProfileTrace& trace,
                                    TraceTables& tables, SampleGate gate,
                                    Output& output) {
  return SymbolizedWriter(profile, trace, tables, gate, output).Write();
}

}  // namespace perf2x
