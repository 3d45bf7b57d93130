// SPDX-License-Identifier: Apache-2.0
#include "converter/symbolize/symbol_sources.h"

#include "converter/symbolize/elf/elf_source.h"
#include "converter/symbolize/find/archive_source.h"
#include "converter/symbolize/find/build_id_cache.h"
#include "converter/symbolize/find/debug_dirs.h"
#include "converter/symbolize/find/debug_link.h"
#include "converter/symbolize/find/debuginfod.h"
#include "converter/symbolize/find/recorded_path.h"
#include "converter/symbolize/jit/generated_code.h"
#include "converter/symbolize/jit/perf_map_source.h"
#include "converter/symbolize/kernel/kallsyms_source.h"
#include "converter/symbolize/kernel/kernel_files.h"
#include "converter/symbolize/kernel/vdso.h"
#include "converter/symbolize/recorded_symbols_source.h"

namespace perf2x {
namespace {

template <class Source>
std::unique_ptr<SymbolSource> Make(const SymbolSourceContext& context) {
  return std::make_unique<Source>(context);
}
template <class Source>
std::unique_ptr<SymbolSource> MakeFileSource(const FileRoots& roots) {
  return std::make_unique<Source>(roots);
}

// docs/symbols.md lists the same names in the same order.
constexpr SymbolSourceEntry kSources[] = {
    {.name = "records of generated code", .make = Make<GeneratedCodeSource>},
    {.name = "perf map",
     .make = Make<PerfMapSource>,
     .add_places = PerfMapSource::AddPlaces},
    {.name = "[vdso]", .make = Make<VdsoSource>},
    {.name = "given kallsyms",
     .make = Make<GivenKallsymsSource>,
     .add_places = GivenKallsymsSource::AddPlaces},
    {.name = "vmlinux",
     .make = Make<VmlinuxSource>,
     .add_places = VmlinuxSource::AddPlaces},
    {.name = "recorded kallsyms", .make = Make<RecordedKallsymsSource>},
    {.name = "recorded symbols", .make = Make<RecordedSymbolsSource>},
    {.name = "cached kallsyms", .make = Make<CachedKallsymsSource>},
    {.name = "/proc/kallsyms",
     .make = Make<RunningKallsymsSource>,
     .add_places = RunningKallsymsSource::AddPlaces},
    {.name = "kernel module", .make = Make<KernelModuleSource>},
    {.name = "ELF file", .make = Make<ElfSource>},
    // The files that the sources above read.
    {.name = "debug files by build id",
     .make_file_source = MakeFileSource<DebugFileDirs>},
    {.name = "recorded path and symfs",
     .make_file_source = MakeFileSource<RecordedPathSource>,
     .add_places = RecordedPathSource::AddPlaces},
    {.name = "archive",
     .make_file_source = MakeFileSource<ArchiveSource>,
     .add_places = ArchiveSource::AddPlaces},
    {.name = "build-id cache",
     .make_file_source = MakeFileSource<BuildIdCache>,
     .add_places = BuildIdCache::AddPlaces},
    {.name = ".gnu_debuglink",
     .make_file_source = MakeFileSource<DebugLinkSource>},
    {.name = "debug directories",
     .make_file_source = MakeFileSource<DebugDirs>,
     .add_places = DebugDirs::AddPlaces},
    {.name = "debuginfod",
     .make_file_source = MakeFileSource<DebuginfodSource>},
};

}  // namespace

absl::Span<const SymbolSourceEntry> SymbolSourceList() { return kSources; }

}  // namespace perf2x
