// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SYMBOLIZE_ELF_ELF_FILE_H_
#define PERF2X_SYMBOLIZE_ELF_ELF_FILE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "converter/base/build_id.h"
#include "converter/base/byte_order.h"
#include "converter/base/byte_reader.h"
#include "converter/symbolize/find/safe_file.h"

namespace perf2x {

// An ELF file of either class and byte order. Headers and section contents are
// checked against the file's size; segments may reach beyond it. Fields are
// described in elf(5). Sections and names are valid as long as the ElfFile.
// Immutable, thread-safe.
class ElfFile {
 public:
  struct Section {
    absl::string_view name;
    uint32_t type = 0, link = 0, info = 0;
    uint64_t flags = 0, address = 0, offset = 0, size = 0, entry_size = 0;
  };
  struct Segment {
    uint32_t type = 0, flags = 0;
    uint64_t offset = 0, address = 0, file_size = 0, memory_size = 0;
  };
  struct Sym {
    uint64_t value = 0, size = 0;
    uint32_t section = 0;
    uint8_t info = 0, other = 0;
    uint8_t type() const { return info & 15; }
    uint8_t binding() const { return info >> 4; }
    // Returns the name, truncated to `max_size` bytes; empty if it lies outside
    // of the string table. Scans for its end on each call.
    absl::string_view name(size_t max_size = absl::string_view::npos) const;
    absl::Span<const uint8_t> names;  // the string table from the name on
  };
  struct Rel {
    uint64_t offset = 0;
    uint32_t symbol = 0;
    uint32_t type = 0;
    int64_t addend = 0;  // of SHT_RELA; 0 for SHT_REL
  };
  // The name and checksum of a separate debug file.
  struct DebugLink {
    std::string name;  // not empty
    uint32_t crc = 0;  // see DebugLinkCrc
  };

  struct AltLink {
    std::string name;  // not empty
    BuildId build_id;  // not empty
  };

  // Fails with InvalidArgument if the file is not ELF. Fails with DataLoss if
  // the ELF header or the program headers exceed the file. After other damage,
  // sections are missing or empty, and damaged() is true.
  static absl::StatusOr<std::unique_ptr<ElfFile>> Open(
      std::shared_ptr<const SafeFile> file);

  const std::shared_ptr<const SafeFile>& file() const { return file_; }
  // These are from the ELF header: machine() is EM_*, type() is ET_*.
  ByteOrder order() const { return order_; }
  bool is64() const { return is64_; }
  uint16_t machine() const { return machine_; }
  uint16_t type() const { return type_; }
  // Returns true if a section exceeds the file, or if section headers or names
  // are damaged. Also returns true if there are more than 256 segments;
  // segments() has the first 256.
  bool damaged() const { return damaged_; }
  const std::vector<Section>& sections() const { return sections_; }
  const std::vector<Segment>& segments() const { return segments_; }

  // Returns the first section with this name; null if there is none.
  const Section* Find(absl::string_view name) const;
  // Returns the section's bytes; empty for NOBITS sections and for sections
  // that exceed the file.
  absl::Span<const uint8_t> Bytes(const Section& section) const;
  // Returns NT_GNU_BUILD_ID; empty if there is none.
  const BuildId& build_id() const { return build_id_; }
  // Returns .gnu_debuglink; nullopt if it is missing or damaged.
  std::optional<DebugLink> debug_link() const;
  // Returns .gnu_debugaltlink, the file that dwz moved shared parts to; nullopt
  // if it is missing or damaged.
  std::optional<AltLink> alt_link() const;
  // Returns true if the file has machine code. Returns false for a separate
  // debug file, which has only the headers of the code sections.
  bool has_code() const;
  // Returns true if the file has .debug_info, compressed or not.
  bool has_debug_info() const {
    return Find(".debug_info") != nullptr || Find(".zdebug_info") != nullptr;
  }

  // Returns the number of symbols in a SHT_SYMTAB or SHT_DYNSYM section, the
  // null symbol at index 0 among them.
  uint32_t SymbolCount(const Section& table) const;
  // Calls `visit` with each index and symbol of `table`, ascending from index
  // 0. Visits none if the table's string table is missing.
  void ForEachSymbol(const Section& table,
                     absl::FunctionRef<void(uint32_t, const Sym&)> visit) const;
  // Returns a symbol; all fields are 0 if the table's string table is missing.
  // Requires index < SymbolCount(table).
  Sym SymbolAt(const Section& table, uint32_t index) const;
  // Calls `visit` for each relocation in a SHT_REL or SHT_RELA section.
  void ForEachRelocation(const Section& table,
                         absl::FunctionRef<void(const Rel&)> visit) const;

  // In a relocatable file (a kernel module), all sections are at address 0. The
  // readers of its symbols and debug information add this to addresses in .text
  // and use the sum as link-time address.
  static constexpr uint64_t kTextOfRelocatable = 0x10000000;

  // Returns the link-time address of a file offset; nullopt if no loaded
  // segment has it. Of several segments, prefers an executable one.
  std::optional<uint64_t> AddressOfOffset(uint64_t offset) const;
  // Returns the file offset of a link-time address; nullopt if no loaded
  // segment has it in the file. The offset may be beyond the end of a damaged
  // file.
  std::optional<uint64_t> OffsetOfAddress(uint64_t address) const;

 private:
  ElfFile() = default;
  bool ReadSegments(uint64_t at, uint32_t count, uint32_t entry_size);
  bool ReadSections(uint64_t at, uint32_t count, uint32_t entry_size,
                    uint32_t names);
  BuildId ReadBuildId() const;
  absl::Span<const uint8_t> Slice(uint64_t offset, uint64_t size) const;
  Sym ReadSymbol(ByteReader& in, absl::Span<const uint8_t> strings) const;

  std::shared_ptr<const SafeFile> file_;
  ByteOrder order_ = kHostOrder;
  bool is64_ = true;
  bool damaged_ = false;
  uint16_t machine_ = 0, type_ = 0;
  std::vector<Section> sections_;
  std::vector<Segment> segments_;
  BuildId build_id_;
};

// Returns the first NT_GNU_BUILD_ID of the ELF notes in `notes`; empty if there
// is none.
BuildId BuildIdInNotes(absl::Span<const uint8_t> notes, ByteOrder order);

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_ELF_ELF_FILE_H_
