// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "converter/base/status_macros.h"
#include "converter/emit/event_names.h"
#include "converter/emit/skip_counter.h"
#include "converter/emit/tables/sample_columns.h"
#include "converter/emit/tables/table.h"

namespace perf2x {
namespace {

using Type = Column::Type;

// One end of a branch, as far as it is a place in code.
struct End {
  FrameId frame = kNoId;
  FunctionId function = 0;
};

// A branch and what its cells are looked up in.
struct BranchRow {
  const Branch& branch;
  uint64_t position;  // in the branch stack
  const Sample& sample;
  uint64_t sample_number;
  const TraceTables& tables;
  const Thread& thread;
  EventNames& names;
  const End &source, &target;

  Cell Name(StringId id) const { return Cell::Text(tables.strings, id); }
  Cell Address(uint64_t address) const {
    return address == 0 ? Cell() : Cell::Hex(address);
  }
  // The following are absent for an address that is not known.
  Cell FunctionAt(uint64_t address, const End& end) const {
    return address == 0 ? Cell() : Name(tables.functions()[end.function].name);
  }
  Cell OffsetAt(uint64_t address, const End& end) const {
    const Frame& frame = tables.frames()[end.frame];
    return address != 0 && IsInFile(tables.dsos()[frame.dso].kind)
               ? Cell::Hex(frame.address)
               : Cell();
  }
  Cell DsoAt(uint64_t address, const End& end) const {
    const DsoId dso = tables.frames()[end.frame].dso;
    return address == 0 ? Cell() : Cell::Text(tables.dsos()[dso].name, dso);
  }
};

// `value` stands for the word.
template <class Value>
Cell Word(absl::string_view word, Value value) {
  return word.empty() ? Cell() : Cell::Text(word, static_cast<uint32_t>(value));
}

constexpr ColumnOf<BranchRow> kBranchColumns[] = {
    {{.name = "sample", .type = Type::kNumber},
     [](const BranchRow& r) { return Cell::Number(r.sample_number); }},
    kTimeColumn<BranchRow>,
    kCpuColumn<BranchRow>,
    kPidColumn<BranchRow>,
    kTidColumn<BranchRow>,
    kProcessColumn<BranchRow>,
    kThreadColumn<BranchRow>,
    kEventColumn<BranchRow>,
    {{.name = "position", .type = Type::kNumber},
     [](const BranchRow& r) { return Cell::Number(r.position); }},
    {{.name = "source", .type = Type::kHex},
     [](const BranchRow& r) { return r.Address(r.branch.source); }},
    {{.name = "source_function"},
     [](const BranchRow& r) {
       return r.FunctionAt(r.branch.source, r.source);
     }},
    {{.name = "source_offset", .type = Type::kHex},
     [](const BranchRow& r) { return r.OffsetAt(r.branch.source, r.source); }},
    {{.name = "source_dso"},
     [](const BranchRow& r) { return r.DsoAt(r.branch.source, r.source); }},
    {{.name = "target", .type = Type::kHex},
     [](const BranchRow& r) { return r.Address(r.branch.target); }},
    {{.name = "target_function"},
     [](const BranchRow& r) {
       return r.FunctionAt(r.branch.target, r.target);
     }},
    {{.name = "target_offset", .type = Type::kHex},
     [](const BranchRow& r) { return r.OffsetAt(r.branch.target, r.target); }},
    {{.name = "target_dso"},
     [](const BranchRow& r) { return r.DsoAt(r.branch.target, r.target); }},
    {{.name = "mispredicted", .type = Type::kNumber},
     [](const BranchRow& r) {
       return Cell::Number(r.branch.mispredicted ? 1 : 0);
     }},
    {{.name = "predicted", .type = Type::kNumber},
     [](const BranchRow& r) {
       return Cell::Number(r.branch.details.predicted ? 1 : 0);
     }},
    {{.name = "in_tx", .type = Type::kNumber},
     [](const BranchRow& r) {
       return Cell::Number(r.branch.details.in_transaction ? 1 : 0);
     }},
    {{.name = "abort", .type = Type::kNumber},
     [](const BranchRow& r) {
       return Cell::Number(r.branch.details.aborts_transaction ? 1 : 0);
     }},
    {{.name = "cycles", .type = Type::kNumber, .unit = "cycles"},
     [](const BranchRow& r) {
       return r.branch.cycles == 0 ? Cell() : Cell::Number(r.branch.cycles);
     }},
    {{.name = "type"},
     [](const BranchRow& r) {
       const BranchKind kind = r.branch.details.kind;
       return Word(BranchKindName(kind), kind);
     }},
    {{.name = "speculation"},
     [](const BranchRow& r) {
       const BranchSpeculation speculation = r.branch.details.speculation;
       return Word(BranchSpeculationName(speculation), speculation);
     }},
    {{.name = "privilege"},
     [](const BranchRow& r) {
       const BranchPrivilege privilege = r.branch.details.privilege;
       return Word(BranchPrivilegeName(privilege), privilege);
     }},
};

// One row for each branch of the samples' branch stacks.
class BranchesTable final : public Table {
 public:
  BranchesTable(const TableContext& context, std::unique_ptr<RowSink> sink)
      : tables_(context.tables),
        skip_counter_("row of table branches", context.budget,
                      context.diagnostics),
        sink_(std::move(sink)),
        event_names_(tables_.events),
        recent_(kRecent) {
    sink_->SetColumns(ColumnsOf(kBranchColumns));
  }

