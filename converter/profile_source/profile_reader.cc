// SPDX-License-Identifier: Apache-2.0
#include "converter/profile_source/profile_reader.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "converter/base/proto_reader.h"
#include "converter/base/status_macros.h"
#include "converter/base/text.h"
#include "converter/profile_source/field_stream.h"
#include "converter/profile_source/profile_ids.h"
#include "profile.pb.h"

namespace perf2x {
namespace {

namespace pb = perftools::profiles;

// Estimates of memory, in bytes, with what later stages keep for an entry.
constexpr uint64_t kOfType = 4096, kOfLocation = 160, kOfLine = 48,
                   kOfFunction = 128, kOfMapping = 512, kOfString = 64,
                   kOfSample = 128, kOfNumber = 16, kOfLetter = 2;
constexpr uint64_t kAccountAt = 64 << 10;
constexpr size_t kTextChunk = 64 << 10;
// Bytes of a function's names that are worth to be counted for each mapping,
// and those that are hashed in a step of work.
constexpr uint64_t kLongNames = 128, kHashedInAStep = 64;
constexpr uint64_t kMaxEntries = kNoId - 1, kMaxSample = 1 << 20;

// Reads a profile field by field, and then turns ids into indexes.
class Reader {
 public:
  Reader(ByteSource& source, Budget& budget)
      : fields_(source), budget_(budget), memory_(budget) {}

  absl::StatusOr<Profile> Read();
  uint64_t size() const { return fields_.end_offset(); }

 private:
  absl::Status Apply();
  absl::Status AddMessage(absl::Span<const uint8_t> message);
  Profile::ValueType ReadValueType(absl::Span<const uint8_t> message);
  absl::Status AddMapping(absl::Span<const uint8_t> message);
  absl::Status AddLocation(absl::Span<const uint8_t> message);
  void AddLine(absl::Span<const uint8_t> message);
  absl::Status AddFunction(absl::Span<const uint8_t> message);
  void AddString(absl::Span<const uint8_t> bytes);
  absl::Status CheckStrings();

  absl::Status Account(uint64_t bytes);
  absl::Status AccountForCopies();
  absl::Status AccountForNamesOfLines(absl::Span<const uint64_t> size_of);
  // Notes the string of a field; CheckStrings fails if there is none.
  StringIndex String(int64_t index) {
    max_string_ = std::max(max_string_, static_cast<uint64_t>(index));
    return static_cast<StringIndex>(index);
  }
  void Observe(const ProtoReader& in) { ok_ &= in.ok(); }

