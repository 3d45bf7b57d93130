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

// A function in a RecordedFile. `name` is as in the file's symbol table.
struct RecordedSymbol {
  uint64_t address = 0;
  uint32_t size = 0;
  absl::string_view name;
};

// A file with code, and those of its functions that the recorder wrote into the
// recording: simpleperf (DsoType in its dso.h) and hiperf (SymbolsFileType in
// its symbols_file.h). Points into the record.
struct RecordedFile {
  enum Type : uint32_t {
    kKernel,
    kKernelModule,
    kElf,
    kDex,
    kSymbolMap,
    kOther,  // numbers from here on
  };
  absl::string_view path;
  uint32_t type = kOther;
  // An address of the file's code, in the terms of RecordedSymbol::address:
  // mostly the lowest one.
  uint64_t min_address = 0;
  // Where the code at `min_address` lies: its offset in an ELF file, or from
  // the start of a kernel module in memory. Absent in old recordings.
  std::optional<uint64_t> min_address_offset;
  uint64_t symbol_count = 0;

  // Calls `found` for each symbol.
  void ForEachSymbol(
      absl::FunctionRef<void(const RecordedSymbol&)> found) const;

  // How the symbols lie in `symbols`.
  enum class Encoding : uint8_t { kSimpleperf, kSimpleperfProto, kHiperf };
  Encoding encoding = Encoding::kSimpleperf;
  ByteReader symbols{{}, kHostOrder};
};

// Calls `found` for each file in simpleperf's FILE and FILE2 features and in
// hiperf's HIPERF_FILES_SYMBOL; does nothing for other records. Returns false
// if the record is damaged. Layouts: ReadFileV1Feature() and
// ReadFileV2Feature() in simpleperf/record_file_reader.cpp,
// ReadSymbolFileStructs() in hiperf's perf_file_format.cpp.
bool ForEachRecordedFile(const RawRecord& record,
                         absl::FunctionRef<void(const RecordedFile&)> found);

}  // namespace perf2x

#endif  // PERF2X_PERF_HEADER_RECORDED_FILES_H_
