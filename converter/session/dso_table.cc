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

DsoId DsoTable::Intern(std::string key, Dso file) {
  auto [it, inserted] = by_key_.try_emplace(std::move(key), kNoId);
  if (inserted) it->second = tables_.AddFile(std::move(file));
  return it->second;
}

DsoId DsoTable::OfUser(const MappedFile& mapped, int32_t pid, uint32_t program,
                       int32_t root_owner) {
  Dso file;
  file.kind = KindOfUserMapping(mapped.name);
  file.name = std::string(mapped.name);
  if (file.kind == DsoKind::kAnonymous) {
    file.pid = pid;
    if (!absl::StartsWith(mapped.name, "[")) file.name = kAnonymousName;
    return Intern(absl::StrCat("anon ", pid, " ", program, " ", file.name),
                  file);
  }
  if (file.kind == DsoKind::kFile) file.pid = root_owner;
  file.build_id = mapped.build_id;
  if (file.build_id.empty()) {
    auto it = build_ids_.find(mapped.name);
    if (it != build_ids_.end()) file.build_id = it->second;
  }
  file.device_major = mapped.device_major;
  file.device_minor = mapped.device_minor;
  file.inode = mapped.inode;
  file.inode_generation = mapped.inode_generation;
  file.below_4g = file.kind == DsoKind::kVdso && mapped.below_4g;
  const bool by_inode = file.build_id.empty() && file.inode != 0;
  std::string key;
  if (!file.build_id.empty()) {
    key = absl::StrCat("id ", file.build_id.Hex());
  } else if (by_inode) {
    key = absl::StrCat("inode ", file.device_major, " ", file.device_minor, " ",
                       file.inode, " ", file.inode_generation, " ", file.name);
  } else {
    key = absl::StrCat(file.below_4g ? "32-bit " : "path ", file.name);
  }
  if (file.build_id.empty() && file.pid != -1) {
    absl::StrAppend(&key, " of ", file.pid);
  }
  const size_t known = by_key_.size();
  const DsoId id = Intern(std::move(key), std::move(file));
  if (by_inode && by_key_.size() > known) {
    awaiting_build_id_[mapped.name].push_back(id);
  }
  return id;
}

DsoId DsoTable::OfKernel(absl::string_view name, bool module, uint64_t start) {
  Dso file;
  file.kind = module ? DsoKind::kKernelModule : DsoKind::kKernel;
  file.name = std::string(name);
  if (module) file.start = start;
  auto it = build_ids_.find(name);
  if (it != build_ids_.end()) file.build_id = it->second;
  return Intern(absl::StrCat("kernel ", name), std::move(file));
}

DsoId DsoTable::OfGenerated(
    absl::string_view symbol, int32_t pid, uint64_t start, uint64_t end,
    std::shared_ptr<const std::vector<GeneratedLine>> lines,
    std::shared_ptr<const std::vector<uint8_t>> eh_frame) {
  Dso file;
  file.kind = DsoKind::kGenerated;
  file.name = std::string(symbol);
  file.symbol = std::string(symbol);
  file.pid = pid;
  file.start = start;
  file.end = end;
  file.lines = std::move(lines);
  file.eh_frame = std::move(eh_frame);
  return tables_.AddFile(std::move(file));
}

DsoId DsoTable::OfKernelFunction(
    absl::string_view symbol, uint64_t start, uint64_t end,
    std::shared_ptr<const std::vector<GeneratedLine>> lines) {
  const DsoId file =
      OfGenerated(symbol, /*pid=*/-1, start, end, std::move(lines));
  by_key_[KernelFunctionKey(symbol, start, end)] = file;
  return file;
}

DsoId DsoTable::KnownKernelFunction(absl::string_view symbol, uint64_t start,
                                    uint64_t end) const {
  const auto it = by_key_.find(KernelFunctionKey(symbol, start, end));
  return it == by_key_.end() ? kNoId : it->second;
}

DsoId DsoTable::MovedTo(DsoId generated, uint64_t start, uint64_t end) {
  Dso file = tables_.files()[generated];
  file.start = start;
  file.end = end;
  return tables_.AddFile(std::move(file));
}

DsoId DsoTable::OfKind(DsoKind kind, absl::string_view name) {
  Dso file;
  file.kind = kind;
  file.name = std::string(name);
  return Intern(absl::StrCat("kind ", static_cast<int>(kind), " ", name),
                std::move(file));
}

void DsoTable::SetBuildId(absl::string_view name, const BuildId& build_id) {
  if (build_id.empty()) return;
  build_ids_[name] = build_id;
  // In a pipe stream, the build id may come after the mapping: `perf inject -b`
  // writes it before the first sample in the file. If the file is mapped again
  // with its build id, it is still the same Dso.
  const auto set = [&](DsoId file) {
    tables_.SetBuildId(file, build_id);
    by_key_.try_emplace(absl::StrCat("id ", build_id.Hex()), file);
  };
  auto kernel = by_key_.find(absl::StrCat("kernel ", name));
  if (kernel != by_key_.end()) tables_.SetBuildId(kernel->second, build_id);
  auto path = by_key_.find(absl::StrCat("path ", name));
  if (path != by_key_.end()) set(path->second);
  auto awaiting = awaiting_build_id_.extract(name);
  if (awaiting.empty()) return;
  for (const DsoId file : awaiting.mapped()) set(file);
}

MappingId DsoTable::MappingOf(DsoId file, uint64_t start, uint64_t limit,
                              uint64_t offset) {
  if (tables_.files()[file].kind == DsoKind::kGenerated) {
    const bool kernel = tables_.files()[file].pid < 0;
    file = OfKind(DsoKind::kGenerated, kernel ? "[bpf]" : "[jit]");
    start = limit = offset = 0;
  }
  auto [it, inserted] =
      mappings_.try_emplace(Part{file, offset, limit - start}, kNoId);
  if (inserted) it->second = tables_.AddMapping({file, start, limit, offset});
  return it->second;
}

void DsoTable::SetReference(DsoId kernel, absl::string_view symbol,
                            uint64_t address) {
  tables_.SetReference(kernel, symbol, address);
}

}  // namespace perf2x
