// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/pprof/pprof_code.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "converter/base/pprof_names.h"
#include "converter/base/status_macros.h"
#include "converter/model/symbol_facts.h"
#include "profile.pb.h"

namespace perf2x {
namespace {

namespace pb = perftools::profiles;

class CodeWriter {
 public:
  CodeWriter(TraceTables& tables, UsedStrings& strings, PprofWriter& writer)
      : tables_(tables),
        strings_(strings),
        writer_(writer),
        found_(tables.dsos().size()),
        id_of_(tables.mappings().size()) {}

  absl::Status WriteFunctions();
  void UseMappingOf(DsoId main_dso);
  absl::Status WriteLocations();
  absl::Status WriteMappings();

 private:
  uint64_t IdOf(MappingId mapping) {
    if (id_of_[mapping] == 0) {
      used_.push_back(mapping);
      id_of_[mapping] = used_.size();
    }
    return id_of_[mapping];
  }

  TraceTables& tables_;
  UsedStrings& strings_;
  PprofWriter& writer_;
  // By DSO. If a mapping has no functions, files and lines, pprof replaces all
  // of its names by those that its own tools find.
  std::vector<SymbolFacts> found_;
  std::vector<uint64_t> id_of_;  // by mapping; 0: not used
  std::vector<MappingId> used_;  // in order of their ids
};

absl::Status CodeWriter::WriteFunctions() {
  uint64_t id = 0;
  for (const Function& function : tables_.functions()) {
    const bool hide = function.name == function.system_name &&
                      PprofWouldShorten(tables_.strings[function.name]);
    const int64_t name = strings_.IndexOf(function.name);
    const int64_t system_name =
        hide ? 0 : strings_.IndexOf(function.system_name);
    const int64_t file = strings_.IndexOf(function.file);
    RETURN_IF_ERROR(
        writer_.Function(++id, name, system_name, file, function.start_line));
  }
  return absl::OkStatus();
}

void CodeWriter::UseMappingOf(DsoId main_dso) {
  const auto frame =
      std::find_if(tables_.frames().begin(), tables_.frames().end(),
                   [&](const Frame& f) { return f.dso == main_dso; });
  if (frame != tables_.frames().end()) {
    IdOf(frame->mapping);
    return;
  }
  const auto mapping =
      std::find_if(tables_.mappings().begin(), tables_.mappings().end(),
                   [&](const Mapping& m) { return m.dso == main_dso; });
  if (mapping != tables_.mappings().end()) {
    IdOf(static_cast<MappingId>(mapping - tables_.mappings().begin()));
  }
}

absl::Status CodeWriter::WriteLocations() {
  for (FrameId i = 0; i < tables_.frames().size(); ++i) {
    tables_.PrefetchLines(i);
    const Frame& frame = tables_.frames()[i];
    const Mapping& mapping = tables_.mappings()[frame.mapping];
    const DsoKind kind = tables_.dsos()[frame.dso].kind;
    const bool in_file = kind == DsoKind::kFile || kind == DsoKind::kVdso;
    const absl::Span<const Line> lines = tables_.Lines(i);
    if (tables_.IsSymbolized(i)) found_[frame.dso].Add(tables_, lines);
    RETURN_IF_ERROR(writer_.Location(
        uint64_t{i} + 1, IdOf(frame.mapping),
        in_file ? mapping.start + (frame.address - mapping.offset)
                : frame.address,
        lines));
  }
  return absl::OkStatus();
}

absl::Status CodeWriter::WriteMappings() {
  for (MappingId i : used_) {
    const Mapping& mapping = tables_.mappings()[i];
    const Dso& file = tables_.dsos()[mapping.dso];
    const SymbolFacts& found = found_[mapping.dso];
    pb::Mapping to;
    to.set_id(id_of_[i]);
    to.set_memory_start(mapping.start);
    to.set_memory_limit(mapping.limit);
    to.set_file_offset(mapping.offset);
    to.set_filename(strings_.IndexOf(file.name));
    to.set_build_id(strings_.IndexOf(file.build_id.Hex()));
    to.set_has_functions(found.has_functions);
    to.set_has_filenames(found.has_filenames);
    to.set_has_line_numbers(found.has_line_numbers);
    to.set_has_inline_frames(found.has_inline_frames);
    RETURN_IF_ERROR(writer_.Message(pb::Profile::kMappingFieldNumber, to));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status WritePprofCode(DsoId main_dso, TraceTables& tables,
                            UsedStrings& strings, PprofWriter& writer) {
  CodeWriter code(tables, strings, writer);
  RETURN_IF_ERROR(code.WriteFunctions());
  code.UseMappingOf(main_dso);
  RETURN_IF_ERROR(code.WriteLocations());
  return code.WriteMappings();
}

}  // namespace perf2x
