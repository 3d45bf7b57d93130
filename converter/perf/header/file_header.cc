// SPDX-License-Identifier: Apache-2.0
#include "converter/perf/header/file_header.h"

#include <algorithm>
#include <array>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "converter/base/byte_reader.h"
#include "converter/base/decompress.h"
#include "converter/base/status_macros.h"
#include "converter/perf/records/wire.h"

namespace perf2x {
namespace {

constexpr absl::string_view kMagicLittle = "PERFILE2";
constexpr absl::string_view kMagicBig = "2ELIFREP";
constexpr absl::string_view kMagicV1 = "PERFFILE";

// Files that are taken for recordings, by their first 8 bytes.
struct Mistaken {
  absl::string_view magic;
  absl::string_view message;
};
constexpr Mistaken kMistaken[] = {
    {"SIMPLEPE",
     "not a perf.data, but a report of simpleperf report-sample --protobuf; "
     "convert the perf.data that it was made from"},
    // A protobuf whose first field is "simpleperf:EtmBranchList".
    {"\n\x18simple",
     "not a perf.data, but a branch list of simpleperf inject, which has no "
     "samples; perf2x --to autofdo, bolt or profgen reads it"},
    // The same with a version.
    {"simplepe",
     "not a perf.data, but a branch list of simpleperf inject, which has no "
     "samples; perf2x --to autofdo, bolt or profgen reads it"},
    {"HIPERF_P",
     "not a perf.data, but a report of hiperf report --proto; convert the "
     "perf.data that it was made from"},
    {"version ",
     "not a perf.data, but text as in a pointer of Git LFS; git lfs pull "
     "fetches the file"},
};

constexpr uint64_t kAncientHeaderSize = 72;  // before there were features
constexpr uint64_t kSectionSize = 16;
constexpr uint64_t kLeastAttrSize = 64 + kSectionSize;

// True for the sizes of attrs, with their id sections, in version 1 of the
// format.
bool IsV1AttrSize(uint64_t size) {
  for (uint64_t known : {64, 72, 80, 96, 104}) {
    if (size == known + kSectionSize) return true;
  }
  return false;
}

// The feature bitmap is an array of the writer's unsigned long, so that a
// big-endian 32-bit writer has the halves of each word exchanged. perf detects
// that by the bit of HOSTNAME, which is always set; here CMDLINE counts as
// well.
std::vector<uint32_t> ReadFeatures(ByteReader* in) {
  std::array<uint64_t, 4> words;
  for (uint64_t& word : words) word = in->U64();
  auto has = [&](uint32_t feature) { return (words[0] >> feature) & 1; };
  auto exchange = [&] {
    for (uint64_t& word : words) word = word << 32 | word >> 32;
  };
  if (in->order() == ByteOrder::kBig && !has(kFeatureHostname) &&
      !has(kFeatureCmdline)) {
    exchange();
    if (!has(kFeatureHostname) && !has(kFeatureCmdline)) exchange();
  }
  std::vector<uint32_t> features;
  for (uint32_t i = 0; i < 256; ++i) {
    if ((words[i / 64] >> (i % 64)) & 1) features.push_back(i);
  }
  return features;
}

absl::string_view MagicOf(absl::Span<const uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()),
          std::min(bytes.size(), kMagicLittle.size())};
}

// Returns the byte order of a recording that CheckMagic() accepts. The magic
// number of version 1 is the same in both orders; the size of its attrs is not.
ByteOrder OrderOf(absl::Span<const uint8_t> bytes) {
  const absl::string_view magic = MagicOf(bytes);
  if (magic == kMagicBig) return ByteOrder::kBig;
  const bool is_big =
      magic == kMagicV1 && bytes.size() >= 24 &&
      !IsV1AttrSize(Load<uint64_t>(&bytes[16], ByteOrder::kLittle)) &&
      IsV1AttrSize(Load<uint64_t>(&bytes[16], ByteOrder::kBig));
  return is_big ? ByteOrder::kBig : ByteOrder::kLittle;
}

// Checks the header's own size field.
absl::Status CheckHeaderSize(uint64_t size, uint64_t file_size) {
  if (size != kAncientHeaderSize && size < kFileHeaderSize) {
    return absl::InvalidArgumentError(
        absl::StrCat("header at offset 8 gives its size as ", size,
                     ", expected 16 (pipe), 72 or at least 104 (file)"));
  }
  if (file_size < std::min(size, kFileHeaderSize)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "header is cut short: ", file_size, " bytes, expected ", size));
  }
  return absl::OkStatus();
}

