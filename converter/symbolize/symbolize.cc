#include "converter/symbolize/symbolize.h"

#include <algorithm>
#include <mutex>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "converter/symbolize/dso_symbolizer.h"
#include "converter/symbolize/elf/elf_symbolizer.h"
#include "converter/symbolize/jit/perf_map.h"
#include "converter/symbolize/kernel/kernel_names.h"
#include "converter/symbolize/kernel/running_kernel.h"
#include "converter/symbolize/thread_budget.h"

namespace perf2x {
namespace {

// Adds the source line of generated code.
void AddLine(const Dso& file, uint64_t address, Symbol* symbol) {
  if (file.lines == nullptr || file.lines->empty()) return;
  const uint64_t offset = address - file.start;
  auto it = std::upper_bound(
      file.lines->begin(), file.lines->end(), offset,
      [](uint64_t o, const GeneratedLine& l) { return o < l.offset; });
  if (it == file.lines->begin()) return;
  --it;
  symbol->file = it->file;
  symbol->line = it->line;
  symbol->start_line = file.lines->front().line;
}

SymbolizeOptions WithNameBudget(SymbolizeOptions options) {
  if (options.name_budget == nullptr) {
    options.name_budget = std::make_shared<Budget>(Budget::kRecordedNameRules);
  }
  return options;
}

class Symbolizing : public FileSymbolizer {
 public:
  explicit Symbolizing(SymbolizeOptions options)
      : options_(WithNameBudget(std::move(options))),
        finder_(options_.binaries),
        threads_(options_.threads),
        kernel_(options_, finder_, &threads_) {}

  bool trusts_paths() const override { return options_.binaries.same_host; }

  void Resolve(const Dso& file, absl::Span<const uint64_t> addresses,
               Found found) override {
    if (file.kind == DsoKind::kMarker) return;
    State* const state = StateOf(file);
    std::lock_guard<std::mutex> lock(state->mutex);
    threads_.TakeOne();
    OpenOnce(file, state);
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
    if (file.kind == DsoKind::kGenerated) {
      if (!file.symbol.empty()) {
        const std::string name = NameOf(file, &state->report);
        for (size_t i = 0; i < addresses.size(); ++i) {
          Symbol symbol;
          symbol.name = name;
          symbol.system_name = file.symbol;
          AddLine(file, addresses[i], &symbol);
          count(i, {&symbol, 1});
        }
      }
    } else if (state->symbolizer != nullptr) {
      state->symbolizer->Resolve(addresses, count);
    }
    skip_to(addresses.size());
    threads_.Give(1);
    state->report.named += named;
    state->report.unsymbolized_count += addresses.size() - named;
  }

  std::vector<CodeRange> InterruptEntries(const Dso& kernel) override {
    State* const state = StateOf(kernel);
    std::lock_guard<std::mutex> lock(state->mutex);
    OpenOnce(kernel, state);
    return state->symbolizer == nullptr ? std::vector<CodeRange>()
                                        : state->symbolizer->InterruptEntries();
  }

  void Release(const Dso& file) override {
    if (file.kind == DsoKind::kMarker) return;
    State* const state = StateOf(file);
    std::lock_guard<std::mutex> lock(state->mutex);
    if (state->symbolizer != nullptr) state->symbolizer->Release();
  }

  std::vector<DsoReport> Reports() const override {
    std::vector<DsoReport> reports;
    for (const auto& [key, state] : states_) {
      reports.push_back(state->report);
      auto& unsymbolized = reports.back().unsymbolized;
      std::sort(unsymbolized.begin(), unsymbolized.end());
      if (state->symbolizer == nullptr) continue;
      for (std::string& warning : state->symbolizer->Warnings()) {
        reports.back().warnings.push_back(std::move(warning));
      }
    }
    std::sort(reports.begin(), reports.end(),
              [](const DsoReport& a, const DsoReport& b) {
                return std::make_tuple(a.kind, a.name, a.build_id.Hex()) <
                       std::make_tuple(b.kind, b.name, b.build_id.Hex());
              });
    return reports;
  }

 private:
  struct State {
    std::mutex mutex;
    bool opened = false;
    std::unique_ptr<DsoSymbolizer> symbolizer;  // null: nothing gives names
    DsoReport report;
  };

  // Returns the name of generated code, as its symbol says.
  std::string NameOf(const Dso& file, DsoReport* report) {
    Budget& budget = *options_.name_budget;
    std::string name = DemangleSymbol(file.symbol, options_.demangle, budget);
    // The symbol itself is in the recording's own budget.
    if (name != file.symbol) budget.Spend(Budget::kMemory, 2 * name.size());
    if (budget.exhausted() && report->warnings.empty()) {
      report->warnings.push_back(absl::StrCat(
          "the ", budget.exhausted_name(),
          " that demangling the names of a recording of this size may take is "
          "used up (see SECURITY.md)"));
    }
    return name;
  }

  // Looks for what names `file`; its mutex is held.
  void OpenOnce(const Dso& file, State* state) {
    if (state->opened) return;
    state->opened = true;
    state->report.key = ReportKeyOf(file);
    state->report.kind = file.kind;
    state->report.name = file.name;
    state->report.build_id = file.build_id;
    state->symbolizer = Open(file, &state->report);
  }

  State* StateOf(const Dso& file) {
    std::lock_guard<std::mutex> lock(mutex_);
    auto& slot = states_[ReportKeyOf(file)];
    if (slot == nullptr) slot = std::make_unique<State>();
    return slot.get();
  }

