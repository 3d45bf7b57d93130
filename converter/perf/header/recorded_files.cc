// SPDX-License-Identifier: Apache-2.0
#include "converter/perf/header/recorded_files.h"

#include "absl/strings/match.h"
#include "converter/base/leb128.h"
#include "converter/perf/records/wire.h"

namespace perf2x {
namespace {

// One field of a protobuf message (protobuf.dev, "Encoding").
struct ProtoField {
  uint32_t number = 0;
  uint64_t value = 0;                       // of an integer
  absl::Span<const uint8_t> contents = {};  // of a string or a message
  absl::string_view text() const {
    return {reinterpret_cast<const char*>(contents.data()), contents.size()};
  }
};

// Reads the next field; returns false at the end or at damage.
bool NextField(ByteReader* in, ProtoField* field) {
  if (in->left() == 0) return false;
  const uint64_t tag = ReadUleb128(*in);
  *field = {.number = static_cast<uint32_t>(tag >> 3)};
  switch (tag & 7) {
    case 0:
      field->value = ReadUleb128(*in);
      break;
    case 1:
      in->Skip(8);
      break;
    case 2:
      field->contents = in->Bytes(ReadUleb128(*in));
      break;
    case 5:
      in->Skip(4);
      break;
    default:
      in->Fail();
  }
  return in->ok();
}

// Numbers of fields in simpleperf/record_file.proto.
namespace file_feature {
enum : uint32_t { kPath = 1, kType, kMinVaddr, kSymbol, kDex, kElf, kModule };
}  // namespace file_feature
namespace symbol_message {
enum : uint32_t { kVaddr = 1, kLen, kName };
}  // namespace symbol_message

RecordedSymbol ReadProtoSymbol(ByteReader* in) {
  RecordedSymbol symbol;
  for (ProtoField field; NextField(in, &field);) {
    if (field.number == symbol_message::kVaddr) symbol.address = field.value;
    if (field.number == symbol_message::kLen) {
      symbol.size = static_cast<uint32_t>(field.value);
    }
    if (field.number == symbol_message::kName) symbol.name = field.text();
  }
  return symbol;
}

// The first integer in a message of type ElfFile or KernelModule.
uint64_t FirstInteger(ByteReader in) {
  ProtoField field;
  return NextField(&in, &field) ? field.value : 0;
}

bool ReadProtoFile(ByteReader in, RecordedFile* file) {
  file->encoding = RecordedFile::Encoding::kSimpleperfProto;
  file->symbols = in;
  file->type = RecordedFile::kKernel;  // proto3 does not write zeros
  for (ProtoField field; NextField(&in, &field);) {
    ByteReader message(field.contents, in.order());
    switch (field.number) {
      case file_feature::kPath:
        file->path = field.text();
        break;
      case file_feature::kType:
        file->type = static_cast<uint32_t>(field.value);
        break;
      case file_feature::kMinVaddr:
        file->min_address = field.value;
        break;
      case file_feature::kSymbol:
        ++file->symbol_count;
        ReadProtoSymbol(&message);
        break;
      case file_feature::kElf:
      case file_feature::kModule:
        file->min_address_offset = FirstInteger(message);
        break;
      default:
        break;
    }
    if (!message.ok()) return false;
  }
  return in.ok();
}

RecordedSymbol ReadSymbol(ByteReader* in) {
  RecordedSymbol symbol;
  symbol.address = in->U64();
  symbol.size = in->U32();
  symbol.name = in->CString();
  return symbol;
}

bool ReadFile(ByteReader in, RecordedFile* file) {
  file->encoding = RecordedFile::Encoding::kSimpleperf;
  file->path = in.CString();
  file->type = in.U32();
  file->min_address = in.U64();
  file->symbol_count = in.CheckedCount(in.U32(), 8 + 4 + 1);
  file->symbols = in;
  for (uint64_t i = 0; i < file->symbol_count && in.ok(); ++i) ReadSymbol(&in);
  if (file->type == RecordedFile::kDex) {
    in.Words(in.U32());  // offsets of the DEX files in this file
  } else if (in.left() >= 8) {
    // ~0: simpleperf did not know it.
    const uint64_t offset = in.U64();
    if (offset != ~uint64_t{0}) file->min_address_offset = offset;
  }
  return in.ok();
}

// A string of hiperf: u32 length with its NUL, then as many bytes.
absl::string_view HiperfString(ByteReader* in) {
  return in->FixedString(in->U32());
}

RecordedSymbol ReadHiperfSymbol(ByteReader* in) {
  RecordedSymbol symbol;
  symbol.address = in->U64();
  symbol.size = in->U32();
  symbol.name = HiperfString(in);
  return symbol;
}

// The numbers that hiperf writes for types differ by its version.
uint32_t TypeOfHiperfFile(absl::string_view path) {
  if (absl::StartsWith(path, "[kernel")) return RecordedFile::kKernel;
  return absl::EndsWith(path, ".ko") ? RecordedFile::kKernelModule
                                     : RecordedFile::kElf;
}

bool ForEachHiperfFile(ByteReader in,
                       absl::FunctionRef<void(const RecordedFile&)> found) {
  const uint64_t nr = in.CheckedCount(in.U32(), 4 + 4 + 8 + 8 + 4 + 4);
  for (uint64_t i = 0; i < nr; ++i) {
    RecordedFile file;
    file.encoding = RecordedFile::Encoding::kHiperf;
    file.path = HiperfString(&in);
    in.Skip(4);  // type
    file.type = TypeOfHiperfFile(file.path);
    file.min_address = in.U64();
    file.min_address_offset = in.U64();
    HiperfString(&in);  // build id, which the BUILD_ID feature has as well
    file.symbol_count = in.CheckedCount(in.U32(), 8 + 4 + 4);
    file.symbols = in;
    for (uint64_t k = 0; k < file.symbol_count && in.ok(); ++k) {
      ReadHiperfSymbol(&in);
    }
    if (!in.ok()) return false;
    found(file);
  }
  return in.ok();
}

}  // namespace

void RecordedFile::ForEachSymbol(
    absl::FunctionRef<void(const RecordedSymbol&)> found) const {
  ByteReader in = symbols;
  if (encoding == Encoding::kSimpleperfProto) {
    for (ProtoField field; NextField(&in, &field);) {
      if (field.number != file_feature::kSymbol) continue;
      ByteReader message(field.contents, in.order());
      found(ReadProtoSymbol(&message));
    }
    return;
  }
  for (uint64_t i = 0; i < symbol_count; ++i) {
    found(encoding == Encoding::kHiperf ? ReadHiperfSymbol(&in)
                                        : ReadSymbol(&in));
  }
}

bool ForEachRecordedFile(const RawRecord& record,
                         absl::FunctionRef<void(const RecordedFile&)> found) {
  if (record.type != kRecordHeaderFeature) return true;
  ByteReader section(record.body, record.order);
  const uint64_t feature = section.U64();
  if (feature == kFeatureHiperfFilesSymbol) {
    return ForEachHiperfFile(section, found);
  }
  if (feature != kFeatureSimpleperfFile && feature != kFeatureSimpleperfFile2) {
    return true;
  }
  while (section.left() > 0) {
    const ByteReader in(section.Bytes(section.U32()), record.order);
    RecordedFile file;
    const bool whole = section.ok() && (feature == kFeatureSimpleperfFile
                                            ? ReadFile(in, &file)
                                            : ReadProtoFile(in, &file));
    if (!whole) return false;
    found(file);
  }
  return section.ok();
}

}  // namespace perf2x
