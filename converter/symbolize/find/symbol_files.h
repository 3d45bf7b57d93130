// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SYMBOLIZE_FIND_SYMBOL_FILES_H_
#define PERF2X_SYMBOLIZE_FIND_SYMBOL_FILES_H_

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "converter/symbolize/elf/elf_file.h"
#include "converter/symbolize/find/safe_file.h"

namespace perf2x {

// The ELF files of one conversion. Each file is decompressed and parsed once
// and has one budget (SafeFile::budget()), whatever names and DSOs lead to it.
// Thread-safe.
class SymbolFiles {
 public:
  // Bytes that all compressed files together may decompress to: a fixed amount,
  // and a multiple of their sizes on disk.
  static constexpr uint64_t kFixedUnpacked = 64 << 20, kUnpackedPerByte = 96;

  // Returns the ELF file in `file`, which may be compressed. A file with a
  // known FileIdentity, or a part of a file at a known address, is not read
  // again. The result may then have another path. Fails with InvalidArgument if
  // it is no ELF file, with DataLoss if it is damaged, and with
  // ResourceExhausted if it decompresses to too much.
  absl::StatusOr<std::shared_ptr<const ElfFile>> OpenElf(
      std::shared_ptr<const SafeFile> file);
  // Decompresses a part of a file. `size_on_disk` is the part's size without
  // holes, `max_size` the size of the largest result, in bytes. Fails as
  // OpenElf does.
  absl::StatusOr<std::string> Unpack(absl::Span<const uint8_t> packed,
                                     uint64_t size_on_disk, uint64_t max_size);

 private:
  using ElfOrError = absl::StatusOr<std::shared_ptr<const ElfFile>>;
  // The FileIdentity, or else the address of the bytes; and the size.
  using Key = std::array<uint64_t, 6>;
  struct Opened {
    std::once_flag once;
    // If the key has the address of bytes, keeps them, so that the address is
    // not reused; else null.
    std::shared_ptr<const SafeFile> bytes;
    ElfOrError elf;
  };

  static Key KeyOf(const SafeFile& file);
  ElfOrError Parse(std::shared_ptr<const SafeFile> file);

  std::mutex mutex_;  // guards opened_
  absl::flat_hash_map<Key, std::unique_ptr<Opened>> opened_;
  std::mutex unpack_mutex_;  // guards the sums: one file is unpacked at a time
  uint64_t packed_ = 0, unpacked_ = 0;  // bytes so far
};

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_FIND_SYMBOL_FILES_H_
