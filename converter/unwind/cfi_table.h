// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_UNWIND_CFI_TABLE_H_
#define PERF2X_UNWIND_CFI_TABLE_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "converter/base/budget.h"
#include "converter/base/byte_reader.h"

namespace perf2x {

// A section with call frame information, or with the index of one.
struct CfiBytes {
  absl::Span<const uint8_t> bytes;
  // Link-time address of the first byte; run-time address for generated code.
  // .debug_frame, which is not loaded, has 0.
  uint64_t address = 0;
  ByteOrder order = kHostOrder;
  uint8_t address_size = 8;
  Budget* budget = &Budget::Unlimited();  // of the file
};

// A common information entry (CIE).
struct CommonEntry {
  uint64_t code_factor = 1;      // DWARF's code_alignment_factor
  int64_t data_factor = 1;       // DWARF's data_alignment_factor
  uint64_t return_register = 0;  // DWARF number; not checked
  uint8_t encoding = 0;          // DW_EH_PE_*, of addresses
  uint8_t address_size = 8;
  bool augmented = false;  // FDEs have augmentation data, with a size
  bool signal = false;     // FDEs are for signal frames
  absl::Span<const uint8_t> instructions;
};

// A frame description entry (FDE) for the function at addresses [start, end).
struct FunctionEntry {
  CommonEntry common;
  uint64_t start = 0, end = 0;
  absl::Span<const uint8_t> instructions;
};

// Finds entries of .eh_frame or .debug_frame by address (DWARF 5, section 6.4;
// for .eh_frame also the Linux Standard Base). Results point into the section's
// bytes. Not thread-safe.
class CfiTable {
 public:
  enum Kind { kEhFrame, kDebugFrame };
  // `index` is .eh_frame_hdr or empty. If `index` is empty, or in a form that
  // no linker writes, the first Find builds an index.
  CfiTable(Kind kind, const CfiBytes& section, const CfiBytes& index);

  // Returns the entry of the function that has `address`. Nullopt if there is
  // none, if it is damaged, or if the section's budget is exhausted.
  std::optional<FunctionEntry> Find(uint64_t address);
  // Returns the section's budget, to which the caller charges the execution of
  // instructions.
  Budget& budget() const { return *section_.budget; }

 private:
  struct Start {
    uint64_t address;
    uint64_t offset;
  };
  bool ReadIndexHeader();
  std::optional<uint64_t> LastBefore(uint64_t address);
  void MakeIndex();
  std::optional<FunctionEntry> ReadFunction(uint64_t offset);
  const std::optional<CommonEntry>& CommonAt(uint64_t offset);
  std::optional<CommonEntry> ReadCommon(uint64_t offset) const;

  const Kind kind_;
  const CfiBytes section_, index_;
  // The table in index_.bytes: pairs of 4-byte offsets from index_.address.
  absl::Span<const uint8_t> search_table_;
  bool own_index_ = false;
  bool made_index_ = false;
  std::vector<Start> starts_;
  // Common entries by offset; read on demand.
  absl::flat_hash_map<uint64_t, std::optional<CommonEntry>> common_;
};

// Reads an address in an encoding (DW_EH_PE_*) of the Linux Standard Base, at
// the reader's offset. `place` is the address of the first byte of `in`.
// Supports absolute encodings, and encodings relative to the address of the
// value itself. The reader fails for all others.
uint64_t ReadEncoded(ByteReader& in, uint8_t encoding, uint8_t address_size,
                     uint64_t place);

}  // namespace perf2x

#endif  // PERF2X_UNWIND_CFI_TABLE_H_
