// SPDX-License-Identifier: Apache-2.0
#include "converter/symbolize/jit/jitdump.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "converter/base/byte_reader.h"
#include "converter/base/text.h"

namespace perf2x {
namespace {

constexpr uint32_t kMagic = 0x4A695444;  // "JiTD"
constexpr uint64_t kCounterTimes = 1;    // header flag

enum RecordId : uint32_t {
  kLoad = 0,
  kMove = 1,
  kDebugInfo = 2,
  kClose = 3,
  kUnwindingInfo = 4,
};

using Lines = std::vector<GeneratedLine>;

// A DEBUG_INFO record, which comes before the LOAD of its code. Returns null if
// the lines exceed the file's budget: a short name may stand for a long one.
std::shared_ptr<const Lines> ReadLines(ByteReader in, Budget* budget) {
  const uint64_t start = in.U64();
  // Each has an address, line, discriminator and a name of at least a NUL.
  const uint64_t count = in.CheckedCount(in.U64(), 17);
  auto lines = std::make_shared<Lines>();
  lines->reserve(count);
  for (uint64_t i = 0; i < count; ++i) {
    if (budget->exhausted()) return nullptr;
    GeneratedLine line;
    line.offset = in.U64() - start;
    line.line = in.U32();
    in.Skip(4);  // discriminator
    const absl::string_view name = in.CString();
    if (!in.ok()) break;
    // The name "\xff" stands for the previous name.
    line.file = name == "\xff" && !lines->empty() ? lines->back().file
                                                  : std::string(name);
    budget->Spend(Budget::kMemory, sizeof(line) + line.file.size());
    lines->push_back(std::move(line));
  }
  std::stable_sort(lines->begin(), lines->end(),
                   [](const GeneratedLine& a, const GeneratedLine& b) {
                     return a.offset < b.offset;
                   });
  return lines;
}

// Returns true if the lines cannot be those of `size` bytes of code.
bool AreDamaged(const Lines& lines, uint64_t size) {
  return std::any_of(
      lines.begin(), lines.end(), [size](const GeneratedLine& line) {
        return line.offset > size || HasControlCharacters(line.file);
      });
}

// An UNWINDING_INFO record, which comes before the LOAD of its code: .eh_frame
// and, after it, .eh_frame_hdr.
std::shared_ptr<const std::vector<uint8_t>> ReadUnwinding(ByteReader in) {
  const uint64_t size = in.U64(), index_size = in.U64();
  in.Skip(8);  // size in the process's memory
  const absl::Span<const uint8_t> bytes = in.Bytes(size);
  if (!in.ok() || index_size >= size) return nullptr;
  return std::make_shared<const std::vector<uint8_t>>(
      bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(size - index_size));
}

}  // namespace

absl::StatusOr<std::unique_ptr<JitDump>> JitDump::Open(
    std::shared_ptr<const SafeFile> file) {
  const absl::Span<const uint8_t> bytes = file->bytes();
  std::unique_ptr<JitDump> dump(new JitDump);
  for (ByteOrder order : {ByteOrder::kLittle, ByteOrder::kBig}) {
    ByteReader in(bytes, order);
    if (in.U32() != kMagic) continue;
    in.Skip(4);  // version
    dump->order_ = order;
    dump->header_size_ = in.U32();
    in.Skip(8);  // machine, padding
    dump->pid_ = static_cast<int32_t>(in.U32());
    in.Skip(8);  // time
    dump->counter_times_ = (in.U64() & kCounterTimes) != 0;
    if (!in.ok() || dump->header_size_ < in.offset() ||
        dump->header_size_ > bytes.size()) {
      break;
    }
    dump->file_ = std::move(file);
    return dump;
  }
  return absl::InvalidArgumentError(
      absl::StrCat(file->path(), ": not a jitdump"));
}

bool JitDump::ForEach(absl::FunctionRef<void(const Event&)> visit) const {
  ByteReader in(file_->bytes().subspan(header_size_), order_);
  constexpr uint64_t kOfCode = 48;
  Budget& budget = file_->budget();
  std::shared_ptr<const Lines> lines;
  std::shared_ptr<const std::vector<uint8_t>> eh_frame;
  while (in.left() > 0) {
    const uint32_t id = in.U32();
    const uint32_t size = in.U32();
    Event event;
    event.time = in.U64();
    if (size < 16) return false;
    ByteReader body(in.Bytes(size - 16), order_);
    if (!in.ok()) return false;
    switch (id) {
      case kLoad:
      case kMove:
        event.pid = static_cast<int32_t>(body.U32());
        event.tid = static_cast<int32_t>(body.U32());
        body.Skip(8);  // vma
        if (id == kMove) {
          event.move = true;
          event.old_start = body.U64();
        }
        event.start = body.U64();
        event.size = body.U64();
        event.index = body.U64();
        if (id == kLoad) {
          event.name = body.CString();
          event.lines = std::move(lines);
          lines = nullptr;
          event.has_damaged_lines =
              event.lines != nullptr && AreDamaged(*event.lines, event.size);
          if (event.has_damaged_lines) event.lines = nullptr;
          event.eh_frame = std::move(eh_frame);
          eh_frame = nullptr;
        }
        if (!body.ok()) return false;
        if (id == kLoad) {
          event.code = body.Bytes(std::min<uint64_t>(event.size, body.left()));
        }
        if (event.size > ~uint64_t{0} - event.start) return false;
        // Visitors keep them until their times come, and know the code of each.
        budget.Spend(Budget::kMemory, sizeof(Event) + kOfCode);
        if (budget.exhausted()) return false;
        visit(event);
        break;
      case kDebugInfo:
        lines = ReadLines(body, &budget);
        if (lines == nullptr) return false;
        break;
      case kClose:
        return true;
      case kUnwindingInfo:
        eh_frame = ReadUnwinding(body);
        break;
      default:  // records that later versions add
        break;
    }
  }
  return true;
}

bool IsJitDumpName(absl::string_view name) {
  name = name.substr(name.rfind('/') + 1);
  if (!absl::ConsumePrefix(&name, "jit-") ||
      !absl::ConsumeSuffix(&name, ".dump")) {
    return false;
  }
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return c >= '0' && c <= '9';
  });
}

}  // namespace perf2x
