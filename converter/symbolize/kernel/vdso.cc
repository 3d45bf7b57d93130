// SPDX-License-Identifier: Apache-2.0
#include "converter/symbolize/kernel/vdso.h"

#include <optional>
#include <utility>

#include "converter/symbolize/elf/elf_symbolizer.h"
#include "converter/symbolize/kernel/running_kernel.h"

namespace perf2x {

std::unique_ptr<ElfFile> OpenVdso(const BinaryFinder& finder,
                                  const BuildId& id) {
  if (auto cached = finder.FindInCache(id, "vdso")) {
    auto elf = ElfFile::Open(std::move(cached));
    if (elf.ok()) return *std::move(elf);
  }
  return RunningVdso();
}

std::unique_ptr<DsoSymbolizer> VdsoSource::Open(const Dso& dso,
                                                DsoReport* report) {
  if (dso.kind != DsoKind::kVdso) return nullptr;
  const SymbolizeOptions& options = context_.options;
  std::unique_ptr<ElfFile> elf = OpenVdso(context_.finder, dso.build_id);
  // The kernel has several vDSOs. This process has the one for 64-bit
  // processes.
  const bool equal = elf != nullptr && !dso.build_id.empty() &&
                     elf->build_id() == dso.build_id;
  const bool same_kernel = elf != nullptr && dso.build_id.empty() &&
                           !dso.below_4g && options.running_kernel;
  if (!equal && !same_kernel) {
    report->unproven =
        dso.build_id.empty() && !dso.below_4g && options.may_be_running_kernel;
    report->tried.push_back(
        "[vdso] of the running kernel (not known to be the recorded one)");
    return nullptr;
  }
  report->verified = equal;
  return MakeElfSymbolizer(options, context_.finder, std::move(elf), {},
                           std::nullopt, context_.workers, report);
}

}  // namespace perf2x