  absl::Status OnSample(const Sample& sample,
                        const PathNumbers::Path&) override {
    const uint64_t number = samples_++;
    for (size_t i = 0; i < sample.branches.size(); ++i) {
      if (skip_counter_.CountIfExhausted()) continue;
      const Branch& branch = sample.branches[i];
      const Ends& ends = EndsOf(branch.stack);
      ReadCells<kBranchColumns>(
          BranchRow{.branch = branch,
                    .position = i,
                    .sample = sample,
                    .sample_number = number,
                    .tables = tables_,
                    .thread = tables_.threads[sample.thread],
                    .names = event_names_,
                    .source = ends.source,
                    .target = ends.target},
          &cells_);
      RETURN_IF_ERROR(sink_->AddRow(cells_));
    }
    return absl::OkStatus();
  }

  absl::Status Finish(const TraceSummary&) override {
    skip_counter_.Report();
    return sink_->Close();
  }

 private:
  // The two ends of a branch; the functions are the innermost ones there.
  struct Ends {
    StackId stack = kNoId;
    End source, target;
  };
  static constexpr size_t kRecent = size_t{1} << 14;  // a power of two

  End EndAt(FrameId frame) {
    return {frame, tables_.Lines(frame).front().function};
  }
  // Programs take the same branches over and over.
  const Ends& EndsOf(StackId stack) {
    Ends& ends = recent_[stack % kRecent];
    if (ends.stack == stack) return ends;
    tables_.FramesOf(stack, &frames_);  // the target and its caller
    ends.stack = stack;
    ends.target = EndAt(frames_.front());
    ends.source = EndAt(frames_.back());
    return ends;
  }

  TraceTables& tables_;
  SkipCounter skip_counter_;
  const std::unique_ptr<RowSink> sink_;
  EventNames event_names_;
  uint64_t samples_ = 0;      // so far
  std::vector<Ends> recent_;  // direct-mapped by stack
  std::vector<FrameId> frames_;
  std::vector<Cell> cells_ = std::vector<Cell>(std::size(kBranchColumns));
};

}  // namespace

std::unique_ptr<Table> MakeBranchesTable(const TableContext& context,
                                         std::unique_ptr<RowSink> sink) {
  return std::make_unique<BranchesTable>(context, std::move(sink));
}

}  // namespace perf2x
