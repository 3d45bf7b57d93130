// SPDX-License-Identifier: Apache-2.0
#include "bench/binaries.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <sstream>

namespace perf2x::bench {
namespace {

constexpr uint64_t kPage = 4096;
constexpr size_t kBuildIdBytes = 20;

// Returns the GNU build id among the notes in `bytes`; empty if there is none.
std::vector<uint8_t> BuildIdFromNotes(const char* bytes, size_t size) {
  size_t at = 0;
  while (at + 12 <= size) {
    uint32_t name_size, desc_size, type;
    std::memcpy(&name_size, bytes + at, 4);
    std::memcpy(&desc_size, bytes + at + 4, 4);
    std::memcpy(&type, bytes + at + 8, 4);
    size_t name = at + 12;
    size_t desc = name + (name_size + 3) / 4 * 4;
    if (desc > size || desc_size > size - desc) break;
    if (type == NT_GNU_BUILD_ID && name_size == 4 &&
        std::memcmp(bytes + name, "GNU", 4) == 0) {
      return {bytes + desc, bytes + desc + desc_size};
    }
    at = desc + (desc_size + 3) / 4 * 4;
  }
  return {};
}

// Sorts the functions, drops those that overlap others, and sums up the sizes.
void SettleFunctions(Binary& binary) {
  std::vector<Function>& all = binary.functions;
  std::sort(all.begin(), all.end(), [](const Function& a, const Function& b) {
    return a.offset != b.offset ? a.offset < b.offset : a.size > b.size;
  });
  uint64_t end = 0;
  std::erase_if(all, [&end](const Function& f) {
    if (f.offset < end) return true;
    end = f.offset + f.size;
    return false;
  });
  binary.function_bytes = 0;
  for (const Function& f : all) binary.function_bytes += f.size;
}

void ReadFunctions(Elf_Scn* section, const GElf_Shdr& header,
                   uint64_t text_start, uint64_t text_end, Binary& binary) {
  Elf_Data* data = elf_getdata(section, nullptr);
  if (data == nullptr || header.sh_entsize == 0) return;
  for (size_t i = 0; i < header.sh_size / header.sh_entsize; ++i) {
    GElf_Sym symbol;
    if (gelf_getsym(data, static_cast<int>(i), &symbol) == nullptr) break;
    if (GELF_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_size < 16)
      continue;
    if (symbol.st_value < text_start ||
        symbol.st_value + symbol.st_size > text_end)
      continue;
    binary.functions.push_back(
        {symbol.st_value - binary.address, symbol.st_size});
  }
}

std::optional<Binary> ReadElf(Elf* elf, const std::string& path) {
  GElf_Ehdr header;
  if (elf_kind(elf) != ELF_K_ELF || gelf_getehdr(elf, &header) == nullptr)
    return {};
  if (header.e_machine != EM_X86_64 && header.e_machine != EM_AARCH64)
    return {};
  size_t count = 0;
  if (elf_getphdrnum(elf, &count) != 0) return {};

  Binary binary;
  binary.path = path;
  binary.fixed = header.e_type == ET_EXEC;
  uint64_t text_start = 0, text_end = 0;
  for (size_t i = 0; i < count; ++i) {
    GElf_Phdr segment;
    if (gelf_getphdr(elf, static_cast<int>(i), &segment) == nullptr) return {};
    if (segment.p_type == PT_INTERP) binary.executable = true;
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0 ||
        text_end != 0)
      continue;
    text_start = segment.p_vaddr;
    text_end = text_start + segment.p_memsz;
    binary.address = text_start / kPage * kPage;
    binary.file_offset = segment.p_offset / kPage * kPage;
    binary.size = (text_end + kPage - 1) / kPage * kPage - binary.address;
  }
  if (text_end == 0) return {};

