// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TESTS_FUZZ_RECORD_SEQUENCE_H_
#define PERF2X_TESTS_FUZZ_RECORD_SEQUENCE_H_

#include <cstdint>
#include <vector>

#include "converter/base/byte_order.h"
#include "tests/fuzz/targets.h"

namespace perf2x {

using ByteVector = std::vector<uint8_t>;

// A recording as a list of records, which fuzzing rearranges. Attributes and
// header features are records of the list as well, as they are in a pipe.
// Nothing here depends on how perf2x reads recordings, and no list is invalid.
struct RecordSequence {
  struct Record {
    uint32_t type = 0;
    uint16_t misc = 0;
    ByteVector body;     // truncated to 65,527 bytes when written
    ByteVector payload;  // after the record: of AUXTRACE, HEADER_TRACING_DATA
  };
  // Records that are written over and over, until the repetitions have `bytes`
  // bytes.
  struct Repeat {
    size_t first = 0, count = 0;
    uint64_t bytes = 0;  // 0: nothing is repeated
    // In each repetition `step` is added to the 32-bit word at offset `place`
    // of each body; after `rounds` repetitions the word starts again.
    size_t place = 0;
    uint32_t step = 0, rounds = 1;
  };
  ByteOrder order = ByteOrder::kLittle;
  std::vector<Record> records;
  Repeat repeat;

  // Returns the number of records at the start that describe events and
  // features.
  size_t HeadSize() const;
};

// Reads a file of the second version or a pipe stream, as far as it can be
// read. COMPRESSED records are decompressed, up to a megabyte.
RecordSequence ParseRecordSequence(FuzzInput bytes);

// How a list is stored.
struct Storage {
  enum class Container : uint8_t { kPipe, kFile, kFolder };
  enum class Wrapping : uint8_t { kNone, kGzip, kBzip2, kXz, kZstd };
  Container container = Container::kPipe;
  Wrapping wrapping = Wrapping::kNone;  // of a folder: that of its `data`
  // Type of the records that hold the others compressed; 0: no compression.
  uint32_t compressed = 0;
  size_t compress_from = 0;  // index of the first compressed record
  size_t chunk = 1 << 20;    // bytes that are compressed at a time
  size_t slice = 60'000;     // maximum bytes in a compressed record
  // If set, each chunk is a zstd frame of its own.
  bool frames = false;
  size_t data_files = 0;           // of a folder: number of data.N
  bool data_is_pipe = false;       // of a folder: form of `data`
  bool says_wrong_order = false;   // the magic is of the other byte order
  uint64_t max_size = 72'000'000;  // of all records, uncompressed
  uint64_t max_plain = 1'000'000;  // of records stored uncompressed
};

// Returns the recording's file or, for a folder, `data` and then the data.N.
std::vector<ByteVector> Store(const RecordSequence& list,
                              const Storage& storage);

// Returns the value of `size` bytes at offset `at` of a record's body; 0 if it
// does not lie wholly within the body.
uint64_t WordAt(const RecordSequence::Record& record, size_t at, size_t size,
                ByteOrder order);
// Sets such a value; does nothing if it does not lie wholly within the body.
void SetWordAt(RecordSequence::Record* record, size_t at, size_t size,
               uint64_t value, ByteOrder order);

}  // namespace perf2x

#endif  // PERF2X_TESTS_FUZZ_RECORD_SEQUENCE_H_
