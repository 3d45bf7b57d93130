// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/str_format.h"
#include "converter/base/huge_page_allocator.h"
#include "converter/base/prefetch.h"
#include "converter/base/saturating_add.h"
#include "converter/base/status_macros.h"
#include "converter/emit/event_names.h"
#include "converter/emit/tables/table.h"

namespace perf2x {
namespace {

using Type = Column::Type;

struct Key {
  EventId event;
  FunctionId function;
  DsoId dso;
  friend bool operator==(const Key&, const Key&) = default;
  template <class H>
  friend H AbslHashValue(H h, const Key& k) {
    return H::combine(std::move(h), k.event, k.function, k.dso);
  }
};

// Saturates.
struct Sum {
  uint64_t samples = 0, period = 0;
  void Add(const Sum& more) {
    samples = SaturatingAdd(samples, more.samples);
    period = SaturatingAdd(period, more.period);
  }
};

struct FunctionSums {
  Key key{};
  Sum self, total;
  uint64_t inlined_period = 0;
  uint64_t last_path = 0;  // number of the last path in `total`
};

double ShareOf(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0
                    : static_cast<double>(part) / static_cast<double>(whole);
}

// Returns an id that distinguishes DSOs of the same name, or "".
std::string IdOf(const Dso& dso) {
  if (!dso.build_id.empty()) return dso.build_id.Hex();
  if (dso.inode == 0) return "";
  return absl::StrFormat("%d:%d/%d", dso.device_major, dso.device_minor,
                         dso.inode);
}

// A row and what its cells are looked up in.
struct ResultRow {
  const FunctionSums& row;
  const TraceTables& tables;
  const Sum& all;  // of the event
  EventNames& names;
  const Function& function;
  const Dso& dso;
  const std::string& dso_id;

  Cell Name(StringId id) const { return Cell::Text(tables.strings, id); }
};

constexpr ColumnOf<ResultRow> kResultColumns[] = {
    {{.name = "event"},
     [](const ResultRow& r) {
       return Cell::Text(r.names[r.row.key.event], r.row.key.event);
     }},
    {{.name = "period", .type = Type::kNumber},
     [](const ResultRow& r) { return Cell::Number(r.row.self.period); }},
    {{.name = "samples", .type = Type::kNumber},
     [](const ResultRow& r) { return Cell::Number(r.row.self.samples); }},
    {{.name = "period_share", .type = Type::kShare},
     [](const ResultRow& r) {
       return Cell::Share(ShareOf(r.row.self.period, r.all.period));
     }},
    {{.name = "sample_share", .type = Type::kShare},
     [](const ResultRow& r) {
       return Cell::Share(ShareOf(r.row.self.samples, r.all.samples));
     }},
    {{.name = "total_period", .type = Type::kNumber},
     [](const ResultRow& r) { return Cell::Number(r.row.total.period); }},
    {{.name = "total_samples", .type = Type::kNumber},
     [](const ResultRow& r) { return Cell::Number(r.row.total.samples); }},
    {{.name = "inlined_period", .type = Type::kNumber},
     [](const ResultRow& r) { return Cell::Number(r.row.inlined_period); }},
    {{.name = "function"},
     [](const ResultRow& r) { return r.Name(r.function.name); }},
    {{.name = "file"},
     [](const ResultRow& r) { return r.Name(r.function.file); }},
    {{.name = "line", .type = Type::kNumber},
     [](const ResultRow& r) {
       return r.function.start_line == 0 ? Cell()
                                         : Cell::Number(r.function.start_line);
     }},
    {{.name = "dso"},
     [](const ResultRow& r) { return Cell::Text(r.dso.name, r.row.key.dso); }},
    {{.name = "symbol"},
     [](const ResultRow& r) { return r.Name(r.function.system_name); }},
    {{.name = "dso_id"},
     [](const ResultRow& r) { return Cell::Text(r.dso_id, r.row.key.dso); }},
};

// One row for each function and event: the samples and period of the function
// itself, and of the function with its callees.
class ResultsTable final : public Table {
 public:
  ResultsTable(const TableContext& context, std::unique_ptr<RowSink> sink)
      : tables_(context.tables),
        paths_(context.paths),
        budget_(context.budget),
        memory_(context.budget),
        diagnostics_(context.diagnostics),
        sink_(std::move(sink)),
        event_names_(tables_.events) {
    sink_->SetColumns(ColumnsOf(kResultColumns));
  }

