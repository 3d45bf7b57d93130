// SPDX-License-Identifier: Apache-2.0
#include "converter/session/process_code.h"

#include <algorithm>
#include <cstring>

namespace perf2x {

void ProcessCode::Select(const ProcessMaps& maps) {
  is_selected_ = true;
  maps_ = maps;
  recent_ = {};
}

void ProcessCode::SelectNone() { is_selected_ = false; }

size_t ProcessCode::Read(uint64_t address, absl::Span<uint8_t> to) {
  // Up to three trees are searched, whose nodes may be out of the caches.
  constexpr uint64_t kWorkPerSearch = 8;
  if (!is_selected_) return 0;
  const auto known =
      std::find_if(recent_.begin(), recent_.end(),
                   [address](const CodeBytes& r) { return r.has(address); });
  CodeBytes range;
  if (known != recent_.end()) {
    range = *known;
  } else {
    work_ += kWorkPerSearch;
    range = Find(address);
    if (!range.has(address)) return 0;
    recent_[next_recent_++ % recent_.size()] = range;
  }
  const absl::Span<const uint8_t> code =
      range.bytes.subspan(address - range.start, to.size());
  std::memcpy(to.data(), code.data(), code.size());
  return code.size();
}

CodeBytes ProcessCode::Find(uint64_t address) {
  const MapEntry* entry = maps_.map.Find(address);
  if (entry == nullptr && address >> 63 != 0) {
    const CodeBytes range = kernel_memory_.At(address);
    if (range.has(address)) return range;
    entry = spaces_.kernel().Find(address);
  }
  if (entry == nullptr) entry = maps_.replaced.Find(address);
  if (entry == nullptr) return {};
  if (entry->code == MappedCode::kGenerated) return OfJit(*entry);
  return entry->by_offset() ? OfFile(*entry) : OfKernel(*entry, address);
}

CodeBytes ProcessCode::OfFile(const MapEntry& entry) {
  if (!has_source_) {
    has_source_ = true;
    source_ = environment_.MakeUnwindInfoSource(features_);
  }
  if (source_ == nullptr) return {};
  const auto [it, inserted] = files_.try_emplace(entry.dso);
  if (inserted) it->second = source_->OpenBinary(entry.dso);
  if (it->second == nullptr) return {};
  const absl::Span<const uint8_t> file = it->second->file()->bytes();
  if (entry.offset >= file.size()) return {};
  return {entry.start, file.subspan(entry.offset, entry.end - entry.start)};
}

// A newer mapping may have left only a part of the function.
CodeBytes ProcessCode::OfJit(const MapEntry& entry) {
  const absl::Span<const uint8_t> code = jit_code_.CodeOf(entry.dso);
  const uint64_t start = tables_.dsos()[entry.dso].start;
  if (entry.start < start || entry.start - start >= code.size()) return {};
  return {entry.start,
          code.subspan(entry.start - start, entry.end - entry.start)};
}

// The image is the kernel's when it was linked; what it patches in its own code
// since is not known.
CodeBytes ProcessCode::OfKernel(const MapEntry& entry, uint64_t address) {
  if (tables_.dsos()[entry.dso].kind != DsoKind::kKernel) return {};
  const auto [it, inserted] = kernels_.try_emplace(entry.dso);
  if (inserted) it->second = tables_.OpenCode(entry.dso);
  if (it->second == nullptr) return {};
  const auto linked = it->second->AddressOf(address);
  if (!linked.has_value()) return {};
  const CodeImage::Segment segment = it->second->SegmentAt(*linked);
  return {address - (*linked - segment.start), segment.bytes};
}

}  // namespace perf2x
