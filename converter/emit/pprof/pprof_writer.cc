// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/pprof/pprof_writer.h"

#include <bit>
#include <cstring>
#include <utility>

#include "converter/base/text.h"
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

// Maximum bytes of a varint, of a varint field, and of the tag and length of a
// length-delimited field. All our fields have numbers below 16.
constexpr size_t kMaxOfVarint = 10, kMaxOfNumber = 11, kMaxOfHead = 11;

uint8_t* PutVarint(uint64_t v, uint8_t* to) {
  return CodedOutputStream::WriteVarint64ToArray(v, to);
}

// Puts a varint, followed by up to three bytes of garbage. Most location ids
// take two or three bytes, in an order that no branch predictor could learn, so
// there is no branch on the size.
uint8_t* PutId(uint64_t v, uint8_t* to) {
  if (v >> 28 != 0 || std::endian::native != std::endian::little) {
    return PutVarint(v, to);
  }
  const auto id = static_cast<uint32_t>(v);
  const uint32_t sevens = (id & 0x7f) | (id & 0x3f80) << 1 |
                          (id & 0x1fc000) << 2 | (id & 0xfe00000) << 3;
  const size_t size = CodedOutputStream::VarintSize32(id);
  const uint32_t more = 0x808080 & ((uint32_t{1} << (8 * size - 8)) - 1);
  const uint32_t bytes = sevens | more;
  std::memcpy(to, &bytes, sizeof(bytes));
  return to + size;
}

// Puts a varint field; 0 is the default and takes no bytes.
uint8_t* PutNumber(int number, uint64_t v, uint8_t* to) {
  if (v == 0) return to;
  to = CodedOutputStream::WriteTagToArray(
      WireFormatLite::MakeTag(number, WireFormatLite::WIRETYPE_VARINT), to);
  return PutVarint(v, to);
}

// Puts the tag and length of a field of `size` bytes.
uint8_t* PutHead(int number, size_t size, uint8_t* to) {
  return PutVarint(size, CodedOutputStream::WriteTagToArray(Tag(number), to));
}

uint8_t* PutBytes(const void* bytes, size_t size, uint8_t* to) {
  if (size > 0) std::memcpy(to, bytes, size);  // `bytes` may be null if empty
  return to + size;
}

size_t SizeOf(const uint8_t* begin, const uint8_t* end) {
  return static_cast<size_t>(end - begin);
}

}  // namespace

void PprofWriter::SetFrames(absl::Span<const FrameId> frames) {
  const size_t max = kMaxOfHead + kMaxOfVarint * frames.size();
  if (locations_.size() < max) locations_.resize(max);
  // The head is put before the ids once their size is known.
  uint8_t* const begin = locations_.data() + kMaxOfHead;
  uint8_t* end = begin;
  for (const FrameId frame : frames) end = PutId(uint64_t{frame} + 1, end);
  uint8_t head[kMaxOfHead];
  const size_t size = SizeOf(head, PutHead(pb::Sample::kLocationIdFieldNumber,
                                           SizeOf(begin, end), head));
  begin_ = kMaxOfHead - size;
  end_ = SizeOf(locations_.data(), end);
  std::memcpy(locations_.data() + begin_, head, size);
}

absl::Status PprofWriter::Sample(absl::Span<const uint64_t> values,
                                 absl::string_view labels) {
  size_t size_of_values = 0;
  for (const uint64_t v : values) {
    size_of_values += CodedOutputStream::VarintSize64(v);
  }
  uint8_t head[kMaxOfHead];
  const size_t size_of_head = SizeOf(
      head, PutHead(pb::Sample::kValueFieldNumber, size_of_values, head));
  const size_t size =
      end_ - begin_ + size_of_head + size_of_values + labels.size();
  uint8_t* to =
      PutHead(pb::Profile::kSampleFieldNumber, size, Room(kMaxOfHead + size));
  to = PutBytes(locations_.data() + begin_, end_ - begin_, to);
  to = PutBytes(head, size_of_head, to);
  for (const uint64_t v : values) to = PutVarint(v, to);
  return Put(PutBytes(labels.data(), labels.size(), to));
}

absl::Status PprofWriter::Function(uint64_t id, int64_t name,
                                   int64_t system_name, int64_t file,
                                   uint32_t start_line) {
  uint8_t bytes[5 * kMaxOfNumber];
  uint8_t* end = PutNumber(pb::Function::kIdFieldNumber, id, bytes);
  end = PutNumber(pb::Function::kNameFieldNumber, name, end);
  end = PutNumber(pb::Function::kSystemNameFieldNumber, system_name, end);
  end = PutNumber(pb::Function::kFilenameFieldNumber, file, end);
  end = PutNumber(pb::Function::kStartLineFieldNumber, start_line, end);
  return PutField(pb::Profile::kFunctionFieldNumber,
                  {reinterpret_cast<char*>(bytes), SizeOf(bytes, end)});
}

absl::Status PprofWriter::Location(uint64_t id, uint64_t mapping,
                                   uint64_t address,
                                   absl::Span<const Line> lines) {
  // A line has two fields of at most 6 bytes and a head of 2.
  constexpr size_t kMaxOfLine = 14, kMaxElse = 33;
  if (scratch_.size() < kMaxElse + kMaxOfLine * lines.size()) {
    scratch_.resize(kMaxElse + kMaxOfLine * lines.size());
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
  return PutField(pb::Profile::kLocationFieldNumber,
                  {scratch_.data(), SizeOf(begin, end)});
}

absl::Status PprofWriter::Message(int number,
                                  const google::protobuf::MessageLite& m) {
  return PutField(number, m.SerializeAsString());
}

absl::Status PprofWriter::String(absl::string_view s) {
  return PutField(pb::Profile::kStringTableFieldNumber,
                  AsPlainText(s, &scratch_));
}

absl::Status PprofWriter::Fields(const google::protobuf::MessageLite& m) {
  const std::string bytes = m.SerializeAsString();
  return Put(PutBytes(bytes.data(), bytes.size(), Room(bytes.size())));
}

absl::Status PprofWriter::PutField(int number, absl::string_view bytes) {
  uint8_t* const to =
      PutHead(number, bytes.size(), Room(kMaxOfHead + bytes.size()));
  return Put(PutBytes(bytes.data(), bytes.size(), to));
}

uint8_t* PprofWriter::Room(size_t max) {
  if (capacity_ - used_ < max) {
    capacity_ = used_ + max + kBufferSize;
    auto larger = std::make_unique_for_overwrite<uint8_t[]>(capacity_);
    PutBytes(buffer_.get(), used_, larger.get());
    buffer_ = std::move(larger);
  }
  return buffer_.get() + used_;
}

absl::Status PprofWriter::Put(const uint8_t* end) {
  used_ = SizeOf(buffer_.get(), end);
  return used_ < kBufferSize ? absl::OkStatus() : Flush();
}

absl::Status PprofWriter::Flush() {
  const size_t size = std::exchange(used_, 0);
  return output_.Write({reinterpret_cast<const char*>(buffer_.get()), size});
}

}  // namespace perf2x
