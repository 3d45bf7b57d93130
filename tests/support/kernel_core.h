// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TESTS_SUPPORT_KERNEL_CORE_H_
#define PERF2X_TESTS_SUPPORT_KERNEL_CORE_H_

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "converter/base/byte_order.h"

namespace perf2x {

// A part of the kernel's memory.
struct CorePart {
  uint64_t address = 0;
  std::string code;
};

// Returns a copy of the kernel's memory as perf makes it of /proc/kcore: a core
// file without sections.
inline std::string KernelCore(const std::vector<CorePart>& parts,
                              uint16_t machine = EM_X86_64) {
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] =
      kHostOrder == ByteOrder::kLittle ? ELFDATA2LSB : ELFDATA2MSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_CORE;
  header.e_machine = machine;
  header.e_version = EV_CURRENT;
  header.e_phoff = header.e_ehsize = sizeof(Elf64_Ehdr);
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = static_cast<uint16_t>(parts.size());
  std::string core(4096, '\0');
  std::memcpy(core.data(), &header, sizeof(header));
  for (size_t i = 0; i < parts.size(); ++i) {
    Elf64_Phdr segment{};
    segment.p_type = PT_LOAD;
    segment.p_flags = PF_R | PF_W | PF_X;
    segment.p_offset = core.size();
    segment.p_vaddr = parts[i].address;
    segment.p_filesz = segment.p_memsz = parts[i].code.size();
    std::memcpy(core.data() + sizeof(header) + i * sizeof(segment), &segment,
                sizeof(segment));
    core += parts[i].code;
  }
  return core;
}

}  // namespace perf2x

#endif  // PERF2X_TESTS_SUPPORT_KERNEL_CORE_H_
