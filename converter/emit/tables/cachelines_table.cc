// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>

#include "absl/strings/str_cat.h"
#include "converter/base/status_macros.h"
#include "converter/emit/skip_counter.h"
#include "converter/emit/tables/cache_lines.h"
#include "converter/emit/tables/table.h"

namespace perf2x {
namespace {

using Type = Column::Type;

// A line and what its cells are looked up in.
struct CacheLineRow {
  const CacheLine& line;
  const TraceTables& tables;
  uint64_t line_size;
  StringId symbol;          // kNoId: no symbol is known
  const Frame* data_frame;  // null: no DSO is known

  Cell Name(StringId id) const { return Cell::Text(tables.strings, id); }
  const Dso& dso() const { return tables.dsos()[data_frame->dso]; }
  // Null unless one process alone accessed the line.
  const Thread* process() const {
    return line.distinct[CacheLine::kProcesses] == 1
               ? &tables.threads[line.thread]
               : nullptr;
  }
};

// A column for a number of CacheLine.
template <uint64_t CacheLine::*kNumber>
Cell Number(const CacheLineRow& r) {
  return Cell::Number(r.line.*kNumber);
}
template <CacheLine::Distinct kKind>
Cell Distinct(const CacheLineRow& r) {
  return Cell::Number(r.line.distinct[kKind]);
}

constexpr ColumnOf<CacheLineRow> kCacheLineColumns[] = {
    {{.name = "address", .type = Type::kHex},
     [](const CacheLineRow& r) { return Cell::Hex(r.line.address); }},
    {{.name = "size", .type = Type::kNumber, .unit = "bytes"},
     [](const CacheLineRow& r) { return Cell::Number(r.line_size); }},
    {{.name = "dso"},
     [](const CacheLineRow& r) {
       return r.data_frame == nullptr
                  ? Cell()
                  : Cell::Text(r.dso().name, r.data_frame->dso);
     }},
    {{.name = "offset", .type = Type::kHex},
     [](const CacheLineRow& r) {
       return r.data_frame != nullptr && IsInFile(r.dso().kind)
                  ? Cell::Hex(r.data_frame->address & ~(r.line_size - 1))
                  : Cell();
     }},
    {{.name = "symbol"},
     [](const CacheLineRow& r) {
       return r.symbol == kNoId ? Cell() : r.Name(r.symbol);
     }},
    {{.name = "pid", .type = Type::kSigned},
     [](const CacheLineRow& r) {
       const Thread* process = r.process();
       return process == nullptr ? Cell() : Cell::Signed(process->pid);
     }},
    {{.name = "process"},
     [](const CacheLineRow& r) {
       const Thread* process = r.process();
       return process == nullptr ? Cell() : r.Name(process->process_name);
     }},
    {{.name = "samples", .type = Type::kNumber}, Number<&CacheLine::samples>},
    {{.name = "loads", .type = Type::kNumber}, Number<&CacheLine::loads>},
    {{.name = "stores", .type = Type::kNumber}, Number<&CacheLine::stores>},
    {{.name = "hitm_local", .type = Type::kNumber},
     Number<&CacheLine::hitm_local>},
    {{.name = "hitm_remote", .type = Type::kNumber},
     Number<&CacheLine::hitm_remote>},
    {{.name = "peer_local", .type = Type::kNumber},
     Number<&CacheLine::peer_local>},
    {{.name = "peer_remote", .type = Type::kNumber},
     Number<&CacheLine::peer_remote>},
    {{.name = "llc_misses", .type = Type::kNumber},
     Number<&CacheLine::llc_misses>},
    {{.name = "tlb_misses", .type = Type::kNumber},
     Number<&CacheLine::tlb_misses>},
    {{.name = "weight", .type = Type::kNumber}, Number<&CacheLine::weight>},
    {{.name = "processes", .type = Type::kNumber},
     Distinct<CacheLine::kProcesses>},
    {{.name = "threads", .type = Type::kNumber}, Distinct<CacheLine::kThreads>},
    {{.name = "cpus", .type = Type::kNumber}, Distinct<CacheLine::kCpus>},
    {{.name = "offsets", .type = Type::kNumber}, Distinct<CacheLine::kOffsets>},
    {{.name = "function"},
     [](const CacheLineRow& r) {
       return r.Name(r.tables.functions()[r.line.function].name);
     }},
    {{.name = "function_dso"},
     [](const CacheLineRow& r) {
       const DsoId dso = r.line.function_dso;
       return Cell::Text(r.tables.dsos()[dso].name, dso);
     }},
    {{.name = "function_samples", .type = Type::kNumber},
     Number<&CacheLine::function_samples>},
};

constexpr uint64_t kUsualLineSize = 64;

bool IsLineSize(uint64_t size) {
  return std::has_single_bit(size) && size >= 8 && size <= 4096;
}

// One row for each cache line that samples with data addresses accessed, the
// most contended one first.
class CacheLinesTable final : public Table {
 public:
  CacheLinesTable(const TableContext& context, std::unique_ptr<RowSink> sink)
      : tables_(context.tables),
        diagnostics_(context.diagnostics),
        knows_size_(IsLineSize(context.info.cache_line_size)),
        lines_(knows_size_ ? context.info.cache_line_size : kUsualLineSize,
               context.tables, context.budget),
        not_added_("sample of table cachelines", context.budget,
                   context.diagnostics),
        not_written_("row of table cachelines", context.budget,
                     context.diagnostics),
        sink_(std::move(sink)) {
    sink_->SetColumns(ColumnsOf(kCacheLineColumns));
  }

