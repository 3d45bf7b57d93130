// SPDX-License-Identifier: Apache-2.0
#include "converter/session/dso_table.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace perf2x {
namespace {

// The name given to memory without a name.
constexpr char kAnonymousName[] = "[anon]";

std::string KernelFunctionKey(absl::string_view symbol, uint64_t start,
                              uint64_t end) {
  return absl::StrCat("function ", start, " ", end, " ", symbol);
}

}  // namespace

DsoKind KindOfUserMapping(absl::string_view name) {
  if (absl::StartsWith(name, "[vdso")) return DsoKind::kVdso;
  // is_anon_memory() and is_no_dso_memory() in tools/perf/util/map.c, and names
  // that the kernel gives to memory without a file that can be opened.
  for (absl::string_view prefix :
       {"[", "//anon", "/dev/zero", "/anon_hugepage", "/SYSV", "anon_inode:"}) {
    if (absl::StartsWith(name, prefix)) return DsoKind::kAnonymous;
  }
  return name.empty() ? DsoKind::kAnonymous : DsoKind::kFile;
}

DsoTable::DsoTable(TraceTables& tables) : tables_(tables) {}

DsoId DsoTable::Intern(absl::string_view key, Dso dso) {
  auto [it, inserted] = by_key_.try_emplace(key, kNoId);
  if (inserted) it->second = tables_.AddDso(std::move(dso));
  return it->second;
}

DsoId DsoTable::UserDso(const MappedFile& mapped, int32_t pid, uint32_t program,
                        int32_t root_owner) {
  Dso dso;
  dso.kind = KindOfUserMapping(mapped.name);
  dso.name = std::string(mapped.name);
  if (dso.kind == DsoKind::kAnonymous) {
    dso.pid = pid;
    if (!absl::StartsWith(mapped.name, "[")) dso.name = kAnonymousName;
    return Intern(absl::StrCat("anon ", pid, " ", program, " ", dso.name), dso);
  }
  if (dso.kind == DsoKind::kFile) dso.pid = root_owner;
  dso.build_id = mapped.build_id;
  if (dso.build_id.empty()) {
    auto it = build_ids_.find(mapped.name);
    if (it != build_ids_.end()) dso.build_id = it->second;
  }
  dso.device_major = mapped.device_major;
  dso.device_minor = mapped.device_minor;
  dso.inode = mapped.inode;
  dso.inode_generation = mapped.inode_generation;
  dso.below_4g = dso.kind == DsoKind::kVdso && mapped.below_4g;
  const bool by_inode = dso.build_id.empty() && dso.inode != 0;
  // By more than the name alone, so that SetBuildId does not find its key.
  const bool awaits_build_id =
      by_inode || (dso.build_id.empty() && dso.pid != -1);
  std::string key;
  if (!dso.build_id.empty()) {
    key = absl::StrCat("id ", dso.build_id.Hex());
    if (mapped.by_path) absl::StrAppend(&key, " ", dso.name);
  } else if (by_inode) {
    key = absl::StrCat("inode ", dso.device_major, " ", dso.device_minor, " ",
                       dso.inode, " ", dso.inode_generation, " ", dso.name);
  } else {
    key = absl::StrCat(dso.below_4g ? "32-bit " : "path ", dso.name);
  }
  if (dso.build_id.empty() && dso.pid != -1) {
    absl::StrAppend(&key, " of ", dso.pid);
  }
  const size_t known = by_key_.size();
  const DsoId id = Intern(key, std::move(dso));
  if (awaits_build_id && by_key_.size() > known) {
    std::vector<DsoId>& awaiting = awaiting_build_id_[mapped.name];
    if (awaiting.empty()) name_bytes_ += mapped.name.size();
    awaiting.push_back(id);
  }
  return id;
}

DsoId DsoTable::KernelDso(absl::string_view name, bool module, uint64_t start) {
  Dso dso;
  dso.kind = module ? DsoKind::kKernelModule : DsoKind::kKernel;
  dso.name = std::string(name);
  if (module) dso.start = start;
  auto it = build_ids_.find(name);
  if (it != build_ids_.end()) dso.build_id = it->second;
  return Intern(absl::StrCat("kernel ", name), std::move(dso));
}

