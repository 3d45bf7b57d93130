// SPDX-License-Identifier: Apache-2.0
#include "converter/perf/header/bpf_features.h"

#include <algorithm>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace perf2x {
namespace {

using Bytes = absl::Span<const uint8_t>;

constexpr size_t kTagSize = 8;
constexpr size_t kMaxString = 4095, kMaxName = 511;

// Returns the BTF object with this id; null if there is none.
const BpfBtf* FindBtf(uint32_t id, const std::vector<BpfBtf>& types) {
  const auto it = std::lower_bound(
      types.begin(), types.end(), id,
      [](const BpfBtf& btf, uint32_t wanted) { return btf.id < wanted; });
  return it == types.end() || it->id != id ? nullptr : &*it;
}

std::string TagText(Bytes tag) {
  return absl::BytesToHexString(
      {reinterpret_cast<const char*>(tag.data()), tag.size()});
}

// Reads fields of bpf_prog_info. Newer kernels append fields; those that a
// recording lacks read as zero. perf replaced the pointers by offsets into the
// data that follows the struct (bpil_addr_to_offs()).
class ProgramInfo {
 public:
  ProgramInfo(Bytes info, Bytes data, ByteOrder order)
      : info_(info), data_(data), order_(order) {}
  uint32_t U32(size_t at) const {
    return at + 4 <= info_.size() ? Load<uint32_t>(&info_[at], order_) : 0;
  }
  uint64_t U64(size_t at) const {
    return at + 8 <= info_.size() ? Load<uint64_t>(&info_[at], order_) : 0;
  }
  // Returns the array whose offset is stored at `at`; empty if it has fewer
  // than `n` elements.
  Bytes Array(size_t at, uint64_t n, size_t element_size) const {
    const uint64_t offset = U64(at);
    if (element_size == 0 || offset > data_.size() ||
        n > (data_.size() - offset) / element_size) {
      return {};
    }
    return data_.subspan(offset, n * element_size);
  }

