// SPDX-License-Identifier: Apache-2.0
#include "converter/convert/recording_id.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_format.h"
#include "converter/base/byte_source.h"
#include "converter/base/hash.h"
#include "converter/base/status_macros.h"
#include "converter/convert/input_kind.h"
#include "converter/perf/header/file_header.h"

namespace perf2x {
namespace {

// A hash without the process's seed.
class IdHash {
 public:
  IdHash() { XXH3_128bits_reset(&state_); }
  void Add(absl::Span<const uint8_t> bytes) {
    const uint64_t size = bytes.size();
    XXH3_128bits_update(&state_, &size, sizeof(size));
    XXH3_128bits_update(&state_, bytes.data(), bytes.size());
  }
  std::string Text() const {
    const XXH128_hash_t hash = XXH3_128bits_digest(&state_);
    return absl::StrFormat("%016x%016x", hash.high64, hash.low64);
  }

 private:
  XXH3_state_t state_;
};

// An endless input that is neither a recording nor a profile would fill the
// disk.
absl::Status CheckCanEnd(Input* input) {
  if (KindOf(input) == InputKind::kProfile) return absl::OkStatus();
  std::array<uint8_t, 8> magic;
  ASSIGN_OR_RETURN(const size_t size,
                   ReadFully(*input->stream, absl::MakeSpan(magic)));
  const absl::Span<const uint8_t> first(magic.data(), size);
  RETURN_IF_ERROR(CheckMagic(first));
  input->stream = Prepend(first, std::move(input->stream));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> IdentifyRecording(Input* input,
                                              Diagnostics* diagnostics) {
  if (input->stream != nullptr) {
    RETURN_IF_ERROR(CheckCanEnd(input));
    RETURN_IF_ERROR(SpoolStream(input, diagnostics));
  }
  IdHash hash;
  if (input->mapped) hash.Add(input->mapped->bytes());
  for (const Input::DataFile& file : input->data_files) {
    hash.Add(file.mapped->bytes());
  }
  return hash.Text();
}

}  // namespace perf2x
