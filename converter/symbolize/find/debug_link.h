// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SYMBOLIZE_FIND_DEBUG_LINK_H_
#define PERF2X_SYMBOLIZE_FIND_DEBUG_LINK_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "converter/symbolize/find/file_roots.h"
#include "converter/symbolize/symbol_source.h"

namespace perf2x {

// The separate debug file that .gnu_debuglink of a binary names. Searched for
// beside the binary, in .debug beside it, and in the debug directories. The
// file must have the binary's build id. If one of the two has no build id, the
// file must have the CRC of the link. Links with a slash in the name are
// ignored.
class DebugLinkSource final : public SymbolSource {
 public:
  explicit DebugLinkSource(const FileRoots& roots) : roots_(roots) {}
  // Offers the file that .gnu_debuglink of request.binary names. Offers nothing
  // if that is null or has no link.
  void OfferDebugFiles(const FileRequest& request,
                       FileSearch* search) const override;

 private:
  std::vector<FilePlace> Places(const Dso& dso, const ElfFile& binary,
                                absl::string_view name) const;
  const FileRoots& roots_;
};

// Returns the checksum of a debug file in .gnu_debuglink: zlib's CRC-32 (GDB
// manual, "Debugging Information in Separate Files").
uint32_t DebugLinkCrc(absl::Span<const uint8_t> bytes);

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_FIND_DEBUG_LINK_H_
