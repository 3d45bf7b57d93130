// SPDX-License-Identifier: Apache-2.0
#include "converter/symbolize/elf/elf_source.h"

#include <optional>
#include <utility>

#include "converter/symbolize/elf/elf_symbolizer.h"

namespace perf2x {

std::unique_ptr<DsoSymbolizer> ElfSource::Open(const Dso& dso,
                                               DsoReport* report) {
  if (dso.kind != DsoKind::kFile && dso.kind != DsoKind::kGuestUser) {
    return nullptr;
  }
  const BinaryFinder& finder = context_.finder;
  BinaryFinder::Result binary = finder.OpenBinary(dso);
  FoundFiles symbols = finder.OpenSymbolFiles(dso, binary.elf.get());
  for (const auto* tried : {&binary.tried, &symbols.tried}) {
    report->tried.insert(report->tried.end(), tried->begin(), tried->end());
  }
  report->unproven |= binary.unproven;
  if (binary.elf == nullptr && symbols.elfs.empty()) return nullptr;
  report->verified = binary.elf != nullptr ? binary.verified : symbols.verified;
  if (binary.replaced) {
    report->warnings.push_back(
        "was replaced after it was recorded, without a build id to compare "
        "with: names may be wrong");
  } else if (binary.newer) {
    report->warnings.push_back(
        "was written after the recording, which has no build id to compare "
        "with: names may be wrong");
  }
  return MakeElfSymbolizer(context_.options, finder, std::move(binary.elf),
                           std::move(symbols.elfs), std::nullopt,
                           context_.workers, report);
}

}  // namespace perf2x
