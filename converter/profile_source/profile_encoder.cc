// SPDX-License-Identifier: Apache-2.0
#include "converter/profile_source/profile_encoder.h"

#include "converter/base/status_macros.h"
#include "profile.pb.h"

namespace perf2x {

namespace pb = perftools::profiles;

void AppendValuesAndLabels(const ProfileSample& sample, ProtoWriter* to) {
  if (!sample.values.empty()) {
    const size_t values = to->Open(pb::Sample::kValueFieldNumber);
    for (const int64_t value : sample.values) {
      to->Varint(static_cast<uint64_t>(value));
    }
    to->Close(values);
  }
  const auto number = [to](int field, uint64_t value) {
    if (value != 0) to->Uint(field, value);
  };
  for (const ProfileSample::Label& label : sample.labels) {
    const size_t begin = to->Open(pb::Sample::kLabelFieldNumber);
    number(pb::Label::kKeyFieldNumber, label.key);
    number(pb::Label::kStrFieldNumber, label.str);
    number(pb::Label::kNumFieldNumber, static_cast<uint64_t>(label.num));
    number(pb::Label::kNumUnitFieldNumber, label.num_unit);
    to->Close(begin);
  }
}

absl::Status ProfileEncoder::Mapping(const Profile::Mapping& mapping) {
  const size_t begin = out_.Open(pb::Profile::kMappingFieldNumber);
  Number(pb::Mapping::kIdFieldNumber, mapping.id);
  Number(pb::Mapping::kMemoryStartFieldNumber, mapping.start);
  Number(pb::Mapping::kMemoryLimitFieldNumber, mapping.limit);
  Number(pb::Mapping::kFileOffsetFieldNumber, mapping.offset);
  Number(pb::Mapping::kFilenameFieldNumber, mapping.filename);
  Number(pb::Mapping::kBuildIdFieldNumber, mapping.build_id);
  Number(pb::Mapping::kHasFunctionsFieldNumber, mapping.has_functions);
  Number(pb::Mapping::kHasFilenamesFieldNumber, mapping.has_filenames);
  Number(pb::Mapping::kHasLineNumbersFieldNumber, mapping.has_line_numbers);
  Number(pb::Mapping::kHasInlineFramesFieldNumber, mapping.has_inline_frames);
  out_.Close(begin);
  return FlushIfFull();
}

absl::Status ProfileEncoder::Function(const Profile::Function& function) {
  const size_t begin = out_.Open(pb::Profile::kFunctionFieldNumber);
  Number(pb::Function::kIdFieldNumber, function.id);
  Number(pb::Function::kNameFieldNumber, function.name);
  Number(pb::Function::kSystemNameFieldNumber, function.system_name);
  Number(pb::Function::kFilenameFieldNumber, function.filename);
  Number(pb::Function::kStartLineFieldNumber,
         static_cast<uint64_t>(function.start_line));
  out_.Close(begin);
  return FlushIfFull();
}

void ProfileEncoder::ValueType(int field, const Profile::ValueType& type) {
  const size_t begin = out_.Open(field);
  Number(pb::ValueType::kTypeFieldNumber, type.type);
  Number(pb::ValueType::kUnitFieldNumber, type.unit);
  out_.Close(begin);
}

absl::Status ProfileEncoder::Header(const Profile& profile) {
  for (const Profile::ValueType& type : profile.sample_types) {
    ValueType(pb::Profile::kSampleTypeFieldNumber, type);
  }
  Number(pb::Profile::kDropFramesFieldNumber, profile.drop_frames);
  Number(pb::Profile::kKeepFramesFieldNumber, profile.keep_frames);
  Number(pb::Profile::kTimeNanosFieldNumber,
         static_cast<uint64_t>(profile.time_nanos));
  Number(pb::Profile::kDurationNanosFieldNumber,
         static_cast<uint64_t>(profile.duration_nanos));
  if (profile.period_type.has_value()) {
    ValueType(pb::Profile::kPeriodTypeFieldNumber, *profile.period_type);
  }
  Number(pb::Profile::kPeriodFieldNumber,
         static_cast<uint64_t>(profile.period));
  if (!profile.comments.empty()) {
    const size_t comments = out_.Open(pb::Profile::kCommentFieldNumber);
    for (const StringIndex comment : profile.comments) out_.Varint(comment);
    out_.Close(comments);
  }
  Number(pb::Profile::kDefaultSampleTypeFieldNumber,
         profile.default_sample_type);
  Number(pb::Profile::kDocUrlFieldNumber, profile.doc_url);
  return FlushIfFull();
}

absl::Status ProfileEncoder::String(absl::string_view text) {
  out_.Bytes(pb::Profile::kStringTableFieldNumber, text);
  return FlushIfFull();
}

absl::Status ProfileEncoder::Flush() {
  const absl::Status status = output_.Write(out_.bytes());
  out_.Clear();
  return status;
}

absl::Status WriteProfile(const Profile& profile, SampleGate gate,
                          Output& output) {
  ProfileEncoder to(output);
  ProfileSample sample;
  const absl::Status read =
      profile.samples.ForEach([&](absl::Span<const uint8_t> message) {
        RETURN_IF_ERROR(sample.Decode(profile, message));
        if (!gate(&sample)) return absl::OkStatus();
        return to.Sample(sample, [&](uint32_t location) {
          return profile.locations[location].id;
        });
      });
  RETURN_IF_ERROR(read);
  for (const Profile::Function& function : profile.functions) {
    RETURN_IF_ERROR(to.Function(function));
  }
  for (const Profile::Location& location : profile.locations) {
    RETURN_IF_ERROR(to.Location(
        location,
        location.mapping == kNoId ? 0 : profile.mappings[location.mapping].id,
        profile.LinesOf(location), [&](const Profile::Line& line) {
          return line.function == kNoId ? 0
                                        : profile.functions[line.function].id;
        }));
  }
  for (const Profile::Mapping& mapping : profile.mappings) {
    RETURN_IF_ERROR(to.Mapping(mapping));
  }
  RETURN_IF_ERROR(to.Header(profile));
  for (const absl::string_view text : profile.strings) {
    RETURN_IF_ERROR(to.String(text));
  }
  return to.Flush();
}

}  // namespace perf2x
