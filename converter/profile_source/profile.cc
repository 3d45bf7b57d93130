// SPDX-License-Identifier: Apache-2.0
#include "converter/profile_source/profile.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "converter/base/proto_reader.h"
#include "profile.pb.h"

namespace perf2x {
namespace {

namespace pb = perftools::profiles;

constexpr size_t kChunk = 256 << 10;

absl::Status DamagedSample(absl::string_view what) {
  return DamagedProfile(absl::StrCat("a sample ", what));
}

// Decodes a Label message of `profile`. Returns false if it is damaged. If it
// refers to missing strings, sets `*known` to false.
bool DecodeLabel(const Profile& profile, absl::Span<const uint8_t> message,
                 ProfileSample::Label* label, bool* known) {
  const auto string = [&](int64_t index) {
    *known &= static_cast<uint64_t>(index) < profile.strings.size();
    return static_cast<StringIndex>(index);
  };
  ProtoReader in(message);
  while (in.Next()) {
    const int64_t number = in.signed_number();
    switch (in.field()) {
      case pb::Label::kKeyFieldNumber:
        label->key = string(number);
        break;
      case pb::Label::kStrFieldNumber:
        label->str = string(number);
        break;
      case pb::Label::kNumFieldNumber:
        label->num = number;
        break;
      case pb::Label::kNumUnitFieldNumber:
        label->num_unit = string(number);
        break;
      default:
        break;
    }
  }
  return in.ok();
}

}  // namespace

absl::Status DamagedProfile(absl::string_view what) {
  return absl::DataLossError(absl::StrCat("damaged profile: ", what));
}

void MessageLog::Add(absl::Span<const uint8_t> message) {
  const size_t needed = sizeof(Size) + message.size();
  if (chunks_.empty() ||
      chunks_.back().capacity - chunks_.back().used < needed) {
    Chunk& chunk = chunks_.emplace_back();
    chunk.capacity = std::max(kChunk, needed);
    chunk.bytes.reset(new uint8_t[chunk.capacity]);
  }
  Chunk& chunk = chunks_.back();
  const Size size = static_cast<Size>(message.size());
  std::memcpy(&chunk.bytes[chunk.used], &size, sizeof(size));
  if (size > 0) {
    std::memcpy(&chunk.bytes[chunk.used + sizeof(size)], message.data(), size);
  }
  chunk.used += needed;
  ++size_;
}

bool IdIndex::Add(uint64_t id) {
  if (id == 0 || Find(id) != kNoId) return false;
  if (id == uint64_t{size_} + 1 && dense_ == size_) {
    ++dense_;
  } else {
    others_.emplace(id, size_);
  }
  ++size_;
  return true;
}

absl::Status ProfileSample::Decode(const Profile& profile,
                                   absl::Span<const uint8_t> message) {
  locations.clear();
  values.clear();
  labels.clear();
  bool known = true;
  ProtoReader in(message);
  while (in.Next()) {
    switch (in.field()) {
      case pb::Sample::kLocationIdFieldNumber:
        in.ForEachNumber([&](uint64_t id) {
          locations.push_back(profile.location_ids.Find(id));
          known &= locations.back() != kNoId;
        });
        break;
      case pb::Sample::kValueFieldNumber:
        in.ForEachNumber([&](uint64_t value) {
          values.push_back(static_cast<int64_t>(value));
        });
        break;
      case pb::Sample::kLabelFieldNumber:
        if (!DecodeLabel(profile, in.bytes(), &labels.emplace_back(), &known)) {
          return DamagedSample("has a broken label");
        }
        break;
      default:
        break;
    }
  }
  if (!in.ok()) return DamagedSample("is cut short");
  if (!known)
    return DamagedSample("names a location or text that is not there");
  if (values.size() != profile.sample_types.size()) {
    return DamagedSample(absl::StrCat("has ", values.size(), " values, not ",
                                      profile.sample_types.size()));
  }
  return absl::OkStatus();
}

}  // namespace perf2x
