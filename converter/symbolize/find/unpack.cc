// SPDX-License-Identifier: Apache-2.0
#include "converter/symbolize/find/unpack.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "converter/base/decompress.h"
#include "converter/base/status_macros.h"

namespace perf2x {
namespace {

class SpanSource final : public ByteSource {
 public:
  SpanSource(absl::Span<const uint8_t> bytes, uint64_t size_on_disk)
      : left_(bytes), size_on_disk_(size_on_disk) {}
  absl::StatusOr<size_t> Read(absl::Span<uint8_t> to) override {
    const size_t n = std::min(to.size(), left_.size());
    if (n > 0) std::memcpy(to.data(), left_.data(), n);
    left_.remove_prefix(n);
    return n;
  }
  uint64_t CompressedSizeUpTo(uint64_t) override { return size_on_disk_; }

 private:
  absl::Span<const uint8_t> left_;
  const uint64_t size_on_disk_;
};

}  // namespace

absl::StatusOr<std::string> Unpack(absl::Span<const uint8_t> packed,
                                   uint64_t size_on_disk, uint64_t max_size) {
  const Compression compression = DetectCompression(packed);
  if (compression == Compression::kNone) {
    return absl::InvalidArgumentError("not compressed");
  }
  const auto source = Decompress(
      compression, std::make_unique<SpanSource>(packed, size_on_disk));
  constexpr size_t kChunk = 1 << 20;
  std::string out;
  for (size_t size = 0, n = 1; n > 0; size += n) {
    if (size > max_size) {
      return absl::ResourceExhaustedError(
          absl::StrCat("unpacks to more than ", max_size, " bytes"));
    }
    out.resize(size + kChunk);
    ASSIGN_OR_RETURN(
        n, source->Read(absl::MakeSpan(
               reinterpret_cast<uint8_t*>(out.data()) + size, kChunk)));
    out.resize(size + n);
  }
  return out;
}

absl::StatusOr<std::shared_ptr<const SafeFile>> UnpackIfPacked(
    std::shared_ptr<const SafeFile> file) {
  if (DetectCompression(file->bytes()) == Compression::kNone) return file;
  absl::StatusOr<std::string> bytes =
      Unpack(file->bytes(), file->size_on_disk());
  if (!bytes.ok()) {
    return absl::DataLossError(
        absl::StrCat(file->path(), ": ", bytes.status().message()));
  }
  return SafeFile::Unpacked(*file, file->path(), *std::move(bytes),
                            file->size_on_disk());
}

}  // namespace perf2x
