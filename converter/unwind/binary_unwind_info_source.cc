// SPDX-License-Identifier: Apache-2.0
#include "converter/unwind/binary_unwind_info_source.h"

#include "converter/symbolize/kernel/vdso.h"

namespace perf2x {

std::shared_ptr<const ElfFile> BinaryUnwindInfoSource::OpenBinary(DsoId dso) {
  const Dso& code = tables_.dsos()[dso];
  if (code.kind == DsoKind::kFile) return finder_.OpenBinary(code).elf;
  if (code.kind != DsoKind::kVdso || code.build_id.empty()) return nullptr;
  std::shared_ptr<const ElfFile> vdso = OpenVdso(finder_, code.build_id);
  if (vdso == nullptr || vdso->build_id() != code.build_id) return nullptr;
  return vdso;
}

std::shared_ptr<const ElfFile> BinaryUnwindInfoSource::OpenDebugFile(
    DsoId dso, const ElfFile& code) {
  FoundFiles found = finder_.OpenSymbolFiles(tables_.dsos()[dso], &code);
  for (auto& elf : found.elfs) {
    if (elf->Find(".debug_frame") != nullptr ||
        elf->Find(".zdebug_frame") != nullptr) {
      return std::move(elf);
    }
  }
  return nullptr;
}

// Places .eh_frame where `perf inject --jit` does, so that the relative
// addresses in it lead to the code: after the code, whose size is rounded up to
// a multiple of 8 bytes.
UnwindInfoSource::Generated BinaryUnwindInfoSource::GeneratedCfi(DsoId dso) {
  const Dso& code = tables_.dsos()[dso];
  if (code.kind != DsoKind::kGenerated || code.eh_frame == nullptr) return {};
  return {*code.eh_frame, code.start + (code.end - code.start + 7) / 8 * 8};
}

}  // namespace perf2x