  FieldStream fields_;
  Budget& budget_;
  Budget::Share memory_;
  uint64_t held_ = 0;
  Profile out_;
  bool ok_ = true;  // all nested messages are well-formed
  uint64_t max_string_ = 0;
  ProfileIds ids_;
  char* next_text_ = nullptr;  // free_text_ bytes in the last chunk of text
  size_t free_text_ = 0;
};

absl::StatusOr<Profile> Reader::Read() {
  for (;;) {
    ASSIGN_OR_RETURN(const bool more, fields_.Next());
    if (!more) break;
    RETURN_IF_ERROR(Apply());
  }
  RETURN_IF_ERROR(ids_.Resolve(&out_));
  RETURN_IF_ERROR(CheckStrings());
  RETURN_IF_ERROR(AccountForCopies());
  return std::move(out_);
}

absl::Status Reader::Apply() {
  const int64_t number = fields_.signed_number();
  switch (fields_.field()) {
    case pb::Profile::kDropFramesFieldNumber:
      out_.drop_frames = String(number);
      break;
    case pb::Profile::kKeepFramesFieldNumber:
      out_.keep_frames = String(number);
      break;
    case pb::Profile::kTimeNanosFieldNumber:
      out_.time_nanos = number;
      break;
    case pb::Profile::kDurationNanosFieldNumber:
      out_.duration_nanos = number;
      break;
    case pb::Profile::kPeriodFieldNumber:
      out_.period = number;
      break;
    case pb::Profile::kDefaultSampleTypeFieldNumber:
      out_.default_sample_type = String(number);
      break;
    case pb::Profile::kDocUrlFieldNumber:
      out_.doc_url = String(number);
      break;
    case pb::Profile::kCommentFieldNumber:
      ok_ &= fields_.ForEachNumber([&](uint64_t comment) {
        out_.comments.push_back(String(static_cast<int64_t>(comment)));
      });
      RETURN_IF_ERROR(Account(kOfNumber * (1 + fields_.bytes().size())));
      break;
    default:
      if (fields_.is_bytes()) RETURN_IF_ERROR(AddMessage(fields_.bytes()));
      break;
  }
  return ok_ ? absl::OkStatus()
             : DamagedProfile(
                   absl::StrCat("broken field before byte ", size()));
}

absl::Status Reader::AddMessage(absl::Span<const uint8_t> message) {
  switch (fields_.field()) {
    case pb::Profile::kSampleTypeFieldNumber:
      if (out_.sample_types.size() == kMaxValueTypes) {
        return TooManyValueTypes("the profile has");
      }
      out_.sample_types.push_back(ReadValueType(message));
      return Account(kOfType);
    case pb::Profile::kPeriodTypeFieldNumber:
      out_.period_type = ReadValueType(message);
      return absl::OkStatus();
    case pb::Profile::kSampleFieldNumber:
      if (message.size() > kMaxSample) {
        return absl::ResourceExhaustedError(absl::StrCat(
            "a sample of the profile has ", message.size(), " bytes; perf2x ",
            "reads samples of up to 1 MiB (see SECURITY.md)"));
      }
      out_.samples.Add(message);
      return Account(kOfSample + message.size());
    case pb::Profile::kMappingFieldNumber:
      return AddMapping(message);
    case pb::Profile::kLocationFieldNumber:
      return AddLocation(message);
    case pb::Profile::kFunctionFieldNumber:
      return AddFunction(message);
    case pb::Profile::kStringTableFieldNumber:
      AddString(message);
      return Account(kOfString + kOfLetter * message.size());
    default:
      return absl::OkStatus();
  }
}

Profile::ValueType Reader::ReadValueType(absl::Span<const uint8_t> message) {
  Profile::ValueType out;
  ProtoReader in(message);
  while (in.Next()) {
    if (in.field() == pb::ValueType::kTypeFieldNumber) {
      out.type = String(in.signed_number());
    } else if (in.field() == pb::ValueType::kUnitFieldNumber) {
      out.unit = String(in.signed_number());
    }
  }
  Observe(in);
  return out;
}

absl::Status Reader::AddMapping(absl::Span<const uint8_t> message) {
  Profile::Mapping out;
  ProtoReader in(message);
  while (in.Next()) {
    switch (in.field()) {
      case pb::Mapping::kIdFieldNumber:
        out.id = in.number();
        break;
      case pb::Mapping::kMemoryStartFieldNumber:
        out.start = in.number();
        break;
      case pb::Mapping::kMemoryLimitFieldNumber:
        out.limit = in.number();
        break;
      case pb::Mapping::kFileOffsetFieldNumber:
        out.offset = in.number();
        break;
      case pb::Mapping::kFilenameFieldNumber:
        out.filename = String(in.signed_number());
        break;
      case pb::Mapping::kBuildIdFieldNumber:
        out.build_id = String(in.signed_number());
        break;
      case pb::Mapping::kHasFunctionsFieldNumber:
        out.has_functions = in.number() != 0;
        break;
      case pb::Mapping::kHasFilenamesFieldNumber:
        out.has_filenames = in.number() != 0;
        break;
      case pb::Mapping::kHasLineNumbersFieldNumber:
        out.has_line_numbers = in.number() != 0;
        break;
      case pb::Mapping::kHasInlineFramesFieldNumber:
        out.has_inline_frames = in.number() != 0;
        break;
      default:
        break;
    }
  }
  Observe(in);
  RETURN_IF_ERROR(ids_.AddMapping(out.id));
  out_.mappings.push_back(out);
  return Account(kOfMapping);
}

absl::Status Reader::AddLocation(absl::Span<const uint8_t> message) {
  Profile::Location out;
  out.first_line = out_.lines.size();
  uint64_t mapping = 0;
  ProtoReader in(message);
  while (in.Next()) {
    switch (in.field()) {
      case pb::Location::kIdFieldNumber:
        out.id = in.number();
        break;
      case pb::Location::kMappingIdFieldNumber:
        mapping = in.number();
        break;
      case pb::Location::kAddressFieldNumber:
        out.address = in.number();
        break;
      case pb::Location::kLineFieldNumber:
        AddLine(in.bytes());
        break;
      case pb::Location::kIsFoldedFieldNumber:
        out.is_folded = in.number() != 0;
        break;
      default:
        break;
    }
  }
  Observe(in);
  if (!out_.location_ids.Add(out.id) ||
      out_.lines.size() - out.first_line > kMaxEntries) {
    return DamagedProfile(out.id == 0 ? "a location has no id"
                                      : "two locations with one id");
  }
  out.line_count = static_cast<uint32_t>(out_.lines.size() - out.first_line);
  out_.locations.push_back(out);
  ids_.AddLocation(mapping);
  return Account(kOfLocation + kOfLine * out.line_count);
}

void Reader::AddLine(absl::Span<const uint8_t> message) {
  Profile::Line out;
  uint64_t function = 0;
  ProtoReader in(message);
  while (in.Next()) {
    if (in.field() == pb::Line::kFunctionIdFieldNumber) {
      function = in.number();
    } else if (in.field() == pb::Line::kLineFieldNumber) {
      out.line = in.signed_number();
    } else if (in.field() == pb::Line::kColumnFieldNumber) {
      out.column = in.signed_number();
    }
  }
  Observe(in);
  out_.lines.push_back(out);
  ids_.AddLine(function);
}

absl::Status Reader::AddFunction(absl::Span<const uint8_t> message) {
  Profile::Function out;
  ProtoReader in(message);
  while (in.Next()) {
    switch (in.field()) {
      case pb::Function::kIdFieldNumber:
        out.id = in.number();
        break;
      case pb::Function::kNameFieldNumber:
        out.name = String(in.signed_number());
        break;
      case pb::Function::kSystemNameFieldNumber:
        out.system_name = String(in.signed_number());
        break;
      case pb::Function::kFilenameFieldNumber:
        out.filename = String(in.signed_number());
        break;
      case pb::Function::kStartLineFieldNumber:
        out.start_line = in.signed_number();
        break;
      default:
        break;
    }
  }
  Observe(in);
  RETURN_IF_ERROR(ids_.AddFunction(out.id));
  out_.functions.push_back(out);
  return Account(kOfFunction);
}

void Reader::AddString(absl::Span<const uint8_t> bytes) {
  std::string scratch;
  const absl::string_view plain = AsPlainText(
      {reinterpret_cast<const char*>(bytes.data()), bytes.size()}, &scratch);
  if (plain.size() > free_text_) {
    free_text_ = std::max(kTextChunk, plain.size());
    out_.text.emplace_back(new char[free_text_]);
    next_text_ = out_.text.back().get();
  }
  if (!plain.empty()) std::memcpy(next_text_, plain.data(), plain.size());
  out_.strings.emplace_back(next_text_, plain.size());
  next_text_ += plain.size();
  free_text_ -= plain.size();
}

absl::Status Reader::Account(uint64_t bytes) {
  held_ += bytes;
  if (held_ < memory_.held() + kAccountAt) return absl::OkStatus();
  memory_.Set(held_);
  if (!budget_.exhausted()) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      "the profile needs more memory than a file of its size may take (see "
      "SECURITY.md)");
}

// Accounts for texts that are copied, or written, for each entry that names
// them: any number of entries can name one long text.
absl::Status Reader::AccountForCopies() {
  constexpr uint64_t kCopiesOfHeader = 8, kCopiesOfMapping = 4;
  const auto size = [this](StringIndex s) { return out_[s].size(); };
  for (const Profile::ValueType& type : out_.sample_types) {
    RETURN_IF_ERROR(
        Account(kCopiesOfHeader * (size(type.type) + size(type.unit))));
  }
  for (const StringIndex comment : out_.comments) {
    RETURN_IF_ERROR(Account(kCopiesOfHeader * size(comment)));
  }
  for (const Profile::Mapping& mapping : out_.mappings) {
    RETURN_IF_ERROR(Account(kCopiesOfMapping *
                            (size(mapping.filename) + size(mapping.build_id))));
  }
  std::vector<uint64_t> size_of;
  for (const Profile::Function& function : out_.functions) {
    size_of.push_back(size(function.name) + size(function.system_name) +
                      size(function.filename));
    RETURN_IF_ERROR(Account(size_of.back()));
  }
  return AccountForNamesOfLines(size_of);
}

// A name is hashed for each line that has it, and copied for each mapping with
// such a line. `size_of` has the sizes of the functions' names.
absl::Status Reader::AccountForNamesOfLines(
    absl::Span<const uint64_t> size_of) {
  absl::flat_hash_set<std::pair<uint32_t, uint32_t>> copied;
  uint64_t hashed = 0;
  for (const Profile::Location& location : out_.locations) {
    for (const Profile::Line& line : out_.LinesOf(location)) {
      if (line.function == kNoId) continue;
      const uint64_t size = size_of[line.function];
      hashed += size;
      if (size >= kLongNames &&
          copied.emplace(location.mapping, line.function).second) {
        RETURN_IF_ERROR(Account(size));
      }
    }
  }
  budget_.Spend(Budget::kWork, hashed / kHashedInAStep);
  if (!budget_.exhausted()) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      "the names of the profile's lines take more work than a file of its size "
      "may cause (see SECURITY.md)");
}

