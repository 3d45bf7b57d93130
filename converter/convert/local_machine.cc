// SPDX-License-Identifier: Apache-2.0
#include "converter/convert/local_machine.h"

#include <sys/sysinfo.h>
#include <sys/utsname.h>

#include <cstdio>
#include <cstdlib>

#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"
#include "converter/symbolize/elf/elf_file.h"
#include "converter/symbolize/find/recorded_path.h"
#include "converter/symbolize/jit/process_namespace.h"
#include "converter/unwind/binary_unwind_info_source.h"

namespace perf2x {
namespace {

// Returns true if the recorded kernel may be the running one, in the same boot.
// Compares the release, if it is known, and the address of the reference symbol
// in the recording's kernel map, which changes with every boot.
bool MayBeRunningKernel(const HeaderFeatures& features,
                        const TraceTables& tables) {
  utsname name;
  if (uname(&name) != 0 ||
      (!features.os_release.empty() && features.os_release != name.release)) {
    return false;
  }
  const Dso* kernel = nullptr;
  for (const Dso& file : tables.dsos()) {
    if (file.kind == DsoKind::kKernel && file.reference_address != 0) {
      kernel = &file;
    }
  }
  if (kernel == nullptr) return false;
  std::FILE* kallsyms = std::fopen("/proc/kallsyms", "re");
  if (kallsyms == nullptr) return false;
  char symbol[512];
  unsigned long long address = 0;
  bool found = false;
  while (!found && std::fscanf(kallsyms, "%llx %*c %511s%*[^\n]", &address,
                               symbol) == 2) {
    found = kernel->reference_symbol == symbol;
  }
  std::fclose(kallsyms);
  return found && address == kernel->reference_address;
}

// Returns true if the recorded machine had as much memory as this one, to the
// kilobyte: "MemTotal" in /proc/meminfo, which depends on the hardware, the
// firmware and the kernel.
bool HasMemoryOf(const HeaderFeatures& features) {
  struct sysinfo info;
  return features.memory_kb.has_value() && sysinfo(&info) == 0 &&
         *features.memory_kb == uint64_t{info.totalram} * info.mem_unit / 1024;
}

// Returns the pid in the name of a jitdump, "jit-PID.dump"; 0: none.
int32_t PidInName(absl::string_view base) {
  int32_t pid = 0;
  return absl::ConsumePrefix(&base, "jit-") &&
                 absl::ConsumeSuffix(&base, ".dump") &&
                 absl::SimpleAtoi(base, &pid)
             ? pid
             : 0;
}

}  // namespace

bool LocalMachine::MadeHere(const HeaderFeatures& features) const {
  if (options_.trust_host) return true;
  utsname name;
  if (!options_.may_prove_same_host || uname(&name) != 0 ||
      name.nodename[0] == '\0' || features.hostname != name.nodename) {
    return false;
  }
  // Anyone may write this host's name into a recording. The kernel's address is
  // no proof: without KASLR everyone knows it, and with KASLR it is one of some
  // hundred.
  return HasMemoryOf(features) || MapsLocalFile();
}

bool LocalMachine::MapsLocalFile() const {
  int tries = 16;
  for (const Dso& file : tables_.dsos()) {
    if (file.kind != DsoKind::kFile || file.inode_generation == 0 ||
        !MayOpenByName(file.name)) {
      continue;
    }
    if (--tries < 0) break;
    auto found = SafeFile::Open(file.name);
    if (found.ok() && IsMappedInode(file, **found)) return true;
  }
  return false;
}

int32_t LocalMachine::NearestPidWithRoot(int32_t pid) const {
  const auto& roots = options_.binaries.symfs_of;
  if (roots.empty()) return -1;
  return processes_
      ->NearestAncestor(pid, [&](int32_t p) { return roots.count(p) > 0; })
      .value_or(-1);
}

BinaryFinderOptions LocalMachine::BinariesFor(
    const HeaderFeatures& features) const {
  BinaryFinderOptions options = options_.binaries;
  options.same_host = MadeHere(features);
  options.files = files_;
  const char* servers = std::getenv("DEBUGINFOD_URLS");
  options.debuginfod |= servers != nullptr && *servers != '\0';
  return options;
}

SymbolizeOptions LocalMachine::OptionsFor(
    const HeaderFeatures& features) const {
  SymbolizeOptions options = options_;
  options.binaries = BinariesFor(features);
  options.kernel_release = features.os_release;
  for (const Dso& file : tables_.dsos()) {
    if (file.kind == DsoKind::kKernel) options.kernel_build_id = file.build_id;
  }
  if (options.perf_map_dirs.empty() && options.binaries.same_host) {
    options.perf_map_dirs.push_back("/tmp");
  }
  options.processes = processes_;
  options.recorded = recorded_;
  options.may_be_running_kernel = MayBeRunningKernel(features, tables_);
  options.running_kernel =
      options.may_be_running_kernel && options.binaries.same_host;
  return options;
}

Symbolizer* LocalMachine::MakeSymbolizer(const HeaderFeatures& features) {
  if (!symbolize_) return nullptr;
  symbolizer_ = perf2x::MakeSymbolizer(OptionsFor(features));
  return symbolizer_.get();
}

Symbolizer* LocalMachine::MakeSymbolizerWithoutLines(
    const HeaderFeatures& features) {
  if (!symbolize_) return nullptr;
  SymbolizeOptions options = OptionsFor(features);
  options.inlines = options.lines = false;
  symbolizer_without_lines_ = perf2x::MakeSymbolizer(std::move(options));
  return symbolizer_without_lines_.get();
}

std::unique_ptr<UnwindInfoSource> LocalMachine::MakeUnwindInfoSource(
    const HeaderFeatures& features) {
  if (!unwind_) return nullptr;
  return std::make_unique<BinaryUnwindInfoSource>(tables_,
                                                  BinariesFor(features));
}

std::shared_ptr<const ElfFile> LocalMachine::OpenKernelMemory() {
  if ((!symbolize_ && !unwind_) || options_.kept_kcore.empty()) return nullptr;
  auto file = SafeFile::Open(options_.kept_kcore);
  if (!file.ok()) return nullptr;
  auto elf = ElfFile::Open(*std::move(file));
  return elf.ok() ? *std::move(elf) : nullptr;
}

std::unique_ptr<JitDump> LocalMachine::OpenJitDump(
    absl::string_view name, int32_t pid, const HeaderFeatures& features) {
  if (!symbolize_) return nullptr;
  const absl::string_view base = name.substr(name.rfind('/') + 1);
  const int32_t named = PidInName(base);
  if (named <= 0) return nullptr;
  // Places to try: in a container, at the recorded path, in a folder with perf
  // maps.
  std::vector<FilePlace> places;
  const bool made_here = MadeHere(features);
  if (made_here && options_.containers != nullptr) {
    places.push_back(
        options_.containers->FileOf(pid, processes_->NamespaceOf(pid), name));
  }
  const std::string& root = options_.binaries.RootOf(NearestPidWithRoot(pid));
  if (MayOpenByName(name) &&
      (!root.empty() ||
       (made_here && (named == pid || processes_->OwnPidOf(pid) == named)))) {
    places.emplace_back(root, name);
  }
  for (const std::string& folder : options_.perf_map_dirs) {
    places.emplace_back(folder, base);
  }
  for (const FilePlace& place : places) {
    if (place.empty()) continue;
    auto file = SafeFile::Open(place);
    if (!file.ok() || !(*file)->CheckWriters().ok()) continue;
    auto dump = JitDump::Open(*std::move(file));
    if (dump.ok() && (*dump)->pid() == named) return *std::move(dump);
  }
  return nullptr;
}

}  // namespace perf2x
