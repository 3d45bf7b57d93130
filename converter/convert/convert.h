// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CONVERT_CONVERT_H_
#define PERF2X_CONVERT_CONVERT_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "converter/base/budget.h"
#include "converter/base/diagnostics.h"
#include "converter/convert/diagnosis.h"
#include "converter/convert/progress.h"
#include "converter/convert/stack_counts.h"
#include "converter/hwtrace/itrace_options.h"
#include "converter/input/input.h"
#include "converter/input/input_identity.h"
#include "converter/model/emitter.h"
#include "converter/perf/stream/record_reader.h"
#include "converter/session/recording_facts.h"
#include "converter/stages/filter_options.h"
#include "converter/symbolize/symbolize.h"

namespace perf2x {

// What stages compute from a recording.
struct DerivedOptions {
  bool wall_clock = false, wakers = false;  // see WallClock
  bool latency = false;                     // see Latency
};

// How an input is converted.
struct ConvertOptions {
  SymbolizeOptions symbols;  // where symbols are searched for
  // If not set, no symbol file is opened, and every frame has the placeholder
  // of its file.
  bool symbolize = true;
  // If set, no file is opened to unwind stacks, and the input's size does not
  // raise its budget. Does not affect symbol files, see `symbolize`.
  bool untrusted = false;
  FilterOptions filter;  // which samples are converted
  DerivedOptions derived;
  ItraceOptions itrace;  // --itrace: samples of hardware traces
  std::map<std::string, std::string> emitter_options;  // values by option name
  // The recording that EmitterInfo::base_option names; absent: none.
  std::optional<InputIdentity> base;
  int threads = 1;  // --threads; see Pipeline
  // Bytes of memory for what can go to a temporary file: records while they are
  // sorted, see TimeOrder, and stacks, see Emitter::SpillStacks. Absent:
  // kDefaultMaxMemory for records; all stacks are held in memory.
  std::optional<uint64_t> max_memory;
  // Receives the progress of the conversion; may be null. Must outlive the
  // conversion.
  Progress* progress = nullptr;
  // A budget that several inputs share. Must outlive the conversion. The caller
  // calls Budget::ReleaseReserve. Null: the input has its own budget.
  Budget* budget = nullptr;
  // See TraceInfo; Convert sets it.
  std::string recording_id;
};

// The results of a conversion besides its output.
struct ConvertReport {
  // The samples of one event that reached the output.
  struct EventCount {
    std::string name;  // distinct, see EventNames
    std::string unit;  // of `period`
    uint64_t samples = 0, period = 0;
    uint64_t filtered = 0;  // samples that the filters excluded
  };
  std::vector<EventCount> events;               // in the recording's order
  uint64_t lost_records = 0, lost_samples = 0;  // as in TraceSummary
  uint64_t dropped_samples = 0;                 // by a filter of `perf record`
  uint64_t out_of_order_records = 0;            // came too late to be sorted
  ByteAccount bytes;               // how the input's bytes were used
  Diagnostics diagnostics;         // problems, with their numbers
  std::vector<DsoReport> symbols;  // one for each DSO
  RecordingFacts facts;
  bool is_profile = false;      // the input is a profile, not a recording
  bool shows_counters = true;   // the format shows counters
  bool shows_branches = false;  // the output is of branches, not samples
  bool shows_accesses = false;  // the output is of memory accesses, in part
  bool shows_callers = true;    // of samples
  // Filter words that match nothing in the recording, with their options:
  // "--comm \"make\"".
  std::vector<std::string> unmatched;

  // Set by CompleteReport() from the members above.
  uint64_t unsymbolized_samples = 0;  // with unsymbolized frames
  StackCounts stacks;
  std::vector<Finding> findings;
};

// Sets the members of `*report` from `unsymbolized_samples` on, and
// DsoReport::samples. All other members must be set. To be called once: frees
// the stacks in `facts` and DsoReport::unsymbolized.
void CompleteReport(ConvertReport* report);

// Converts one recording or profile. Fills `*report`, which must be new; on
// failure, as far as the conversion got. Completes it (CompleteReport) unless
// opening the input or making the emitter fails. Errors of ConvertOptions::base
// name that recording; other errors need not name the input.
absl::Status Convert(Input input, const EmitterInfo& format,
                     OutputFactory& outputs, const ConvertOptions& options,
                     ConvertReport* report);

// Adds the diagnostics of a comparison's base to `*all`, with "base: " before
// each message.
void AddBaseDiagnostics(const Diagnostics& of_base, Diagnostics* all);

// Opens the outputs of another factory; bytes written to them are charged to a
// budget (see MakeMeteredOutput).
class MeteredOutputs final : public OutputFactory {
 public:
  // All must outlive this factory and the outputs that it opens, which use
  // `helpers`.
  MeteredOutputs(OutputFactory& outputs, Budget& budget, HelperPool& helpers)
      : outputs_(outputs), budget_(budget), helpers_(helpers) {}
  // Opens `name` in the other factory, and returns its errors.
  absl::StatusOr<std::unique_ptr<Output>> Open(absl::string_view name) override;
  absl::StatusOr<std::unique_ptr<Output>> OpenFor(absl::string_view name,
                                                  Budget& budget) override;

 private:
  OutputFactory& outputs_;
  Budget& budget_;
  HelperPool& helpers_;
};

// Fails if these options cannot be used together, whatever the input is.
absl::Status CheckTogether(const EmitterInfo& format,
                           const ConvertOptions& options);

// Returns the values of all options of `format`: from `given`, else the
// default.
std::map<std::string, std::string> WithDefaults(
    const EmitterInfo& format, const std::map<std::string, std::string>& given);

// Returns the recording that the option values `given` name for the format's
// base_option, see InputIdentity::FromPath. Nullopt if they name none.
std::optional<InputIdentity> FindBase(
    const EmitterInfo& format, const std::map<std::string, std::string>& given,
    bool follow_link);

// Makes all conversions with `*options`, or with later copies of it, share the
// tables loaded from kallsyms files. The conversions may run at the same time.
void ShareKallsymsTables(ConvertOptions* options);

}  // namespace perf2x

#endif  // PERF2X_CONVERT_CONVERT_H_