DsoId DsoTable::AddGenerated(
    absl::string_view symbol, int32_t pid, uint64_t start, uint64_t end,
    std::shared_ptr<const std::vector<GeneratedLine>> lines,
    std::shared_ptr<const std::vector<uint8_t>> eh_frame) {
  Dso dso;
  dso.kind = DsoKind::kGenerated;
  dso.name = std::string(symbol);
  dso.symbol = std::string(symbol);
  dso.pid = pid;
  dso.start = start;
  dso.end = end;
  dso.lines = std::move(lines);
  dso.eh_frame = std::move(eh_frame);
  return tables_.AddDso(std::move(dso));
}

DsoId DsoTable::AddKernelFunction(
    absl::string_view symbol, uint64_t start, uint64_t end,
    std::shared_ptr<const std::vector<GeneratedLine>> lines) {
  const DsoId dso =
      AddGenerated(symbol, /*pid=*/-1, start, end, std::move(lines));
  by_key_[KernelFunctionKey(symbol, start, end)] = dso;
  return dso;
}

DsoId DsoTable::FindKernelFunction(absl::string_view symbol, uint64_t start,
                                   uint64_t end) const {
  const auto it = by_key_.find(KernelFunctionKey(symbol, start, end));
  return it == by_key_.end() ? kNoId : it->second;
}

DsoId DsoTable::AddMovedCopy(DsoId generated, uint64_t start, uint64_t end) {
  Dso dso = tables_.dsos()[generated];
  dso.start = start;
  dso.end = end;
  return tables_.AddDso(std::move(dso));
}

DsoId DsoTable::PlaceholderDso(DsoKind kind, absl::string_view name) {
  Dso dso;
  dso.kind = kind;
  dso.name = std::string(name);
  return Intern(absl::StrCat("kind ", static_cast<int>(kind), " ", name),
                std::move(dso));
}

bool DsoTable::SetBuildId(absl::string_view name, const BuildId& build_id) {
  if (build_id.empty()) return true;
  const auto known = build_ids_.find(name);
  if (known != build_ids_.end()) {
    known->second = build_id;
  } else {
    if (build_ids_.size() == kMaxBuildIds) return false;
    build_ids_.emplace(name, build_id);
    name_bytes_ += name.size();
  }
  // In a pipe stream, the build id may come after the mapping: `perf inject -b`
  // writes it before the first sample in the file. If the file is mapped again
  // with its build id, it is still the same Dso.
  const auto set = [&](DsoId dso) {
    tables_.SetBuildId(dso, build_id);
    by_key_.try_emplace(absl::StrCat("id ", build_id.Hex()), dso);
  };
  auto kernel = by_key_.find(absl::StrCat("kernel ", name));
  if (kernel != by_key_.end()) tables_.SetBuildId(kernel->second, build_id);
  auto path = by_key_.find(absl::StrCat("path ", name));
  if (path != by_key_.end()) set(path->second);
  // If both vDSOs are mapped, `name` is that of the 64-bit one.
  auto narrow = by_key_.find(absl::StrCat("32-bit ", name));
  if (narrow != by_key_.end() && path == by_key_.end()) set(narrow->second);
  auto awaiting = awaiting_build_id_.extract(name);
  if (awaiting.empty()) return true;
  name_bytes_ -= name.size();
  for (const DsoId dso : awaiting.mapped()) set(dso);
  return true;
}

MappingId DsoTable::MappingOf(DsoId dso, uint64_t start, uint64_t limit,
                              uint64_t offset) {
  if (tables_.dsos()[dso].kind == DsoKind::kGenerated) {
    const bool kernel = tables_.dsos()[dso].pid < 0;
    dso = PlaceholderDso(DsoKind::kGenerated, kernel ? "[bpf]" : "[jit]");
    start = limit = offset = 0;
  }
  auto [it, inserted] =
      mappings_.try_emplace(Part{dso, offset, limit - start}, kNoId);
  if (inserted) it->second = tables_.AddMapping({dso, start, limit, offset});
  return it->second;
}

void DsoTable::SetReference(DsoId kernel, absl::string_view symbol,
                            uint64_t address) {
  tables_.SetReference(kernel, symbol, address);
}

}  // namespace perf2x
