// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_RECORDED_CODE_H_
#define PERF2X_SESSION_RECORDED_CODE_H_

#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "converter/base/budget.h"
#include "converter/base/diagnostics.h"
#include "converter/perf/header/recorded_files.h"
#include "converter/perf/records/raw_record.h"
#include "converter/session/host_environment.h"
#include "converter/symbolize/recorded_symbols.h"

namespace perf2x {

// Copies the functions in recordings of simpleperf and hiperf to the
// environment's RecordedSymbols. Functions are in file features, and in
// KERNEL_SYMBOL, DSO and SYMBOL records. Without RecordedSymbols, reads
// nothing. Not thread-safe.
class RecordedCode {
 public:
  // All must outlive this object.
  RecordedCode(HostEnvironment& environment, Budget& budget,
               Diagnostics& diagnostics)
      : symbols_(environment.recorded_symbols()),
        budget_(budget),
        diagnostics_(diagnostics) {}

  // Reads the functions in a record. Ignores records of other types. Damage is
  // counted. Once the functions take an eighth of the budget's memory, skips
  // and counts further ones.
  void Observe(const RawRecord& record);

  // Returns the approximate memory of all functions, in bytes.
  uint64_t memory() const {
    return symbols_ == nullptr ? 0 : symbols_->memory();
  }

 private:
  void AddFile(const RecordedFile& file);
  void ObserveRecord(const RawRecord& record);
  void AddSymbol(RecordedSymbols::FileId file, uint64_t address, uint64_t size,
                 absl::string_view name);

  RecordedSymbols* const symbols_;  // null: no functions are used
  Budget& budget_;
  Diagnostics& diagnostics_;
  // Files of DSO records by their ids.
  absl::flat_hash_map<uint64_t, RecordedSymbols::FileId> dsos_;
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_RECORDED_CODE_H_
