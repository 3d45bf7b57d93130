// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PROFILE_SOURCE_PROFILE_ENCODER_H_
#define PERF2X_PROFILE_SOURCE_PROFILE_ENCODER_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "converter/base/output.h"
#include "converter/base/proto_writer.h"
#include "converter/profile_source/profile.h"
#include "profile.pb.h"

namespace perf2x {

// Serializes values and labels of a Sample message.
void AppendValuesAndLabels(const ProfileSample& sample, ProtoWriter* to);

// Serializes a Sample message. `location_id(i)` is the id of the location with
// the index i.
template <class IdOf>
void AppendSample(const ProfileSample& sample, IdOf location_id,
                  ProtoWriter* to) {
  if (!sample.locations.empty()) {
    const size_t ids =
        to->Open(perftools::profiles::Sample::kLocationIdFieldNumber);
    for (const uint32_t location : sample.locations) {
      to->Varint(location_id(location));
    }
    to->Close(ids);
  }
  AppendValuesAndLabels(sample, to);
}

// Writes a pprof profile, entry by entry, as the pprof emitter encodes it:
// fields in order of their numbers, numbers packed, defaults left out. Elements
// of one table keep the order of the calls. Not thread-safe; errors are the
// output's.
class ProfileEncoder {
 public:
  // `output` must outlive the encoder.
  explicit ProfileEncoder(Output& output) : output_(output) {}

  // Writes a sample; see AppendSample.
  template <class IdOf>
  absl::Status Sample(const ProfileSample& sample, IdOf location_id) {
    const size_t begin = out_.Open(Pb::kSampleFieldNumber);
    AppendSample(sample, location_id, &out_);
    out_.Close(begin);
    return FlushIfFull();
  }
  // `mapping_id` is 0 for none; `function_id(line)` is the id of a line's
  // function.
  template <class IdOf>
  absl::Status Location(const Profile::Location& location, uint64_t mapping_id,
                        absl::Span<const Profile::Line> lines,
                        IdOf function_id) {
    const size_t begin = out_.Open(Pb::kLocationFieldNumber);
    using PbLocation = perftools::profiles::Location;
    using PbLine = perftools::profiles::Line;
    Number(PbLocation::kIdFieldNumber, location.id);
    Number(PbLocation::kMappingIdFieldNumber, mapping_id);
    Number(PbLocation::kAddressFieldNumber, location.address);
    for (const Profile::Line& line : lines) {
      const size_t begin_line = out_.Open(PbLocation::kLineFieldNumber);
      Number(PbLine::kFunctionIdFieldNumber, function_id(line));
      Number(PbLine::kLineFieldNumber, static_cast<uint64_t>(line.line));
      Number(PbLine::kColumnFieldNumber, static_cast<uint64_t>(line.column));
      out_.Close(begin_line);
    }
    Number(PbLocation::kIsFoldedFieldNumber, location.is_folded ? 1 : 0);
    out_.Close(begin);
    return FlushIfFull();
  }
  absl::Status Mapping(const Profile::Mapping& mapping);
  absl::Status Function(const Profile::Function& function);
  // Writes the fields of `profile` that are in no table but sample_types and
  // comments. Strings are written as they are numbered.
  absl::Status Header(const Profile& profile);
  absl::Status String(absl::string_view text);
  absl::Status Flush();

 private:
  using Pb = perftools::profiles::Profile;

  // Writes a number, unless it is 0, the default.
  void Number(int field, uint64_t value) {
    if (value != 0) out_.Uint(field, value);
  }
  void ValueType(int field, const Profile::ValueType& type);
  absl::Status FlushIfFull() {
    constexpr size_t kFull = 64 << 10;
    return out_.size() < kFull ? absl::OkStatus() : Flush();
  }

  Output& output_;
  ProtoWriter out_;
};

// Decides whether a sample is written, and may change it.
using SampleGate = absl::FunctionRef<bool(ProfileSample*)>;

// Writes `profile` with all its ids and in its order.
absl::Status WriteProfile(const Profile& profile, SampleGate gate,
                          Output& output);

}  // namespace perf2x

#endif  // PERF2X_PROFILE_SOURCE_PROFILE_ENCODER_H_
