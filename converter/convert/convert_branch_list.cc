// SPDX-License-Identifier: Apache-2.0
#include "converter/convert/convert_branch_list.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "converter/base/status_macros.h"
#include "converter/branch_lists/branch_list_reader.h"
#include "converter/branch_lists/branch_list_source.h"
#include "converter/convert/local_machine.h"
#include "converter/convert/merge.h"
#include "converter/perf/header/features.h"
#include "converter/symbolize/kernel/kallsyms_cache.h"

namespace perf2x {
namespace {

absl::Status CheckSuits(const EmitterInfo& format,
                        const ConvertOptions& options) {
  if (!format.is_about_one_dso) {
    return absl::FailedPreconditionError(absl::StrCat(
        format.name,
        " shows samples, which a branch list of simpleperf does not have; --to "
        "autofdo, bolt and profgen show its branches"));
  }
  if (options.filter.any()) {
    return absl::FailedPreconditionError(
        "a branch list of simpleperf does not say when and where branches were "
        "taken, so they cannot be filtered; --dso chooses a file");
  }
  return absl::OkStatus();
}

// The bytes of an input.
class InputBytes {
 public:
  explicit InputBytes(Budget& budget) : memory_(budget), budget_(budget) {}

  absl::Status Read(Input input) {
    if (input.mapped) {
      mapped_ = input.mapped;
      bytes_ = mapped_->bytes();
      return absl::OkStatus();
    }
    constexpr size_t kAtOnce = 256 << 10;
    for (;;) {
      const size_t size = kept_.size();
      kept_.resize(size + kAtOnce);
      memory_.Set(2 * kept_.capacity());  // while it grows
      if (budget_.exhausted()) {
        return absl::DataLossError(
            "the branch list needs more memory than an input of this size may "
            "cause (see SECURITY.md)");
      }
      ASSIGN_OR_RETURN(
          const size_t got,
          ReadFully(*input.stream, absl::MakeSpan(kept_).subspan(size)));
      kept_.resize(size + got);
      if (got < kAtOnce) break;
    }
    bytes_ = kept_;
    return absl::OkStatus();
  }
  absl::Span<const uint8_t> bytes() const { return bytes_; }
  bool has_lost_bytes() const { return mapped_ && mapped_->has_lost_bytes(); }

 private:
  Budget::Share memory_;
  Budget& budget_;
  BlockRef mapped_;
  std::vector<uint8_t> kept_;
  absl::Span<const uint8_t> bytes_;
};

SymbolizeOptions SymbolsFor(const Input& input, const ConvertOptions& options,
                            Pipeline& pipeline) {
  SymbolizeOptions symbols = options.symbols;
  symbols.workers = &pipeline.workers();
  symbols.binaries.recorded_until = input.written_at;
  symbols.name_budget = std::make_shared<Budget>(Budget::kRecordedNameRules);
  if (symbols.kallsyms_cache == nullptr) {
    symbols.kallsyms_cache = std::make_shared<KallsymsCache>();
  }
  return symbols;
}

}  // namespace

bool IsBranchListInput(Input* input) {
  if (!input->directory.empty()) return false;
  if (input->mapped) return IsBranchList(input->mapped->bytes());
  if (input->stream == nullptr) return false;
  // Reads no more of a recording than its magic number: it may come slowly.
  constexpr size_t kFirst = 4;
  std::array<uint8_t, kBranchListMagicSize> bytes;
  size_t size = 0;
  for (const size_t end : {kFirst, kBranchListMagicSize}) {
    size += ReadFully(*input->stream,
                      absl::MakeSpan(bytes).subspan(size, end - size))
                .value_or(0);
    // Of the two magic numbers.
    if (size < end || (bytes[0] != 's' && bytes[0] != '\n')) break;
  }
  const auto first = absl::MakeConstSpan(bytes).subspan(0, size);
  input->stream = Prepend(first, std::move(input->stream));
  return IsBranchList(first);
}

absl::Status ConvertBranchList(Input input, const EmitterInfo& format,
                               OutputFactory& outputs,
                               const ConvertOptions& options,
                               Pipeline& pipeline, ConvertReport* report) {
  RETURN_IF_ERROR(CheckSuits(format, options));
  Budget budget;
  if (!options.untrusted) input.AddSizesTo(&budget);
  TraceInfo info;
  info.input = input.name;
  if (input.written_at != 0) info.recorded_at = input.written_at;
  TraceTables tables;
  LocalMachine machine(SymbolsFor(input, options, pipeline), options.symbolize,
                       !options.untrusted, tables);
  InputBytes bytes(budget);
  RETURN_IF_ERROR(bytes.Read(std::move(input)));
  report->bytes.data = report->bytes.record_bytes = bytes.bytes().size();
  BranchListSource source(tables, budget, report->diagnostics);
  tables.set_symbolizer(machine.MakeSymbolizer(HeaderFeatures()));
  MeteredOutputs metered(outputs, budget);
  const auto emitter_options = WithDefaults(format, options.emitter_options);
  ASSIGN_OR_RETURN(const std::unique_ptr<Emitter> emitter,
                   format.make({tables, metered, emitter_options, pipeline,
                                &report->diagnostics, budget}));
  absl::Status status = source.Emit(bytes.bytes(), info, *emitter);
  budget.ReleaseReserve();
  if (status.ok()) status = emitter->Finish(TraceSummary());
  if (source.totals().samples > 0) {
    report->events.push_back({tables.events[0].name, tables.events[0].unit,
                              source.totals().samples,
                              source.totals().branches});
  }
  report->shows_callers = false;
  if (machine.symbolizer() != nullptr) {
    report->symbols = machine.symbolizer()->Reports();
  }
  CompleteReport(report);
  RETURN_IF_ERROR(status);
  if (bytes.has_lost_bytes()) {
    return absl::DataLossError(
        absl::StrCat(info.input, " became shorter while it was read"));
  }
  return emitter->OnAdvice({});
}

}  // namespace perf2x
