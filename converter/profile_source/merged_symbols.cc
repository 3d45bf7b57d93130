// SPDX-License-Identifier: Apache-2.0
//
// The part of MergedProfile that symbolizes.
#include <numeric>
#include <vector>

#include "converter/base/pprof_names.h"
#include "converter/profile_source/merged_profile.h"
#include "converter/profile_source/profile_dso.h"
#include "converter/profile_source/profile_trace.h"

namespace perf2x {

// Moves lines and functions to the returned profile, which has the locations
// without a symbol, with their run-time addresses. `location_of` returns their
// indexes here.
Profile MergedProfile::TakeUnsymbolized(std::vector<uint32_t>* location_of) {
  Profile part;
  part.strings = merged_.strings;
  part.mappings = merged_.mappings;
  part.lines.swap(merged_.lines);
  part.functions.swap(merged_.functions);
  std::vector<Dso> dsos;
  for (const Profile::Mapping& mapping : part.mappings) {
    dsos.push_back(DsoOfMapping(part, mapping));
  }
  for (uint32_t i = 0; i < merged_.locations.size(); ++i) {
    Profile::Location location = merged_.locations[i];
    if (location.mapping == kNoId ||
        !LacksSymbol(part, location, dsos[location.mapping])) {
      continue;
    }
    location.address += part.mappings[location.mapping].start;
    part.locations.push_back(location);
    location_of->push_back(i);
  }
  return part;
}

void MergedProfile::Symbolize(TraceTables& tables,
                              absl::FunctionRef<Symbolizer*()> files,
                              WorkerPool& workers) {
  std::vector<uint32_t> location_of;
  Profile part = TakeUnsymbolized(&location_of);
  if (!part.locations.empty()) {
    ProfileTrace trace(part, tables);
    trace.set_file_symbolizer(files());
    trace.InternAllFrames();
    tables.SymbolizeAllFrames(workers);
    part.lines.swap(merged_.lines);
    part.functions.swap(merged_.functions);
    if (trace.found_any()) SetSymbols(trace, tables, location_of);
    return;
  }
  part.lines.swap(merged_.lines);
  part.functions.swap(merged_.functions);
}

void MergedProfile::SetSymbols(const ProfileTrace& trace, TraceTables& tables,
                               absl::Span<const uint32_t> location_of) {
  location_now_.resize(merged_.locations.size());
  std::iota(location_now_.begin(), location_now_.end(), 0);
  std::vector<uint32_t> functions(tables.functions().size(), kNoId);
  std::vector<Profile::Mapping> found_in(tables.dsos().size());  // only flags
  for (uint32_t i = 0; i < location_of.size(); ++i) {
    if (!trace.FoundSymbol(i)) continue;
    const absl::Span<const Line> lines = tables.Lines(i);
    Profile::Location& location = merged_.locations[location_of[i]];
    location.first_line = merged_.lines.size();
    location.line_count = static_cast<uint32_t>(lines.size());
    Profile::Mapping& found = found_in[trace.dso_of_mapping(location.mapping)];
    found.has_functions = true;
    found.has_inline_frames |= lines.size() > 1;
    for (const Line& line : lines) {
      uint32_t& function = functions[line.function];
      const Function& from = tables.functions()[line.function];
      if (function == kNoId) function = InternSymbol(from, tables.strings);
      merged_.lines.push_back({function, line.line, 0});
      found.has_filenames |= from.file != 0;
      found.has_line_numbers |= line.line != 0;
    }
    location_now_[location_of[i]] =
        location_ids_.try_emplace(HashOf(location), location_of[i])
            .first->second;
  }
  for (uint32_t i = 0; i < merged_.mappings.size(); ++i) {
    AddFlags(found_in[trace.dso_of_mapping(i)], &merged_.mappings[i]);
  }
  sums_.ReplaceLocations(location_now_);
}

uint32_t MergedProfile::InternSymbol(const perf2x::Function& function,
                                     const StringTable& strings) {
  const absl::string_view name = strings[function.name];
  const bool hide =
      function.name == function.system_name && PprofWouldShorten(name);
  const StringId of_name = Intern(name);
  const StringId of_system = hide ? 0 : Intern(strings[function.system_name]);
  return InternFunction({of_name, of_system, Intern(strings[function.file]),
                         function.start_line});
}

}  // namespace perf2x
