// SPDX-License-Identifier: Apache-2.0
#include "converter/symbolize/kernel/running_kernel.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <string>

namespace perf2x {

BuildId RunningKernelBuildId() {
  const int fd = open("/sys/kernel/notes", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return {};
  uint8_t notes[8 << 10];  // the kernel's have some hundred bytes
  const ssize_t n = read(fd, notes, sizeof(notes));
  close(fd);
  if (n <= 0) return {};
  return BuildIdInNotes({notes, static_cast<size_t>(n)}, kHostOrder);
}

std::unique_ptr<ElfFile> RunningVdso() {
  const auto* header =
      reinterpret_cast<const ElfW(Ehdr)*>(getauxval(AT_SYSINFO_EHDR));
  if (header == nullptr) return nullptr;
  // The kernel maps the whole vDSO file, which ends with its section headers.
  const size_t size =
      header->e_shoff + size_t{header->e_shnum} * header->e_shentsize;
  auto file = SafeFile::FromMemory(
      "[vdso] of the running kernel",
      std::string(reinterpret_cast<const char*>(header), size));
  auto elf = ElfFile::Open(std::move(file));
  return elf.ok() ? *std::move(elf) : nullptr;
}

}  // namespace perf2x
