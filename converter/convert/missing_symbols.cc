// SPDX-License-Identifier: Apache-2.0
#include "converter/convert/missing_symbols.h"

#include <algorithm>
#include <string>

#include "absl/container/flat_hash_map.h"

namespace perf2x {
namespace {

// A report with unsymbolized addresses, while stacks are counted.
struct Lacking {
  DsoReport* report;
  uint64_t last_stack = 0;  // last one counted, from 1

  bool Has(uint64_t address) const {
    return report->symbolized_count == 0 ||
           std::binary_search(report->unsymbolized.begin(),
                              report->unsymbolized.end(), address);
  }
};

}  // namespace

uint64_t CountUnsymbolized(const StackSubset& stacks,
                           std::vector<DsoReport>* reports) {
  absl::flat_hash_map<std::string, Lacking> by_key;
  for (DsoReport& report : *reports) {
    if (report.unsymbolized_count > 0)
      by_key.emplace(report.key, Lacking{&report});
  }
  std::vector<Lacking*> by_file;
  for (const Dso& file : stacks.dsos()) {
    auto it = by_key.find(ReportKeyOf(file));
    if (it == by_key.end() && !file.build_id.empty()) {
      // In a pipe stream, a build id may come after its file was symbolized.
      Dso before = file;
      before.build_id = BuildId();
      it = by_key.find(ReportKeyOf(before));
    }
    by_file.push_back(it == by_key.end() ? nullptr : &it->second);
  }
  uint64_t any = 0, stack = 0;
  if (!by_key.empty()) {
    stacks.ForEach([&](uint64_t samples, auto places) {
      ++stack;
      bool has_any = false;
      for (const StackSubset::Place& place : places) {
        Lacking* const lacking = by_file[place.dso];
        if (lacking == nullptr || lacking->last_stack == stack ||
            !lacking->Has(place.address)) {
          continue;
        }
        lacking->last_stack = stack;
        lacking->report->samples += samples;
        has_any |= lacking->report->kind != DsoKind::kUnknown;
      }
      if (has_any) any += samples;
    });
  }
  for (DsoReport& report : *reports) {
    report.unsymbolized = std::vector<uint64_t>();
  }
  return any;
}

}  // namespace perf2x
