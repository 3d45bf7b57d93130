// SPDX-License-Identifier: Apache-2.0
#include "converter/symbolize/jit/perf_map_source.h"

#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "converter/symbolize/jit/perf_map.h"
#include "converter/symbolize/jit/process_namespace.h"

namespace perf2x {

void PerfMapSource::AddPlaces(const SymbolizeOptions& options,
                              std::vector<std::string>* places) {
  places->push_back("/tmp");  // of a recording of this machine
  const auto add = [places](const std::vector<std::string>& folders) {
    places->insert(places->end(), folders.begin(), folders.end());
  };
  add(options.perf_map_dirs);
  if (options.containers != nullptr) add(options.containers->Roots());
}

std::vector<FilePlace> PerfMapSource::Places(int32_t pid,
                                             DsoReport* report) const {
  std::vector<FilePlace> places;
  for (const std::string& dir : options_.perf_map_dirs) {
    places.emplace_back(dir, absl::StrCat("perf-", pid, ".map"));
  }
  if (options_.processes == nullptr) return places;
  const RecordedProcesses& processes = *options_.processes;
  if (options_.binaries.same_host && options_.containers != nullptr) {
    places.push_back(
        options_.containers->PerfMapOf(pid, processes.NamespaceOf(pid)));
  }
  const std::optional<int32_t> own = processes.OwnPidOf(pid);
  const std::string name =
      absl::StrCat("/tmp/perf-", own.value_or(pid), ".map");
  const auto& roots = options_.binaries.symfs_of;
  const auto owner =
      roots.empty() ? std::nullopt
                    : processes.NearestAncestor(
                          pid, [&](int32_t p) { return roots.count(p) > 0; });
  if (owner.has_value()) places.emplace_back(roots.at(*owner), name);
  if (own.has_value() && !processes.IsUniqueOwnPid(*own)) {
    report->tried.push_back(
        absl::StrCat(name, " (several containers have a process ", *own,
                     ": say where their files are with --symfs PID=DIR)"));
  } else if (own.has_value()) {
    for (const std::string& dir : options_.perf_map_dirs) {
      places.emplace_back(dir, absl::StrCat("perf-", *own, ".map"));
      places.emplace_back(dir, name);
    }
  }
  return places;
}

std::unique_ptr<DsoSymbolizer> PerfMapSource::Open(const Dso& dso,
                                                   DsoReport* report) {
  if (dso.kind != DsoKind::kAnonymous) return nullptr;
  auto noted = static_cast<int>(options_.perf_map_dirs.size());
  for (const FilePlace& place : Places(dso.pid, report)) {
    if (place.empty()) continue;
    auto map = PerfMap::Open(place);
    if (map.ok()) {
      const std::string& found = (*map)->path();
      report->sources.push_back(options_.containers == nullptr
                                    ? found
                                    : options_.containers->PublicPathOf(found));
      return *std::move(map);
    }
    // A missing file is reported for the given folders only: few processes have
    // a map in the other places.
    if (noted-- > 0 || !absl::IsNotFound(map.status())) {
      report->tried.push_back(std::string(map.status().message()));
    }
  }
  return nullptr;
}

}  // namespace perf2x