  absl::Status OnSample(const Sample& sample,
                        const PathNumbers::Path& path) override {
    const Sum one = {.samples = sample.count, .period = sample.period};
    if (sample.event >= sums_.size()) sums_.resize(sample.event + 1);
    sums_[sample.event].Add(one);
    if (path.number < collected_.size()) {
      PrefetchForWriting(&collected_[path.number]);
    }
    const Waiting now = {path.number, {sample.event, one}};
    Collect(std::exchange(waiting_[turn_++ % waiting_.size()], now));
    AccountGrowth();
    return absl::OkStatus();
  }

  absl::Status Finish(const TraceSummary&) override {
    for (size_t i = 0; i < waiting_.size(); ++i) {
      Collect(waiting_[turn_++ % waiting_.size()]);
    }
    AddCollected();
    const auto name = [this](const FunctionSums* row) {
      return tables_.functions()[row->key.function].name;
    };
    std::vector<const FunctionSums*> order;
    for (const FunctionSums& row : rows_) order.push_back(&row);
    std::sort(order.begin(), order.end(),
              [&](const FunctionSums* a, const FunctionSums* b) {
                const Sum &x = a->self, &y = b->self;
                if (x.period != y.period) return x.period > y.period;
                if (x.samples != y.samples) return x.samples > y.samples;
                if (a->total.period != b->total.period) {
                  return a->total.period > b->total.period;
                }
                // Long names are often equal: only different ones are read.
                return name(a) != name(b)
                           ? tables_.strings[name(a)] < tables_.strings[name(b)]
                           : a < b;
              });
    for (size_t i = 0; i < order.size(); ++i) {
      if (budget_.exhausted()) {
        CountSkippedForBudget("row of table results", budget_.exhausted_name(),
                              order.size() - i, diagnostics_);
        break;
      }
      RETURN_IF_ERROR(Write(*order[i]));
    }
    return sink_->Close();
  }

 private:
  // Bytes of memory that a row or a collected path takes, those of a path with
  // a further event, and the number of new ones after which memory_ is updated.
  static constexpr size_t kOfRow = 160, kOfFurther = 240, kAccountAt = 1024;
  static constexpr uint64_t kStepsAtATime = 1 << 14;

  // The samples of an event with the same path.
  struct Collected {
    EventId event = kNoId;  // kNoId: none
    Sum sum;
  };
  // Those of another event than the path's first.
  struct Further {
    size_t paths = 0;  // that were collected before
    uint32_t path = 0;
    Collected of_path;
  };
  struct Waiting {
    uint32_t path = 0;
    Collected sample;
  };
  // The row of a site's function and of the event that was last added there.
  struct SiteRow {
    EventId event = kNoId;  // kNoId: none yet
    uint32_t row = 0;
  };
  // Each path is collected at least once. Vectors double their size, with the
  // old one beside them.
  static_assert(3 * sizeof(Collected) <= kOfRow);
  static_assert(3 * sizeof(Further) <= kOfFurther);

  void AccountGrowth() {
    const size_t kept = rows_.size() + collected_.size() + further_.size();
    if (kept < accounted_ + kAccountAt) return;
    accounted_ = kept;
    memory_.Set((accounted_ - further_.size()) * kOfRow +
                further_.size() * kOfFurther +
                row_of_site_.size() * sizeof(row_of_site_[0]));
  }

  // Most paths have one event.
  void Collect(const Waiting& waiting) {
    const auto& [path, sample] = waiting;
    if (sample.event == kNoId) return;
    if (path >= collected_.size()) collected_.resize(path + 1);
    Collected* of_path = &collected_[path];
    if (of_path->event == kNoId) {
      of_path->event = sample.event;
    } else if (of_path->event != sample.event) {
      const auto [it, inserted] =
          further_of_.try_emplace({sample.event, path}, further_.size());
      if (inserted) {
        further_.push_back({collected_.size(), path, {sample.event, {}}});
      }
      of_path = &further_[it->second].of_path;
    }
    of_path->sum.Add(sample.sum);
  }

  // Adds the paths in the order of their first samples, in which rows that are
  // otherwise equal remain.
  void AddCollected() {
    size_t next = 0;  // of further_
    for (uint32_t path = 0; path <= collected_.size(); ++path) {
      for (; next < further_.size() && further_[next].paths <= path; ++next) {
        AddCollected(further_[next].path, further_[next].of_path);
      }
      if (path < collected_.size()) AddCollected(path, collected_[path]);
    }
    if (skipped_ == 0) return;
    CountSkippedForBudget("stack of table results", budget_.exhausted_name(),
                          skipped_, diagnostics_);
  }

