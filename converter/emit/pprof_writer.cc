#include "converter/emit/pprof_writer.h"

#include "converter/base/status_macros.h"
#include "converter/emit/plain_text.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/wire_format_lite.h"
#include "profile.pb.h"

namespace perf2x {
namespace {

namespace pb = perftools::profiles;
using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedOutputStream;

constexpr size_t kBufferSize = 64 << 10;

constexpr uint32_t Tag(int number) {
  return WireFormatLite::MakeTag(number,
                                 WireFormatLite::WIRETYPE_LENGTH_DELIMITED);
}

void AppendVarint(uint64_t v, std::string* to) {
  uint8_t bytes[10];
  uint8_t* end = CodedOutputStream::WriteVarint64ToArray(v, bytes);
  to->append(reinterpret_cast<char*>(bytes), static_cast<size_t>(end - bytes));
}

// Packs `values`, each with `add` added, at the front of `*space`.
template <class T>
absl::string_view Pack(absl::Span<const T> values, uint64_t add,
                       std::string* space) {
  constexpr size_t kLongest = 10;
  if (space->size() < kLongest * values.size()) {
    space->resize(kLongest * values.size());
  }
  auto* const begin = reinterpret_cast<uint8_t*>(space->data());
  uint8_t* end = begin;
  for (const T v : values) {
    end = CodedOutputStream::WriteVarint64ToArray(v + add, end);
  }
  return {space->data(), static_cast<size_t>(end - begin)};
}

// Bytes of a field that is a number, with its head.
constexpr size_t kMostOfNumber = 11;

// Puts a field that is a number; 0 is what a field that is not there has.
uint8_t* PutNumber(int number, uint64_t v, uint8_t* to) {
  if (v == 0) return to;
  to = CodedOutputStream::WriteTagToArray(
      WireFormatLite::MakeTag(number, WireFormatLite::WIRETYPE_VARINT), to);
  return CodedOutputStream::WriteVarint64ToArray(v, to);
}

void AppendField(int number, absl::string_view bytes, std::string* to) {
  AppendVarint(Tag(number), to);
  AppendVarint(bytes.size(), to);
  to->append(bytes.data(), bytes.size());
}

}  // namespace

void PprofWriter::Varint(uint64_t v) { AppendVarint(v, &buffer_); }

void PprofWriter::SetFrames(absl::Span<const FrameId> frames) {
  locations_.clear();
  AppendField(pb::Sample::kLocationIdFieldNumber, Pack(frames, 1, &scratch_),
              &locations_);
}

absl::Status PprofWriter::Sample(absl::Span<const uint64_t> values,
                                 absl::string_view labels) {
  values_.clear();
  AppendField(pb::Sample::kValueFieldNumber, Pack(values, 0, &scratch_),
              &values_);
  Varint(Tag(pb::Profile::kSampleFieldNumber));
  Varint(locations_.size() + values_.size() + labels.size());
  buffer_.append(locations_);
  buffer_.append(values_);
  buffer_.append(labels.data(), labels.size());
  return FlushIfFull();
}

absl::Status PprofWriter::Function(uint64_t id, int64_t name,
                                   int64_t system_name, int64_t file,
                                   uint32_t start_line) {
  uint8_t bytes[5 * kMostOfNumber];
  uint8_t* end = PutNumber(pb::Function::kIdFieldNumber, id, bytes);
  end = PutNumber(pb::Function::kNameFieldNumber, name, end);
  end = PutNumber(pb::Function::kSystemNameFieldNumber, system_name, end);
  end = PutNumber(pb::Function::kFilenameFieldNumber, file, end);
  end = PutNumber(pb::Function::kStartLineFieldNumber, start_line, end);
  AppendField(
      pb::Profile::kFunctionFieldNumber,
      {reinterpret_cast<char*>(bytes), static_cast<size_t>(end - bytes)},
      &buffer_);
  return FlushIfFull();
}

absl::Status PprofWriter::Location(uint64_t id, uint64_t mapping,
                                   uint64_t address,
                                   absl::Span<const Line> lines) {
  // A line has two fields of at most 6 bytes and a head of 2.
  constexpr size_t kMostOfLine = 14, kMostElse = 33;
  if (scratch_.size() < kMostElse + kMostOfLine * lines.size()) {
    scratch_.resize(kMostElse + kMostOfLine * lines.size());
  }
  auto* const begin = reinterpret_cast<uint8_t*>(scratch_.data());
  uint8_t* end = PutNumber(pb::Location::kIdFieldNumber, id, begin);
  end = PutNumber(pb::Location::kMappingIdFieldNumber, mapping, end);
  end = PutNumber(pb::Location::kAddressFieldNumber, address, end);
  for (const Line& line : lines) {
    end = CodedOutputStream::WriteTagToArray(
        Tag(pb::Location::kLineFieldNumber), end);
    uint8_t* const size = end++;
    end = PutNumber(pb::Line::kFunctionIdFieldNumber,
                    uint64_t{line.function} + 1, end);
    end = PutNumber(pb::Line::kLineFieldNumber, line.line, end);
    *size = static_cast<uint8_t>(end - size - 1);
  }
  AppendField(pb::Profile::kLocationFieldNumber,
              {scratch_.data(), static_cast<size_t>(end - begin)}, &buffer_);
  return FlushIfFull();
}

absl::Status PprofWriter::Message(int number,
                                  const google::protobuf::MessageLite& m) {
  Varint(Tag(number));
  Varint(m.ByteSizeLong());
  return Fields(m);
}

absl::Status PprofWriter::String(absl::string_view s) {
  AppendField(pb::Profile::kStringTableFieldNumber, AsPlainText(s, &scratch_),
              &buffer_);
  return FlushIfFull();
}

absl::Status PprofWriter::Fields(const google::protobuf::MessageLite& m) {
  m.AppendToString(&buffer_);
  return FlushIfFull();
}

absl::Status PprofWriter::FlushIfFull() {
  return buffer_.size() < kBufferSize ? absl::OkStatus() : Flush();
}

absl::Status PprofWriter::Flush() {
  RETURN_IF_ERROR(to_.Write(buffer_));
  buffer_.clear();
  return absl::OkStatus();
}

}  // namespace perf2x
