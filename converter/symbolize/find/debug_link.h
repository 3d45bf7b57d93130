#ifndef PERF2X_SYMBOLIZE_FIND_DEBUG_LINK_H_
#define PERF2X_SYMBOLIZE_FIND_DEBUG_LINK_H_

#include <cstdint>

#include "absl/types/span.h"

namespace perf2x {

// The checksum of a debug file in .gnu_debuglink: the CRC-32 of gzip and zlib
// (GDB manual, "Debugging Information in Separate Files").
uint32_t DebugLinkCrc(absl::Span<const uint8_t> bytes);

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_FIND_DEBUG_LINK_H_