absl::Status Reader::CheckStrings() {
  if (out_.strings.empty() && out_.sample_types.empty()) {
    return DamagedProfile("it is empty");
  }
  if (out_.strings.empty() || !out_.strings[0].empty()) {
    return DamagedProfile("its first string is not the empty one");
  }
  return max_string_ < out_.strings.size()
             ? absl::OkStatus()
             : DamagedProfile(absl::StrCat("it names string ", max_string_,
                                           " of ", out_.strings.size()));
}

class SpanSource final : public ByteSource {
 public:
  explicit SpanSource(absl::Span<const uint8_t> bytes) : all_(bytes) {}
  absl::StatusOr<size_t> Read(absl::Span<uint8_t> to) override {
    const size_t n = std::min(to.size(), all_.size() - at_);
    if (n > 0) std::memcpy(to.data(), all_.data() + at_, n);
    at_ += n;
    return n;
  }
  uint64_t CompressedSizeUpTo(uint64_t) override { return all_.size(); }

 private:
  const absl::Span<const uint8_t> all_;
  size_t at_ = 0;
};

}  // namespace

absl::Status TooManyValueTypes(absl::string_view what_has) {
  return absl::ResourceExhaustedError(
      absl::StrCat(what_has, " more than ", kMaxValueTypes,
                   " value types, the most that perf2x reads (see "
                   "SECURITY.md)"));
}

absl::StatusOr<Profile> ReadProfile(ByteSource& source, Budget& budget,
                                    uint64_t* size) {
  Reader reader(source, budget);
  auto profile = reader.Read();
  *size = reader.size();
  return profile;
}

std::unique_ptr<ByteSource> SourceOfBytes(absl::Span<const uint8_t> bytes) {
  return std::make_unique<SpanSource>(bytes);
}

}  // namespace perf2x
