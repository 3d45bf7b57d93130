// The part of Session that follows memory maps.

#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "converter/base/status_macros.h"
#include "converter/perf/records/wire.h"
#include "converter/session/session.h"

namespace perf2x {
namespace {

constexpr char kKernelName[] = "[kernel.kallsyms]";
constexpr absl::string_view kGuestName = "[guest.kernel.kallsyms";
constexpr uint64_t kFourGigabytes = uint64_t{1} << 32;

bool IsKernelMode(uint16_t misc) {
  const uint16_t mode = misc & kMiscCpuModeMask;
  return mode == kMiscKernel;
}
bool IsGuestMode(uint16_t misc) {
  const uint16_t mode = misc & kMiscCpuModeMask;
  return mode == kMiscGuestKernel || mode == kMiscGuestUser;
}

}  // namespace

absl::Status Session::On(const MmapRecord& mmap, const Context& context) {
  MapEntry where;
  where.start = mmap.addr;
  where.end = mmap.addr + mmap.len;
  where.offset = mmap.pgoff;
  const absl::string_view name = PathIn(mmap.filename, context);
  if (IsGuestMode(context.raw.misc)) {
    MapGuest(mmap.pid, name, where, mmap.pgoff, BuildId(), context);
    return absl::OkStatus();
  }
  if (mmap.pid == -1 || IsKernelMode(context.raw.misc)) {
    return MapKernel(name, where, mmap.pgoff, context);
  }
  MappedFile file;
  file.name = name;
  file.below_4g = where.end <= kFourGigabytes;
  return MapUser(mmap.pid, mmap.tid, file, where, context);
}

absl::Status Session::On(const Mmap2Record& mmap, const Context& context) {
  MapEntry where;
  where.start = mmap.addr;
  where.end = mmap.addr + mmap.len;
  where.offset = mmap.pgoff;
  MappedFile file;
  file.name = PathIn(mmap.filename, context);
  file.below_4g = where.end <= kFourGigabytes;
  if ((context.raw.misc & kMiscMmapBuildId) != 0) {
    file.build_id = BuildId(mmap.build_id.subspan(
        0, std::min<size_t>(mmap.build_id_size, mmap.build_id.size())));
  } else {
    file.device_major = mmap.maj;
    file.device_minor = mmap.min;
    file.inode = mmap.ino;
    file.inode_generation = mmap.ino_generation;
  }
  if (IsGuestMode(context.raw.misc)) {
    MapGuest(mmap.pid, file.name, where, mmap.pgoff, file.build_id, context);
    return absl::OkStatus();
  }
  if (mmap.pid == -1 || IsKernelMode(context.raw.misc)) {
    files_.SetBuildId(absl::StartsWith(file.name, kKernelName)
                          ? absl::string_view(kKernelName)
                          : file.name,
                      file.build_id);
    return MapKernel(file.name, where, mmap.pgoff, context);
  }
  return MapUser(mmap.pid, mmap.tid, file, where, context);
}

absl::Status Session::MapUser(int32_t pid, int32_t tid, const MappedFile& file,
                              const MapEntry& where, const Context& context) {
  // A range that wraps covers nothing.
  if (where.start >= where.end) {
    Skip(context.raw, "with an empty or inverted address range");
    return absl::OkStatus();
  }
  ThreadState& thread = ThreadOf(pid, tid);
  ProcessState& process = *thread.process;
  MapEntry entry = where;
  entry.file =
      files_.OfUser(file, pid, process.program, environment_.RootOwner(pid));
  entry.mapping =
      files_.MappingOf(entry.file, entry.start, entry.end, entry.offset);
  const DsoKind kind = tables_.files()[entry.file].kind;
  entry.by_offset = kind == DsoKind::kFile || kind == DsoKind::kVdso;
  process.map.Insert(entry, address_spaces_.arena());
  if (process.executable == kNoId && kind == DsoKind::kFile) {
    process.executable = entry.file;
  }
  if (IsJitDumpName(file.name) && jit_dumps_.emplace(pid, file.name).second) {
    auto dump = environment_.OpenJitDump(file.name, pid, features_);
    const auto usable = dump == nullptr ? JitCode::Usable::kNothing
                                        : jit_code_.Add(std::move(dump), pid);
    if (usable == JitCode::Usable::kBeginning) {
      diagnostics_.Add(Diagnostics::Severity::kNote,
                       "a jitdump ends within a record or is damaged; code "
                       "from there on has no names",
                       context.raw.offset);
    } else if (usable == JitCode::Usable::kNothing) {
      diagnostics_.Add(Diagnostics::Severity::kNote,
                       "a jitdump was mapped that cannot be read; its code has "
                       "no names (--perf-map-dir says where it is)",
                       context.raw.offset);
    }
  }
  MapEvent event;
  event.time = context.time;
  ASSIGN_OR_RETURN(event.thread, Announce(thread, context.time));
  // Data (`perf record -d`) only says where addresses lie.
  if ((context.raw.misc & kMiscMmapData) != 0) return absl::OkStatus();
  event.file = entry.file;
  event.start = entry.start;
  event.length = entry.end - entry.start;
  event.offset = entry.offset;
  return emitter_.OnMap(event);
}

absl::Status Session::MapKernel(absl::string_view name, const MapEntry& where,
                                uint64_t pgoff, const Context& context) {
  MapEntry entry = where;
  // perf gives the kernel's end as the end of all addresses.
  if (entry.end < entry.start) entry.end = ~uint64_t{0};
  const bool module = !absl::StartsWith(name, kKernelName);
  entry.file =
      files_.OfKernel(module ? name : kKernelName, module, entry.start);
  absl::string_view symbol = name;
  if (!module && absl::ConsumePrefix(&symbol, kKernelName) && !symbol.empty()) {
    files_.SetReference(entry.file, symbol, pgoff);
  }
  facts_.has_kernel_map |= !module;
  // Of the kernel, frames and mappings keep run-time addresses.
  entry.offset = 0;
  entry.mapping = files_.MappingOf(entry.file, entry.start, entry.end, pgoff);
  address_spaces_.kernel_map().Insert(entry, address_spaces_.arena());
  if (!begun_) RETURN_IF_ERROR(Begin());
  MapEvent event;
  event.time = context.time;
  event.file = entry.file;
  event.start = entry.start;
  event.length = entry.end - entry.start;
  event.offset = pgoff;
  return emitter_.OnMap(event);
}

// A virtual machine's kernel, as perf record finds it in the guest's kallsyms
// (perf_event__synthesize_guest_os() in perf's builtin-record.c): of the
// machine that process `pid` runs or, 0, of all. Its addresses say nothing of
// the host's.
void Session::MapGuest(int32_t pid, absl::string_view name,
                       const MapEntry& where, uint64_t pgoff,
                       const BuildId& build_id, const Context& context) {
  if ((context.raw.misc & kMiscCpuModeMask) == kMiscGuestUser) {
    diagnostics_.Add(Diagnostics::Severity::kNote,
                     "memory of a program in a virtual machine was mapped, "
                     "which no sample can be told to be of",
                     context.raw.offset, 8 + context.raw.body.size());
    return;
  }
  MapEntry entry = where;
  if (entry.end < entry.start) entry.end = ~uint64_t{0};
  const size_t bracket =
      absl::StartsWith(name, kGuestName) ? name.find(']') : name.npos;
  const bool kernel = bracket != name.npos;
  const absl::string_view symbol =
      kernel ? name.substr(bracket + 1) : absl::string_view();
  if (kernel) name = name.substr(0, bracket + 1);
  entry.file = files_.OfKind(DsoKind::kGuestKernel, name);
  if (!build_id.empty()) tables_.SetBuildId(entry.file, build_id);
  if (!symbol.empty()) files_.SetReference(entry.file, symbol, pgoff);
  entry.offset = 0;
  entry.mapping = files_.MappingOf(entry.file, entry.start, entry.end, pgoff);
  AddressMap& map =
      pid > 0 ? threads_.Process(pid).guest_map : address_spaces_.guest_map();
  map.Insert(entry, address_spaces_.arena());
}

absl::Status Session::On(const NamespacesRecord& record, const Context&) {
  // Of each kind device and inode; PID_NS_INDEX of linux/perf_event.h.
  constexpr size_t kPidInode = 3 * 2 + 1;
  if (record.namespaces.size() > kPidInode) {
    environment_.OnPidNamespace(record.pid, record.tid,
                                record.namespaces[kPidInode]);
  }
  return absl::OkStatus();
}

absl::Status Session::On(const KsymbolRecord& ksymbol, const Context& context) {
  const uint64_t start = ksymbol.addr;
  const uint64_t end = start + ksymbol.len;
  if (start >= end) return absl::OkStatus();
  if ((ksymbol.flags & KsymbolRecord::kUnregister) != 0) {
    address_spaces_.kernel_map().Erase(start, end, address_spaces_.arena());
    return absl::OkStatus();
  }
  MapEntry entry;
  entry.start = start;
  entry.end = end;
  const absl::string_view name = CutName(ksymbol.name, kMaxKernelSymbolSize,
                                         context.raw.offset, &diagnostics_);
  entry.file = files_.KnownKernelFunction(name, start, end);
  if (entry.file == kNoId) {
    entry.file = NewKernelFunction(name, start, end);
  }
  entry.mapping = files_.MappingOf(entry.file, start, end, 0);
  address_spaces_.kernel_map().Insert(entry, address_spaces_.arena());
  return absl::OkStatus();
}

// A function that the kernel made, of a BPF program or else.
DsoId Session::NewKernelFunction(absl::string_view name, uint64_t start,
                                 uint64_t end) {
  auto lines = std::make_shared<std::vector<GeneratedLine>>();
  // A hostile recording may have many symbols share the lines of one program.
  constexpr size_t kMaxLines = 1 << 20;
  if (bpf_lines_ < kMaxLines) {
    Work(features_.bpf_programs.size());
    for (BpfLine& line :
         BpfLinesAt(start, features_.bpf_programs, features_.bpf_types)) {
      lines->push_back({line.offset, line.line, std::move(line.file)});
    }
    bpf_lines_ += lines->size();
  }
  return files_.OfKernelFunction(name, start, end, std::move(lines));
}

}  // namespace perf2x
