// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "absl/strings/str_format.h"
#include "converter/base/saturating_add.h"
#include "converter/base/status_macros.h"
#include "converter/emit/csv/csv_tables.h"
#include "converter/emit/event_names.h"

namespace perf2x {
namespace {

const std::string kResultColumns[] = {
    "event",        "period",       "samples",       "period_share",
    "sample_share", "total_period", "total_samples", "inlined_period",
    "function",     "file",         "line",          "dso",
    "symbol",       "dso_id",
};

void AddPeriod(const Sample& sample, uint64_t* sum) {
  *sum = SaturatingAdd(*sum, sample.period);
}

// One row for each function and event: the samples and period of the function
// itself, and of the function with its callees.
class ResultsTable final : public CsvTable {
 public:
  ResultsTable(const CsvTableContext& context, std::unique_ptr<Output> out)
      : tables_(context.tables),
        budget_(context.budget),
        memory_(context.budget),
        diagnostics_(context.diagnostics),
        csv_(std::move(out), kResultColumns),
        event_names_(tables_.events) {}

  absl::Status OnSample(const Sample& sample,
                        absl::Span<const CallSite> path) override {
    ++samples_;
    if (sample.event >= sums_.size()) sums_.resize(sample.event + 1);
    sums_[sample.event].samples += sample.count;
    AddPeriod(sample, &sums_[sample.event].period);
    for (size_t i = 0; i < path.size(); ++i) {
      Row& row = RowOf(sample.event, path[i]);
      if (i == 0) {
        row.self.samples += sample.count;
        AddPeriod(sample, &row.self.period);
        if (path[i].inlined) AddPeriod(sample, &row.inlined_period);
      }
      // A recursive function counts once.
      if (row.last_sample == samples_) continue;
      row.last_sample = samples_;
      row.total.samples += sample.count;
      AddPeriod(sample, &row.total.period);
    }
    if (rows_.size() >= accounted_ + kAccountAt) {
      accounted_ = rows_.size();
      memory_.Set(accounted_ * kOfRow);
    }
    return absl::OkStatus();
  }

  absl::Status Finish(const TraceSummary&) override {
    const auto name = [this](const Row* row) {
      return tables_.strings[tables_.functions()[row->key.function].name];
    };
    std::vector<const Row*> order;
    for (const Row& row : rows_) order.push_back(&row);
    std::sort(order.begin(), order.end(), [&](const Row* a, const Row* b) {
      const Sum &x = a->self, &y = b->self;
      if (x.period != y.period) return x.period > y.period;
      if (x.samples != y.samples) return x.samples > y.samples;
      if (a->total.period != b->total.period) {
        return a->total.period > b->total.period;
      }
      return name(a) != name(b) ? name(a) < name(b) : a < b;
    });
    for (size_t i = 0; i < order.size(); ++i) {
      if (budget_.exhausted()) {
        CountSkippedForBudget("row of table results", budget_.exhausted_name(),
                              order.size() - i, diagnostics_);
        break;
      }
      RETURN_IF_ERROR(Write(*order[i]));
    }
    return csv_.Close();
  }

 private:
  // Bytes of memory that a row takes, and the number of new rows after which
  // memory_ is updated.
  static constexpr size_t kOfRow = 160, kAccountAt = 1024;

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
  struct Sum {
    uint64_t samples = 0, period = 0;
  };
  struct Row {
    Key key{};
    Sum self, total;
    uint64_t inlined_period = 0;
    uint64_t last_sample = 0;  // number of the last sample in `total`
  };

  absl::Status Write(const Row& row) {
    const Sum& sum = sums_[row.key.event];
    const Function& function = tables_.functions()[row.key.function];
    const Dso& dso = tables_.dsos()[row.key.dso];
    csv_.Text(event_names_[row.key.event]);
    csv_.Number(row.self.period);
    csv_.Number(row.self.samples);
    csv_.Share(Share(row.self.period, sum.period));
    csv_.Share(Share(row.self.samples, sum.samples));
    csv_.Number(row.total.period);
    csv_.Number(row.total.samples);
    csv_.Number(row.inlined_period);
    csv_.Text(tables_.strings[function.name]);
    csv_.Text(tables_.strings[function.file]);
    function.start_line == 0 ? csv_.Empty() : csv_.Number(function.start_line);
    csv_.Text(dso.name);
    csv_.Text(tables_.strings[function.system_name]);
    csv_.Text(IdOf(dso));
    return csv_.EndRow();
  }

  // Returns an id that distinguishes DSOs of the same name, or "".
  static std::string IdOf(const Dso& dso) {
    if (!dso.build_id.empty()) return dso.build_id.Hex();
    if (dso.inode == 0) return "";
    return absl::StrFormat("%d:%d/%d", dso.device_major, dso.device_minor,
                           dso.inode);
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

  static double Share(uint64_t part, uint64_t whole) {
    return whole == 0 ? 0
                      : static_cast<double>(part) / static_cast<double>(whole);
  }

  Row& RowOf(EventId event, const CallSite& site) {
    const Key key{event, site.function,
                  DsoOf(tables_.frames()[site.frame].dso)};
    auto [it, inserted] = row_of_.try_emplace(key, rows_.size());
    if (inserted) rows_.emplace_back().key = key;
    return rows_[it->second];
  }

  TraceTables& tables_;
  Budget& budget_;
  Budget::Share memory_;  // of the rows
  size_t accounted_ = 0;  // rows
  Diagnostics* const diagnostics_;
  CsvWriter csv_;
  EventNames event_names_;
  uint64_t samples_ = 0;
  std::vector<Sum> sums_;  // by event, up to the last with samples
  std::vector<Row> rows_;
  absl::flat_hash_map<Key, size_t> row_of_;
  std::vector<DsoId> dso_of_;  // by DSO; kNoId: not computed yet
  absl::flat_hash_map<std::string, DsoId> in_memory_;  // by name
};

}  // namespace

std::unique_ptr<CsvTable> MakeCsvResults(const CsvTableContext& context,
                                         std::unique_ptr<Output> out) {
  return std::make_unique<ResultsTable>(context, std::move(out));
}

}  // namespace perf2x
