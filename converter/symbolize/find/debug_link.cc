#include "converter/symbolize/find/debug_link.h"

#include <zlib.h>

namespace perf2x {

uint32_t DebugLinkCrc(absl::Span<const uint8_t> bytes) {
  return static_cast<uint32_t>(crc32_z(0, bytes.data(), bytes.size()));
}

}  // namespace perf2x
