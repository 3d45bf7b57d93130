// SPDX-License-Identifier: Apache-2.0
#include "converter/session/kernel_memory.h"

#include <elf.h>

#include <algorithm>
#include <utility>

namespace perf2x {

CodeBytes KernelMemory::At(uint64_t address) {
  if (!std::exchange(opened_, true)) Open();
  auto segment = std::upper_bound(
      segments_.begin(), segments_.end(), address,
      [](uint64_t a, const CodeBytes& s) { return a < s.start; });
  if (segment == segments_.begin()) return {};
  --segment;
  return segment->has(address) ? *segment : CodeBytes();
}

void KernelMemory::Open() {
  file_ = environment_.OpenKernelMemory();
  if (file_ == nullptr) return;
  const absl::Span<const uint8_t> file = file_->file()->bytes();
  for (const ElfFile::Segment& s : file_->segments()) {
    if (s.type != PT_LOAD || s.offset >= file.size()) continue;
    const absl::Span<const uint8_t> bytes =
        file.subspan(s.offset, std::min(s.file_size, ~s.address));
    if (!bytes.empty()) segments_.push_back({s.address, bytes});
  }
  std::stable_sort(
      segments_.begin(), segments_.end(),
      [](const CodeBytes& a, const CodeBytes& b) { return a.start < b.start; });
  // Segments of a damaged file overlap: each ends where the next one starts.
  for (size_t i = 0; i + 1 < segments_.size(); ++i) {
    CodeBytes& segment = segments_[i];
    segment.bytes =
        segment.bytes.subspan(0, segments_[i + 1].start - segment.start);
  }
}

}  // namespace perf2x