  Elf_Scn* section = nullptr;
  while ((section = elf_nextscn(elf, section)) != nullptr) {
    GElf_Shdr sh;
    if (gelf_getshdr(section, &sh) == nullptr) return {};
    if (sh.sh_type == SHT_SYMTAB || sh.sh_type == SHT_DYNSYM) {
      ReadFunctions(section, sh, text_start, text_end, binary);
    } else if (sh.sh_type == SHT_NOTE && binary.build_id.empty()) {
      Elf_Data* data = elf_getdata(section, nullptr);
      if (data == nullptr) continue;
      binary.build_id =
          BuildIdFromNotes(static_cast<const char*>(data->d_buf), data->d_size);
    }
  }
  if (binary.build_id.size() != kBuildIdBytes) return {};
  SettleFunctions(binary);
  return binary;
}

// Orders by function bytes, the largest first, then by path.
bool MoreFunctions(const Binary& a, const Binary& b) {
  if (a.function_bytes != b.function_bytes)
    return a.function_bytes > b.function_bytes;
  return a.path < b.path;
}

bool IsCLibrary(const Binary& binary) {
  return std::filesystem::path(binary.path).filename() == "libc.so.6";
}

}  // namespace

std::optional<Binary> ReadBinary(const std::string& path) {
  elf_version(EV_CURRENT);
  int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return {};
  std::optional<Binary> binary;
  if (Elf* elf = elf_begin(fd, ELF_C_READ_MMAP, nullptr); elf != nullptr) {
    binary = ReadElf(elf, path);
    elf_end(elf);
  }
  struct stat info;
  if (binary && fstat(fd, &info) == 0) {
    binary->major = major(info.st_dev);
    binary->minor = minor(info.st_dev);
    binary->inode = info.st_ino;
  }
  close(fd);
  return binary;
}

std::vector<Binary> FindBinaries(const std::vector<std::string>& folders,
                                 size_t programs, size_t libraries) {
  // Canonical names, so that links do not count twice.
  std::set<std::string> paths;
  for (const std::string& folder : folders) {
    std::error_code error;
    for (const auto& entry :
         std::filesystem::directory_iterator(folder, error)) {
      if (!entry.is_regular_file(error)) continue;
      std::string path =
          std::filesystem::canonical(entry.path(), error).string();
      if (!error) paths.insert(path);
    }
  }
  std::vector<Binary> all;
  for (const std::string& path : paths) {
    std::optional<Binary> binary = ReadBinary(path);
    if (binary && binary->functions.size() >= 16)
      all.push_back(std::move(*binary));
  }
  std::sort(all.begin(), all.end(), MoreFunctions);
  std::stable_partition(all.begin(), all.end(), IsCLibrary);
  std::vector<Binary> chosen;
  size_t taken[2] = {0, 0};
  const size_t wanted[2] = {libraries, programs};
  for (Binary& binary : all) {
    // libc.so.6 has an interpreter, too, as it can be run.
    binary.executable = binary.executable && !IsCLibrary(binary);
    if (taken[binary.executable]++ < wanted[binary.executable]) {
      chosen.push_back(std::move(binary));
    }
  }
  return chosen;
}

Binary ReadKernel(const std::string& kallsyms) {
  Binary kernel;
  kernel.path = "[kernel.kallsyms]_text";
  kernel.fixed = true;
  std::ifstream file(kallsyms);
  uint64_t stext = 0, etext = 0;
  std::vector<uint64_t> starts;
  std::string line;
  while (std::getline(file, line)) {
    std::istringstream fields(line);
    uint64_t address = 0;
    char type = 0;
    std::string name, module;
    if (!(fields >> std::hex >> address >> type >> name) || fields >> module)
      continue;
    if (name == "_stext") stext = address;
    if (name == "_etext") etext = address;
    if ((type == 't' || type == 'T') && address != 0) starts.push_back(address);
  }
  if (stext == 0 || etext <= stext) return kernel;
  kernel.address = stext;
  kernel.file_offset = stext;
  kernel.size = etext - stext;
  std::sort(starts.begin(), starts.end());
  for (size_t i = 0; i + 1 < starts.size(); ++i) {
    uint64_t size = starts[i + 1] - starts[i];
    if (starts[i] < stext || starts[i + 1] > etext || size < 16) continue;
    kernel.functions.push_back({starts[i] - stext, size});
  }
  SettleFunctions(kernel);
  std::ifstream notes("/sys/kernel/notes", std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(notes)),
                    std::istreambuf_iterator<char>());
  kernel.build_id = BuildIdFromNotes(bytes.data(), bytes.size());
  return kernel;
}

}  // namespace perf2x::bench
