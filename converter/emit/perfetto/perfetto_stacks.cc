// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/perfetto/perfetto_stacks.h"

#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "converter/base/prefetch.h"
#include "converter/base/status_macros.h"
#include "converter/base/text.h"
#include "perfetto_trace.pb.h"

namespace perf2x {
namespace {

namespace protos = perfetto::protos;

// A packet of interned data ends once it has this size.
constexpr size_t kPacketSize = 32 << 10;
// Size from which a name is long, and bytes of long names that cost one step of
// work: of a hundred bytes, mangled, a name can have a megabyte.
constexpr size_t kLongName = 1 << 10, kBytesAStep = 2;

constexpr absl::string_view kApps = "/data/app/";

// Returns true if readers find a package's name in `path`, which is that of a
// file below kApps: PACKAGE-… or ~~…/PACKAGE-… and a file in it.
bool NamesPackage(absl::string_view path) {
  path.remove_prefix(kApps.size());
  if (absl::StartsWith(path, "~")) {
    const size_t slash = path.find('/');
    if (slash == path.npos) return false;
    path.remove_prefix(slash + 1);
  }
  const size_t end = path.find('/', 1);
  return end != path.npos && absl::StrContains(path.substr(0, end), '-');
}

// Readers count an error for files of Android apps whose paths do not have a
// package's name, and for files in /data/local/tmp that have no build id.
// Returns the path; for these, an equal one that readers do not recognize.
std::string ReadablePath(absl::string_view path, bool has_build_id) {
  constexpr absl::string_view kInMemory = "dex extracted in memory from ";
  size_t at = absl::StartsWith(path, kApps) ? 0 : path.npos;
  if (at != 0) {
    const size_t memory = path.find(absl::StrCat(kInMemory, kApps));
    if (memory != path.npos) at = memory + kInMemory.size();
  }
  const bool misread =
      at != path.npos
          ? !NamesPackage(path.substr(at))
          : !has_build_id && absl::StartsWith(path, "/data/local/tmp/");
  std::string to(path);
  if (misread) to.insert(at == path.npos ? 0 : at, "/.");
  return to;
}

}  // namespace

PerfettoStacks::PerfettoStacks(const EmitterContext& context,
                               PerfettoPackets& packets)
    : tables_(context.tables),
      workers_(context.pipeline.workers()),
      budget_(context.budget),
      packets_(packets),
      functions_(context.tables, context.budget, context.diagnostics),
      skipped_stacks_("callstack", context.budget, context.diagnostics),
      skipped_names_("long name of a function", context.budget,
                     context.diagnostics),
      memory_(context.budget) {}

absl::Status PerfettoStacks::Write(
    absl::Span<const std::pair<EventId, StackId>> stacks) {
  constexpr size_t kAhead = 4, kAccountEvery = 1 << 16;
  places_.clear();
  ends_.clear();
  for (size_t i = 0; i < stacks.size(); ++i) {
    if (i + kAhead < stacks.size()) {
      tables_.stacks.PrefetchChain(stacks[i + kAhead].second);
    }
    tables_.AppendPlaces(stacks[i].second, &places_);
    ends_.push_back(places_.size());
  }
  tables_.InternFrames(places_, &frames_);
  tables_.SymbolizeAllFrames(workers_, /*more_to_come=*/true);
  entries_of_.resize(tables_.frames().size());
  size_t begin = 0;
  for (size_t i = 0; i < stacks.size(); ++i) {
    const auto [event, stack] = stacks[i];
    WriteStack(event, stack, begin, ends_[i]);
    begin = ends_[i];
    if (callstacks_.size() >= accounted_ + kAccountEvery) Account();
    const bool last = i + 1 == stacks.size() || stacks[i + 1].first != event;
    if (last || interned_.size() >= kPacketSize) {
      RETURN_IF_ERROR(EndPacket(event));
    }
  }
  Account();
  return absl::OkStatus();
}

void PerfettoStacks::Account() {
  accounted_ = callstacks_.size();
  uint64_t memory = entries_of_.size() * sizeof(entries_of_[0]) +
                    entry_ids_.size() * sizeof(entry_ids_[0]) +
                    callstack_of_.size() * sizeof(callstack_of_[0]) +
                    entries_.size() * (sizeof(Entry) + 2 * sizeof(EntryKey)) +
                    callstacks_.memory();
  for (const Sequence& sequence : sequences_) memory += sequence.memory();
  memory_.Set(memory);
}

absl::Status PerfettoStacks::EndPacket(EventId event) {
  if (interned_.size() > 0) {
    packets_.Begin(SequenceOf(event))
        .Bytes(protos::TracePacket::kInternedDataFieldNumber,
               interned_.bytes());
    packets_.End();
    interned_.Clear();
  }
  return packets_.MaybeFlush();
}

void PerfettoStacks::WriteStack(EventId event, StackId stack, size_t begin,
                                size_t end) {
  constexpr size_t kAhead = 24;
  Sequence& sequence = sequences_[event];
  const auto frames = absl::MakeConstSpan(frames_).subspan(begin, end - begin);
  // If no stack was recorded with a tracepoint, its only frame is a place in
  // the kernel's tracing code.
  const bool is_tracepoint =
      tables_.events[event].kind == EventKind::kTracepoint;
  if (frames.empty() || (is_tracepoint && frames.size() == 1) ||
      skipped_stacks_.CountIfExhausted()) {
    sequence.none.Insert(stack);
    return;
  }
  for (size_t at = begin; at < end; ++at) {
    if (at + kAhead < frames_.size()) {
      Prefetch(&entries_of_[frames_[at + kAhead]]);
    }
    EntriesOf(frames_[at]);
  }
  const size_t flat = functions_.CountFlatFrames(
      frames,
      [this](FrameId frame) -> size_t { return entries_of_[frame].count; });
  path_.clear();
  for (size_t at = 0; at < frames.size(); ++at) {
    const FrameEntries of_frame = entries_of_[frames[at]];
    const uint32_t last = of_frame.first + of_frame.count - 1;
    for (uint32_t i = at < flat ? last : of_frame.first; i <= last; ++i) {
      path_.push_back(entry_ids_[i]);
    }
  }
  const StackTree::NodeId leaf = callstacks_.Add(path_);
  if (stack >= callstack_of_.size()) {
    callstack_of_.resize(size_t{stack} + 1, kNoId);
  }
  callstack_of_[stack] = leaf;
  if (sequence.callstacks.Insert(leaf)) WriteCallstack(sequence, leaf);
}

PerfettoStacks::FrameEntries PerfettoStacks::AddEntries(FrameId frame) {
  FrameEntries& out = entries_of_[frame];
  out.first = static_cast<uint32_t>(entry_ids_.size());
  const Frame& place = tables_.frames()[frame];
  for (const Line& line : tables_.Lines(frame)) {
    const auto [it, inserted] =
        ids_.try_emplace({line.function, line.line, place.dso},
                         static_cast<uint32_t>(entries_.size()));
    if (inserted) entries_.push_back({line, place.dso, place.address});
    entry_ids_.push_back(it->second);
  }
  out.count = static_cast<uint32_t>(entry_ids_.size()) - out.first;
  return out;
}

void PerfettoStacks::WriteCallstack(Sequence& sequence,
                                    StackTree::NodeId leaf) {
  stack_.Clear();
  stack_.Uint(protos::Callstack::kIidFieldNumber, uint64_t{leaf} + 1);
  for (auto entry = path_.rbegin(); entry != path_.rend(); ++entry) {
    if (sequence.entries.Insert(*entry)) WriteFrame(sequence, *entry);
    stack_.Uint(protos::Callstack::kFrameIdsFieldNumber, uint64_t{*entry} + 1);
  }
  interned_.Bytes(protos::InternedData::kCallstacksFieldNumber, stack_.bytes());
}

void PerfettoStacks::WriteFrame(Sequence& sequence, uint32_t id) {
  const Entry& entry = entries_[id];
  const Function& function = tables_.functions()[entry.line.function];
  const uint64_t name = NameIid(sequence, function.name);
  const uint64_t file = FileIid(sequence, function.file);
  if (sequence.dsos.Insert(entry.dso)) WriteMapping(entry.dso);
  const size_t message =
      interned_.Open(protos::InternedData::kFramesFieldNumber);
  interned_.Uint(protos::Frame::kIidFieldNumber, uint64_t{id} + 1);
  if (name != 0)
    interned_.Uint(protos::Frame::kFunctionNameIdFieldNumber, name);
  interned_.Uint(protos::Frame::kMappingIdFieldNumber, uint64_t{entry.dso} + 1);
  interned_.Uint(protos::Frame::kRelPcFieldNumber,
                 function.placeholder ? 0 : entry.address);
  if (file != 0) interned_.Uint(protos::Frame::kSourcePathIidFieldNumber, file);
  if (entry.line.line != 0) {
    interned_.Uint(protos::Frame::kLineNumberFieldNumber, entry.line.line);
  }
  interned_.Close(message);
}

uint64_t PerfettoStacks::NameIid(Sequence& sequence, StringId name) {
  const uint64_t iid = uint64_t{name} + 1;
  if (sequence.names.Contains(name)) return iid;
  const absl::string_view text = tables_.strings[name];
  if (text.size() >= kLongName) {
    if (skipped_names_.CountIfExhausted()) return 0;
    budget_.Spend(Budget::kWork, text.size() / kBytesAStep);
  }
  sequence.names.Insert(name);
  WriteString(protos::InternedData::kFunctionNamesFieldNumber, iid, text);
  return iid;
}

uint64_t PerfettoStacks::FileIid(Sequence& sequence, StringId file) {
  if (file == 0) return 0;
  const uint64_t iid = uint64_t{file} + 1;
  if (sequence.files.Insert(file)) {
    WriteString(protos::InternedData::kSourcePathsFieldNumber, iid,
                tables_.strings[file]);
  }
  return iid;
}

// Processes share a mapping: its addresses would be those of the process that
// was seen first, and each process would have frames of its own.
void PerfettoStacks::WriteMapping(DsoId id) {
  const Dso& dso = tables_.dsos()[id];
  const uint64_t iid = uint64_t{id} + 1;
  WriteString(protos::InternedData::kMappingPathsFieldNumber, iid,
              ReadablePath(dso.name, !dso.build_id.empty()));
  if (!dso.build_id.empty()) {
    const absl::Span<const uint8_t> bytes = dso.build_id.bytes();
    const size_t message =
        interned_.Open(protos::InternedData::kBuildIdsFieldNumber);
    interned_.Uint(protos::InternedString::kIidFieldNumber, iid);
    interned_.Bytes(
        protos::InternedString::kStrFieldNumber,
        {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    interned_.Close(message);
  }
  const size_t message =
      interned_.Open(protos::InternedData::kMappingsFieldNumber);
  interned_.Uint(protos::Mapping::kIidFieldNumber, iid);
  if (!dso.build_id.empty()) {
    interned_.Uint(protos::Mapping::kBuildIdFieldNumber, iid);
  }
  interned_.Uint(protos::Mapping::kPathStringIdsFieldNumber, iid);
  interned_.Close(message);
}

void PerfettoStacks::WriteString(int field, uint64_t iid,
                                 absl::string_view text) {
  const size_t message = interned_.Open(field);
  interned_.Uint(protos::InternedString::kIidFieldNumber, iid);
  interned_.Bytes(protos::InternedString::kStrFieldNumber,
                  AsPlainText(text, &scratch_));
  interned_.Close(message);
}

}  // namespace perf2x
