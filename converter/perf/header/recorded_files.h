// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PERF_HEADER_RECORDED_FILES_H_
#define PERF2X_PERF_HEADER_RECORDED_FILES_H_

#include <cstdint>
#include <optional>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "converter/base/byte_reader.h"
#include "converter/perf/records/raw_record.h"

namespace perf2x {

// A function in a RecordedFile.
struct RecordedSymbol {
  // A link-time address. In a kKernel or kSymbolMap file: a run-time address.
  // In a kDex file: an offset in the file.
  uint64_t address = 0;
  uint32_t size = 0;       // in bytes; 0: not known
  absl::string_view name;  // as in the file's symbol table: mangled
};

// A file with code, and some of its functions, as simpleperf or hiperf wrote
// them into the recording. Only ForEachRecordedFile() makes such objects. They
// point into the record and are valid as long as its bytes.
struct RecordedFile {
  // simpleperf's numbers: DsoType in its dso.h. For files of hiperf, the type
  // follows from the path.
  enum Type : uint32_t {
    kKernel,
    kKernelModule,
    kElf,
    kDex,
    kSymbolMap,
    kOther,  // this and all larger numbers: types that are not known here
  };
  absl::string_view path;
  uint32_t type = kOther;
  // The address of a byte of the file's code, mostly the first. Of the same
  // kind as RecordedSymbol::address.
  uint64_t min_address = 0;
  // The offset of the byte at `min_address`, in the ELF file or from the start
  // of a kernel module in memory. Absent if not recorded, as in old recordings
  // and for DEX files.
  std::optional<uint64_t> min_address_offset;
  uint64_t symbol_count = 0;

  // Calls `found` for each of the `symbol_count` symbols, in the order of the
  // recording. They may be unsorted.
  void ForEachSymbol(
      absl::FunctionRef<void(const RecordedSymbol&)> found) const;

  // How the symbols lie in `symbols`.
  enum class Encoding : uint8_t { kSimpleperf, kSimpleperfProto, kHiperf };
  Encoding encoding = Encoding::kSimpleperf;
  ByteReader symbols{{}, kHostOrder};
};

// Calls `found` for each file in a HEADER_FEATURE record of simpleperf's FILE
// and FILE2 or hiperf's HIPERF_FILES_SYMBOL. If the record is damaged, returns
// false after the files before the damage. Does nothing and returns true for
// other records. Layouts: ReadFileV1Feature() and ReadFileV2Feature() in
// simpleperf/record_file_reader.cpp, ReadSymbolFileStructs() in hiperf's
// perf_file_format.cpp.
bool ForEachRecordedFile(const RawRecord& record,
                         absl::FunctionRef<void(const RecordedFile&)> found);

}  // namespace perf2x

#endif  // PERF2X_PERF_HEADER_RECORDED_FILES_H_
