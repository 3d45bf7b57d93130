// SPDX-License-Identifier: Apache-2.0
#include "converter/perf/stream/record_reader.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "converter/base/compression_ratio.h"
#include "converter/base/status_macros.h"
#include "converter/perf/records/kernel_records.h"
#include "converter/perf/records/skip_record.h"
#include "converter/perf/records/wire.h"
#include "converter/perf/stream/block_feed.h"

namespace perf2x {
namespace {

using Bytes = absl::Span<const uint8_t>;
using Severity = Diagnostics::Severity;

// simpleperf's INIT_MAP has MMAP, MMAP2 and COMM records, maybe compressed
// (simpleperf/record_file_format.h).
bool IsOfInitMap(const RawRecord& record) {
  return record.type == MmapRecord::kType ||
         record.type == Mmap2Record::kType || record.type == CommRecord::kType;
}

bool IsCompressed(const RawRecord& record) {
  return record.type == kRecordCompressed || record.type == kRecordCompressed2;
}

void AddCompressed(const RawRecord& record, ByteAccount* bytes) {
  const uint64_t size = 8 + record.body.size();
  bytes->compressed += size;
  if (record.type == kRecordCompressed2) {
    bytes->compressed2 += size;
    ++bytes->compressed2_records;
  } else {
    ++bytes->compressed_records;
  }
}

}  // namespace

absl::StatusOr<std::unique_ptr<RecordReader>> RecordReader::Open(
    Input input, Diagnostics* diagnostics) {
  auto reader = std::unique_ptr<RecordReader>(new RecordReader(diagnostics));
  std::array<uint8_t, kPipeHeaderSize> start;
  Bytes first;
  if (input.mapped) {
    first = input.mapped->bytes();
  } else {
    ASSIGN_OR_RETURN(const size_t n,
                     ReadFully(*input.stream, absl::MakeSpan(start)));
    first = absl::MakeConstSpan(start).subspan(0, n);
  }
  auto explain = [&](const absl::Status& status) {
    return absl::Status(status.code(),
                        absl::StrCat(input.name, ": ", status.message()));
  };
  // The header, not the kind of file, says whether this is a pipe stream.
  const bool pipe = [&] {
    auto header = ReadFileHeader(first.subspan(0, kPipeHeaderSize));
    return header.ok() && header->kind == FileHeader::Kind::kPipe;
  }();
  // Sizes before decompression, without holes. If the input is a stream,
  // input_size_ below takes that stream's size instead of `size`.
  uint64_t size = input.stored.value_or(first.size());
  uint64_t data_files_size = 0;
  for (const Input::DataFile& file : input.data_files) {
    data_files_size += file.size();
  }
  if (!input.mapped && !pipe) {
    // Checked first: an endless input that is no recording would fill the disk.
    if (const absl::Status magic = CheckMagic(first); !magic.ok()) {
      return explain(magic);
    }
    absl::Status damage;
    auto whole = Prepend(first, std::move(input.stream));
    ASSIGN_OR_RETURN(input.mapped, Spool(*whole, &damage));
    size = whole->CompressedSizeUpTo(kSmallCompressed);
    first = input.mapped->bytes();
    if (!damage.ok()) {
      reader->Damaged(damage.message(), first.size(), 0);
    }
  }
  reader->mapped_ = {input.name, input.mapped};
  reader->stream_input_ = std::move(input.stream);
  reader->input_size_ = [size, data_files_size,
                         stream = reader->stream_input_.get()] {
    return data_files_size +
           (stream == nullptr ? size
                              : stream->CompressedSizeUpTo(kSmallCompressed));
  };
  auto header = ReadFileHeader(first);
  if (!header.ok()) return explain(header.status());
  reader->header_ = *std::move(header);
  reader->Start(pipe, first, std::move(input.data_files));
  return reader;
}

void RecordReader::Start(bool pipe, Bytes bytes,
                         std::vector<Input::DataFile> data_files) {
  const std::vector<uint32_t>& features = header_.features;
  may_allocate_blocks_ =
      !mapped() || std::find(features.begin(), features.end(),
                             kFeatureCompressed) != features.end();
  if (pipe) {
    auto feed = mapped()
                    ? RangeFeed(mapped_.block, bytes.subspan(kPipeHeaderSize))
                    : StreamFeed(*stream_input_);
    framer_ = std::make_unique<Framer>(std::move(feed), kPipeHeaderSize,
                                       header_.order);
    StartDecompressor();
  } else {
    StartFile();
  }
  for (Input::DataFile& file : data_files) {
    more_.push_back({std::move(file.name), std::move(file.mapped)});
  }
}

void RecordReader::StartFile() {
  const Bytes file = mapped_.block->bytes();
  replay_.AddAttrs(header_, file);
  FileSection data = header_.data;
  if (data.size == 0 && data.offset != 0) {
    // perf writes the data size when it ends; an unfinished recording has no
    // features either.
    diagnostics_->Add(Severity::kDamage, kUnfinishedRecording, data.offset);
    data.size = file.size() - data.offset;
  } else if (data.size > file.size() - data.offset) {
    diagnostics_->Add(Severity::kDamage,
                      "data section runs past the end of the file", data.offset,
                      data.size - (file.size() - data.offset));
  } else {
    replay_.AddEventTypes(header_, file);
    replay_.AddFeatures(header_, file);
    ReportBytesAfterEnd(file);
    if (const auto maps =
            FindFeature(header_, file, kFeatureSimpleperfInitMap)) {
      data_after_ = data;
      bytes_before_ = bytes_;
      return StartSection(*maps);
    }
  }
  StartSection(data);
}

void RecordReader::StartSection(const FileSection& section) {
  const Bytes range = SectionBytes(mapped_.block->bytes(), section);
  StartDecompressor();
  framer_ = std::make_unique<Framer>(RangeFeed(mapped_.block, range),
                                     section.offset, header_.order);
}

void RecordReader::ReportBytesAfterEnd(Bytes file) {
  constexpr uint64_t kMaxPadding = 4096;
  const std::vector<uint32_t>& features = header_.features;
  // The header may be larger than the part of it that is known.
  const uint64_t header_size = std::min<uint64_t>(header_.size, kMaxPadding);
  const uint64_t end = std::max(
      {header_size, header_.data.offset + header_.data.size, replay_.end()});
  Bytes rest = file.subspan(std::min<uint64_t>(end, file.size()));
  const Bytes padding = rest.subspan(0, kMaxPadding);
  const auto zeros = std::find_if(padding.begin(), padding.end(),
                                  [](uint8_t byte) { return byte != 0; }) -
                     padding.begin();
  const Bytes behind = rest.subspan(static_cast<size_t>(zeros));
  if (behind.empty()) return;
  absl::string_view message =
      "bytes after the end of the recording are not read";
  if (CheckMagic(behind).ok()) {
    message = kAnotherRecordingFollows;
    rest = behind;
  } else if (std::find(features.begin(), features.end(),
                       kFeatureSimpleperfMetaInfo) != features.end()) {
    return;
  }
  bytes_.data += rest.size();
  Damaged(message, file.size() - rest.size(), rest.size());
}

void RecordReader::CountChangedFiles() {
  const auto report = [this](DataFile* file) {
    if (!file->block || !file->block->has_lost_bytes() || file->reported_lost) {
      return;
    }
    file->reported_lost = true;
    diagnostics_->Add(Severity::kDamage,
                      "file became shorter, or could not be read, while it was "
                      "converted; what is missing reads as zeros",
                      0);
  };
  report(&mapped_);
  for (DataFile& file : more_) report(&file);
}

void RecordReader::Damaged(absl::string_view message, uint64_t offset,
                           uint64_t bytes) {
  bytes_.damaged += bytes;
  diagnostics_->Add(Severity::kDamage, message, offset, bytes);
}

bool RecordReader::NextRun(uint64_t bytes, RecordRun* run) {
  if (!Next(&run->first)) return false;
  run->records = 1;
  run->bytes = 8 + run->first.body.size() + run->first.payload.size();
  run->unpacked = unpacks_;
  run->end = run->first.body.end();
  if (run->first.type >= kRecordUserFirst || run->first.replayed) return true;
  const Framer::Skipped more =
      unpacks_ ? decompressor_->SkipPlain(bytes) : framer_->SkipPlain(bytes);
  run->records += more.records;
  run->bytes += more.bytes;
  run->end += more.bytes;
  next_index_ += more.records;
  bytes_.record_bytes += more.bytes;
  if (!unpacks_) bytes_.data += more.bytes;
  return true;
}

bool RecordReader::NextOther(RawRecord* record) {
  if (!replay_.empty()) {
    replay_.Next(record);
    return true;
  }
  while (framer_ != nullptr) {
    record->payload = {};
    if (NextInStream(record)) {
      Number(record);
      if (!record->replayed || IsOfInitMap(*record)) return true;
      CountSkippedRecord(*record, "in the feature INIT_MAP", diagnostics_);
      continue;
    }
    EndStream();
    if (data_after_.has_value()) {
      bytes_ = bytes_before_;
      StartSection(*std::exchange(data_after_, std::nullopt));
      continue;
    }
    if (stream_ >= more_.size()) {
      framer_.reset();
      decompressor_.reset();
      CountChangedFiles();
      break;
    }
    const DataFile& file = more_[stream_++];
    framer_ = std::make_unique<Framer>(
        RangeFeed(file.block, file.block->bytes()), 0, header_.order);
    StartDecompressor();
  }
  return false;
}

void RecordReader::StartDecompressor() {
  decompressor_ = std::make_unique<Decompressor>(header_.order, input_size_,
                                                 bytes_.decompressed);
}

bool RecordReader::NextInStream(RawRecord* record) {
  for (;;) {
    unpacks_ = unpacks_ && decompressor_->Next(record);
    if (unpacks_) {
      bytes_.record_bytes += 8 + record->body.size();
      if (IsCompressed(*record)) {
        CountSkippedRecord(*record, "inside compressed data", diagnostics_);
      }
      JoinSplit(*record);
      return true;
    }
    if (!framer_->Next(record)) {
      if (!SalvageCutRecord(record)) return false;
      continue;
    }
    const uint64_t size = 8 + record->body.size();
    bytes_.data += size;
    switch (record->type) {
      case kRecordCompressed:
      case kRecordCompressed2:
        AddCompressed(*record, &bytes_);
        if (decompressor_->status().ok()) {
          decompressor_->Add(*record);
          unpacks_ = true;
        } else {
          diagnostics_->Add(Severity::kDamage,
                            "compressed record after damaged zstd data",
                            record->offset, size);
        }
        continue;
      case kRecordAuxtraceInfo:
        bytes_.record_bytes += size;
        payloads_.ObserveInfo(*record);
        return true;
      case kRecordHeaderTracingData:
      case kRecordAuxtrace:
        bytes_.record_bytes += size;
        return HandlePayload(record);
      default:
        bytes_.record_bytes += size;
        JoinSplit(*record);
        return true;
    }
  }
}

void RecordReader::JoinSplit(const RawRecord& record) {
  if (record.type == kRecordSimpleperfSplit) split_.Add(record.body);
  if (record.type != kRecordSimpleperfSplitEnd) return;
  if (auto joined = split_.Take(header_.order); joined.has_value()) {
    replay_.Add(joined->type, header_.order, record.offset,
                std::move(joined->body));
  } else {
    Damaged("SPLIT records that hold no record", record.offset, 0);
  }
}

// If the input ends inside a compressed record, decompresses the part that is
// there.
bool RecordReader::SalvageCutRecord(RawRecord* record) {
  const std::optional<uint32_t> type = framer_->cut_record_type();
  if (type != kRecordCompressed && type != kRecordCompressed2) return false;
  if (!decompressor_->status().ok() || !framer_->TakeCutRecord(record)) {
    return false;
  }
  bytes_.data += 8 + record->body.size();
  AddCompressed(*record, &bytes_);
  decompressor_->Add(*record, /*cut=*/true);
  unpacks_ = true;
  return true;
}

// Reads or skips the payload that follows a record.
bool RecordReader::HandlePayload(RawRecord* record) {
  const PayloadReader::Size size = payloads_.Read(*framer_, mapped(), record);
  bytes_.data += size.found;
  bytes_.payload += size.found;
  if (size.found < size.stated) {
    diagnostics_->Add(Severity::kDamage,
                      record->type == kRecordHeaderTracingData
                          ? "tracing data runs past the end of the input"
                          : "AUX trace data runs past the end of the input",
                      record->offset, size.stated - size.found);
  }
  return true;
}

void RecordReader::EndStream() {
  const std::string where =
      stream_ == 0 ? ""
                   : absl::StrCat(" (in data.", stream_ - 1, " of the folder)");
  const absl::Status inner = decompressor_->status();
  if (!inner.ok()) {
    Damaged(absl::StrCat(inner.message(), where), framer_->offset(),
            decompressor_->unread());
  } else if (decompressor_->unread() > 0) {
    Damaged(absl::StrCat("compressed data ends inside a record", where),
            framer_->offset(), decompressor_->unread());
  } else if (decompressor_->EndsInsideBlock()) {
    Damaged(absl::StrCat("compressed data ends inside a zstd block", where),
            decompressor_->offset(), 0);
  }
  bytes_.decompressed += decompressor_->bytes_made();
  const uint64_t unread = framer_->unread();
  bytes_.data += unread;
  if (!framer_->status().ok()) {
    Damaged(absl::StrCat(framer_->status().message(), where), framer_->offset(),
            unread);
  }
}

}  // namespace perf2x
