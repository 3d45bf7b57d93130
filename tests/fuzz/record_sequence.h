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
    ByteVector body;     // cut to 65,527 bytes when it is written
    ByteVector payload;  // after the record: of AUXTRACE, HEADER_TRACING_DATA
  };
  // A run of records that is written over and over, until there are `bytes`.
  struct Repeat {
    size_t first = 0, count = 0;
    uint64_t bytes = 0;  // 0: nothing is repeated
    // Added to the 32-bit word at `place` of each body, at each round; starts
    // again after `rounds`.
    size_t place = 0;
    uint32_t step = 0, rounds = 1;
  };
  ByteOrder order = ByteOrder::kLittle;
  std::vector<Record> records;
  Repeat repeat;

  // Number of records at the start that describe events and features.
  size_t HeadSize() const;
};

// Reads a file of the second version or a pipe stream, as far as it can be
// read. COMPRESSED records are unpacked, up to a megabyte.
RecordSequence ParseRecordSequence(FuzzInput bytes);

// How a list is stored.
struct Storage {
  enum class Container : uint8_t { kPipe, kFile, kFolder };
  enum class Wrapping : uint8_t { kNone, kGzip, kBzip2, kXz, kZstd };
  Container container = Container::kPipe;
  Wrapping wrapping = Wrapping::kNone;  // of a folder: of its `data`
  // The type of record that holds the others, compressed; 0: none.
  uint32_t compressed = 0;
  size_t compress_from = 0;  // leaves the records before it as they are
  size_t chunk = 1 << 20;    // bytes that are compressed at a time
  size_t slice = 60'000;     // most bytes in one such record
  // Each chunk is a zstd frame of its own.
  bool frames = false;
  size_t data_files = 0;           // of a folder
  bool data_is_pipe = false;       // of a folder: `data`'s own form
  bool says_wrong_order = false;   // the magic is of the other byte order
  uint64_t max_size = 72'000'000;  // of all records, before they are packed
  uint64_t max_plain = 1'000'000;  // of those that are not compressed
};

// The recording's file or, for a folder, `data` and the data.N that follow it.
std::vector<ByteVector> Store(const RecordSequence& list,
                              const Storage& storage);

// The value at `at` of a body; 0 where that is not all within it.
uint64_t WordAt(const RecordSequence::Record& record, size_t at, size_t size,
                ByteOrder order);
// Does nothing where it is not all within the body.
void SetWordAt(RecordSequence::Record* record, size_t at, size_t size,
               uint64_t value, ByteOrder order);

}  // namespace perf2x

#endif  // PERF2X_TESTS_FUZZ_RECORD_SEQUENCE_H_
