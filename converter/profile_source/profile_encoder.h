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

// Appends the values and labels of a Sample message to `*to`.
void AppendValuesAndLabels(const ProfileSample& sample, ProtoWriter* to);

// Appends the fields of a Sample message to `*to`. `location_id(i)` returns the
// id of the location with the index i.
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

// Writes a pprof profile, entry by entry. Encodes it as the pprof emitter does:
// fields in order of their numbers, numbers packed, defaults omitted. Elements
// of one table keep the order of the calls. Writes ids and string indexes as
// they are. Not thread-safe. Returns the errors of the output, maybe from a
// later call.
class ProfileEncoder {
 public:
  // `output` must outlive the encoder. Bytes are buffered until Flush.
  explicit ProfileEncoder(Output& output) : output_(output) {}

  // Writes a sample; see AppendSample.
  template <class IdOf>
  absl::Status Sample(const ProfileSample& sample, IdOf location_id) {
    const size_t begin = out_.Open(Pb::kSampleFieldNumber);
    AppendSample(sample, location_id, &out_);
    out_.Close(begin);
    return FlushIfFull();
  }
  // Writes a location with `lines` instead of its own lines. `mapping_id` is
  // the id of its mapping; 0: none. `function_id(line)` must return the id of a
  // line's function; 0: none.
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
  // Write a mapping or a function.
  absl::Status Mapping(const Profile::Mapping& mapping);
  absl::Status Function(const Profile::Function& function);
  // Writes sample_types, comments and all fields of `profile` that are single
  // values.
  absl::Status Header(const Profile& profile);
  // Writes the next string of string_table.
  absl::Status String(absl::string_view text);
  // Writes buffered bytes to the output. Does not close the output. To be
  // called last.
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

// Returns true to keep a sample. May change the sample.
using SampleGate = absl::FunctionRef<bool(ProfileSample*)>;

// Writes `profile` with the samples that `gate` keeps. Ids, and the order of
// each table, do not change. Fails with DataLoss if a sample is damaged, and
// with the errors of `output`. Does not close `output`.
absl::Status WriteProfile(const Profile& profile, SampleGate gate,
                          Output& output);

}  // namespace perf2x

#endif  // PERF2X_PROFILE_SOURCE_PROFILE_ENCODER_H_
