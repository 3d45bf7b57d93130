// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_MODEL_CODE_IMAGE_H_
#define PERF2X_MODEL_CODE_IMAGE_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace perf2x {

// A place in the source: a line of a function, as compilers name it in sample
// profiles.
struct CodeLine {
  absl::string_view function;  // linkage name; valid as long as the CodeImage
  // The line minus the function's own line, modulo 65536. A missing line counts
  // as 0.
  uint32_t line_offset = 0;
  uint32_t discriminator = 0;  // as in the line table, encoded by the compiler
};

// The machine code of one Dso. Addresses are link-time addresses, unless they
// are called a Frame::address. Reads its file on demand and charges the file's
// own budget (SafeFile::budget()). Once this budget is exhausted, code that was
// not read before has no instructions and no debug information. Not
// thread-safe.
class CodeImage {
 public:
  // A function of the symbol table, or a linkage table.
  struct Function {
    uint64_t start = 0, end = 0;  // [start, end), as in the symbol table
    // FunctionAt returns this function for addresses in [start, limit). `limit`
    // is where the next function starts or the section ends. It is at least the
    // smaller of `end` and the section's end.
    uint64_t limit = 0;
    // As in the symbol table. A linkage table counts as one function with the
    // section's name, ".plt". Valid as long as the CodeImage.
    absl::string_view name;
    // Numbers local symbols (STB_LOCAL) of the same name by address, from 1. 0:
    // a global symbol.
    uint32_t local_number = 0;
  };
  // A basic block: instructions that run one after the other. A call does not
  // end a block.
  struct Block {
    uint64_t first = 0, last = 0;  // addresses of these two instructions
    uint32_t instructions = 0;     // 0: there is no such block
  };
  using Range = std::pair<uint64_t, uint64_t>;  // [first, second)
  // What an instruction does to the stack of calls.
  enum class Transfer : uint8_t { kNone, kCall, kReturn };

  virtual ~CodeImage() = default;

  // Returns the link-time address of a Frame::address; nullopt if the file
  // loads nothing there.
  virtual std::optional<uint64_t> AddressOf(uint64_t frame_address) const = 0;
  // The reverse of AddressOf. Nullopt if the file loads nothing at `address`.
  virtual std::optional<uint64_t> FrameAddressOf(uint64_t /*address*/) const {
    return std::nullopt;
  }
  // Returns EM_* of elf.h.
  virtual uint16_t machine() const { return 0; }
  // Returns the file's bytes from `address` to the end of its segment. In
  // relocatable files, to the end of .text. Empty if the file has no bytes
  // there. Valid as long as the CodeImage. May be called while another thread
  // uses the object.
  virtual absl::Span<const uint8_t> BytesAt(uint64_t /*address*/) const {
    return {};
  }
  // Returns the start of the first executable segment, rounded down to a page;
  // 0 if there is none.
  virtual uint64_t code_start() const = 0;
  // The bytes of one segment as they are in the file, and their first address.
  struct Segment {
    uint64_t start = 0;
    absl::Span<const uint8_t> bytes;  // valid as long as the CodeImage
  };
  // Returns the executable segment at `address`. Empty if there is none, and
  // for relocatable files, such as kernel modules.
  virtual Segment SegmentAt(uint64_t /*address*/) const { return {}; }
  // Returns true if the file is not linked to a fixed address.
  virtual bool is_position_independent() const = 0;

  // Returns the last function that starts at or before `address`. Nullopt if
  // there is none or `address` is not below its limit.
  virtual std::optional<Function> FunctionAt(uint64_t address) const = 0;
  // Returns true if instructions of this machine can be decoded. The next six
  // functions require that.
  virtual bool can_decode() const = 0;
  // Returns the size in bytes of the instruction at `address`; 0 if none starts
  // there.
  virtual uint32_t InstructionSize(uint64_t address) = 0;
  // Returns the address of the first instruction in [address, end); nullopt if
  // there is none.
  virtual std::optional<uint64_t> NextInstruction(uint64_t address,
                                                  uint64_t end) = 0;
  // Returns the address of the last instruction before `address`; nullopt if
  // there is none.
  virtual std::optional<uint64_t> PreviousInstruction(uint64_t address) = 0;
  // Returns what the instruction at `address` does; kNone if none starts there.
  virtual Transfer TransferAt(uint64_t address) = 0;
  // Returns true if no instruction in [start, end) is a call, a return or an
  // unconditional direct jump. Ignores bytes that are no known instruction.
  // Returns false if the budget is exhausted.
  virtual bool RunsThrough(uint64_t start, uint64_t end) = 0;

  // Returns the basic block of the first instruction at or after `address`.
  // Blocks begin after branches and returns, at the targets of direct branches
  // and at symbols.
  virtual Block BlockAt(uint64_t address) = 0;

  // Appends the functions at `address` with their lines: the outermost first,
  // then the functions inlined into it, from the outside in. Stops before a
  // function without a linkage name. Appends nothing if there is no debug
  // information.
  virtual void AppendLines(uint64_t address, std::vector<CodeLine>* lines) = 0;
  // Appends all code ranges of the outermost function at `address`, which
  // compilers may split. Appends nothing if there is no debug information.
  virtual void AppendRanges(uint64_t address, std::vector<Range>* ranges) = 0;
};

}  // namespace perf2x

#endif  // PERF2X_MODEL_CODE_IMAGE_H_
