// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CONVERT_CONVERSION_H_
#define PERF2X_CONVERT_CONVERSION_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "converter/base/budget.h"
#include "converter/base/pipeline.h"
#include "converter/convert/convert.h"
#include "converter/convert/local_machine.h"
#include "converter/convert/profile_symbols.h"
#include "converter/input/input.h"
#include "converter/model/emitter.h"
#include "converter/model/trace_tables.h"
#include "converter/perf/stream/ordered_reader.h"
#include "converter/perf/stream/record_reader.h"
#include "converter/profile_source/profile_source.h"
#include "converter/stages/sample_filter.h"
#include "converter/symbolize/symbolize.h"

namespace perf2x {

// An opened recording or profile with its tables and filter, ready to be passed
// to an emitter. Not thread-safe.
class Conversion {
 public:
  // Fails if the input is neither a recording nor a profile, or cannot be
  // filtered as `options` say. Reads a profile completely, and fails with the
  // errors of ReadProfileInput. `pipeline` must outlive the Conversion and its
  // symbolizer.
  static absl::StatusOr<std::unique_ptr<Conversion>> Open(
      Input input, const ConvertOptions& options, Pipeline& pipeline);

  // Sets EmitterInfo::has_time_line of the format; false by default. To be
  // called before Run.
  void set_has_time_line(bool has) { has_time_line_ = has; }
  // Returns the tables that the conversion fills. Valid as long as this.
  TraceTables& tables() { return tables_; }
  // Returns ConvertOptions::budget or, if that is null, the input's own.
  Budget& budget() {
    return options_.budget != nullptr ? *options_.budget : own_budget_;
  }
  // Calls the methods of `emitter` from Begin to Finish, but not OnAdvice. To
  // be called once. Sets the events, counts, diagnostics, facts and unmatched
  // words in `*report`; on failure, as far as the conversion got. The caller
  // sets `symbols` and calls CompleteReport.
  absl::Status Run(Emitter& emitter, ConvertReport* report);

  // Returns the symbolizer, which is made before Emitter::Begin. Null before
  // that, without ConvertOptions::symbolize, and after TakeSymbolizer.
  FileSymbolizer* symbolizer() const { return machine_.symbolizer(); }
  // Returns symbolizer(), and transfers its ownership to the caller. The
  // symbolizer refers to nothing in the Conversion and may outlive it.
  std::unique_ptr<FileSymbolizer> TakeSymbolizer() {
    return machine_.TakeSymbolizer();
  }
  // Returns the filter. Its counts are complete after Run.
  const SampleFilter& filter() const { return filter_; }
  // Returns true if the input is a profile, not a recording.
  bool is_profile() const { return profile_.has_value(); }
  // Returns the symbolizer of a profile, which the Conversion owns. It has the
  // profile's own symbols, and asks symbolizer() for code without symbols. Null
  // before Run and for a recording.
  Symbolizer* profile_symbols() { return profile_symbols_.get(); }

 private:
  absl::Status RunProfile(Emitter& emitter, ConvertReport* report);

  Conversion(std::string name, SymbolizeOptions symbols,
             const ConvertOptions& options, Pipeline& pipeline);

  const std::string name_;
  std::optional<int64_t> written_at_;
  const ConvertOptions options_;
  bool has_time_line_ = false;
  Pipeline& pipeline_;
  Budget own_budget_;
  std::unique_ptr<OrderedReader> reader_;  // null if it is a profile
  bool is_small_ = false;  // few bytes, which are read without a thread
  std::optional<Profile> profile_;
  ByteAccount profile_bytes_;
  TraceTables tables_;
  SampleFilter filter_;
  LocalMachine machine_;
  std::unique_ptr<ProfileSource> profile_source_;
  std::unique_ptr<ProfileSymbols> profile_symbols_;
};

}  // namespace perf2x

#endif  // PERF2X_CONVERT_CONVERSION_H_
