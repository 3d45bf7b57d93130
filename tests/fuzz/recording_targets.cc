// SPDX-License-Identifier: Apache-2.0

// Recordings and their parts. No symbol file is opened.

#include <algorithm>
#include <memory>

#include "absl/strings/str_cat.h"
#include "converter/base/decompress.h"
#include "converter/convert/convert.h"
#include "converter/emit/registry.h"
#include "converter/inspect/inspect.h"
#include "converter/inspect/recording_info.h"
#include "converter/perf/header/attr_table.h"
#include "converter/perf/header/build_ids.h"
#include "converter/perf/header/features.h"
#include "converter/perf/header/recorded_files.h"
#include "converter/perf/stream/block_feed.h"
#include "converter/perf/stream/decompressor.h"
#include "converter/perf/stream/framer.h"
#include "tests/fuzz/slow_source.h"
#include "tests/fuzz/targets.h"
#include "tests/support/format_ways.h"

namespace perf2x {
namespace {

class BytesBlock final : public Block {
 public:
  explicit BytesBlock(FuzzInput bytes) : Block(true) { bytes_ = bytes; }
};

BlockRef BlockOf(FuzzInput bytes) {
  return BlockRef(std::make_unique<BytesBlock>(bytes));
}

class Nowhere final : public Output {
 public:
  absl::Status Write(absl::string_view) override { return absl::OkStatus(); }
  absl::Status Close() override { return absl::OkStatus(); }
};

class NoFiles final : public OutputFactory {
 public:
  absl::StatusOr<std::unique_ptr<Output>> Open(absl::string_view) override {
    return std::make_unique<Nowhere>();
  }
};

// Does what `perf2x dump` does, with every field.
void DumpAll(Input input, bool sorted) {
  DumpOptions options;
  options.sorted = sorted;
  options.callchain = options.branches = options.regs = options.raw =
      options.stack = true;
  Nowhere output;
  Diagnostics diagnostics;
  (void)WriteDump(std::move(input), options, output, &diagnostics);
}

// Does what `perf2x info` does; all bytes must be accounted for.
void Inform(Input input) {
  Diagnostics diagnostics;
  auto info = ReadRecordingInfo(std::move(input), &diagnostics);
  if (!info.ok()) return;
  const ByteAccount& b = info->bytes;
  FuzzPromise(b.record_bytes + b.payload + b.damaged ==
                  b.data - b.compressed + b.decompressed,
              "every byte is a record's, a payload's or damaged");
  const InfoValue tree = Describe(*info);
  (void)ToText(tree);
  (void)ToJson(tree);
}

Input StreamInput(FuzzInput bytes) {
  Input input;
  input.name = "stream";
  input.stream = InSteps(bytes);
  return input;
}

// The first piece is the file `data`, the others are data.N.
Input FolderInput(FuzzInput bytes) {
  const std::vector<FuzzInput> pieces = FuzzPieces(bytes);
  Input input = MemoryInput(pieces[0]);
  for (size_t i = 1; i < pieces.size() && i < 10; ++i) {
    if (pieces[i].empty()) continue;
    input.data_files.push_back(
        {absl::StrCat("data.", i - 1), BlockOf(pieces[i]), {}});
  }
  return input;
}

}  // namespace

void FuzzFile(FuzzInput bytes) {
  Inform(MemoryInput(bytes));
  DumpAll(MemoryInput(bytes), /*sorted=*/false);
}

void FuzzPipe(FuzzInput bytes) {
  Inform(StreamInput(bytes));
  DumpAll(StreamInput(bytes), /*sorted=*/true);
}

void FuzzDirectory(FuzzInput bytes) {
  Inform(FolderInput(bytes));
  DumpAll(FolderInput(bytes), /*sorted=*/true);
}

// The first byte is the byte order, the rest a HEADER_FEATURE record's body.
void FuzzFeatures(FuzzInput bytes) {
  if (bytes.empty()) return;
  RawRecord record;
  record.type = kRecordHeaderFeature;
  record.order = bytes[0] % 2 == 0 ? ByteOrder::kLittle : ByteOrder::kBig;
  const BlockRef block = BlockOf(bytes.subspan(1));
  record.body = block->bytes();
  record.block = &block;
  RecordingInfo info;
  (void)info.features.Observe(record, Budget::Unlimited());
  Diagnostics diagnostics;
  AttrTable attrs(&diagnostics);
  attrs.Observe(record);
  (void)ForEachRecordedFile(record, [&](const RecordedFile& file) {
    info.recorded_files.push_back(
        {std::string(file.path), file.type, file.symbol_count});
    uint64_t symbols = 0;
    file.ForEachSymbol([&](const RecordedSymbol&) { ++symbols; });
    FuzzPromise(symbols == file.symbol_count,
                "a file has as many symbols as it says");
  });
  (void)ToText(Describe(info));
}

// The first byte is the byte order, the rest records of any type: records that
// describe events, and others whose event and time are looked up.
void FuzzAttrs(FuzzInput bytes) {
  if (bytes.empty()) return;
  const ByteOrder order =
      bytes[0] % 2 == 0 ? ByteOrder::kLittle : ByteOrder::kBig;
  const BlockRef block = BlockOf(bytes.subspan(1));
  Framer framer(RangeFeed(block, block->bytes()), 0, order);
  Diagnostics diagnostics;
  AttrTable attrs(&diagnostics);
  RawRecord record;
  while (framer.Next(&record)) {
    attrs.Observe(record);
    const uint32_t event = attrs.EventOf(record);
    FuzzPromise(event == kNoEvent || event < attrs.events().size(),
                "a record's event is in the table");
    (void)attrs.TimeOf(record);
    FuzzPromise(attrs.TrailerSize(record) <= record.body.size(),
                "a trailer lies within its record");
    (void)attrs.TrailerOf(record);
    (void)attrs.AttrOf(record);
  }
}

// Each piece is the body of a COMPRESSED record or, if its first byte is odd,
// of a COMPRESSED2 record; the first byte is not part of the body.
void FuzzZstd(FuzzInput bytes) {
  Decompressor decompressor(ByteOrder::kLittle,
                            [bytes] { return bytes.size(); });
  uint64_t read = 0;
  const std::vector<FuzzInput> pieces = FuzzPieces(bytes);
  for (size_t i = 0; i < pieces.size(); ++i) {
    if (pieces[i].empty()) continue;
    const BlockRef block = BlockOf(pieces[i].subspan(1));
    RawRecord record;
    record.type =
        pieces[i][0] % 2 == 0 ? kRecordCompressed : kRecordCompressed2;
    record.order = ByteOrder::kLittle;
    record.body = block->bytes();
    record.block = &block;
    decompressor.Add(record, /*cut=*/i + 1 == pieces.size());
    RawRecord inner;
    while (decompressor.Next(&inner)) read += 8 + inner.body.size();
    if (!decompressor.status().ok()) break;
  }
  FuzzPromise(read + decompressor.unread() == decompressor.bytes_made(),
              "all that is unpacked is a record's or left over");
}

// A recording compressed by gzip, bzip2, xz or zstd.
void FuzzWrapped(FuzzInput bytes) {
  constexpr uint64_t kEnough = 16 << 20;
  auto source = Decompress(DetectCompression(bytes), InSteps(bytes));
  std::vector<uint8_t> buffer(64 << 10);
  for (uint64_t made = 0; made < kEnough;) {
    auto n = source->Read(absl::MakeSpan(buffer));
    if (!n.ok() || *n == 0) return;
    made += *n;
  }
}

// A file or a stream, converted to one of the formats.
void FuzzConvert(FuzzInput bytes) {
  const FormatWay& way = FormatWays()[FuzzChoice(bytes) % FormatWays().size()];
  ConvertOptions options;
  options.symbolize = false;
  // Otherwise binaries would be looked for, to unwind user stack dumps.
  options.symbols.binaries.symfs = "/nonexistent";
  options.symbols.binaries.buildid_dir = "/nonexistent";
  options.symbols.binaries.debug_dirs.clear();
  options.emitter_options = way.options;
  NoFiles outputs;
  ConvertReport report;
  const absl::Status status = Convert(
      MemoryInput(bytes), *FindEmitter(way.format), outputs, options, &report);
  if (!status.ok()) return;
  const ByteAccount& b = report.bytes;
  FuzzPromise(b.record_bytes + b.payload + b.damaged ==
                  b.data - b.compressed + b.decompressed,
              "every byte is a record's, a payload's or damaged");
}

}  // namespace perf2x
