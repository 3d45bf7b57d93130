#ifndef PERF2X_CONVERT_H_
#define PERF2X_CONVERT_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "converter/base/diagnostics.h"
#include "converter/input/input.h"
#include "converter/perf/record_reader.h"
#include "converter/perf/time_order.h"
#include "converter/profile/emitter.h"
#include "converter/session/filter_options.h"
#include "converter/symbolize/symbolize.h"

namespace perf2x {

struct ConvertOptions {
  SymbolizeOptions symbols;
  // Off: no symbol file is opened, every frame has the placeholder of its file.
  bool symbolize = true;
  FilterOptions filter;
  std::map<std::string, std::string> emitter_options;
  int threads = 1;
  // Bytes of records that may wait in memory for their turn, see TimeOrder.
  uint64_t max_memory = kDefaultMaxMemory;
};

// What there is to say about a conversion.
struct ConvertReport {
  struct EventCount {
    std::string name, unit;
    uint64_t samples = 0, period = 0;
    uint64_t left_out = 0;  // samples that the filter did not want
  };
  std::vector<EventCount> events;  // in the recording's order
  uint64_t lost_records = 0, lost_samples = 0;
  uint64_t late_records = 0;  // came out of time order
  ByteAccount bytes;
  Diagnostics diagnostics;
  std::vector<FileReport> symbols;
};

// Converts one recording. `*report` is filled as far as the conversion got,
// also on failure.
absl::Status Convert(Input input, const EmitterInfo& format,
                     OutputFactory& outputs, const ConvertOptions& options,
                     ConvertReport* report);

}  // namespace perf2x

#endif  // PERF2X_CONVERT_H_
