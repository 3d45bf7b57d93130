// SPDX-License-Identifier: Apache-2.0
#include "converter/symbolize/symbolize.h"

#include <algorithm>
#include <mutex>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "converter/symbolize/find/held_folders.h"
#include "converter/symbolize/kernel/kallsyms_cache.h"
#include "converter/symbolize/symbol_source.h"
#include "converter/symbolize/symbol_sources.h"

namespace perf2x {
namespace {

SymbolizeOptions WithDefaults(SymbolizeOptions options) {
  if (options.kallsyms_cache == nullptr) {
    options.kallsyms_cache = std::make_shared<KallsymsCache>();
  }
  if (options.name_budget == nullptr) {
    options.name_budget = std::make_shared<Budget>(Budget::kRecordedNameRules);
  }
  return options;
}

class FileSymbolizerImpl : public FileSymbolizer {
 public:
  explicit FileSymbolizerImpl(SymbolizeOptions options)
      : options_(WithDefaults(std::move(options))),
        finder_(options_.binaries),
        workers_(options_.workers != nullptr ? *options_.workers : none_) {
    for (const SymbolSourceEntry& entry : SymbolSourceList()) {
      if (entry.make == nullptr) continue;
      sources_.push_back(entry.make({options_, finder_, workers_}));
    }
  }

  bool trusts_paths() const override { return options_.binaries.same_host; }

  void Resolve(const Dso& dso, absl::Span<const uint64_t> addresses,
               Found found) override {
    if (dso.kind == DsoKind::kMarker) return;
    State* const state = StateOf(dso);
    std::lock_guard<std::mutex> lock(state->mutex);
    OpenOnce(dso, state);
    uint64_t named = 0;
    size_t next = 0;
    auto skip_to = [&](size_t i) {
      if (state->symbolizer == nullptr) return;
      for (; next < i; ++next) {
        state->report.unsymbolized.push_back(addresses[next]);
      }
      next = i + 1;
    };
    auto count = [&](size_t i, absl::Span<const Symbol> symbols) {
      skip_to(i);
      ++named;
      found(i, symbols);
    };
    if (state->symbolizer != nullptr) {
      state->symbolizer->Resolve(dso, addresses, count);
    }
    skip_to(addresses.size());
    state->report.symbolized_count += named;
    state->report.unsymbolized_count += addresses.size() - named;
  }

  std::vector<CodeRange> InterruptEntries(const Dso& kernel) override {
    State* const state = StateOf(kernel);
    std::lock_guard<std::mutex> lock(state->mutex);
    OpenOnce(kernel, state);
    return state->symbolizer == nullptr ? std::vector<CodeRange>()
                                        : state->symbolizer->InterruptEntries();
  }

  std::shared_ptr<CodeImage> OpenCode(const Dso& dso) override {
    if (dso.kind == DsoKind::kMarker) return nullptr;
    State* const state = StateOf(dso);
    std::lock_guard<std::mutex> lock(state->mutex);
    OpenOnce(dso, state);
    return state->symbolizer == nullptr ? nullptr
                                        : state->symbolizer->OpenCode();
  }

  void Release(const Dso& dso) override {
    if (dso.kind == DsoKind::kMarker) return;
    State* const state = KnownStateOf(dso);
    if (state == nullptr) return;
    std::lock_guard<std::mutex> lock(state->mutex);
    if (state->symbolizer != nullptr) state->symbolizer->Release();
  }

  std::vector<DsoReport> Reports() const override {
    std::vector<DsoReport> reports;
    for (const auto& [key, state] : states_) {
      reports.push_back(state->report);
      auto& unsymbolized = reports.back().unsymbolized;
      std::sort(unsymbolized.begin(), unsymbolized.end());
      if (state->symbolizer != nullptr) {
        for (std::string& warning : state->symbolizer->Warnings()) {
          reports.back().warnings.push_back(std::move(warning));
        }
      }
      NameGivenPaths(&reports.back());
    }
    std::sort(reports.begin(), reports.end(),
              [](const DsoReport& a, const DsoReport& b) {
                return std::make_tuple(a.kind, a.name, a.build_id.Hex(),
                                       a.key) <
                       std::make_tuple(b.kind, b.name, b.build_id.Hex(), b.key);
              });
    return reports;
  }

 private:
  struct State {
    std::mutex mutex;
    bool opened = false;
    std::unique_ptr<DsoSymbolizer> symbolizer;  // null: no source has symbols
    DsoReport report;
    Dso first;  // that was looked up
  };

  void NameGivenPaths(DsoReport* report) const {
    if (options_.held_folders == nullptr) return;
    for (auto* texts : {&report->sources, &report->tried, &report->warnings}) {
      for (std::string& text : *texts) {
        text = options_.held_folders->WithGivenPaths(std::move(text));
      }
    }
  }

  // Opens the first source that has symbols of `file`. Requires state->mutex.
  void OpenOnce(const Dso& dso, State* state) {
    if (state->opened) return;
    state->opened = true;
    state->report.kind = dso.kind;
    state->report.name = dso.name;
    state->report.build_id = dso.build_id;
    if (const std::string failure = finder_.Failure(); !failure.empty()) {
      state->report.warnings.push_back(UnusedFileWarning(
          "--archive", failure, "the tar that perf archive makes"));
    }
    for (const auto& source : sources_) {
      state->symbolizer = source->Open(dso, &state->report);
      if (state->symbolizer != nullptr) return;
    }
  }

  State* StateOf(const Dso& dso) {
    const DsoIdentity identity = IdentityOf(dso);
    std::lock_guard<std::mutex> lock(mutex_);
    const auto known = states_.find(identity);
    if (known != states_.end()) return known->second.get();
    auto state = std::make_unique<State>();
    state->first = dso;
    state->report.key = ReportKeyOf(dso);
    const DsoIdentity kept = IdentityOf(state->first);
    return states_.emplace(kept, std::move(state)).first->second.get();
  }

  // Returns null if nothing was looked up in `dso`.
  State* KnownStateOf(const Dso& dso) {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = states_.find(IdentityOf(dso));
    return found == states_.end() ? nullptr : found->second.get();
  }

  const SymbolizeOptions options_;
  const BinaryFinder finder_;
  WorkerPool none_{1};
  WorkerPool& workers_;
  std::vector<std::unique_ptr<SymbolSource>> sources_;  // as listed
  std::mutex mutex_;                                    // guards states_
  // By the identity of State::first.
  absl::flat_hash_map<DsoIdentity, std::unique_ptr<State>> states_;
};

}  // namespace

std::unique_ptr<FileSymbolizer> MakeSymbolizer(SymbolizeOptions options) {
  return std::make_unique<FileSymbolizerImpl>(std::move(options));
}

}  // namespace perf2x
