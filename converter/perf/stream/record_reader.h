// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PERF_STREAM_RECORD_READER_H_
#define PERF2X_PERF_STREAM_RECORD_READER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/base/attributes.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "converter/base/diagnostics.h"
#include "converter/input/input.h"
#include "converter/perf/header/file_header.h"
#include "converter/perf/records/raw_record.h"
#include "converter/perf/stream/decompressor.h"
#include "converter/perf/stream/framer.h"
#include "converter/perf/stream/header_replay.h"
#include "converter/perf/stream/payload_reader.h"
#include "converter/perf/stream/split_records.h"

namespace perf2x {

// How the bytes of a recording's data were used. `record_bytes` and
// `decompressed` count bytes after decompression. `damaged` counts stored and
// decompressed bytes. The other byte counts are of bytes as stored.
struct ByteAccount {
  // Of the data sections or the stream, and unread bytes after the last
  // section.
  uint64_t data = 0;
  uint64_t compressed = 0;    // records that held compressed data
  uint64_t compressed2 = 0;   // of these, bytes of COMPRESSED2 records
  uint64_t decompressed = 0;  // made from these records
  // Of records that Next() returned, except replayed ones; with headers.
  uint64_t record_bytes = 0;
  uint64_t payload = 0;  // after AUXTRACE and HEADER_TRACING_DATA records
  uint64_t damaged = 0;  // in which no record could be found
  // How many records were COMPRESSED and COMPRESSED2.
  uint64_t compressed_records = 0, compressed2_records = 0;
};

// The diagnostic for a file that perf record did not finish.
inline constexpr char kUnfinishedRecording[] =
    "recording was not finished: its header gives no data size; read to the "
    "end of the file";

// Reads the records of a recording, whatever its container. A file's header
// comes first, replayed as HEADER_ATTR, HEADER_EVENT_TYPE and HEADER_FEATURE
// records. If the data section is unfinished or cut short, the header yields
// HEADER_ATTR records only; the data are still read. The data follow in file
// order, then the data.N of a directory.
//
// COMPRESSED and COMPRESSED2 records are replaced by the records in them.
// simpleperf's SPLIT and SPLIT_END records are followed by the record that they
// hold, with RawRecord::replayed set. So are, before the data, the records of
// its feature INIT_MAP: the mappings and names of all processes at the
// beginning, which it writes last. Damage is counted. It ends only the
// stream that it is in. Not thread-safe.
class RecordReader {
 public:
  // `diagnostics` must outlive the reader. Fails with InvalidArgument if the
  // input is no recording, and says why. If `input` is a stream but the
  // recording is a file, copies all of it to a temporary file. Fails if that is
  // not possible.
  static absl::StatusOr<std::unique_ptr<RecordReader>> Open(
      Input input, Diagnostics* diagnostics);

  // Reads the next record. Returns false at the end. Pointers in `*record` are
  // valid until the next call. The record's bytes are valid while
  // *record->block is held. If the block is stable, they are valid as long as
  // the reader.
  ABSL_ATTRIBUTE_ALWAYS_INLINE bool Next(RawRecord* record) {
    const bool plain =
        !data_after_.has_value() &&
        (unpacks_ ? decompressor_->NextPlain(record)
                  : replay_.empty() && framer_ && framer_->NextPlain(record));
    if (!plain) return NextOther(record);
    const uint64_t size = 8 + record->body.size();
    bytes_.record_bytes += size;
    if (!unpacks_) bytes_.data += size;
    record->payload = {};
    Number(record);
    return true;
  }
  // As Next(), but for a run. If the first record is a kernel record, also
  // reads the kernel records after it in the same block. Stops once these have
  // `bytes` bytes or more.
  bool NextRun(uint64_t bytes, RecordRun* run);
  // Returns true if records may lie in blocks that the reader allocates. This
  // is so if the input is not mapped(), or if the file's header says that
  // records are compressed. Returns false for a mapped recording in pipe
  // format.
  bool may_allocate_blocks() const { return may_allocate_blocks_; }

  // Returns true if the input is mapped, so that no read can block.
  bool mapped() const { return static_cast<bool>(mapped_.block); }

  // Returns the header of the file or pipe stream.
  const FileHeader& header() const { return header_; }
  // Returns true if all records must be held and sorted to be in time order.
  // That is so for a directory with several data files: no FINISHED_ROUND
  // record covers all of them.
  bool needs_full_order() const { return !more_.empty(); }
  // Complete once Next() has returned false.
  const ByteAccount& bytes() const { return bytes_; }
  // Counts damage for each mapped file that was truncated or could not be read
  // after it was opened. Counts each file once. Next() calls this after the
  // last record. To be called again after the last use of the records' bytes.
  void CountChangedFiles();

 private:
  struct DataFile {
    std::string name;
    BlockRef block;
    bool reported_lost = false;
  };
  explicit RecordReader(Diagnostics* diagnostics)
      : diagnostics_(diagnostics), replay_(diagnostics) {}

  bool NextOther(RawRecord* record);
  void Number(RawRecord* record) {
    record->stream = static_cast<uint16_t>(stream_);
    record->replayed = data_after_.has_value();
    record->index = record->replayed ? 0 : next_index_++;
  }
  // Starts to read the input, which begins with `bytes` if it is mapped.
  void Start(bool pipe, absl::Span<const uint8_t> bytes,
             std::vector<Input::DataFile> data_files);
  void StartFile();
  // Starts to read the records in a section of the file.
  void StartSection(const FileSection& section);
  // Counts the bytes after the last section of `file`, such as another
  // recording. Up to a page of zeros is padding and does not count, at the end
  // or before another recording. In simpleperf's recordings, bytes count only
  // if they begin another recording: simpleperf leaves old bytes there when it
  // rewrites sections.
  void ReportBytesAfterEnd(absl::Span<const uint8_t> file);
  void StartDecompressor();
  bool NextInStream(RawRecord* record);
  bool SalvageCutRecord(RawRecord* record);
  bool HandlePayload(RawRecord* record);
  // Queues the record that simpleperf cut into slices, after the last of them.
  void JoinSplit(const RawRecord& record);
  void EndStream();
  void Damaged(absl::string_view message, uint64_t offset, uint64_t bytes);

  Diagnostics* diagnostics_;
  // The mapped input, kept as long as the reader: see Block::stable().
  DataFile mapped_;
  // The input if it is not mapped. Also kept as long as the reader: input_size_
  // asks for its size while later data files are read.
  std::unique_ptr<ByteSource> stream_input_;
  FileHeader header_;
  HeaderReplay replay_;  // records of the header that were not read yet
  std::unique_ptr<Framer> framer_;
  std::unique_ptr<Decompressor> decompressor_;
  bool may_allocate_blocks_ = false;
  bool unpacks_ = false;  // the decompressor may have a record
  Decompressor::CompressedSizeUpTo input_size_;
  std::vector<DataFile> more_;  // the data.N of a directory
  uint64_t next_index_ = 0;
  size_t stream_ = 0;  // 0: the main stream, i: more_[i - 1]
  // While the records of INIT_MAP are read, the data section, and the account
  // of all before them: the feature is no part of the data.
  std::optional<FileSection> data_after_;
  ByteAccount bytes_before_;
  SplitRecords split_;
  PayloadReader payloads_;
  ByteAccount bytes_;
};

}  // namespace perf2x

#endif  // PERF2X_PERF_STREAM_RECORD_READER_H_