 private:
  Bytes info_, data_;
  ByteOrder order_;
};

// Offsets of struct bpf_prog_info.
enum ProgramField : size_t {
  kType = 0,
  kId = 4,
  kTag = 8,
  kName = 64,
  kNrJitedKsyms = 104,
  kNrJitedFuncLens = 108,
  kJitedKsyms = 112,
  kJitedFuncLens = 120,
  kBtfId = 128,
  kFuncInfoRecSize = 132,
  kFuncInfo = 136,
  kNrFuncInfo = 144,
  kNrLineInfo = 148,
  kLineInfo = 152,
  kJitedLineInfo = 160,
  kNrJitedLineInfo = 168,
  kLineInfoRecSize = 172,
  kJitedLineInfoRecSize = 176,
  kNrProgTags = 180,
  kProgTags = 184,
};
constexpr size_t kNameSize = 16;

// Entry i of bpf_line_info is the source line of the code at entry i of
// jited_line_info.
std::vector<BpfProgram::Line> ReadLines(const ProgramInfo& info,
                                        ByteOrder order) {
  constexpr int kColumnBits = 10;  // BPF_LINE_INFO_LINE_NUM()
  std::vector<BpfProgram::Line> lines;
  const uint32_t nr =
      std::min(info.U32(kNrLineInfo), info.U32(kNrJitedLineInfo));
  const uint32_t size = info.U32(kLineInfoRecSize);
  const uint32_t jited_size = info.U32(kJitedLineInfoRecSize);
  if (size < 16 || jited_size < 8) return lines;
  const Bytes places = info.Array(kLineInfo, nr, size);
  const Bytes addresses = info.Array(kJitedLineInfo, nr, jited_size);
  if (places.empty() || addresses.empty()) return lines;
  for (size_t i = 0; i < nr; ++i) {
    const uint8_t* place = &places[i * size];
    lines.push_back({Load<uint64_t>(&addresses[i * jited_size], order),
                     Load<uint32_t>(place + 4, order),
                     Load<uint32_t>(place + 12, order) >> kColumnBits});
  }
  std::stable_sort(lines.begin(), lines.end(),
                   [](const BpfProgram::Line& a, const BpfProgram::Line& b) {
                     return a.address < b.address;
                   });
  return lines;
}

BpfProgram ReadProgram(Bytes bytes, const ProgramInfo& info, ByteOrder order) {
  BpfProgram program;
  program.type = info.U32(kType);
  program.id = info.U32(kId);
  program.btf_id = info.U32(kBtfId);
  ByteReader in(bytes, order);
  in.Skip(kTag);
  program.tag = TagText(in.Bytes(kTagSize));
  in.Skip(kName - kTag - kTagSize);
  program.name = std::string(in.FixedString(kNameSize));
  program.lines = ReadLines(info, order);

  const uint32_t nr =
      std::min(info.U32(kNrJitedKsyms), info.U32(kNrJitedFuncLens));
  const Bytes addresses = info.Array(kJitedKsyms, nr, 8);
  const Bytes sizes = info.Array(kJitedFuncLens, nr, 4);
  if (addresses.empty() || sizes.empty()) return program;
  const uint32_t nr_tags = info.U32(kNrProgTags);
  const Bytes tags = info.Array(kProgTags, nr_tags, kTagSize);
  const uint32_t info_size = info.U32(kFuncInfoRecSize);
  const Bytes functions =
      info_size < 8 ? Bytes()
                    : info.Array(kFuncInfo, info.U32(kNrFuncInfo), info_size);
  for (size_t i = 0; i < nr; ++i) {
    BpfProgram::Function function;
    function.address = Load<uint64_t>(&addresses[i * 8], order);
    function.size = Load<uint32_t>(&sizes[i * 4], order);
    if ((i + 1) * kTagSize <= tags.size()) {
      function.tag = TagText(tags.subspan(i * kTagSize, kTagSize));
    }
    if ((i + 1) * info_size <= functions.size() && !functions.empty()) {
      function.type_id = Load<uint32_t>(&functions[i * info_size + 4], order);
    }
    program.functions.push_back(std::move(function));
  }
  return program;
}

enum TypeKind : uint32_t {
  kInt = 1,
  kArray = 3,
  kStruct = 4,
  kUnion = 5,
  kEnum = 6,
  kFunc = 12,
  kFuncProto = 13,
  kVar = 14,
  kDataSec = 15,
  kDeclTag = 17,
  kEnum64 = 19,
};

// Returns the number of bytes that follow the 12 of every type's struct
// btf_type (include/uapi/linux/btf.h).
uint64_t ExtraSize(uint32_t kind, uint64_t members) {
  switch (kind) {
    case kInt:
    case kVar:
    case kDeclTag:
      return 4;
    case kArray:
      return 12;
    case kStruct:
    case kUnion:
    case kDataSec:
    case kEnum64:
      return members * 12;
    case kEnum:
    case kFuncProto:
      return members * 8;
    default:
      return 0;
  }
}

bool ReadTypes(Bytes btf, ByteOrder order, BpfBtf* types) {
  ByteReader header(btf, order);
  if (header.U16() != 0xeb9f) return false;
  header.Skip(2);  // version, flags
  const uint32_t header_size = header.U32();
  const uint32_t types_at = header.U32();
  const uint32_t types_size = header.U32();
  const uint32_t strings_at = header.U32();
  const uint32_t strings_size = header.U32();
  if (!header.ok()) return false;

  ByteReader body(btf, order);
  body.Skip(header_size);
  const Bytes all = body.Rest();
  if (types_at > all.size() || types_size > all.size() - types_at ||
      strings_at > all.size() || strings_size > all.size() - strings_at) {
    return false;
  }
  const Bytes strings = all.subspan(strings_at, strings_size);
  types->strings.assign(reinterpret_cast<const char*>(strings.data()),
                        strings.size());
  ByteReader in(all.subspan(types_at, types_size), order);
  while (in.ok() && in.left() > 0) {
    const uint32_t name = in.U32();
    const uint32_t info = in.U32();
    in.Skip(4);
    const uint32_t kind = (info >> 24) & 0x1f;
    in.Skip(ExtraSize(kind, info & 0xffff));
    if (in.ok()) types->names.push_back(kind == kFunc ? name : 0);
  }
  return in.ok();
}

}  // namespace

