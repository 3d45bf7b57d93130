#include "converter/emit/pprof_writer.h"

#include "converter/base/status_macros.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/wire_format_lite.h"
#include "profile.pb.h"

namespace perf2x {
namespace {

namespace pb = perftools::profiles;
using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedOutputStream;

constexpr size_t kBufferSize = 1 << 20;

constexpr uint32_t Tag(int number) {
  return WireFormatLite::MakeTag(number,
                                 WireFormatLite::WIRETYPE_LENGTH_DELIMITED);
}

void AppendVarint(uint64_t v, std::string* to) {
  uint8_t bytes[10];
  uint8_t* end = CodedOutputStream::WriteVarint64ToArray(v, bytes);
  to->append(reinterpret_cast<char*>(bytes), static_cast<size_t>(end - bytes));
}

// Appends the packed repeated field `number`.
void AppendPacked(int number, absl::Span<const uint64_t> values,
                  std::string* to) {
  size_t size = 0;
  for (uint64_t v : values) size += CodedOutputStream::VarintSize64(v);
  AppendVarint(Tag(number), to);
  AppendVarint(size, to);
  for (uint64_t v : values) AppendVarint(v, to);
}

}  // namespace

void PprofWriter::Varint(uint64_t v) { AppendVarint(v, &buffer_); }

void PprofWriter::SetLocations(absl::Span<const uint64_t> ids) {
  locations_.clear();
  AppendPacked(pb::Sample::kLocationIdFieldNumber, ids, &locations_);
}

absl::Status PprofWriter::Sample(absl::Span<const uint64_t> values,
                                 absl::string_view labels) {
  scratch_.clear();
  AppendPacked(pb::Sample::kValueFieldNumber, values, &scratch_);
  Varint(Tag(pb::Profile::kSampleFieldNumber));
  Varint(locations_.size() + scratch_.size() + labels.size());
  buffer_.append(locations_);
  buffer_.append(scratch_);
  buffer_.append(labels.data(), labels.size());
  return FlushIfFull();
}

absl::Status PprofWriter::Message(int number,
                                  const google::protobuf::MessageLite& m) {
  Varint(Tag(number));
  Varint(m.ByteSizeLong());
  return Fields(m);
}

absl::Status PprofWriter::String(absl::string_view s) {
  Varint(Tag(pb::Profile::kStringTableFieldNumber));
  Varint(s.size());
  buffer_.append(s.data(), s.size());
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