  absl::Status OnSample(const Sample& sample,
                        const PathNumbers::Path& path) override {
    // The access may have come with another event of the same record.
    if (sample.access == nullptr || sample.access->number == last_access_) {
      return absl::OkStatus();
    }
    last_access_ = sample.access->number;
    if (not_added_.CountIfExhausted()) return absl::OkStatus();
    const CallSite& leaf = *path.leaf;
    lines_.Add(sample, leaf.function, tables_.frames()[leaf.frame].dso);
    return absl::OkStatus();
  }

  absl::Status Finish(const TraceSummary&) override {
    std::vector<const CacheLine*> order;
    for (const CacheLine& line : lines_.lines()) order.push_back(&line);
    std::sort(
        order.begin(), order.end(), [](const CacheLine* a, const CacheLine* b) {
          if (a->contended() != b->contended()) {
            return a->contended() > b->contended();
          }
          if (a->samples != b->samples) return a->samples > b->samples;
          return a->address != b->address ? a->address < b->address : a < b;
        });
    for (const CacheLine* line : order) {
      if (not_written_.CountIfExhausted()) continue;
      RETURN_IF_ERROR(Write(*line));
    }
    not_added_.Report();
    not_written_.Report();
    if (!order.empty() && !knows_size_ && diagnostics_ != nullptr) {
      diagnostics_->Add(
          Diagnostics::Severity::kNote,
          absl::StrCat("table cachelines has lines of ", kUsualLineSize,
                       " bytes, as the recording does not say their size"));
    }
    return sink_->Close();
  }

 private:
  absl::Status Write(const CacheLine& line) {
    StringId symbol = kNoId;
    Frame data_frame;
    if (line.data_frame != kNoId) {
      const FunctionId data = tables_.Lines(line.data_frame).front().function;
      if (tables_.IsSymbolized(line.data_frame)) {
        symbol = tables_.functions()[data].name;
      }
      data_frame = tables_.frames()[line.data_frame];
    }
    ReadCells<kCacheLineColumns>(
        CacheLineRow{
            .line = line,
            .tables = tables_,
            .line_size = lines_.line_size(),
            .symbol = symbol,
            .data_frame = line.data_frame == kNoId ? nullptr : &data_frame},
        &cells_);
    return sink_->AddRow(cells_);
  }

  TraceTables& tables_;
  Diagnostics* const diagnostics_;
  const bool knows_size_;
  CacheLines lines_;
  SkipCounter not_added_, not_written_;
  const std::unique_ptr<RowSink> sink_;
  uint64_t last_access_ = 0;  // MemoryAccess::number
  std::vector<Cell> cells_ = std::vector<Cell>(std::size(kCacheLineColumns));
};

}  // namespace

std::unique_ptr<Table> MakeCacheLinesTable(const TableContext& context,
                                           std::unique_ptr<RowSink> sink) {
  return std::make_unique<CacheLinesTable>(context, std::move(sink));
}

}  // namespace perf2x
