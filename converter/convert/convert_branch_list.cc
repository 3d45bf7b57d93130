// SPDX-License-Identifier: Apache-2.0
#include "converter/convert/convert_branch_list.h"

#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "converter/base/status_macros.h"
#include "converter/branch_lists/branch_list_reader.h"
#include "converter/branch_lists/branch_list_source.h"
#include "converter/convert/local_machine.h"
#include "converter/convert/merge.h"
#include "converter/input/first_bytes.h"
#include "converter/perf/header/features.h"
#include "converter/perf/records/wire.h"
#include "converter/perf/stream/record_reader.h"
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

// Returns true if an event of the recording has branch stacks.
bool HasBranchStacks(const FileHeader& header, absl::Span<const uint8_t> file) {
  const absl::Span<const uint8_t> attrs = SectionBytes(file, header.attrs);
  constexpr size_t kSampleType = 24;  // in perf_event_attr
  for (size_t at = 0; attrs.size() - at >= header.attr_size;
       at += header.attr_size) {
    const auto type = Load<uint64_t>(&attrs[at + kSampleType], header.order);
    if ((type & kSampleBranchStack) != 0) return true;
  }
  return false;
}

// Adds what is wrong with a recording's header, and what follows the recording.
void NoteDamageOfHeader(const Input& recording, Diagnostics* diagnostics) {
  Input again;
  again.name = recording.name;
  again.mapped = recording.mapped;
  again.stored = recording.stored;
  RecordReader::Open(std::move(again), diagnostics).IgnoreError();
}

// Adds what was noted in a part of a file to what was noted in the whole.
void AddDiagnostics(const Diagnostics& in_part, uint64_t start,
                    Diagnostics* all) {
  for (const auto& [what, entry] : in_part.entries()) {
    const bool has_place = entry.severity == Diagnostics::Severity::kDamage;
    all->Add(entry.severity, what, entry.first_offset + (has_place ? start : 0),
             entry.bytes, entry.count);
  }
}

}  // namespace

absl::StatusOr<std::optional<FileSection>> FindRecordedBranchList(
    Input* input, Diagnostics* diagnostics) {
  constexpr uint32_t kFeature = kFeatureSimpleperfEtmBranchList;
  if (!input->directory.empty()) {
    if (HeaderHasFeature(FirstBytes(input, kFileHeaderSize), kFeature)) {
      diagnostics->Add(Diagnostics::Severity::kSkipped,
                       "branch list of a folder, which is read from a file "
                       "only");
    }
    return std::nullopt;
  }
  // The header of a pipe stream is short, and what follows may come slowly.
  const auto start = ReadFileHeader(FirstBytes(input, kPipeHeaderSize));
  if (start.ok() && start->kind == FileHeader::Kind::kPipe) return std::nullopt;
  if (!HeaderHasFeature(FirstBytes(input, kFileHeaderSize), kFeature)) {
    return std::nullopt;
  }
  if (input->stream) RETURN_IF_ERROR(SpoolStream(input, diagnostics));
  const absl::Span<const uint8_t> file = input->mapped->bytes();
  const auto header = ReadFileHeader(file);
  if (!header.ok()) return std::nullopt;
  const auto section = FindFeature(*header, file, kFeature);
  if (!section.has_value()) return std::nullopt;
  const absl::Span<const uint8_t> list = SectionBytes(file, *section);
  if (list.size() < section->size) {
    diagnostics->Add(Diagnostics::Severity::kDamage,
                     "the branch list runs past the end of the file",
                     section->offset, section->size - list.size());
  }
  if (!IsBranchList(list)) {
    diagnostics->Add(Diagnostics::Severity::kDamage,
                     "the recording's branch list is none", section->offset,
                     list.size());
    return std::nullopt;
  }
  NoteDamageOfHeader(*input, diagnostics);
  if (HasBranchStacks(*header, file)) {
    diagnostics->Add(Diagnostics::Severity::kNote,
                     "the profile is of the recording's branch list alone "
                     "(simpleperf record --decode-etm), not of its samples");
  }
  return section;
}

absl::Status ConvertBranchList(Input input,
                               const std::optional<FileSection>& in_recording,
                               const EmitterInfo& format,
                               OutputFactory& outputs,
                               const ConvertOptions& options,
                               Pipeline& pipeline, ConvertReport* report) {
  RETURN_IF_ERROR(WithInputName(input.name, CheckSuits(format, options)));
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
  const absl::Span<const uint8_t> list =
      in_recording.has_value() ? SectionBytes(bytes.bytes(), *in_recording)
                               : bytes.bytes();
  RETURN_IF_ERROR(WithInputName(info.input, CheckBranchList(list)));
  report->bytes.data = report->bytes.record_bytes = list.size();
  Diagnostics of_list;
  BranchListSource source(tables, budget, of_list);
  tables.set_symbolizer(machine.MakeSymbolizer(HeaderFeatures()));
  MeteredOutputs metered(outputs, budget, *pipeline.helpers());
  const auto emitter_options = WithDefaults(format, options.emitter_options);
  ASSIGN_OR_RETURN(const std::unique_ptr<Emitter> emitter,
                   format.make({tables, metered, emitter_options, pipeline,
                                &report->diagnostics, budget}));
  absl::Status status = source.Emit(list, info, *emitter);
  AddDiagnostics(of_list, in_recording.value_or(FileSection()).offset,
                 &report->diagnostics);
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
