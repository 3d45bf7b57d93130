// SPDX-License-Identifier: Apache-2.0
#include "converter/unwind/cfi_table.h"

#include <dwarf.h>

#include <algorithm>
#include <utility>

#include "absl/strings/string_view.h"
#include "converter/base/leb128.h"
#include "converter/unwind/table_search.h"

namespace perf2x {
namespace {

// The form of every .eh_frame_hdr in the wild: version, encodings of the
// pointer to .eh_frame, of the count and of the table.
constexpr uint8_t kIndexVersion = 1;
constexpr uint8_t kIndexEncoding = DW_EH_PE_datarel | DW_EH_PE_sdata4;
constexpr size_t kIndexEntry = 8;
// No compiler writes more than eight letters.
constexpr size_t kMaxAugmentationSize = 32;
// Memory charged for a common entry and for an entry of the index, in bytes.
constexpr uint64_t kCommonMemory = 256, kStartMemory = 64;

// Reads the length at the start of an entry and returns the entry's body. Sets
// `*wide` for the 64-bit DWARF format.
absl::Span<const uint8_t> ReadBody(ByteReader& in, bool* wide) {
  uint64_t length = in.U32();
  *wide = length == 0xffffffff;
  if (*wide) length = in.U64();
  return in.Bytes(length);
}

}  // namespace

uint64_t ReadEncoded(ByteReader& in, uint8_t encoding, uint8_t address_size,
                     uint64_t place) {
  place += in.offset();
  uint64_t value = 0;
  switch (encoding & 0xf) {
    case DW_EH_PE_absptr:
      value = ReadAddress(in, address_size);
      break;
    case DW_EH_PE_uleb128:
      value = ReadUleb128(in);
      break;
    case DW_EH_PE_udata2:
      value = in.U16();
      break;
    case DW_EH_PE_udata4:
      value = in.U32();
      break;
    case DW_EH_PE_udata8:
      value = in.U64();
      break;
    case DW_EH_PE_sleb128:
      value = static_cast<uint64_t>(ReadSleb128(in));
      break;
    case DW_EH_PE_sdata2:
      value = static_cast<uint64_t>(static_cast<int16_t>(in.U16()));
      break;
    case DW_EH_PE_sdata4:
      value = static_cast<uint64_t>(static_cast<int32_t>(in.U32()));
      break;
    case DW_EH_PE_sdata8:
      value = in.U64();
      break;
    default:
      in.Fail();
  }
  switch (encoding & 0xf0) {
    case DW_EH_PE_absptr:
      break;
    case DW_EH_PE_pcrel:
      value += place;
      break;
    default:
      in.Fail();
  }
  return address_size == 4 ? value & 0xffffffff : value;
}

CfiTable::CfiTable(Kind kind, const CfiBytes& section, const CfiBytes& index)
    : kind_(kind), section_(section), index_(index) {
  own_index_ = !ReadIndexHeader();
}

bool CfiTable::ReadIndexHeader() {
  ByteReader in(index_.bytes, index_.order);
  const uint8_t version = in.U8();
  const uint8_t pointer = in.U8(), count = in.U8(), table = in.U8();
  if (version != kIndexVersion || count != DW_EH_PE_udata4 ||
      table != kIndexEncoding) {
    return false;
  }
  ReadEncoded(in, pointer, index_.address_size, index_.address);
  const uint64_t entries = in.CheckedCount(in.U32(), kIndexEntry);
  search_table_ = in.Bytes(entries * kIndexEntry);
  return in.ok() && entries > 0;
}

std::optional<FunctionEntry> CfiTable::Find(uint64_t address) {
  if (section_.budget->exhausted()) return std::nullopt;
  const std::optional<uint64_t> offset = LastBefore(address);
  if (!offset.has_value()) return std::nullopt;
  std::optional<FunctionEntry> entry = ReadFunction(*offset);
  if (!entry.has_value() || address < entry->start || address >= entry->end) {
    return std::nullopt;
  }
  return entry;
}

// Returns the section offset of the last function that begins at or before
// `address`.
std::optional<uint64_t> CfiTable::LastBefore(uint64_t address) {
  if (own_index_) {
    if (!made_index_) MakeIndex();
    auto next = std::upper_bound(
        starts_.begin(), starts_.end(), address,
        [](uint64_t a, const Start& s) { return a < s.address; });
    if (next == starts_.begin()) return std::nullopt;
    return std::prev(next)->offset;
  }
  const auto target = [this](size_t at) {
    const uint32_t word =
        Load<uint32_t>(search_table_.data() + at, index_.order);
    const uint64_t sum =
        index_.address + static_cast<uint64_t>(static_cast<int32_t>(word));
    return index_.address_size == 4 ? sum & 0xffffffff : sum;
  };
  const size_t count =
      CountUpTo(address, search_table_.size() / kIndexEntry,
                [&](size_t i) { return target(i * kIndexEntry); });
  if (count == 0) return std::nullopt;
  return target((count - 1) * kIndexEntry + 4) - section_.address;
}

void CfiTable::MakeIndex() {
  made_index_ = true;
  ByteReader in(section_.bytes, section_.order);
  while (in.left() > 0 && !section_.budget->exhausted()) {
    const uint64_t offset = in.offset();
    bool wide = false;
    ReadBody(in, &wide);
    if (!in.ok()) break;
    const std::optional<FunctionEntry> entry = ReadFunction(offset);
    if (!entry.has_value()) continue;
    section_.budget->Spend(Budget::kMemory, kStartMemory);
    starts_.push_back({entry->start, offset});
  }
  std::sort(starts_.begin(), starts_.end(), [](const Start& a, const Start& b) {
    return std::pair(a.address, a.offset) < std::pair(b.address, b.offset);
  });
}

std::optional<FunctionEntry> CfiTable::ReadFunction(uint64_t offset) {
  if (offset >= section_.bytes.size()) return std::nullopt;
  ByteReader section(section_.bytes.subspan(offset), section_.order);
  bool wide = false;
  const absl::Span<const uint8_t> body = ReadBody(section, &wide);
  const uint64_t body_at =
      static_cast<uint64_t>(body.data() - section_.bytes.data());
  ByteReader in(body, section_.order);
  const uint64_t id = wide ? in.U64() : in.U32();
  if (!in.ok()) return std::nullopt;
  // In .eh_frame, `id` is the distance from itself back to the common entry; in
  // a common entry it is 0. In .debug_frame, `id` is the section offset of the
  // common entry; in a common entry it is all ones.
  uint64_t common_at = id;
  if (kind_ == kEhFrame) {
    if (id == 0) return std::nullopt;
    common_at = body_at - id;
  } else if (id == (wide ? ~uint64_t{0} : 0xffffffff)) {
    return std::nullopt;
  }
  const std::optional<CommonEntry>& common = CommonAt(common_at);
  if (!common.has_value()) return std::nullopt;
  FunctionEntry entry;
  entry.common = *common;
  entry.start = ReadEncoded(in, common->encoding, common->address_size,
                            section_.address + body_at);
  // The length is in the same format, but is not relative.
  entry.end = entry.start +
              ReadEncoded(in, common->encoding & 0xf, common->address_size, 0);
  if (common->augmented) in.Skip(ReadUleb128(in));
  section_.budget->Spend(Budget::kWork, in.offset());
  if (!in.ok() || entry.end <= entry.start) return std::nullopt;
  entry.instructions = in.Rest();
  return entry;
}

const std::optional<CommonEntry>& CfiTable::CommonAt(uint64_t offset) {
  const auto [it, is_new] = common_.try_emplace(offset);
  if (is_new) {
    section_.budget->Spend(Budget::kMemory, kCommonMemory);
    it->second = ReadCommon(offset);
  }
  return it->second;
}

std::optional<CommonEntry> CfiTable::ReadCommon(uint64_t offset) const {
  if (offset >= section_.bytes.size()) return std::nullopt;
  ByteReader section(section_.bytes.subspan(offset), section_.order);
  bool wide = false;
  const absl::Span<const uint8_t> body = ReadBody(section, &wide);
  const uint64_t body_address =
      section_.address +
      static_cast<uint64_t>(body.data() - section_.bytes.data());
  ByteReader in(body, section_.order);
  const uint64_t id = wide ? in.U64() : in.U32();
  const uint64_t common_id = kind_ == kEhFrame ? 0
                             : wide            ? ~uint64_t{0}
                                               : 0xffffffff;
  if (!in.ok() || id != common_id) return std::nullopt;
  CommonEntry common;
  common.address_size = section_.address_size;
  const uint8_t version = in.U8();
  if (version != 1 && version != 3 && version != 4) return std::nullopt;
  const absl::string_view augmentation = in.CString();
  if (augmentation.size() > kMaxAugmentationSize) return std::nullopt;
  if (version == 4) {
    common.address_size = in.U8();
    if (in.U8() != 0) return std::nullopt;  // segment selectors
  }
  common.code_factor = ReadUleb128(in);
  common.data_factor = ReadSleb128(in);
  common.return_register = version == 1 ? in.U8() : ReadUleb128(in);
  if (!augmentation.empty()) {
    if (augmentation[0] != 'z') return std::nullopt;
    common.augmented = true;
    const uint64_t size = ReadUleb128(in);
    const uint64_t place = body_address + in.offset();
    ByteReader data(in.Bytes(size), section_.order);
    // The data from an unknown letter on is unknown, but its size is known.
    for (char c : augmentation.substr(1)) {
      if (c == 'R') {
        common.encoding = data.U8();
      } else if (c == 'P') {
        ReadEncoded(data, data.U8() & 0xf, common.address_size, place);
      } else if (c == 'L') {
        data.U8();
      } else if (c == 'S') {
        common.signal = true;
      } else if (c != 'B' && c != 'G') {  // aarch64: signed with key B, tagged
        break;
      }
    }
    if (!data.ok()) return std::nullopt;
  }
  section_.budget->Spend(Budget::kWork, in.offset());
  if (!in.ok()) return std::nullopt;
  common.instructions = in.Rest();
  return common;
}

}  // namespace perf2x
