// SPDX-License-Identifier: Apache-2.0
#include "converter/symbolize/elf/go_table.h"

#include <elf.h>

#include <algorithm>

#include "absl/strings/match.h"
#include "converter/symbolize/elf/elf_symbols.h"
#include "converter/symbolize/elf/go_lines.h"

namespace perf2x {
namespace {

// Size of the header's start: the version, two zeros, the size of the smallest
// instruction and of a pointer.
constexpr size_t kHeaderStart = 8;
constexpr uint32_t kMagic12 = 0xfffffffb, kMagic116 = 0xfffffffa,
                   kMagic118 = 0xfffffff0, kMagic120 = 0xfffffff1;
// Indices into the pcdata and funcdata of a function.
constexpr uint32_t kPcdataInlTreeIndex = 2, kFuncdataInlTree = 3,
                   kFuncdataInlTree12 = 4;
constexpr size_t kMaxNameSize = 64 << 10;

bool IsMagic(uint32_t word) {
  return word == kMagic12 || word == kMagic116 || word == kMagic118 ||
         word == kMagic120;
}

absl::string_view GoStringAt(absl::Span<const uint8_t> table, uint64_t at) {
  if (at >= table.size()) return {};
  const char* p = reinterpret_cast<const char*>(table.data()) + at;
  return {p, strnlen(p, std::min<uint64_t>(table.size() - at, kMaxNameSize))};
}

// Calls visit(segment, reader of its bytes) for each segment of a type, until
// that returns false. Visits twice the file's size at the most: segments may
// overlap.
template <class Visit>
void ForEachSegment(const ElfFile& elf, uint32_t type, Visit visit) {
  const absl::Span<const uint8_t> file = elf.file()->bytes();
  uint64_t left = 2 * file.size();
  for (const ElfFile::Segment& s : elf.segments()) {
    if (s.type != type || s.offset > file.size() || s.file_size > left) {
      continue;
    }
    left -= s.file_size;
    ByteReader in(file.subspan(s.offset, s.file_size), elf.order());
    if (!visit(s, in)) return;
  }
}

// Returns true if Go's linker made the file, so that a search is worth its
// time.
bool IsGo(const ElfFile& elf) {
  for (const ElfFile::Section& s : elf.sections()) {
    if (absl::StartsWith(s.name, ".go.") ||
        absl::StartsWith(s.name, ".note.go.")) {
      return true;
    }
  }
  bool is_go = false;
  ForEachSegment(elf, PT_NOTE, [&](const auto&, ByteReader& in) {
    while (in.left() >= 12 && !is_go) {
      const uint64_t name_size = in.U32(), size = in.U32();
      in.Skip(4);  // type
      is_go = in.FixedString((name_size + 3) / 4 * 4) == "Go";
      in.Skip((size + 3) / 4 * 4);
    }
    return !is_go;
  });
  return is_go;
}

// Returns addresses where the table may begin: that of its section or, if
// section headers are missing or the linker merged the section into another
// one, those of bytes that look like the table's header.
std::vector<uint64_t> PlacesOfTable(const ElfFile& elf) {
  for (const ElfFile::Section& s : elf.sections()) {
    if (absl::EndsWith(s.name, ".gopclntab")) return {s.address};
  }
  std::vector<uint64_t> places;
  if (!IsGo(elf)) return places;
  constexpr size_t kTries = 16, kAlignment = 8;
  ForEachSegment(elf, PT_LOAD, [&](const auto& s, ByteReader& in) {
    in.Skip((kAlignment - s.address % kAlignment) % kAlignment);
    while (in.left() >= kAlignment && places.size() < kTries) {
      const uint64_t at = s.address + in.offset();
      const uint32_t magic = in.U32();
      const bool zeros = in.U16() == 0;
      const uint8_t quantum = in.U8(), pointer = in.U8();
      if (IsMagic(magic) && zeros && quantum <= 4 &&
          pointer == (elf.is64() ? 8 : 4)) {
        places.push_back(at);
      }
    }
    return places.size() < kTries;
  });
  return places;
}

}  // namespace

std::shared_ptr<const GoTable> GoTable::Open(
    const std::shared_ptr<const ElfFile>& elf) {
  for (const uint64_t place : PlacesOfTable(*elf)) {
    std::shared_ptr<GoTable> table(new GoTable(elf));
    if (table->ReadAt(place)) return table;
  }
  return nullptr;
}

bool GoTable::ReadAt(uint64_t address) {
  address_ = address;
  all_ = memory_.At(address);
  return ReadHeader();
}

bool GoTable::ReadHeader() {
  ByteReader in(all_, memory_.elf().order());
  const uint32_t magic = in.U32();
  in.Skip(2);
  quantum_ = in.U8();
  const uint8_t pointer = in.U8();
  if (!in.ok() || !IsMagic(magic) || pointer != memory_.word_size() ||
      (quantum_ != 1 && quantum_ != 2 && quantum_ != 4)) {
    return false;
  }
  const auto word = [&] { return pointer == 8 ? in.U64() : in.U32(); };
  const uint64_t count = word();
  if (magic == kMagic12) {
    version_ = Version::k12;
    names_ = values_ = funcs_ = all_;
    functions_address_ = address_;
    if (!ReadFunctions(count, 0)) return false;
    // A table of offsets after the functions numbers the files from 1.
    in.Skip(2 * pointer * count + pointer);
    const uint32_t files = in.U32();
    if (!in.ok() || files > all_.size()) return false;
    units_ = all_.subspan(files);
    files_ = all_;
    FindInlinedCalls();
    return true;
  }
  version_ = magic == kMagic116   ? Version::k116
             : magic == kMagic118 ? Version::k118
                                  : Version::k120;
  word();  // number of files
  uint64_t text = 0;
  if (version_ >= Version::k118) {
    text = memory_.Word(address_ + in.offset()).value_or(0);
    word();
  }
  uint64_t offsets[5];
  for (uint64_t& offset : offsets) {
    offset = word();
    if (offset > all_.size()) return false;
  }
  if (!in.ok()) return false;
  names_ = all_.subspan(offsets[0]);
  units_ = all_.subspan(offsets[1]);
  files_ = all_.subspan(offsets[2]);
  values_ = all_.subspan(offsets[3]);
  funcs_ = all_.subspan(offsets[4]);
  functions_address_ = address_ + offsets[4];
  ReadModule(address_ + offsets[0], &text);
  if (!ReadFunctions(count, text)) return false;
  FindInlinedCalls();
  return true;
}

void GoTable::ReadModule(uint64_t names, uint64_t* text) {
  if (version_ < Version::k118) return;
  // moduledata begins with the addresses of the table and of its names. The
  // address of the code comes after five more slices and three words.
  constexpr size_t kTries = 64, kTextIndex = 22;
  const size_t word = memory_.word_size();
  for (const uint64_t at : memory_.Find(address_, kTries)) {
    if (memory_.Word(at + word) != names) continue;
    const auto start = memory_.Word(at + kTextIndex * word);
    if (!start.has_value()) continue;
    module_ = at;
    *text = *start;
    return;
  }
  if (*text != 0) return;
  const ElfFile::Section* section = memory_.elf().Find(".text");
  if (section != nullptr) *text = section->address;
}

bool GoTable::ReadFunctions(uint64_t count, uint64_t text) {
  const bool offsets = version_ >= Version::k118;
  const size_t size = offsets ? 4 : memory_.word_size();
  // In tables of Go 1.2, the functions follow the header and their number.
  const uint64_t at =
      version_ == Version::k12 ? kHeaderStart + memory_.word_size() : 0;
  ByteReader in(funcs_.subspan(std::min<uint64_t>(at, funcs_.size())),
                memory_.elf().order());
  count = in.CheckedCount(count, 2 * size);
  if (count == 0 || in.left() < (2 * count + 1) * size) return false;
  functions_.reserve(count + 1);
  for (uint64_t i = 0; i <= count; ++i) {
    Entry entry;
    if (offsets) {
      entry.start = text + in.U32();
    } else {
      entry.start =
          memory_.Word(functions_address_ + at + in.offset()).value_or(0);
      in.Skip(size);
    }
    if (i < count) entry.offset = size == 8 ? in.U64() : in.U32();
    if (i > 0 && entry.start < functions_.back().start) return false;
    functions_.push_back(entry);
  }
  return true;
}

std::optional<size_t> GoTable::FunctionAt(uint64_t address) const {
  const auto after = std::upper_bound(
      functions_.begin(), functions_.end(), address,
      [](uint64_t a, const Entry& entry) { return a < entry.start; });
  if (after == functions_.begin() || after == functions_.end()) {
    return std::nullopt;
  }
  return static_cast<size_t>(after - functions_.begin()) - 1;
}

bool GoTable::ReadFunction(size_t index, Function* function) const {
  *function = {};
  function->start = functions_[index].start;
  function->end = functions_[index + 1].start;
  const uint64_t offset = functions_[index].offset;
  if (offset > funcs_.size()) return false;
  ByteReader in(funcs_.subspan(offset), memory_.elf().order());
  in.Skip(version_ >= Version::k118 ? 4 : memory_.word_size());
  function->name = in.U32();
  in.Skip(3 * 4);  // args, deferreturn, pcsp
  function->files = in.U32();
  function->lines = in.U32();
  const uint32_t pcdata = in.U32();
  if (version_ >= Version::k116) function->first_file = in.U32();
  if (version_ >= Version::k120) function->start_line = in.U32();
  in.Skip(3);  // funcID, flags
  const uint8_t funcdata = in.U8();
  if (!in.ok()) return false;
  ReadTree(&in, functions_address_ + offset, pcdata, funcdata, function);
  return true;
}

void GoTable::ReadTree(ByteReader* in, uint64_t address, uint32_t pcdata_count,
                       uint32_t funcdata_count, Function* function) const {
  const uint32_t which =
      version_ == Version::k12 ? kFuncdataInlTree12 : kFuncdataInlTree;
  if (pcdata_count <= kPcdataInlTreeIndex || funcdata_count <= which) return;
  in->Skip(kPcdataInlTreeIndex * 4);
  const uint32_t calls = in->U32();
  in->Skip(uint64_t{pcdata_count - kPcdataInlTreeIndex - 1} * 4);
  if (version_ >= Version::k118) {
    in->Skip(which * 4);
    const uint32_t offset = in->U32();
    if (offset == ~0u) return;
    function->tree = offset;
  } else {
    // Addresses, aligned.
    const size_t word = memory_.word_size();
    const uint64_t at = (address + in->offset() + word - 1) / word * word;
    const uint64_t tree = memory_.Word(at + which * word).value_or(0);
    if (tree == 0) return;
    function->tree = tree;
  }
  if (in->ok()) function->calls = calls;
}

bool GoTable::ReadInlinedCall(const Function& function, int32_t index,
                              InlinedCall* call) const {
  if (!has_inlined_calls_ || index < 0) return false;
  const bool has_parent = version_ < Version::k120;
  const uint64_t size = has_parent ? 20 : 16;
  ByteReader in(memory_.At(function_data_ + function.tree),
                memory_.elf().order());
  in.Skip(size * static_cast<uint32_t>(index));
  in.Skip(has_parent ? 4 + 2 * 4 : 4);  // parent, funcID, file, line
  *call = {};
  call->name = in.U32();
  call->call_offset = in.U32();
  if (!has_parent) call->start_line = in.U32();
  // A name begins after the NUL of another name.
  return in.ok() && call->name < names_.size() &&
         (call->name == 0 || names_[call->name - 1] == 0) &&
         call->call_offset < function.end - function.start;
}

void GoTable::FindInlinedCalls() {
  has_inlined_calls_ = true;
  if (version_ == Version::k116) return;
  if (version_ == Version::k12) {
    // Of the Go versions with this magic number, only 1.14 and 1.15 have the
    // tree of inlined calls at kFuncdataInlTree12. Only these have one more
    // funcdata after the tree.
    for (size_t i = 0; i + 1 < functions_.size(); ++i) {
      const uint64_t count_at =
          functions_[i].offset + memory_.word_size() + 7 * 4 + 3;
      if (count_at < funcs_.size() &&
          funcs_[count_at] == kFuncdataInlTree12 + 2) {
        return;
      }
    }
    has_inlined_calls_ = false;
    return;
  }
  // Trees are relative to moduledata's field gofunc, which comes after `etext`
  // and, depending on the version, ten or more other fields. Some functions
  // with inlined calls show which field it is.
  constexpr size_t kSome = 64, kFirst = 32, kLast = 64;
  std::vector<SomeCalls> some;
  // Limits the work: functions may share values.
  constexpr uint64_t kMaxValues = 1 << 20;
  uint64_t steps = kMaxValues;
  for (size_t i = 0; i + 1 < functions_.size() && some.size() < kSome; ++i) {
    SomeCalls calls;
    if (!ReadFunction(i, &calls.function) || calls.function.calls == 0)
      continue;
    for (const GoValue& value :
         DecodeGoValues(*this, calls.function, calls.function.calls, &steps)) {
      calls.last = std::max(calls.last, value.value);
    }
    if (calls.last >= 0) some.push_back(calls);
  }
  constexpr uint64_t kValuesAStep = 8;
  budget().Spend(Budget::kWork, (kMaxValues - steps) / kValuesAStep);
  for (size_t i = kFirst; i < kLast && module_ != 0 && !some.empty(); ++i) {
    function_data_ =
        memory_.Word(module_ + i * memory_.word_size()).value_or(0);
    if (function_data_ != 0 && TreesAreRight(some)) return;
  }
  has_inlined_calls_ = false;
}

bool GoTable::TreesAreRight(absl::Span<const SomeCalls> functions) const {
  bool any = false;  // any call that is not all zeros
  for (const auto& [function, last] : functions) {
    for (const int32_t i : {0, last}) {
      InlinedCall call;
      if (!ReadInlinedCall(function, i, &call) || NameAt(call.name).empty()) {
        return false;
      }
      any |= call.name != 0;
    }
  }
  return any;
}

size_t GoTable::AddTo(SymbolIndex* index, SkippedParts* skipped) const {
  if (!ChargeSymbols(memory_.elf(), functions_.size(), 0, skipped)) return 0;
  uint64_t bytes = 4 * file_size();
  size_t added = 0;
  index->Reserve(functions_.size());
  for (size_t i = 0; i + 1 < functions_.size(); ++i) {
    Function function;
    if (!ReadFunction(i, &function)) continue;
    if (bytes == 0) {
      ++skipped->symbols;
      continue;
    }
    const absl::string_view name = NameAt(function.name);
    bytes -= std::min<uint64_t>(bytes, name.size() + 1);
    if (name.empty() || function.start == function.end) continue;
    index->Add(function.start, function.end - function.start, name, STT_FUNC,
               STB_GLOBAL);
    ++added;
  }
  return added;
}

absl::string_view GoTable::NameAt(uint32_t offset) const {
  return GoStringAt(names_, offset);
}

absl::string_view GoTable::FileName(const Function& function,
                                    int32_t file) const {
  if (file < 0) return {};
  ByteReader in(units_, memory_.elf().order());
  in.Skip((uint64_t{function.first_file} + static_cast<uint32_t>(file)) * 4);
  const uint32_t offset = in.U32();
  return in.ok() ? GoStringAt(files_, offset) : absl::string_view();
}

ByteReader GoTable::ValuesAt(uint32_t offset) const {
  return {values_.subspan(std::min<size_t>(offset, values_.size())),
          memory_.elf().order()};
}

}  // namespace perf2x
