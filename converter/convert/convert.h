// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CONVERT_CONVERT_H_
#define PERF2X_CONVERT_CONVERT_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "converter/base/budget.h"
#include "converter/base/diagnostics.h"
#include "converter/base/pipeline.h"
#include "converter/convert/diagnosis.h"
#include "converter/convert/local_machine.h"
#include "converter/convert/progress.h"
#include "converter/input/input.h"
#include "converter/model/emitter.h"
#include "converter/model/trace_tables.h"
#include "converter/perf/stream/ordered_reader.h"
#include "converter/perf/stream/record_reader.h"
#include "converter/perf/stream/time_order.h"
#include "converter/session/recording_facts.h"
#include "converter/stages/filter_options.h"
#include "converter/stages/sample_filter.h"
#include "converter/symbolize/symbolize.h"

namespace perf2x {

struct ConvertOptions {
  SymbolizeOptions symbols;
  // Off: no symbol file is opened, every frame has the placeholder of its file.
  bool symbolize = true;
  // Set: nor is one opened to unwind stacks, and the input's size does not
  // raise its budget.
  bool untrusted = false;
  FilterOptions filter;
  std::map<std::string, std::string> emitter_options;
  int threads = 1;
  // Bytes of records that may wait in memory for their turn, see TimeOrder.
  uint64_t max_memory = kDefaultMaxMemory;
  // Told how far it is; may be null. Must outlive the conversion.
  Progress* progress = nullptr;
  // Of several inputs together, which ends the records of all; null: the input
  // has one of its own. Must outlive the conversion.
  Budget* budget = nullptr;
};

// What there is to say about a conversion.
struct ConvertReport {
  struct EventCount {
    std::string name, unit;
    uint64_t samples = 0, period = 0;
    uint64_t skipped = 0;  // samples that the filter did not want
  };
  std::vector<EventCount> events;  // in the recording's order
  uint64_t lost_records = 0, lost_samples = 0;
  uint64_t dropped_samples = 0;  // by a filter of `perf record`
  uint64_t late_records = 0;     // came out of time order
  ByteAccount bytes;
  Diagnostics diagnostics;
  std::vector<DsoReport> symbols;
  RecordingFacts facts;
  bool shows_counters = true;   // whether the format has values of counters
  bool shows_branches = false;  // whether it was to show branches, not samples

  // What follows from all this; see Conclude().
  uint64_t unsymbolized_samples = 0;  // whose stacks have frames without a name
  StackCounts stacks;
  std::vector<Finding> findings;
};

// Fills in what follows from the rest of `*report`, which must be complete.
void Conclude(ConvertReport* report);

// Converts one recording. `*report` is filled as far as the conversion got,
// also on failure.
absl::Status Convert(Input input, const EmitterInfo& format,
                     OutputFactory& outputs, const ConvertOptions& options,
                     ConvertReport* report);

// Opens what another factory opens, and accounts for what is written there.
class AccountedOutputs final : public OutputFactory {
 public:
  // Both must outlive this and what it opens.
  AccountedOutputs(OutputFactory& outputs, Budget& budget)
      : outputs_(outputs), budget_(budget) {}
  absl::StatusOr<std::unique_ptr<Output>> Open(absl::string_view name) override;

 private:
  OutputFactory& outputs_;
  Budget& budget_;
};

// The options of `format` as given, the others preset.
std::map<std::string, std::string> WithPresets(
    const EmitterInfo& format, const std::map<std::string, std::string>& given);

// Has conversions with these options share what they need of the kernel's
// symbols.
void ShareTables(ConvertOptions* options);

// One recording and all that its way to an emitter needs.
class Conversion {
 public:
  // The error says why the input is no recording, or cannot be filtered so.
  // `pipeline` must outlive it and its symbolizer.
  static absl::StatusOr<std::unique_ptr<Conversion>> Open(
      Input input, const ConvertOptions& options, Pipeline& pipeline);

  TraceTables& tables() { return tables_; }
  Budget& budget() {
    return options_.budget != nullptr ? *options_.budget : own_budget_;
  }
  // Tells `emitter` everything; to be called once. All of `*report` but the
  // symbols is filled as far as it got.
  absl::Status Run(Emitter& emitter, ConvertReport* report);

  // What names code, from Emitter::Begin on; may be null. It needs nothing of
  // the conversion and may be taken from it afterwards.
  FileSymbolizer* symbolizer() const { return machine_.symbolizer(); }
  std::unique_ptr<FileSymbolizer> TakeSymbolizer() {
    return machine_.TakeSymbolizer();
  }
  const SampleFilter& filter() const { return filter_; }

 private:
  Conversion(std::string name, SymbolizeOptions symbols,
             const ConvertOptions& options, Pipeline& pipeline);

  const std::string name_;
  const ConvertOptions options_;
  Pipeline& pipeline_;
  Budget own_budget_;
  std::unique_ptr<OrderedReader> reader_;
  TraceTables tables_;
  SampleFilter filter_;
  LocalMachine machine_;
};

}  // namespace perf2x

#endif  // PERF2X_CONVERT_CONVERT_H_
