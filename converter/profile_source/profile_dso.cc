// SPDX-License-Identifier: Apache-2.0
#include "converter/profile_source/profile_dso.h"

#include <algorithm>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "converter/model/trace_tables.h"

namespace perf2x {
namespace {

struct NamedKind {
  absl::string_view prefix;
  DsoKind kind;
};
// Names that begin so; the first entry that fits counts.
constexpr NamedKind kKinds[] = {
    {"[kernel", DsoKind::kKernel},    {"[guest.kernel", DsoKind::kGuestKernel},
    {"[guest]", DsoKind::kGuestUser}, {"[hypervisor]", DsoKind::kHypervisor},
    {"[vdso", DsoKind::kVdso},        {"[jit]", DsoKind::kGenerated},
    {"[bpf]", DsoKind::kGenerated},   {"[truncated]", DsoKind::kMarker},
    {"[unknown]", DsoKind::kUnknown}, {"[anon", DsoKind::kAnonymous},
    {"[heap]", DsoKind::kAnonymous},  {"[stack", DsoKind::kAnonymous},
    {"//anon", DsoKind::kAnonymous},  {"[", DsoKind::kKernelModule},
};

// Names of code and paths of files in a recording have at most 4096 bytes, and
// any number of locations may have a longer one.
constexpr size_t kMaxPlaceholder = 4096 + 2;

BuildId ParseBuildId(absl::string_view hex) {
  if (hex.size() % 2 != 0 ||
      !std::all_of(hex.begin(), hex.end(), absl::ascii_isxdigit)) {
    return BuildId();
  }
  const std::string bytes = absl::HexStringToBytes(hex);
  return BuildId(absl::Span<const uint8_t>(
      reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()));
}

// Returns true if `name` is PlaceholderName(dso). Makes no copy.
bool IsPlaceholderOf(const Dso& dso, absl::string_view name) {
  const absl::string_view path = dso.name;
  if (path.empty()) return name == "[unknown]";
  if (path.front() == '[') return name == path;
  if (!absl::ConsumePrefix(&name, "[") || !absl::ConsumeSuffix(&name, "]") ||
      name.find('/') != name.npos || !absl::EndsWith(path, name)) {
    return false;
  }
  return path.size() == name.size() ||
         path[path.size() - name.size() - 1] == '/';
}

}  // namespace

DsoKind KindOfMapping(absl::string_view name) {
  if (name.empty()) return DsoKind::kUnknown;
  for (const NamedKind& named : kKinds) {
    if (absl::StartsWith(name, named.prefix)) return named.kind;
  }
  for (const absl::string_view suffix :
       {".ko", ".ko.gz", ".ko.xz", ".ko.zst"}) {
    if (absl::EndsWith(name, suffix)) return DsoKind::kKernelModule;
  }
  return DsoKind::kFile;
}

Dso DsoOfMapping(const Profile& profile, const Profile::Mapping& mapping) {
  Dso dso;
  dso.name = std::string(profile[mapping.filename]);
  dso.build_id = ParseBuildId(profile[mapping.build_id]);
  dso.kind = KindOfMapping(dso.name);
  switch (dso.kind) {
    case DsoKind::kUnknown:
      dso.name = "[unknown]";
      break;
    case DsoKind::kKernelModule:
      dso.start = mapping.start;
      break;
    case DsoKind::kVdso:
      dso.below_4g = mapping.limit <= uint64_t{1} << 32;
      break;
    case DsoKind::kKernel:
      // docs/pprof.md: file_offset is the address of the reference symbol.
      // perf takes _stext only where there is no _text.
      if (mapping.offset != 0) {
        dso.reference_symbol = "_text";
        dso.reference_address = mapping.offset;
      }
      break;
    default:
      break;
  }
  return dso;
}

bool LacksSymbol(const Profile& profile, const Profile::Location& location,
                 const Dso& dso) {
  const absl::Span<const Profile::Line> lines = profile.LinesOf(location);
  if (lines.empty()) return true;
  const Profile::Line& line = lines[0];
  if (lines.size() > 1 || line.function == kNoId || line.line != 0 ||
      line.column != 0) {
    return false;
  }
  const Profile::Function& function = profile.functions[line.function];
  const absl::string_view name = profile[function.name];
  if (name.size() > kMaxPlaceholder) return false;
  if (function.filename != 0 || function.start_line != 0 ||
      (function.system_name != 0 && profile[function.system_name] != name)) {
    return false;
  }
  if (dso.kind == DsoKind::kGenerated) {
    return absl::StartsWith(name, "[") && absl::EndsWith(name, "]");
  }
  return IsPlaceholderOf(dso, name);
}

}  // namespace perf2x