  void AddCollected(uint32_t path, const Collected& of_path) {
    if (of_path.event == kNoId) return;
    if (budget_.exhausted()) {
      ++skipped_;
      return;
    }
    AddPath(of_path.event, paths_.SitesOf(path), of_path.sum);
    AccountGrowth();
  }

  // Each site is a step of work: samples share frames, and frames have any
  // number of inlined functions.
  void AddPath(EventId event, absl::Span<const uint32_t> path, const Sum& sum) {
    ++added_;
    steps_ += path.size();
    if (steps_ >= kStepsAtATime) {
      budget_.Spend(Budget::kWork, std::exchange(steps_, 0));
    }
    bool is_leaf = true;
    for (const uint32_t site : path) {
      FunctionSums& row = RowOf(event, site);
      if (is_leaf) {
        row.self.Add(sum);
        if (paths_.sites()[site].inlined) {
          row.inlined_period = SaturatingAdd(row.inlined_period, sum.period);
        }
      }
      is_leaf = false;
      // A recursive function counts once.
      if (row.last_path == added_) continue;
      row.last_path = added_;
      row.total.Add(sum);
    }
  }

  absl::Status Write(const FunctionSums& row) {
    const Dso& dso = tables_.dsos()[row.key.dso];
    const std::string dso_id = IdOf(dso);
    ReadCells<kResultColumns>(
        ResultRow{.row = row,
                  .tables = tables_,
                  .all = sums_[row.key.event],
                  .names = event_names_,
                  .function = tables_.functions()[row.key.function],
                  .dso = dso,
                  .dso_id = dso_id},
        &cells_);
    return sink_->AddRow(cells_);
  }

  // Code without a file has a DSO for each process, and JIT-compiled code one
  // for each compilation. DSOs of one name are merged here.
  DsoId DsoOf(DsoId dso) {
    if (dso >= dso_of_.size()) dso_of_.resize(tables_.dsos().size(), kNoId);
    if (dso_of_[dso] == kNoId) {
      const Dso& code = tables_.dsos()[dso];
      const bool in_memory = code.kind == DsoKind::kGenerated ||
                             code.kind == DsoKind::kAnonymous ||
                             code.kind == DsoKind::kUnknown;
      dso_of_[dso] = in_memory
                         ? in_memory_.try_emplace(code.name, dso).first->second
                         : dso;
    }
    return dso_of_[dso];
  }

  FunctionSums& RowOf(EventId event, uint32_t site) {
    if (site >= row_of_site_.size()) {
      row_of_site_.resize(paths_.sites().size());
    }
    SiteRow& known = row_of_site_[site];
    if (known.event != event) {
      const CallSite& at = paths_.sites()[site];
      const Key key{event, at.function, DsoOf(tables_.frames()[at.frame].dso)};
      auto [it, inserted] = row_of_.try_emplace(key, rows_.size());
      if (inserted) rows_.emplace_back().key = key;
      known = {event, static_cast<uint32_t>(it->second)};
    }
    return rows_[known.row];
  }

  TraceTables& tables_;
  const PathNumbers& paths_;
  Budget& budget_;
  Budget::Share memory_;  // of the rows and collected paths
  size_t accounted_ = 0;  // rows and collected paths
  Diagnostics* const diagnostics_;
  const std::unique_ptr<RowSink> sink_;
  EventNames event_names_;
  std::vector<Cell> cells_ = std::vector<Cell>(std::size(kResultColumns));
  uint64_t added_ = 0;  // paths
  uint64_t steps_ = 0;  // of work that is not charged yet
  // Until the end. Samples wait until their path is in the caches.
  std::array<Waiting, 16> waiting_{};
  size_t turn_ = 0;
  std::vector<Collected, HugePageAllocator<Collected>> collected_;  // by path
  std::vector<Further> further_;  // in the order of their first samples
  absl::flat_hash_map<std::pair<EventId, uint32_t>, size_t> further_of_;
  uint64_t skipped_ = 0;   // paths that found the budget exhausted
  std::vector<Sum> sums_;  // by event, up to the last with samples
  std::vector<FunctionSums> rows_;
  absl::flat_hash_map<Key, size_t> row_of_;
  std::vector<SiteRow> row_of_site_;
  std::vector<DsoId> dso_of_;  // by DSO; kNoId: not computed yet
  absl::flat_hash_map<std::string, DsoId> in_memory_;  // by name
};

}  // namespace

std::unique_ptr<Table> MakeResultsTable(const TableContext& context,
                                        std::unique_ptr<RowSink> sink) {
  return std::make_unique<ResultsTable>(context, std::move(sink));
}

}  // namespace perf2x
