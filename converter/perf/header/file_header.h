// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PERF_HEADER_FILE_HEADER_H_
#define PERF2X_PERF_HEADER_FILE_HEADER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "converter/base/byte_order.h"

namespace perf2x {

// The size of a pipe stream's header, in bytes. The first 16 bytes suffice to
// tell files, pipe streams and other input apart.
inline constexpr size_t kPipeHeaderSize = 16;

// A part of a file, in bytes, as the header states it. It may lie outside of
// the file: see ReadFileHeader() for what is checked.
struct FileSection {
  uint64_t offset = 0, size = 0;
};

// Returns the part of `section` that lies within `file`; may be empty.
absl::Span<const uint8_t> SectionBytes(absl::Span<const uint8_t> file,
                                       const FileSection& section);

// perf_file_header (tools/perf/util/header.h) of any version, or the 16 bytes
// that open a pipe stream. A pipe stream sets only `kind`, `order` and `size`.
struct FileHeader {
  // kFileV1: a file with the older magic number "PERFFILE".
  enum class Kind { kFile, kFileV1, kPipe };
  Kind kind = Kind::kFile;
  ByteOrder order = kHostOrder;
  uint64_t size = 0;       // of the header, in bytes
  uint64_t attr_size = 0;  // bytes of an attr and the FileSection of its ids
  FileSection attrs, data, event_types;
  std::vector<uint32_t> features;  // ascending, the order of their sections
};

// Succeeds if `bytes`, the start of the input, begin with a magic number of
// perf.data. Otherwise fails with InvalidArgument. The error quotes the first
// bytes, or says that they are compressed. Eight bytes suffice.
absl::Status CheckMagic(absl::Span<const uint8_t> bytes);

// Reads the header from `bytes`: a whole file, or at least the first 16 bytes
// of a stream. Fails with InvalidArgument, and says which field is wrong.
// Checks that the attr section lies in the file, and that the data section
// begins in it. Checks that `attr_size` is at least 80. Does not check where
// the data section ends, nor event_types.
absl::StatusOr<FileHeader> ReadFileHeader(absl::Span<const uint8_t> bytes);

// Bytes that suffice for HeaderHasFeature.
inline constexpr size_t kFileHeaderSize = 104;

// Returns true if the first bytes of a recording in a file say that it has a
// feature section. Returns false for all other bytes.
bool HeaderHasFeature(absl::Span<const uint8_t> first_bytes, uint32_t feature);

// Returns the section of a feature; nullopt if the recording does not have it,
// or if the table of sections, after the data, does not lie within `file`.
std::optional<FileSection> FindFeature(const FileHeader& header,
                                       absl::Span<const uint8_t> file,
                                       uint32_t feature);

}  // namespace perf2x

#endif  // PERF2X_PERF_HEADER_FILE_HEADER_H_
