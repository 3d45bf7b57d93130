// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PERF_STREAM_RECORD_READER_H_
#define PERF2X_PERF_STREAM_RECORD_READER_H_

#include <cstdint>
#include <deque>
#include <memory>
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

namespace perf2x {

// Where the bytes of a recording's data went. All but `compressed` and
// `payload` are counted after decompression.
struct ByteAccount {
  uint64_t data = 0;          // of the data sections or the stream, as stored
  uint64_t compressed = 0;    // records that held compressed data
  uint64_t compressed2 = 0;   // of these, bytes of COMPRESSED2 records
  uint64_t decompressed = 0;  // made from them
  uint64_t records = 0;       // framed and handed out, headers included
  uint64_t payload = 0;       // behind AUXTRACE and HEADER_TRACING_DATA records
  uint64_t damaged = 0;       // not framed
  // How many records were COMPRESSED and COMPRESSED2.
  uint64_t compressed_records = 0, compressed2_records = 0;
};

// Yields the records of a recording, whatever it is stored in: the file's
// header comes first, replayed as HEADER_ATTR, HEADER_EVENT_TYPE and
// HEADER_FEATURE records, then the data in file order, then the data.N of a
// directory. COMPRESSED and COMPRESSED2 records never appear, what they hold
// does. Damage ends a stream, not the reading: it is counted in the
// diagnostics.
class RecordReader {
 public:
  // `diagnostics` must outlive the reader. The error says why the input is no
  // recording.
  static absl::StatusOr<std::unique_ptr<RecordReader>> Open(
      Input input, Diagnostics* diagnostics);

  // The next record; false at the end. What `*record` points to is valid until
  // the next call, its bytes as long as *record->block is held; those of stable
  // blocks stay as long as the reader.
  ABSL_ATTRIBUTE_ALWAYS_INLINE bool Next(RawRecord* record) {
    const bool plain =
        unpacks_ ? decompressor_->NextPlain(record)
                 : replay_.empty() && framer_ && framer_->NextPlain(record);
    if (!plain) return NextOther(record);
    const uint64_t size = 8 + record->body.size();
    bytes_.records += size;
    if (!unpacks_) bytes_.data += size;
    record->payload = {};
    Number(record);
    return true;
  }
  // The same for as many records as there are in one piece of about `bytes`.
  bool NextRun(uint64_t bytes, RecordRun* run);
  // Whether records lie in blocks that have to be made: those of a stream, or
  // unpacked ones.
  bool makes_blocks() const { return makes_blocks_; }

  // Whether the input lies in memory and need not be read.
  bool mapped() const { return static_cast<bool>(mapped_.block); }

  const FileHeader& header() const { return header_; }
  // Whether the streams lack FINISHED_ROUND records that close rounds over all
  // of them, so that only a full sort gives time order.
  bool needs_full_order() const { return !more_.empty(); }
  // Complete once Next() has given false.
  const ByteAccount& bytes() const { return bytes_; }
  // Counts as damaged each file that became shorter after it was opened. Call
  // when records are no longer read.
  void ReportLostBytes();

 private:
  struct DataFile {
    std::string name;
    BlockRef block;
    bool reported_lost = false;
  };
  explicit RecordReader(Diagnostics* diagnostics) : diagnostics_(diagnostics) {}

  bool NextOther(RawRecord* record);
  void Number(RawRecord* record) {
    record->stream = static_cast<uint16_t>(stream_);
    record->replayed = false;
    record->index = next_index_++;
  }
  void Replay(uint32_t type, uint64_t offset, std::vector<uint8_t> head,
              absl::Span<const uint8_t> rest);
  void ReplayAttrs(absl::Span<const uint8_t> file);
  void ReplayEventTypes(absl::Span<const uint8_t> file);
  void ReplayFeatures(absl::Span<const uint8_t> file);
  void StartFile(BlockRef block);
  void StartDecompressor();
  bool NextInStream(RawRecord* record);
  bool SalvageCutRecord(RawRecord* record);
  bool HandlePayload(RawRecord* record);
  void EndStream();
  void Damaged(absl::string_view what, uint64_t offset, uint64_t bytes);

  // A record that is yet to be put together: sections of a hostile file may
  // overlap, so that all of them at once would be larger than the file.
  struct Replayed {
    uint32_t type = 0;
    uint64_t offset = 0;
    std::vector<uint8_t> head;
    absl::Span<const uint8_t> rest;  // of the file, behind the head
  };

  Diagnostics* diagnostics_;
  // The mapped input, kept as long as the reader: see Block::stable().
  DataFile mapped_;
  // The input where it is not mapped, kept as long: data files that are read
  // after it ask for its size.
  std::unique_ptr<ByteSource> stream_input_;
  FileHeader header_;
  std::deque<Replayed> replay_;
  BlockRef made_up_;  // holds the last record that lies nowhere in the input
  std::unique_ptr<Framer> framer_;
  std::unique_ptr<Decompressor> decompressor_;
  bool makes_blocks_ = false;
  bool unpacks_ = false;  // the decompressor may have a record
  Decompressor::CompressedSizeUpTo input_size_;
  std::vector<DataFile> more_;  // the data.N of a directory
  uint64_t next_index_ = 0;
  size_t stream_ = 0;  // 0: the main stream, i: more_[i - 1]
  ByteAccount bytes_;
};

}  // namespace perf2x

#endif  // PERF2X_PERF_STREAM_RECORD_READER_H_
