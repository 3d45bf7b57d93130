// SPDX-License-Identifier: Apache-2.0
#include "converter/session/mapping_tracker.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "converter/base/status_macros.h"
#include "converter/base/truncate_name.h"
#include "converter/perf/header/bpf_features.h"
#include "converter/perf/header/build_ids.h"
#include "converter/perf/records/decode.h"
#include "converter/perf/records/skip_record.h"
#include "converter/perf/records/wire.h"
#include "converter/symbolize/recorded_symbols.h"

namespace perf2x {
namespace {

using Severity = Diagnostics::Severity;

constexpr char kKernelName[] = "[kernel.kallsyms]";
constexpr absl::string_view kGuestName = "[guest.kernel.kallsyms";
constexpr uint64_t kFourGigabytes = uint64_t{1} << 32;

// Returns the MapEntry::code of a mapping of `dso` in a process.
MappedCode MappedCodeOf(const Dso& dso) {
  switch (dso.kind) {
    case DsoKind::kFile:
      return MappedCode::kFile;
    case DsoKind::kVdso:
      return MappedCode::kVdso;
    case DsoKind::kGenerated:
      return MappedCode::kGenerated;
    default:
      return dso.name == "[heap]" || absl::StartsWith(dso.name, "[stack")
                 ? MappedCode::kData
                 : MappedCode::kNone;
  }
}

bool IsKernelMode(uint16_t misc) {
  const uint16_t mode = misc & kMiscCpuModeMask;
  return mode == kMiscKernel;
}
bool IsGuestMode(uint16_t misc) {
  const uint16_t mode = misc & kMiscCpuModeMask;
  return mode == kMiscGuestKernel || mode == kMiscGuestUser;
}

// Maps at most `max` functions that the recording has of a file and that start
// in `range`, as generated code.
void MapFunctions(const MappingTracker::Deps& deps, absl::string_view path,
                  const MapEntry& range, size_t max, ProcessState& process) {
  RecordedSymbols* const recorded = deps.environment.recorded_symbols();
  if (recorded == nullptr) return;
  std::vector<MapEntry> functions;
  recorded->ForEachIn(path, range.start, range.end,
                      [&](const RecordedSymbols::Function& function) {
                        if (functions.size() == max) return false;
                        MapEntry& entry = functions.emplace_back();
                        entry.start = function.start;
                        entry.end = function.end;
                        entry.dso = deps.dsos.AddGenerated(
                            function.name.substr(0, kMaxKernelSymbolSize),
                            process.pid, function.start, function.end,
                            /*lines=*/nullptr);
                        entry.code = MappedCode::kGenerated;
                        return true;
                      });
  for (MapEntry& entry : functions) {
    entry.mapping = deps.dsos.MappingOf(entry.dso, entry.start, entry.end, 0);
    process.map.Insert(entry, deps.spaces.arena());
  }
}

}  // namespace

template <class R>
MappingTracker::Mapped MappingTracker::MappedOf(
    const R& mmap, const RecordContext& context) const {
  Mapped mapped = {.pid = mmap.pid, .tid = mmap.tid, .file = {}, .range = {}};
  mapped.range.start = mmap.addr;
  mapped.range.end = mmap.addr + mmap.len;
  mapped.range.offset = mmap.pgoff;
  mapped.file.name =
      TruncatePath(mmap.filename, context.raw.offset, &deps_.diagnostics);
  return mapped;
}

absl::Status MappingTracker::Apply(const MmapRecord& mmap,
                                   const RecordContext& context) {
  return Map(MappedOf(mmap, context), context);
}

absl::Status MappingTracker::Apply(const Mmap2Record& mmap,
                                   const RecordContext& context) {
  Mapped mapped = MappedOf(mmap, context);
  // map_flags::PROT_JIT_SYMFILE_MAP in simpleperf/thread_tree.h
  constexpr uint32_t kProtJitSymfile = 0x4000;
  mapped.is_jit_code = (mmap.prot & kProtJitSymfile) != 0 &&
                       deps_.features.has(kFeatureSimpleperfMetaInfo);
  MappedFile& file = mapped.file;
  if ((context.raw.misc & kMiscMmapBuildId) != 0) {
    file.build_id = BuildId(mmap.build_id.subspan(
        0, std::min<size_t>(mmap.build_id_size, mmap.build_id.size())));
  } else {
    file.device_major = mmap.maj;
    file.device_minor = mmap.min;
    file.inode = mmap.ino;
    file.inode_generation = mmap.ino_generation;
  }
  return Map(mapped, context);
}

absl::Status MappingTracker::Map(const Mapped& mapped,
                                 const RecordContext& context) {
  if (IsGuestMode(context.raw.misc)) {
    MapGuest(mapped, context);
    return absl::OkStatus();
  }
  return mapped.pid == -1 || IsKernelMode(context.raw.misc)
             ? MapKernel(mapped, context)
             : MapUser(mapped, context);
}

absl::Status MappingTracker::MapUser(const Mapped& mapped,
                                     const RecordContext& context) {
  // A range that wraps covers nothing.
  if (mapped.range.start >= mapped.range.end) {
    CountSkippedRecord(context.raw, "with an empty or inverted address range",
                       &deps_.diagnostics);
    return absl::OkStatus();
  }
  ThreadState& thread = deps_.threads.GetThread(mapped.pid, mapped.tid);
  ProcessState& process = *thread.process;
  // The process's perf map, of which simpleperf recorded functions. Their
  // memory is mapped by no record (AddThreadMapsForDsoSymbols() in its
  // thread_tree.cpp).
  if (deps_.features.has(kFeatureSimpleperfMetaInfo)) {
    // Each program of the process has them. A hostile recording may have many.
    constexpr uint32_t kMaxPrograms = 4;
    const std::string map_name = absl::StrCat("perf-", mapped.pid, ".map");
    const std::string key = absl::StrCat(map_name, " ", process.program);
    if (process.program < kMaxPrograms &&
        jit_dumps_.emplace(mapped.pid, key).second) {
      MapEntry everywhere;
      everywhere.end = ~uint64_t{0};
      MapFunctions(deps_, map_name, everywhere, ~size_t{0}, process);
    }
  }
  MappedFile file = mapped.file;
  file.below_4g = mapped.range.end <= kFourGigabytes;
  // The functions that simpleperf and hiperf record are those of a path.
  file.by_path = deps_.features.has(kFeatureSimpleperfMetaInfo) ||
                 deps_.features.has(kFeatureHiperfFilesSymbol);
  MapEntry entry = mapped.range;
  entry.dso =
      deps_.dsos.UserDso(file, mapped.pid, process.program,
                         deps_.environment.NearestPidWithRoot(mapped.pid));
  entry.mapping =
      deps_.dsos.MappingOf(entry.dso, entry.start, entry.end, entry.offset);
  entry.code = MappedCodeOf(deps_.tables.dsos()[entry.dso]);
  process.map.Insert(entry, deps_.spaces.arena());
  if (mapped.is_jit_code) {
    MapRecordedFunctions(mapped, process);
  } else if (process.executable == kNoId && entry.code == MappedCode::kFile) {
    process.executable = entry.dso;
  }
  AddJitDump(file.name, mapped.pid, context.raw.offset);
  MapEvent event;
  event.time = context.time;
  ASSIGN_OR_RETURN(event.thread, deps_.threads.Announce(thread, context.time));
  // A data mapping (`perf record -d`) only resolves data addresses: it is not
  // reported.
  if ((context.raw.misc & kMiscMmapData) != 0) return absl::OkStatus();
  if (RecordedSymbols* recorded = deps_.environment.recorded_symbols()) {
    recorded->OnMap(file.name, entry.offset, entry.end - entry.start);
  }
  event.dso = entry.dso;
  event.start = entry.start;
  event.length = entry.end - entry.start;
  event.offset = entry.offset;
  return deps_.sink.Report(&Emitter::OnMap, event);
}

// Maps the functions that simpleperf found in JIT'd code.
void MappingTracker::MapRecordedFunctions(const Mapped& mapped,
                                          ProcessState& process) {
  constexpr size_t kMaxFunctions = 16;  // simpleperf maps each by itself
  MapFunctions(deps_, mapped.file.name, mapped.range, kMaxFunctions, process);
}

// Adds the jitdump `name`, if it is one and the process has not mapped a
// jitdump with its file name before.
void MappingTracker::AddJitDump(absl::string_view name, int32_t pid,
                                uint64_t offset) {
  // By file name: one path has any number of spellings.
  const absl::string_view file = name.substr(name.rfind('/') + 1);
  if (!IsJitDumpName(name) || !jit_dumps_.emplace(pid, file).second) return;
  auto dump = deps_.environment.OpenJitDump(name, pid, deps_.features);
  const uint64_t damaged = jit_code_.functions_with_damaged_lines();
  const auto usable = dump == nullptr ? JitCode::Usable::kNothing
                                      : jit_code_.Add(std::move(dump), pid);
  if (usable == JitCode::Usable::kBeginning) {
    deps_.diagnostics.Add(Severity::kNote,
                          "a jitdump ends within a record or is damaged; code "
                          "from there on has no names",
                          offset);
  } else if (usable == JitCode::Usable::kNothing) {
    deps_.diagnostics.Add(
        Severity::kNote,
        "a jitdump was mapped that cannot be read; its code has "
        "no names (--perf-map-dir says where it is)",
        offset);
  }
  const uint64_t lost = jit_code_.functions_with_damaged_lines() - damaged;
  if (lost > 0) {
    deps_.diagnostics.Add(
        Severity::kNote,
        "function in a jitdump with damaged source lines, which are not shown",
        offset, 0, lost);
  }
}

absl::Status MappingTracker::MapKernel(const Mapped& mapped,
                                       const RecordContext& context) {
  const absl::string_view name = mapped.file.name;
  const bool module = !absl::StartsWith(name, kKernelName);
  const absl::string_view dso_name =
      module ? name : absl::string_view(kKernelName);
  const uint64_t pgoff = mapped.range.offset;
  MapEntry entry = mapped.range;
  // perf writes the kernel's mapping as reaching the end of the address space.
  if (entry.end < entry.start) entry.end = ~uint64_t{0};
  SetBuildId(dso_name, mapped.file.build_id, context.raw);
  entry.dso = deps_.dsos.KernelDso(dso_name, module, entry.start);
  absl::string_view symbol = name;
  if (!module && absl::ConsumePrefix(&symbol, kKernelName) && !symbol.empty()) {
    deps_.dsos.SetReference(entry.dso, symbol, pgoff);
  }
  has_kernel_ |= !module;
  // Frames and mappings of the kernel keep run-time addresses.
  entry.offset = 0;
  entry.mapping =
      deps_.dsos.MappingOf(entry.dso, entry.start, entry.end, pgoff);
  deps_.spaces.mutable_kernel_map().Insert(entry, deps_.spaces.arena());
  RETURN_IF_ERROR(deps_.sink.EnsureBegun());
  MapEvent event;
  event.time = context.time;
  event.dso = entry.dso;
  event.start = entry.start;
  event.length = entry.end - entry.start;
  event.offset = pgoff;
  return deps_.sink.Report(&Emitter::OnMap, event);
}

// Maps a virtual machine's kernel, as perf record finds it in the guest's
// kallsyms (perf_event__synthesize_guest_os() in perf's builtin-record.c). It
// is the kernel of the machine that process `mapped.pid` runs or, if that is 0,
// of all machines. Its addresses are not the host's.
void MappingTracker::MapGuest(const Mapped& mapped,
                              const RecordContext& context) {
  if ((context.raw.misc & kMiscCpuModeMask) == kMiscGuestUser) {
    deps_.diagnostics.Add(
        Severity::kNote,
        "memory of a program in a virtual machine was mapped, "
        "which no sample can be told to be of",
        context.raw.offset, 8 + context.raw.body.size());
    return;
  }
  const uint64_t pgoff = mapped.range.offset;
  MapEntry entry = mapped.range;
  if (entry.end < entry.start) entry.end = ~uint64_t{0};
  absl::string_view name = mapped.file.name, symbol;
  const size_t bracket =
      absl::StartsWith(name, kGuestName) ? name.find(']') : name.npos;
  if (bracket != name.npos) {
    symbol = name.substr(bracket + 1);
    name = name.substr(0, bracket + 1);
  }
  entry.dso = deps_.dsos.PlaceholderDso(DsoKind::kGuestKernel, name);
  const BuildId& build_id = mapped.file.build_id;
  if (!build_id.empty()) deps_.tables.SetBuildId(entry.dso, build_id);
  if (!symbol.empty()) deps_.dsos.SetReference(entry.dso, symbol, pgoff);
  entry.offset = 0;
  entry.mapping =
      deps_.dsos.MappingOf(entry.dso, entry.start, entry.end, pgoff);
  ProcessState* const process =
      mapped.pid > 0 ? &deps_.threads.table().GetProcess(mapped.pid) : nullptr;
  deps_.spaces.mutable_guest_map(process).Insert(entry, deps_.spaces.arena());
}

absl::Status MappingTracker::Apply(const KsymbolRecord& ksymbol,
                                   const RecordContext& context) {
  const uint64_t start = ksymbol.addr;
  const uint64_t end = start + ksymbol.len;
  if (start >= end) return absl::OkStatus();
  if ((ksymbol.flags & KsymbolRecord::kUnregister) != 0) {
    deps_.spaces.mutable_kernel_map().Erase(start, end, deps_.spaces.arena());
    return absl::OkStatus();
  }
  MapEntry entry;
  entry.start = start;
  entry.end = end;
  const absl::string_view name =
      TruncateName(ksymbol.name, kMaxKernelSymbolSize, context.raw.offset,
                   &deps_.diagnostics);
  entry.dso = deps_.dsos.FindKernelFunction(name, start, end);
  if (entry.dso == kNoId) entry.dso = NewKernelFunction(name, start, end);
  entry.mapping = deps_.dsos.MappingOf(entry.dso, start, end, 0);
  deps_.spaces.mutable_kernel_map().Insert(entry, deps_.spaces.arena());
  return absl::OkStatus();
}

// Adds a function that the kernel generated: of a BPF program, a trampoline, …
DsoId MappingTracker::NewKernelFunction(absl::string_view name, uint64_t start,
                                        uint64_t end) {
  auto lines = std::make_shared<std::vector<GeneratedLine>>();
  // A hostile recording may have many symbols share the lines of one program,
  // and many lines share a long name.
  constexpr uint64_t kMaxLineBytes = 64 << 20;
  const std::vector<BpfProgram>& programs = deps_.features.bpf_programs;
  if (bpf_line_bytes_ < kMaxLineBytes) {
    for (const BpfProgram& program : programs) {
      deps_.work.Add(1 + program.functions.size());
    }
    for (const BpfLine& line :
         BpfLinesAt(start, programs, deps_.features.bpf_types)) {
      bpf_line_bytes_ += sizeof(GeneratedLine) + line.file.size();
      if (bpf_line_bytes_ >= kMaxLineBytes) break;
      lines->push_back({line.offset, line.line, std::string(line.file)});
    }
  }
  return deps_.dsos.AddKernelFunction(name, start, end, std::move(lines));
}

void MappingTracker::SetBuildId(absl::string_view name, const BuildId& build_id,
                                const RawRecord& record) {
  if (deps_.dsos.SetBuildId(name, build_id)) return;
  deps_.diagnostics.Add(
      Severity::kSkipped,
      absl::StrCat("build id of more than ", DsoTable::kMaxBuildIds, " names"),
      record.offset, name.size());
}

void MappingTracker::ObserveHeader(const RawRecord& record) {
  const bool whole = ForEachBuildId(record, [&](const BuildIdEntry& entry) {
    // Files in a virtual machine may have the same names as the host's.
    if (IsGuestMode(entry.misc)) return;
    SetBuildId(entry.filename, entry.build_id, record);
  });
  if (!whole) {
    deps_.diagnostics.Add(Severity::kDamage, "build ids are cut short",
                          record.offset);
  }
  TimeConvRecord conversion;
  if (record.type == kRecordTimeConv &&
      Decode(record.body, record.order, record.misc, EventAttr(),
             &conversion)) {
    jit_code_.SetTimeConversion(conversion);
  }
}

}  // namespace perf2x
