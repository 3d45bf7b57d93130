// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SYMBOLIZE_DWARF_DWARF_LINES_H_
#define PERF2X_SYMBOLIZE_DWARF_DWARF_LINES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "converter/symbolize/dwarf/dwarf_unit.h"

namespace perf2x {

// The line table of one unit: source file and line by address. DWARF 5, 6.2,
// and the same section of earlier versions. Not thread-safe.
class LineTable {
 public:
  // The line of the code from `address` to the next row's address.
  struct Row {
    uint64_t address = 0;
    uint32_t file = 0;  // index for FileName
    uint32_t line = 0;
  };

  // Reads the table at `offset` of the line section of `unit`, whose sections
  // must outlive the LineTable. Stops at damage, and when the file's budget is
  // exhausted; later rows are then missing.
  LineTable(const DwarfUnit& unit, uint64_t offset,
            bool with_discriminators = false);

  // Returns the row that covers `address`; null if there is none. Valid as long
  // as the table.
  const Row* Find(uint64_t address) const;
  // Calls `visit` with each range [low, high) of addresses that the table
  // describes.
  template <class Visit>
  void ForEachSequence(Visit visit) const {
    for (const Sequence& s : sequences_) visit(s.low, s.high);
  }
  // Returns the discriminator of a row that Find returned; 0 if it has none, or
  // if they were not requested.
  uint32_t DiscriminatorOf(const Row& row) const {
    const auto at = static_cast<size_t>(&row - rows_.data());
    return at < discriminators_.size() ? discriminators_[at] : 0;
  }
  // Returns the path of a source file by its index in this table; absolute if
  // the unit's folder is known. Empty if there is no such file, if its name has
  // control characters, or if the budget was exhausted at the first call for
  // it. Valid as long as the table.
  const std::string& FileName(uint64_t file);

 private:
  struct File {
    DwarfValue name = {};  // a string
    uint64_t dir = 0;
    std::string path = {};  // set by FileName
    bool named = false;     // FileName was called
  };
  struct Sequence {
    uint64_t low, high;
    size_t first, last;  // in rows_
  };

  // Reads the header, up to the line number program. Returns false on damage.
  bool ReadHeader(ByteReader* in);
  void ReadFiles4(ByteReader* in);
  void ReadFiles5(ByteReader* in, bool dirs);
  void Run(ByteReader in);
  // Executes an extended operation. Returns true if it ends the sequence.
  bool RunExtended(ByteReader in, Row* row);
  void AddRow(const Row& row) {
    rows_.push_back(row);
    if (!with_discriminators_) return;
    discriminators_.push_back(discriminator_);
    discriminator_ = 0;
  }
  void SortRows(size_t first);
  // Makes a sequence of the rows from `first` on, which ends at `high`.
  void EndSequence(size_t first, uint64_t high);

  // Returns the number of objects of `size` bytes that the budget allows.
  size_t MaxCount(size_t size) const;

  const DwarfUnit unit_;  // a copy
  Budget& budget_;        // of the file
  uint16_t version_ = 0;
  uint8_t offset_size_ = 4, min_length_ = 1, line_range_ = 1, opcode_base_ = 1;
  int8_t line_base_ = 0;
  std::vector<uint8_t> operand_counts_;
  // Strings are read only for the paths that are requested: many entries may
  // refer to one long string.
  std::vector<DwarfValue> dirs_;
  std::vector<File> files_;
  std::vector<Row> rows_;
  const bool with_discriminators_;
  uint32_t discriminator_ = 0;            // of the next row
  std::vector<uint32_t> discriminators_;  // of rows_; empty: not requested
  std::vector<Sequence> sequences_;
};

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_DWARF_DWARF_LINES_H_