absl::string_view BpfBtf::StringAt(uint32_t offset) const {
  if (offset >= strings.size()) return "";
  const absl::string_view rest =
      absl::string_view(strings).substr(offset, kMaxString);
  return rest.substr(0, rest.find('\0'));
}

bool ReadBpfPrograms(FeatureReader* in, std::vector<BpfProgram>* programs) {
  const uint64_t nr = in->CheckedCount(in->U32(), 16);
  for (uint64_t i = 0; i < nr && in->ok(); ++i) {
    const uint32_t info_size = in->U32();
    const uint32_t data_size = in->U32();
    in->Skip(8);  // bitmap of the arrays that perf requested
    const Bytes info = in->Bytes(info_size);
    const Bytes data = in->Bytes(data_size);
    const ProgramInfo fields(info, data, in->order());
    // Of eight bytes or more each; the arrays may share bytes.
    const uint64_t most = data.size() / 8;
    const uint64_t functions =
        std::min({uint64_t{fields.U32(kNrJitedKsyms)},
                  uint64_t{fields.U32(kNrJitedFuncLens)}, most});
    const uint64_t lines =
        std::min({uint64_t{fields.U32(kNrLineInfo)},
                  uint64_t{fields.U32(kNrJitedLineInfo)}, most});
    in->ChargeMemory(sizeof(BpfProgram) +
                     functions * sizeof(BpfProgram::Function) +
                     lines * sizeof(BpfProgram::Line));
    if (!in->ok()) break;
    programs->push_back(ReadProgram(info, fields, in->order()));
  }
  return in->ok();
}

bool ReadBpfTypes(FeatureReader* in, std::vector<BpfBtf>* types) {
  const uint64_t nr = in->CheckedCount(in->U32(), 8);
  bool ok = true;
  for (uint64_t i = 0; i < nr && in->ok(); ++i) {
    BpfBtf entry;
    entry.id = in->U32();
    const Bytes btf = in->Bytes(in->U32());
    in->ChargeMemory(sizeof(BpfBtf) + btf.size());
    if (!in->ok()) break;
    ok &= ReadTypes(btf, in->order(), &entry);
    types->push_back(std::move(entry));
  }
  std::stable_sort(
      types->begin(), types->end(),
      [](const BpfBtf& a, const BpfBtf& b) { return a.id < b.id; });
  return ok && in->ok();
}

std::string BpfFunctionName(const BpfProgram& program, size_t function,
                            const std::vector<BpfBtf>& types) {
  const BpfProgram::Function& f = program.functions[function];
  const std::string& tag = f.tag.empty() ? program.tag : f.tag;
  absl::string_view name;
  const BpfBtf* const btf = FindBtf(program.btf_id, types);
  if (btf != nullptr && f.type_id > 0 && f.type_id <= btf->names.size()) {
    name = btf->StringAt(btf->names[f.type_id - 1]).substr(0, kMaxName);
  }
  if (name.empty() && program.functions.size() == 1) name = program.name;
  if (name.empty() && program.functions.size() > 1) name = "F";
  return absl::StrCat("bpf_prog_", tag, name.empty() ? "" : "_", name);
}

std::vector<BpfLine> BpfLinesAt(uint64_t address,
                                const std::vector<BpfProgram>& programs,
                                const std::vector<BpfBtf>& types) {
  std::vector<BpfLine> lines;
  for (const BpfProgram& program : programs) {
    for (const BpfProgram::Function& f : program.functions) {
      if (f.address != address) continue;
      const BpfBtf* const btf = FindBtf(program.btf_id, types);
      if (btf == nullptr) return lines;
      // Any number of symbols may be at this address: lines of the program's
      // other functions are not looked at.
      auto line = std::lower_bound(
          program.lines.begin(), program.lines.end(), address,
          [](const BpfProgram::Line& l, uint64_t a) { return l.address < a; });
      for (; line != program.lines.end() && line->address - address < f.size;
           ++line) {
        lines.push_back(
            {line->address - address, btf->StringAt(line->file), line->line});
      }
      return lines;
    }
  }
  return lines;
}

}  // namespace perf2x
