// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SYMBOLIZE_DWARF_DWARF_INFO_H_
#define PERF2X_SYMBOLIZE_DWARF_DWARF_INFO_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "converter/base/hash_text.h"
#include "converter/symbolize/dwarf/dwarf_file.h"
#include "converter/symbolize/dwarf/dwarf_lines.h"
#include "converter/symbolize/dwarf/dwarf_unit.h"
#include "converter/symbolize/dwarf/function_index.h"
#include "converter/symbolize/dwarf/inline_tree_cache.h"
#include "converter/symbolize/dwarf/interval_index.h"
#include "converter/symbolize/dwarf/split_units.h"
#include "converter/symbolize/skipped_parts.h"

namespace perf2x {

// One function at an address, from debug information.
struct DwarfFrame {
  // The linkage name, else the name in the source. May be empty.
  absl::string_view name;
  absl::string_view file;      // path; empty: not known
  uint32_t line = 0;           // 0: not known
  uint32_t start_line = 0;     // of the function; 0: not known
  uint32_t discriminator = 0;  // of the line; 0: none or not requested
};

// The functions, inlined functions and lines of one file by link-time address,
// from DWARF 2 to 5. Skips damaged parts. Once the file's budget is exhausted,
// also skips all parts that were not read before. See AddSkippedParts. Not
// thread-safe, but several threads may each have a DwarfInfo of the same file.
class DwarfInfo {
 public:
  // Reads the address ranges of all units. Reads functions and lines of a unit
  // at the first look-up in it. `file` must not be null. `discriminators`
  // requests DwarfFrame::discriminator.
  explicit DwarfInfo(std::shared_ptr<const DwarfFile> file,
                     bool discriminators = false);

  // Appends the functions at `address`, innermost inlined one first. If there
  // is a line but no function, appends one frame without a name. If there is
  // neither, appends nothing. Strings live as long as this object.
  //
  // Without `inlines`, appends only the function that has the code, with its
  // own source file. If functions are inlined at `address`, the line is that of
  // the inlined call in this function. The line is 0 if it is in another file.
  void Find(uint64_t address, bool inlines, std::vector<DwarfFrame>* frames);
  // Appends the ranges [first, second) of the function at `address`, 4096 at
  // most; none if no function has the address.
  void FindRanges(uint64_t address,
                  std::vector<std::pair<uint64_t, uint64_t>>* ranges);
  // Returns the number of split units whose files were not found so far.
  uint64_t missing_split_units() const { return split_units_.missing(); }
  // Adds the parts that were skipped so far. Adds the resources that are
  // exhausted in the budgets of this file and its companions.
  void AddSkippedParts(SkippedParts* skipped) const;
  // Returns the file's budget.
  Budget& budget() const { return *file_->sections->budget; }

 private:
  // The units of a section.
  struct Units {
    std::shared_ptr<const DwarfSections> sections;
    std::deque<DwarfUnit> list;  // ascending by offset
    DwarfUnit* Containing(uint64_t offset);
  };
  struct Function {
    absl::string_view name;
    uint32_t start_line = 0;
    std::optional<uint64_t> decl_file;  // index in its unit's line table
  };
  // The decoded parts of a compilation unit.
  struct Compilation {
    DwarfUnit* unit = nullptr;  // of the main file
    Units split;
    // `unit`, or its split unit, and its functions. Set by Open.
    DwarfUnit* code = nullptr;
    std::optional<FunctionIndex> functions;
    bool lines_read = false;
    LineTable* lines = nullptr;
    LineTable* call_files =
        nullptr;  // line table of the split unit; null: none
    // Returns the line table whose files the attributes of functions refer to;
    // may be null.
    LineTable* attribute_files() const {
      return call_files != nullptr ? call_files : lines;
    }
  };

  void ReadUnits(Units* units, const DwarfSections* alternate);
  void FindAbbrevs(DwarfUnit* unit) {
    if (unit->abbrevs != nullptr) return;
    unit->abbrevs = abbrevs_.At(*unit->sections, unit->abbrev_offset);
  }
  // Opens the unit that has the entries of functions. Not to be called again.
  void Open(Compilation* c);
  const uint64_t* FunctionAt(Compilation* c, uint64_t address) {
    if (c->code == nullptr) Open(c);
    return c->functions->Find(address);
  }
  LineTable* LinesOf(const DwarfUnit& unit, uint64_t offset);
  DwarfFrame LineAt(Compilation* c, uint64_t address);
  static absl::string_view OtherFileOf(const Compilation* c,
                                       const Function& function,
                                       const DwarfFrame& frame);
  void LeaveInlined(Compilation* c, uint64_t function, uint64_t address,
                    DwarfFrame* frame, std::vector<DwarfFrame>* frames);
  // Returns the function whose entry is at `offset` of the section of `unit`;
  // with `alternate`, of the alternate file's section.
  const Function& FunctionOf(Compilation* c, const DwarfUnit& unit,
                             uint64_t offset, bool alternate);
  // Returns false if the limit on references was reached.
  bool ReadFunction(Compilation* c, const DwarfUnit& unit, uint64_t offset,
                    bool alternate, int depth, Function* function);

  const std::shared_ptr<const DwarfFile> file_;
  const bool discriminators_;
  SkippedParts skipped_;
  Units main_, alternate_;
  std::vector<std::unique_ptr<Compilation>> compilations_;
  IntervalIndex<Compilation*> by_address_;
  AbbrevTables abbrevs_;
  // Keys are section and offset of the table, and the data of the unit that
  // paths of files depend on, of texts their HashText.
  using LinesKey =
      std::tuple<const DwarfSections*, uint64_t, Hash128, Hash128, uint64_t>;
  absl::flat_hash_map<LinesKey, std::unique_ptr<LineTable>> lines_;
  absl::flat_hash_map<std::pair<const DwarfSections*, uint64_t>, Function>
      functions_;
  SplitUnits split_units_;
  InlineTreeCache trees_;
  uint64_t inlined_frames_ = 0;  // not charged to the budget yet
};

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_DWARF_DWARF_INFO_H_
