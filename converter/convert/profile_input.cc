// SPDX-License-Identifier: Apache-2.0
#include "converter/convert/profile_input.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "converter/profile_source/profile_reader.h"

namespace perf2x {
namespace {

// Reads no more of a recording than its magic number: it may come slowly.
constexpr size_t kFirst = 4;

}  // namespace

bool IsProfileInput(Input* input) {
  if (!input->directory.empty()) return false;
  if (input->mapped) {
    return IsProfile(input->mapped->bytes().subspan(
        0, std::min(kProfileMagicSize, input->mapped->bytes().size())));
  }
  if (input->stream == nullptr) return false;
  std::array<uint8_t, kProfileMagicSize> bytes;
  size_t size = 0;
  for (const size_t end : {kFirst, kProfileMagicSize}) {
    size += ReadFully(*input->stream,
                      absl::MakeSpan(bytes).subspan(size, end - size))
                .value_or(0);
    const absl::string_view first(reinterpret_cast<const char*>(bytes.data()),
                                  std::min(size, kFirst));
    if (size < end || first == "PERF" || first == "2ELI") break;
  }
  const auto first = absl::MakeConstSpan(bytes).subspan(0, size);
  input->stream = Prepend(first, std::move(input->stream));
  return IsProfile(first);
}

absl::StatusOr<Profile> ReadProfileInput(Input input, Budget& budget,
                                         ByteAccount* bytes) {
  std::unique_ptr<ByteSource> source = std::move(input.stream);
  if (source == nullptr) source = BytesOf(input.mapped->bytes());
  uint64_t size = 0;
  auto profile = ReadProfile(*source, budget, &size);
  bytes->data = bytes->records = size;
  if (profile.ok() && input.mapped && input.mapped->lost_bytes()) {
    return absl::DataLossError(
        absl::StrCat(input.name, " became shorter while it was read"));
  }
  return profile;
}

}  // namespace perf2x
