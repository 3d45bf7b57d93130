// SPDX-License-Identifier: Apache-2.0
#include "converter/symbolize/find/flat_folder.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "converter/symbolize/elf/elf_file.h"
#include "converter/symbolize/find/safe_file.h"

namespace perf2x {
namespace {

std::string KeyOf(const BuildId& id) {
  const auto bytes = id.bytes();
  size_t size = bytes.size();
  while (size > 0 && bytes[size - 1] == 0) --size;
  return std::string(bytes.begin(), bytes.begin() + size);
}

}  // namespace

void FlatFolder::Read() const {
  std::error_code error;
  std::filesystem::directory_iterator entry(path_, error), end;
  for (; !error && entry != end; entry.increment(error)) {
    auto file = SafeFile::Open(entry->path().string());
    if (!file.ok()) continue;
    auto elf = ElfFile::Open(*std::move(file));
    if (!elf.ok()) continue;
    const BuildId id = (*elf)->build_id();
    if (!id.empty()) files_[KeyOf(id)].push_back(entry->path().string());
  }
  for (auto& [id, paths] : files_) std::sort(paths.begin(), paths.end());
}

std::vector<std::string> FlatFolder::Find(const BuildId& id) const {
  if (id.empty()) return {};
  std::call_once(once_, [this] { Read(); });
  auto it = files_.find(KeyOf(id));
  return it == files_.end() ? std::vector<std::string>() : it->second;
}

}  // namespace perf2x