  std::unique_ptr<DsoSymbolizer> Open(const Dso& file, DsoReport* report) {
    switch (file.kind) {
      case DsoKind::kFile:
      case DsoKind::kGuestUser:
        return OpenFile(file, report);
      case DsoKind::kVdso:
        return OpenVdso(file, report);
      case DsoKind::kKernel:
      case DsoKind::kKernelModule:
      case DsoKind::kGuestKernel:
        return kernel_.SymbolizerFor(file, report);
      case DsoKind::kAnonymous:
        return OpenPerfMap(file, report);
      default:
        return nullptr;
    }
  }

  std::unique_ptr<DsoSymbolizer> OpenFile(const Dso& file, DsoReport* report) {
    BinaryFinder::Result binary = finder_.OpenBinary(file);
    FoundFiles symbols = finder_.OpenSymbolFiles(file, binary.elf.get());
    report->tried = std::move(binary.tried);
    report->tried.insert(report->tried.end(), symbols.tried.begin(),
                         symbols.tried.end());
    report->unproven = binary.unproven;
    if (binary.elf == nullptr && symbols.elfs.empty()) return nullptr;
    report->verified =
        binary.elf != nullptr ? binary.verified : symbols.verified;
    if (binary.replaced) {
      report->warnings.push_back(
          "was replaced after it was recorded, without a build id to compare "
          "with: names may be wrong");
    } else if (binary.newer) {
      report->warnings.push_back(
          "was written after the recording, which has no build id to compare "
          "with: names may be wrong");
    }
    return MakeElfSymbolizer(options_, finder_, std::move(binary.elf),
                             std::move(symbols.elfs), std::nullopt, &threads_,
                             report);
  }

  // Where the perf map of a process may be, in this order: by its pid, by its
  // own pid while it runs, and by that after its end.
  std::vector<FilePlace> PerfMapPlaces(int32_t pid, DsoReport* report) {
    std::vector<FilePlace> paths;
    for (const std::string& dir : options_.perf_map_dirs) {
      paths.emplace_back(dir, absl::StrCat("perf-", pid, ".map"));
    }
    if (options_.processes == nullptr) return paths;
    const RecordedProcesses& processes = *options_.processes;
    if (options_.binaries.same_host && options_.containers != nullptr) {
      paths.push_back(
          options_.containers->PerfMapOf(pid, processes.NamespaceOf(pid)));
    }
    const std::optional<int32_t> own = processes.OwnPidOf(pid);
    const std::string name =
        absl::StrCat("/tmp/perf-", own.value_or(pid), ".map");
    const auto owner = processes.NearestAncestor(pid, [this](int32_t p) {
      return options_.binaries.symfs_of.count(p) > 0;
    });
    if (owner.has_value()) {
      paths.emplace_back(options_.binaries.symfs_of.at(*owner), name);
    }
    if (own.has_value() && !processes.IsOnlyOne(*own)) {
      report->tried.push_back(
          absl::StrCat(name, " (several containers have a process ", *own,
                       ": say where their files are with --symfs PID=DIR)"));
    } else if (own.has_value()) {
      for (const std::string& dir : options_.perf_map_dirs) {
        paths.emplace_back(dir, absl::StrCat("perf-", *own, ".map"));
        paths.emplace_back(dir, name);
      }
    }
    return paths;
  }

  std::unique_ptr<DsoSymbolizer> OpenPerfMap(const Dso& file,
                                             DsoReport* report) {
    auto noted = static_cast<int>(options_.perf_map_dirs.size());
    for (const FilePlace& place : PerfMapPlaces(file.pid, report)) {
      if (place.empty()) continue;
      auto map = PerfMap::Open(place);
      if (map.ok()) {
        const std::string& found = (*map)->path();
        report->sources.push_back(
            options_.containers == nullptr
                ? found
                : options_.containers->PublicPathOf(found));
        return *std::move(map);
      }
      // Of the others, most are places where few have one.
      if (noted-- > 0 || !absl::IsNotFound(map.status())) {
        report->tried.push_back(std::string(map.status().message()));
      }
    }
    return nullptr;
  }

  std::unique_ptr<DsoSymbolizer> OpenVdso(const Dso& file, DsoReport* report) {
    std::unique_ptr<ElfFile> elf;
    if (auto cached = finder_.FindInCache(file.build_id, "vdso")) {
      if (auto parsed = ElfFile::Open(std::move(cached)); parsed.ok()) {
        elf = *std::move(parsed);
      }
    }
    if (elf == nullptr) elf = RunningVdso();
    // The kernel has one for 64-bit processes, which is this one's, and others.
    const bool equal = elf != nullptr && !file.build_id.empty() &&
                       elf->build_id() == file.build_id;
    const bool same_kernel = elf != nullptr && file.build_id.empty() &&
                             !file.below_4g && options_.running_kernel;
    if (!equal && !same_kernel) {
      report->unproven = file.build_id.empty() && !file.below_4g &&
                         options_.may_be_running_kernel;
      report->tried.push_back(
          "[vdso] of the running kernel (not known to be the recorded one)");
      return nullptr;
    }
    report->verified = equal;
    return MakeElfSymbolizer(options_, finder_, std::move(elf), {},
                             std::nullopt, &threads_, report);
  }

  const SymbolizeOptions options_;
  const BinaryFinder finder_;
  ThreadBudget threads_;
  KernelNames kernel_;
  std::mutex mutex_;  // of states_
  absl::flat_hash_map<std::string, std::unique_ptr<State>> states_;
};

}  // namespace

std::unique_ptr<FileSymbolizer> MakeSymbolizer(SymbolizeOptions options) {
  return std::make_unique<Symbolizing>(std::move(options));
}

}  // namespace perf2x