// Checks the size of an attr, that the attr section lies in the file, and that
// the data section begins in it.
absl::Status CheckSections(const FileHeader& header, uint64_t file_size) {
  // perf writes zeros first, and the sizes at the end.
  if (header.attr_size == 0) {
    return absl::InvalidArgumentError(
        "header has zeros in place of sizes: the program that wrote the file "
        "did not finish it");
  }
  if (header.attr_size < kLeastAttrSize) {
    return absl::InvalidArgumentError(absl::StrCat(
        "header at offset 16 gives the size of an attr as ", header.attr_size,
        " bytes, expected at least ", kLeastAttrSize));
  }
  if (header.attrs.offset > file_size ||
      header.attrs.size > file_size - header.attrs.offset) {
    return absl::InvalidArgumentError(absl::StrCat(
        "attr section at offset ", header.attrs.offset, " with ",
        header.attrs.size, " bytes lies outside of the file of ", file_size));
  }
  if (header.data.offset > file_size) {
    return absl::InvalidArgumentError(
        absl::StrCat("data section at offset ", header.data.offset,
                     " lies outside of the file of ", file_size, " bytes"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Span<const uint8_t> SectionBytes(absl::Span<const uint8_t> file,
                                       const FileSection& section) {
  if (section.offset >= file.size()) return {};
  return file.subspan(
      section.offset,
      std::min<uint64_t>(section.size, file.size() - section.offset));
}

absl::Status CheckMagic(absl::Span<const uint8_t> bytes) {
  if (bytes.empty()) return absl::InvalidArgumentError("input is empty");
  const absl::string_view magic = MagicOf(bytes);
  if (magic == kMagicLittle || magic == kMagicBig || magic == kMagicV1) {
    return absl::OkStatus();
  }
  if (DetectCompression(bytes) != Compression::kNone) {
    return absl::InvalidArgumentError(
        "compressed more than once; decompress it once before");
  }
  for (const Mistaken& file : kMistaken) {
    if (magic == file.magic) return absl::InvalidArgumentError(file.message);
  }
  return absl::InvalidArgumentError(
      absl::StrCat("not a perf.data: starts with \"", absl::CHexEscape(magic),
                   "\", expected \"PERFILE2\""));
}

absl::StatusOr<FileHeader> ReadFileHeader(absl::Span<const uint8_t> bytes) {
  RETURN_IF_ERROR(CheckMagic(bytes));
  FileHeader header;
  if (MagicOf(bytes) == kMagicV1) header.kind = FileHeader::Kind::kFileV1;
  header.order = OrderOf(bytes);
  ByteReader in(bytes, header.order);
  in.Skip(8);
  header.size = in.U64();
  if (!in.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("header is cut short: ", bytes.size(),
                     " bytes, expected at least ", kPipeHeaderSize));
  }
  if (header.kind != FileHeader::Kind::kFileV1 &&
      header.size == kPipeHeaderSize) {
    header.kind = FileHeader::Kind::kPipe;
    return header;
  }
  RETURN_IF_ERROR(CheckHeaderSize(header.size, bytes.size()));
  header.attr_size = in.U64();
  for (FileSection* s : {&header.attrs, &header.data, &header.event_types}) {
    s->offset = in.U64();
    s->size = in.U64();
  }
  if (header.size >= kFileHeaderSize) header.features = ReadFeatures(&in);
  RETURN_IF_ERROR(CheckSections(header, bytes.size()));
  return header;
}

bool HeaderHasFeature(absl::Span<const uint8_t> first_bytes, uint32_t feature) {
  if (!CheckMagic(first_bytes).ok()) return false;
  ByteReader in(first_bytes, OrderOf(first_bytes));
  in.Skip(8);
  const uint64_t size = in.U64();
  constexpr size_t kBeforeFeatures = 72;
  if (size < kFileHeaderSize || first_bytes.size() < kFileHeaderSize) {
    return false;
  }
  in.Skip(kBeforeFeatures - 16);
  const std::vector<uint32_t> features = ReadFeatures(&in);
  return std::binary_search(features.begin(), features.end(), feature);
}

std::optional<FileSection> FindFeature(const FileHeader& header,
                                       absl::Span<const uint8_t> file,
                                       uint32_t feature) {
  const auto at =
      std::lower_bound(header.features.begin(), header.features.end(), feature);
  if (at == header.features.end() || *at != feature) return std::nullopt;
  if (header.data.size > file.size() - header.data.offset) return std::nullopt;
  const auto index = static_cast<uint64_t>(at - header.features.begin());
  ByteReader in(SectionBytes(file, {header.data.offset + header.data.size +
                                        index * kSectionSize,
                                    kSectionSize}),
                header.order);
  FileSection section;
  section.offset = in.U64();
  section.size = in.U64();
  return in.ok() ? std::optional(section) : std::nullopt;
}

}  // namespace perf2x
