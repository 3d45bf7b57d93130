// SPDX-License-Identifier: Apache-2.0
#include "converter/session/mapped_etm_code.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace perf2x {

uint32_t MappedEtmCode::Read(int32_t /*cpu*/, int32_t thread, uint64_t address,
                             absl::Span<uint8_t> to) {
  const ThreadState* state =
      threads_.FindSeen(thread >= 0 ? thread : default_thread_);
  std::optional<AddressSpaceId> space;
  if (state != nullptr) space = spaces_.CurrentIdOf(*state->process);
  uint32_t copied = 0;
  while (copied < to.size()) {
    const absl::Span<const uint8_t> bytes = BytesAt(space, address + copied);
    if (bytes.empty()) break;
    const size_t size = std::min(bytes.size(), to.size() - copied);
    std::memcpy(to.data() + copied, bytes.data(), size);
    copied += static_cast<uint32_t>(size);
  }
  return copied;
}

// Returns the bytes from `address` to the end of its page, where another
// mapping may begin; empty if they are not known. Without a space, only the
// kernel's are.
absl::Span<const uint8_t> MappedEtmCode::BytesAt(
    std::optional<AddressSpaceId> space, uint64_t address) {
  constexpr uint64_t kPage = 4096;
  if (address >> 63 != 0) {
    const CodeBytes memory = kernel_memory_.At(address);
    if (memory.has(address)) {
      return memory.bytes.subspan(address - memory.start);
    }
  }
  uint64_t frame_address = 0;
  // LocateIp would return a placeholder for addresses that no mapping covers.
  // All threads have the kernel's code.
  const DsoId dso = space.has_value()
                        ? spaces_.Locate(*space, address, &frame_address)
                        : spaces_.LocateInKernel(address, &frame_address);
  if (dso == kNoId) return {};
  const absl::Span<const uint8_t> bytes =
      tables_.dsos()[dso].kind == DsoKind::kGenerated
          ? OfJit(dso, frame_address)
          : OfFile(dso, frame_address);
  return bytes.subspan(
      0, std::min<uint64_t>(bytes.size(), kPage - address % kPage));
}

absl::Span<const uint8_t> MappedEtmCode::OfFile(DsoId dso,
                                                uint64_t frame_address) {
  auto [it, is_new] = images_.try_emplace(dso);
  if (is_new) it->second = tables_.OpenCode(dso);
  if (it->second == nullptr) return {};
  const std::optional<uint64_t> linked = it->second->AddressOf(frame_address);
  if (!linked.has_value()) return {};
  return it->second->BytesAt(*linked);
}

// The address in memory of generated code is that of its frames.
absl::Span<const uint8_t> MappedEtmCode::OfJit(DsoId dso,
                                               uint64_t address) const {
  const absl::Span<const uint8_t> code = jit_code_.CodeOf(dso);
  const uint64_t at = address - tables_.dsos()[dso].start;
  return at < code.size() ? code.subspan(at) : absl::Span<const uint8_t>();
}

}  // namespace perf2x
