// SPDX-License-Identifier: Apache-2.0
#include "converter/symbolize/dwarf/dwarf_lines.h"

#include <dwarf.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "converter/base/text.h"

namespace perf2x {
namespace {

// The memory of a vector exceeds its contents, most of all while it grows.
constexpr uint64_t kGrowth = 2;

DwarfValue StringValue(absl::string_view text) {
  DwarfValue value;
  value.form = DW_FORM_string;
  value.text = text;
  return value;
}

// Reads the value of a form that file entries may have; returns false for other
// forms.
bool ReadFileForm(ByteReader* in, uint8_t offset_size, DwarfValue* value) {
  switch (value->form) {
    case DW_FORM_string:
      value->text = in->CString();
      break;
    case DW_FORM_line_strp:
    case DW_FORM_strp:
      value->number = offset_size == 8 ? in->U64() : in->U32();
      break;
    case DW_FORM_udata:
    case DW_FORM_strx:
      value->number = ReadUleb128(*in);
      break;
    case DW_FORM_data1:
    case DW_FORM_strx1:
      value->number = in->U8();
      break;
    case DW_FORM_data2:
    case DW_FORM_strx2:
      value->number = in->U16();
      break;
    case DW_FORM_data4:
    case DW_FORM_strx4:
      value->number = in->U32();
      break;
    case DW_FORM_data8:
      value->number = in->U64();
      break;
    case DW_FORM_data16:
      in->Skip(16);
      break;
    case DW_FORM_block:
      in->Skip(ReadUleb128(*in));
      break;
    default:
      return false;
  }
  return true;
}

}  // namespace

size_t LineTable::MaxCount(size_t size) const {
  return budget_.left(Budget::kMemory) / (kGrowth * size);
}

LineTable::LineTable(const DwarfUnit& unit, uint64_t offset,
                     bool with_discriminators)
    : unit_(unit),
      budget_(*unit.sections->budget),
      with_discriminators_(with_discriminators) {
  if (budget_.exhausted()) return;
  const DwarfSections& s = *unit_.sections;
  ByteReader in = s.Reader(s.line, offset);
  uint64_t length = in.U32();
  if (length == 0xffffffff) {
    offset_size_ = 8;
    length = in.U64();
  }
  if (!in.ok() || length > in.left()) return;
  ByteReader table(in.Bytes(length), s.order);
  const bool whole = ReadHeader(&table);
  // Folders and files take bytes of the header, rows bytes of the program, of
  // which compilers need three to four for each.
  constexpr uint64_t kProgramBytesAStep = 4;
  budget_.Spend(Budget::kWork,
                length - table.left() + table.left() / kProgramBytesAStep);
  if (whole) Run(table);
  // Rows that were dropped have taken memory, too.
  budget_.Spend(Budget::kMemory, rows_.capacity() * sizeof(Row) +
                                     discriminators_.capacity() * 4 +
                                     sequences_.capacity() * sizeof(Sequence) +
                                     dirs_.capacity() * sizeof(dirs_[0]) +
                                     files_.capacity() * sizeof(File));
  std::sort(sequences_.begin(), sequences_.end(),
            [](const Sequence& a, const Sequence& b) { return a.low < b.low; });
}

bool LineTable::ReadHeader(ByteReader* in) {
  version_ = in->U16();
  if (version_ < 2 || version_ > 5) return false;
  if (version_ >= 5) in->Skip(2);  // address and segment selector size
  const uint64_t header = offset_size_ == 8 ? in->U64() : in->U32();
  if (header > in->left()) return false;
  // Header fields after the known ones are those of later standards.
  const size_t program = in->left() - header;
  min_length_ = in->U8();
  if (version_ >= 4) in->Skip(1);  // operations in an instruction: VLIW only
  in->Skip(1);                     // default_is_stmt
  line_base_ = static_cast<int8_t>(in->U8());
  line_range_ = in->U8();
  opcode_base_ = in->U8();
  for (int i = 1; i < opcode_base_; ++i) operand_counts_.push_back(in->U8());
  if (version_ >= 5) {
    ReadFiles5(in, /*dirs=*/true);
    ReadFiles5(in, /*dirs=*/false);
  } else {
    ReadFiles4(in);
  }
  if (!in->ok() || line_range_ == 0 || opcode_base_ == 0 ||
      in->left() < program) {
    return false;
  }
  in->Skip(in->left() - program);
  return true;
}

void LineTable::ReadFiles4(ByteReader* in) {
  const size_t most = MaxCount(sizeof(File));
  dirs_.push_back(StringValue(unit_.comp_dir));
  for (absl::string_view dir; !(dir = in->CString()).empty();) {
    if (dirs_.size() <= most) dirs_.push_back(StringValue(dir));
  }
  files_.push_back({.name = StringValue(unit_.name)});
  for (absl::string_view name; !(name = in->CString()).empty();) {
    File file = {.name = StringValue(name)};
    file.dir = ReadUleb128(*in);
    ReadUleb128(*in);  // time
    ReadUleb128(*in);  // size
    if (files_.size() <= most) files_.push_back(file);
  }
}

void LineTable::ReadFiles5(ByteReader* in, bool dirs) {
  std::vector<std::pair<uint64_t, uint64_t>> format;
  for (int n = in->U8(); n > 0; --n) {
    const uint64_t content = ReadUleb128(*in);
    format.emplace_back(content, ReadUleb128(*in));
  }
  const uint64_t count = ReadUleb128(*in);
  // Each form below takes a byte or more.
  if (format.empty() ? count != 0
                     : in->CheckedCount(count, format.size()) != count) {
    in->Fail();
  }
  const size_t most = MaxCount(sizeof(File));
  for (uint64_t i = 0; i < count && in->ok() && i <= most; ++i) {
    File file;
    for (const auto& [content, form] : format) {
      DwarfValue v;
      v.form = static_cast<uint16_t>(form);
      if (!ReadFileForm(in, offset_size_, &v)) {
        in->Fail();
        return;
      }
      if (content == DW_LNCT_path) file.name = v;
      if (content == DW_LNCT_directory_index) file.dir = v.number;
    }
    if (dirs) {
      dirs_.push_back(file.name);
    } else {
      files_.push_back(file);
    }
  }
}

void LineTable::Run(ByteReader in) {
  const Row start{0, 1, 1};
  const size_t most = MaxCount(sizeof(Row));
  // Compilers need three to four bytes per row.
  rows_.reserve(std::min(in.left() / 4, most));
  Row row = start;
  size_t first = 0;
  auto advance = [&](uint64_t operations) {
    row.address += operations * min_length_;
  };
  while (in.left() > 0 && in.ok() && rows_.size() <= most) {
    const uint8_t opcode = in.U8();
    if (opcode >= opcode_base_) {
      const int adjusted = opcode - opcode_base_;
      advance(adjusted / line_range_);
      row.line += line_base_ + adjusted % line_range_;
      AddRow(row);
      continue;
    }
    switch (opcode) {
      case 0: {  // extended
        const uint64_t size = ReadUleb128(in);
        if (size == 0 || size > in.left()) return;
        if (RunExtended(ByteReader(in.Bytes(size), in.order()), &row)) {
          EndSequence(first, row.address);
          first = rows_.size();
          row = start;
        }
        break;
      }
      case DW_LNS_copy:
        AddRow(row);
        break;
      case DW_LNS_advance_pc:
        advance(ReadUleb128(in));
        break;
      case DW_LNS_advance_line:
        row.line += static_cast<uint32_t>(ReadSleb128(in));
        break;
      case DW_LNS_set_file:
        row.file = static_cast<uint32_t>(ReadUleb128(in));
        break;
      case DW_LNS_const_add_pc:
        advance((255 - opcode_base_) / line_range_);
        break;
      case DW_LNS_fixed_advance_pc:
        row.address += in.U16();
        break;
      case DW_LNS_negate_stmt:
      case DW_LNS_set_basic_block:
      case DW_LNS_set_prologue_end:
      case DW_LNS_set_epilogue_begin:
        break;
      default:  // set_column, set_isa and what later standards add
        for (int n = operand_counts_[opcode - 1]; n > 0; --n) ReadUleb128(in);
    }
  }
}

bool LineTable::RunExtended(ByteReader in, Row* row) {
  switch (in.U8()) {
    case DW_LNE_end_sequence:
      return true;
    case DW_LNE_set_address:
      row->address = in.left() == 4 ? in.U32() : in.U64();
      break;
    case DW_LNE_set_discriminator:
      discriminator_ = static_cast<uint32_t>(ReadUleb128(in));
      break;
    case DW_LNE_define_file: {
      File file = {.name = StringValue(in.CString())};
      file.dir = ReadUleb128(in);
      files_.push_back(file);
      break;
    }
    default:
      break;
  }
  return false;
}

void LineTable::EndSequence(size_t first, uint64_t high) {
  if (rows_.size() == first) return;
  const auto ascending = [](const Row& a, const Row& b) {
    return a.address < b.address;
  };
  const uint64_t low = rows_[first].address;
  // Discarded code begins at 0; see dwarf_ranges.cc.
  if (low == 0 || high <= low) {
    rows_.resize(first);
    discriminators_.resize(std::min(first, discriminators_.size()));
    return;
  }
  if (!std::is_sorted(rows_.begin() + first, rows_.end(), ascending)) {
    SortRows(first);
  }
  sequences_.push_back({low, high, first, rows_.size()});
}

// Sorts the rows from `first` on by address, with their discriminators.
void LineTable::SortRows(size_t first) {
  const auto begin = rows_.begin() + static_cast<ptrdiff_t>(first);
  if (discriminators_.empty()) {
    std::stable_sort(begin, rows_.end(), [](const Row& a, const Row& b) {
      return a.address < b.address;
    });
    return;
  }
  std::vector<std::pair<Row, uint32_t>> both;
  for (size_t i = first; i < rows_.size(); ++i) {
    both.emplace_back(rows_[i], discriminators_[i]);
  }
  std::stable_sort(both.begin(), both.end(), [](const auto& a, const auto& b) {
    return a.first.address < b.first.address;
  });
  for (size_t i = first; i < rows_.size(); ++i) {
    std::tie(rows_[i], discriminators_[i]) = both[i - first];
  }
}

const LineTable::Row* LineTable::Find(uint64_t address) const {
  auto s =
      std::upper_bound(sequences_.begin(), sequences_.end(), address,
                       [](uint64_t a, const Sequence& q) { return a < q.low; });
  if (s == sequences_.begin() || (--s)->high <= address) return nullptr;
  auto row = std::upper_bound(
      rows_.begin() + s->first, rows_.begin() + s->last, address,
      [](uint64_t a, const Row& r) { return a < r.address; });
  return &*--row;
}

const std::string& LineTable::FileName(uint64_t number) {
  static const std::string kNone;
  if (number >= files_.size()) return kNone;
  File& file = files_[number];
  if (!file.named) {
    file.named = true;
    if (budget_.exhausted()) return kNone;
    auto join = [](absl::string_view dir, absl::string_view name) {
      return dir.empty() || name.empty() || absl::StartsWith(name, "/")
                 ? std::string(name)
                 : absl::StrCat(dir, "/", name);
    };
    std::string path(StringOf(unit_, file.name));
    if (file.dir < dirs_.size()) {
      path = join(StringOf(unit_, dirs_[file.dir]), path);
    }
    // As in what perf inject --jit makes of damaged jitdumps of Node.js 20.
    if (HasControlCharacters(path)) return kNone;
    file.path = join(unit_.comp_dir, path);
    budget_.Spend(Budget::kMemory, kGrowth * file.path.size());
  }
  return file.path;
}

}  // namespace perf2x
