// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SYMBOLIZE_ELF_GO_TABLE_H_
#define PERF2X_SYMBOLIZE_ELF_GO_TABLE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "converter/base/byte_reader.h"
#include "converter/symbolize/elf/elf_memory.h"
#include "converter/symbolize/elf/symbol_index.h"
#include "converter/symbolize/skipped_parts.h"

namespace perf2x {

// The functions of a Go program, from the table that the Go runtime uses for
// stack traces (.gopclntab). Stripped programs have it, too. Reads the layouts
// of Go 1.2, 1.16, 1.18 and 1.20. Later versions have the layout of 1.20. See
// pcHeader, functab, _func and inlinedCall in Go's runtime/symtab.go,
// runtime2.go and symtabinl.go. Immutable; strings live as long as the file.
class GoTable {
 public:
  // A function's entry.
  struct Function {
    uint64_t start = 0, end = 0;  // link-time addresses [start, end)
    uint32_t name = 0;            // for NameAt
    // Offsets for DecodeGoValues; 0: none.
    uint32_t files = 0;       // the values are indices for FileName
    uint32_t lines = 0;       // the values are line numbers
    uint32_t calls = 0;       // the values are indices for ReadInlinedCall
    uint32_t first_file = 0;  // of its compilation unit
    uint32_t start_line = 0;  // 0: not known
    uint64_t tree = 0;        // for ReadInlinedCall
  };
  // A function that was inlined into a Function.
  struct InlinedCall {
    uint32_t name = 0;         // for NameAt
    uint32_t call_offset = 0;  // of the call, from Function::start, in bytes
    uint32_t start_line = 0;   // 0: not known
  };

  // Returns null if `elf` has no such table, or a damaged one.
  static std::shared_ptr<const GoTable> Open(
      const std::shared_ptr<const ElfFile>& elf);

  // Adds all functions that have a name to `index`, which the ELF file must
  // outlive. Returns the number of added functions. Skips all functions if the
  // budget has no memory for them. Skips further functions once the names
  // exceed four times the size of the file. Counts skipped functions in
  // `skipped`. The caller calls SymbolIndex::Finish.
  size_t AddTo(SymbolIndex* index, SkippedParts* skipped) const;

  // Returns the index of the function that has `address`; nullopt if there is
  // none.
  std::optional<size_t> FunctionAt(uint64_t address) const;
  // Reads a function by an index from FunctionAt. Returns false if its entry is
  // damaged; `*function` is then unspecified.
  bool ReadFunction(size_t index, Function* function) const;
  // Reads an inlined call by its index in the function. Returns false if there
  // is no such call, as for a negative index; `*call` is then unspecified.
  bool ReadInlinedCall(const Function& function, int32_t index,
                       InlinedCall* call) const;
  // Returns the function name at `offset`, truncated to 64 KiB; empty if the
  // offset is outside of the table.
  absl::string_view NameAt(uint32_t offset) const;
  // Returns the path of a source file by its index in the compilation unit of
  // `function`. Empty if there is no such file.
  absl::string_view FileName(const Function& function, int32_t file) const;
  // Returns a reader of the encoded values at `offset` (pctab); see
  // DecodeGoValues.
  ByteReader ValuesAt(uint32_t offset) const;
  // Returns the size of the machine's smallest instruction, in bytes.
  uint32_t quantum() const { return quantum_; }
  size_t file_size() const { return memory_.elf().file()->bytes().size(); }
  // Returns the budget of the file.
  Budget& budget() const { return memory_.elf().file()->budget(); }

 private:
  enum class Version { k12, k116, k118, k120 };
  struct Entry {
    uint64_t start = 0;
    uint64_t offset = 0;  // of its _func in funcs_
  };

  // A function with inlined calls, and the largest index of these.
  struct SomeCalls {
    Function function;
    int32_t last = -1;
  };

  explicit GoTable(std::shared_ptr<const ElfFile> elf)
      : memory_(std::move(elf)) {}
  bool ReadAt(uint64_t address);
  bool ReadHeader();
  bool ReadFunctions(uint64_t count, uint64_t text);
  // Finds the runtime's moduledata. Sets `*text` to the start of the code, to
  // which offsets of functions are relative. `names` is the address of the
  // names.
  void ReadModule(uint64_t names, uint64_t* text);
  void FindInlinedCalls();
  bool TreesAreRight(absl::Span<const SomeCalls> functions) const;
  // Reads the part of the _func at `address` that follows its fixed part.
  void ReadTree(ByteReader* in, uint64_t address, uint32_t pcdata_count,
                uint32_t funcdata_count, Function* function) const;

  const ElfMemory memory_;
  Version version_ = Version::k12;
  uint32_t quantum_ = 1;
  uint64_t address_ = 0;            // of the table
  uint64_t functions_address_ = 0;  // of funcs_
  absl::Span<const uint8_t> all_, names_, units_, files_, values_, funcs_;
  std::vector<Entry>
      functions_;        // ascending; the last only ends the one before
  uint64_t module_ = 0;  // address of moduledata; 0: not found
  bool has_inlined_calls_ = false;
  // The address to which Function::tree is relative; 0 if that is an address.
  uint64_t function_data_ = 0;
};

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_ELF_GO_TABLE_H_
