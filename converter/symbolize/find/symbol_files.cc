// SPDX-License-Identifier: Apache-2.0
#include "converter/symbolize/find/symbol_files.h"

#include <algorithm>
#include <utility>

#include "converter/base/decompress.h"
#include "converter/base/status_macros.h"
#include "converter/symbolize/find/unpack.h"

namespace perf2x {

// A member of an archive and a file in memory have no identity: they are known
// by the place of their bytes.
SymbolFiles::Key SymbolFiles::KeyOf(const SafeFile& file) {
  const FileIdentity& id = file.identity();
  const absl::Span<const uint8_t> bytes = file.bytes();
  return {id.device_major,
          id.device_minor,
          id.inode,
          id.generation,
          id.inode != 0 ? static_cast<uint64_t>(id.modified)
                        : reinterpret_cast<uintptr_t>(bytes.data()),
          bytes.size()};
}

absl::StatusOr<std::shared_ptr<const ElfFile>> SymbolFiles::OpenElf(
    std::shared_ptr<const SafeFile> file) {
  Opened* opened;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    auto& slot = opened_[KeyOf(*file)];
    if (slot == nullptr) slot = std::make_unique<Opened>();
    opened = slot.get();
  }
  std::call_once(opened->once, [&] {
    if (file->identity().inode == 0) opened->bytes = file;
    opened->elf = Parse(std::move(file));
  });
  return opened->elf;
}

SymbolFiles::ElfOrError SymbolFiles::Parse(
    std::shared_ptr<const SafeFile> file) {
  if (DetectCompression(file->bytes()) != Compression::kNone) {
    ASSIGN_OR_RETURN(std::string bytes,
                     Unpack(file->bytes(), file->size_on_disk(), kMaxUnpacked));
    file = SafeFile::Unpacked(*file, file->path(), std::move(bytes),
                              file->size_on_disk());
  }
  ASSIGN_OR_RETURN(std::shared_ptr<const ElfFile> elf,
                   ElfFile::Open(std::move(file)));
  return elf;
}

absl::StatusOr<std::string> SymbolFiles::Unpack(
    absl::Span<const uint8_t> packed, uint64_t size_on_disk,
    uint64_t max_size) {
  const std::lock_guard<std::mutex> lock(unpack_mutex_);
  packed_ += size_on_disk;
  const uint64_t limit = kFixedUnpacked + kUnpackedPerByte * packed_;
  ASSIGN_OR_RETURN(std::string bytes,
                   perf2x::Unpack(packed, size_on_disk,
                                  std::min(max_size, limit - unpacked_)));
  unpacked_ += bytes.size();
  return bytes;
}

}  // namespace perf2x
