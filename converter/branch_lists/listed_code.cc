// SPDX-License-Identifier: Apache-2.0
#include "converter/branch_lists/listed_code.h"

#include <algorithm>
#include <utility>

#include "converter/model/branch_bound.h"

namespace perf2x {

ListedCode::ListedCode(TraceTables& tables) : tables_(tables) {
  tables.set_frame_source(this);
  Dso dso;
  dso.name = "[unknown]";
  unknown_ = tables.AddDso(dso);
  no_mapping_ = tables.AddMapping({.dso = unknown_});
  const std::vector<uint8_t> chain(8);
  no_stack_ = tables.stacks.Intern(StackTable::HashOf(kLbrSpace, chain),
                                   kLbrSpace, chain, /*stable=*/false);
}

bool ListedCode::AdoptBuildId(uint32_t index, const BuildId& build_id) {
  Binary& binary = binaries_[index];
  const BuildId before = tables_.dsos()[binary.dso].build_id;
  if (!before.empty()) return false;
  tables_.SetBuildId(binary.dso, build_id);
  std::shared_ptr<CodeImage> code = tables_.OpenCode(binary.dso);
  if (code == nullptr && binary.code != nullptr) {
    tables_.SetBuildId(binary.dso, before);
    return false;
  }
  binary.code = std::move(code);
  binary.opened = true;
  return true;
}

uint32_t ListedCode::IndexOf(const ListedBinary& binary) {
  const auto next = static_cast<uint32_t>(binaries_.size());
  const auto [it, is_new] = index_of_.try_emplace(binary, next);
  if (!is_new) return it->second;
  ListedBinary path = binary;
  path.build_id = BuildId();
  const auto [first, is_first] = first_of_path_.try_emplace(path, next);
  if (!is_first && (binary.build_id.empty() ||
                    AdoptBuildId(first->second, binary.build_id))) {
    return it->second = first->second;
  }
  Dso dso;
  dso.name = binary.path;
  dso.build_id = binary.build_id;
  Binary& added = binaries_.emplace_back();
  dso.kind = DsoKind::kFile;
  if (binary.kind == ListedBinary::Kind::kKernel && ++kernels_ <= kMaxKernels) {
    dso.kind = DsoKind::kKernel;
    added.at_run_time = binary.kernel_start != 0;
    dso.reference_symbol = "_stext";
    dso.reference_address = binary.kernel_start;
  }
  added.dso = tables_.AddDso(dso);
  return it->second;
}

CodeImage* ListedCode::CodeOf(uint32_t index) {
  Binary& binary = binaries_[index];
  if (!binary.opened) {
    binary.code = tables_.OpenCode(binary.dso);
    binary.opened = true;
  }
  return binary.code.get();
}

absl::Span<const uint8_t> ListedCode::BytesAt(uint32_t index,
                                              uint64_t address) {
  const CodeImage* const code = CodeOf(index);
  if (code == nullptr) return {};
  const Binary& binary = binaries_[index];
  if (!binary.at_run_time) return code->BytesAt(address);
  const std::optional<uint64_t> linked = code->AddressOf(address);
  return linked.has_value() ? code->BytesAt(*linked)
                            : absl::Span<const uint8_t>();
}

void ListedCode::AppendPlaces(StackId, FramePlaces* places) {
  // An address that nothing else has.
  constexpr uint64_t kNowhere = ~uint64_t{0};
  places->push_back({FrameTable::HashOf(unknown_, kNowhere), kNowhere, unknown_,
                     no_mapping_});
}

DsoId ListedCode::Locate(AddressSpaceId space, uint64_t address,
                         uint64_t* frame_address) {
  uint32_t index = space - 1;
  if (space == kLbrSpace) {
    index = static_cast<uint32_t>(address >> kBits) - 1;
    address &= (uint64_t{1} << kBits) - 1;
  } else if (address <= kUnknownBranchEnd) {
    return kNoId;
  }
  if (index >= binaries_.size()) return kNoId;
  const CodeImage* const code = CodeOf(index);
  const Binary& binary = binaries_[index];
  if (code != nullptr && !binary.at_run_time) {
    const std::optional<uint64_t> frame = code->FrameAddressOf(address);
    if (!frame.has_value()) return kNoId;
    address = *frame;
  }
  *frame_address = address;
  return binary.dso;
}

uint32_t ListedEtmCode::Read(int32_t /*cpu*/, int32_t /*thread*/,
                             uint64_t address, absl::Span<uint8_t> to) {
  const absl::Span<const uint8_t> bytes = code_.BytesAt(index_, address);
  const size_t size = std::min(bytes.size(), to.size());
  std::copy_n(bytes.begin(), size, to.begin());
  return static_cast<uint32_t>(size);
}

}  // namespace perf2x
