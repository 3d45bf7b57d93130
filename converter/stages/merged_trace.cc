// SPDX-License-Identifier: Apache-2.0
#include "converter/stages/merged_trace.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "converter/base/byte_order.h"
#include "converter/base/status_macros.h"
#include "converter/model/event_names.h"

namespace perf2x {
namespace {

// Returns a key that is equal for the same code in two recordings. The kernel's
// frames have run-time addresses, which differ between boots. Whether a file
// without a build id is symbolized depends on what is proven of the recording's
// host (`trusts_paths`), which must not apply to another recording.
std::string KeyOf(const Dso& dso, uint32_t source, bool trusts_paths) {
  const int kind = static_cast<int>(dso.kind);
  const std::string id = dso.build_id.Hex();
  switch (dso.kind) {
    case DsoKind::kFile:
      return id.empty() ? absl::StrCat(kind, " ", trusts_paths ? "here " : "",
                                       dso.device_major, ":", dso.device_minor,
                                       ":", dso.inode, ":",
                                       dso.inode_generation, " ", dso.name)
                        : absl::StrCat(kind, " ", id, " ", dso.name);
    case DsoKind::kVdso:
    case DsoKind::kKernel:
    case DsoKind::kKernelModule:
      return absl::StrCat(kind, " ", id, " ", id.empty() ? source : 0, " ",
                          dso.reference_address, " ", dso.start, " ", dso.name);
    case DsoKind::kGenerated:
    case DsoKind::kAnonymous:
    case DsoKind::kGuestKernel:
    case DsoKind::kGuestUser:
      return absl::StrCat(kind, " ", source, " ", dso.pid, " ", dso.start, " ",
                          dso.end, " ", dso.symbol, " ", dso.name);
    default:
      return absl::StrCat(kind, " ", dso.name);
  }
}

// Reports in the order of FileSymbolizer::Reports.
using ReportMap =
    std::map<std::tuple<DsoKind, std::string, std::string>, DsoReport>;
template <class FileOrReport>
ReportMap::key_type ReportKey(const FileOrReport& f) {
  return {f.kind, f.name, f.build_id.Hex()};
}

// Returns the report of `dso` in `*reports`. A new report is a copy of the one
// in `known`, with no addresses counted yet.
DsoReport* ReportIn(ReportMap* reports, const Dso& dso,
                    const ReportMap& known) {
  const auto [it, inserted] = reports->try_emplace(ReportKey(dso));
  const auto from = known.find(it->first);
  DsoReport* report = &it->second;
  if (!inserted) return report;
  if (from != known.end()) *report = from->second;
  report->kind = dso.kind;
  report->name = dso.name;
  report->build_id = dso.build_id;
  report->symbolized_count = report->unsymbolized_count = 0;
  return report;
}

}  // namespace

// Translates one recording's ids to merged ids.
class MergedTrace::Source final : public Emitter {
 public:
  Source(MergedTrace& all, TraceTables& from, Emitter& to,
         TraceSummary* summary)
      : all_(all),
        from_(from),
        to_(to),
        summary_(summary),
        event_names_(from.events) {}

  EmitterRequirements requirements() const override {
    const EmitterRequirements merged = to_.requirements();
    return {.fields = merged.fields,
            .event_ids = merged.event_ids,
            .only_sums = merged.only_sums};
  }
  absl::Status Begin(const TraceInfo&) override { return absl::OkStatus(); }
  absl::Status OnSample(const Sample& sample) override {
    if (sample.event >= events_.size()) LearnEvents();
    bool is_new = false;
    Sample out = sample;
    out.event = events_[sample.event];
    out.thread = ThreadOf(sample.thread, &is_new);
    out.stack = StackOf(sample.stack);
    out.address_space = all_.tables_.stacks.address_space(out.stack);
    out.tags = TagsOf(sample.tags);
    if (is_new) RETURN_IF_ERROR(to_.OnThread(out.thread, sample.time));
    return to_.OnSample(out);
  }
  absl::Status Finish(const TraceSummary& summary) override {
    *summary_ = summary;
    if (summary.main_dso != kNoId) {
      summary_->main_dso = DsoOf(summary.main_dso);
    }
    return absl::OkStatus();
  }

 private:
  void LearnEvents() {
    while (events_.size() < from_.events.size()) {
      const auto id = static_cast<EventId>(events_.size());
      events_.push_back(all_.EventOf(from_.events[id], event_names_[id]));
    }
  }
  ThreadId ThreadOf(ThreadId thread, bool* is_new) {
    if (thread >= threads_.size()) threads_.resize(thread + 1, kNoId);
    if (threads_[thread] == kNoId) {
      Thread of_all = from_.threads[thread];
      StringTable& strings = all_.tables_.strings;
      of_all.name = strings.Intern(from_.strings[of_all.name]);
      of_all.process_name = strings.Intern(from_.strings[of_all.process_name]);
      threads_[thread] = all_.ThreadOf(of_all, is_new);
    }
    return threads_[thread];
  }
  TagsId TagsOf(TagsId id) {
    if (id == 0) return 0;
    const SampleTags& tags = from_.tags[id];
    StringTable& strings = all_.tables_.strings;
    return all_.tables_.tags.Intern(
        {.state = strings.Intern(from_.strings[tags.state]),
         .waker = strings.Intern(from_.strings[tags.waker]),
         .parallelism = tags.parallelism});
  }
  DsoId DsoOf(DsoId dso) {
    if (dso >= dsos_.size()) dsos_.resize(dso + 1, kNoId);
    if (dsos_[dso] == kNoId) dsos_[dso] = all_.DsoOf(from_.dsos()[dso]);
    return dsos_[dso];
  }
  MappingId MappingOf(MappingId mapping) {
    if (mapping >= mappings_.size()) mappings_.resize(mapping + 1, kNoId);
    if (mappings_[mapping] == kNoId) {
      const Mapping& of_one = from_.mappings()[mapping];
      mappings_[mapping] = all_.MappingOf(DsoOf(of_one.dso), of_one);
    }
    return mappings_[mapping];
  }
  StackId StackOf(StackId stack) {
    if (stack >= stacks_.size()) stacks_.resize(stack + 1, kNoId);
    if (stacks_[stack] != kNoId) return stacks_[stack];
    from_.FramesOf(stack, &frames_);
    places_.clear();
    new_.clear();
    for (const FrameId id : frames_) {
      if (id >= seen_.size()) seen_.resize(from_.frames().size());
      if (!seen_[id]) new_.push_back(places_.size());
      seen_[id] = true;
      const Frame& frame = from_.frames()[id];
      const DsoId dso = DsoOf(frame.dso);
      places_.push_back({FrameTable::HashOf(dso, frame.address), frame.address,
                         dso, MappingOf(frame.mapping)});
    }
    all_.tables_.InternFrames(places_, &frames_);
    for (const size_t i : new_) all_.frames_of_.back().push_back(frames_[i]);
    chain_.assign(frames_.begin(), frames_.end());
    const absl::Span<const uint8_t> chain(
        reinterpret_cast<const uint8_t*>(chain_.data()), chain_.size() * 8);
    return stacks_[stack] = all_.tables_.stacks.Intern(
               StackTable::HashOf(0, chain), 0, chain, /*stable=*/false);
  }

  MergedTrace& all_;
  TraceTables& from_;
  Emitter& to_;
  TraceSummary* const summary_;
  EventNames event_names_;  // of the recording
  // Merged ids, by the recording's own ids; kNoId: not translated yet.
  std::vector<EventId> events_;
  std::vector<ThreadId> threads_;
  std::vector<DsoId> dsos_;
  std::vector<MappingId> mappings_;
  std::vector<StackId> stacks_;
  std::vector<FrameId> frames_;
  FramePlaces places_;
  std::vector<size_t> new_;  // in places_: frames new in the recording
  std::vector<bool> seen_;   // by its own FrameId
  std::vector<uint64_t> chain_;
};

MergedTrace::MergedTrace() : tables_(this), symbolizers_(1), frames_of_(1) {
  tables_.set_frame_source(this);
}

void MergedTrace::AddEvents(const std::vector<Event>& events) {
  EventNames names(events);
  for (EventId id = 0; id < events.size(); ++id) EventOf(events[id], names[id]);
}

std::unique_ptr<Emitter> MergedTrace::EmitterFor(TraceTables& from, Emitter& to,
                                                 TraceSummary* summary) {
  ++source_;
  symbolizers_.push_back([] { return nullptr; });
  frames_of_.emplace_back();
  return std::make_unique<Source>(*this, from, to, summary);
}

void MergedTrace::SetSymbolizer(SymbolizerOf symbolizer, bool shares_symbols) {
  symbolizers_.back() = std::move(symbolizer);
  shares_symbols_ = shares_symbols;
}

EventId MergedTrace::EventOf(const Event& event,
                             const std::string& distinct_name) {
  const auto [it, inserted] = events_.try_emplace(
      {distinct_name, event.unit}, static_cast<EventId>(tables_.events.size()));
  if (inserted) tables_.events.push_back(event);
  return it->second;
}

ThreadId MergedTrace::ThreadOf(const Thread& thread, bool* is_new) {
  const std::string key = absl::StrCat(thread.pid, " ", thread.tid, " ",
                                       thread.process_name, " ", thread.name);
  const auto [it, inserted] =
      threads_.try_emplace(key, static_cast<ThreadId>(tables_.threads.size()));
  if (inserted) tables_.threads.push_back(thread);
  *is_new = inserted;
  return it->second;
}

DsoId MergedTrace::DsoOf(const Dso& dso) {
  const Symbolizer* symbolizer = symbolizers_.back()();
  const bool trusts_paths = symbolizer != nullptr && symbolizer->trusts_paths();
  std::string key = KeyOf(dso, source_, trusts_paths);
  if (!shares_symbols_) key = absl::StrCat("of ", source_, " ", key);
  const auto [it, inserted] = dsos_.try_emplace(std::move(key));
  if (inserted) {
    it->second = tables_.AddDso(dso);
    source_of_.push_back(source_);
    looked_up_.emplace_back();
  }
  return it->second;
}

// A part of a file is one mapping, wherever it was loaded.
MappingId MergedTrace::MappingOf(DsoId dso, const Mapping& mapping) {
  const DsoKind kind = tables_.dsos()[dso].kind;
  const bool in_file = kind == DsoKind::kFile || kind == DsoKind::kVdso;
  const std::string key =
      absl::StrCat(dso, " ", mapping.offset, " ", mapping.limit - mapping.start,
                   " ", in_file ? 0 : mapping.start);
  const auto [it, inserted] = mappings_.try_emplace(key);
  if (inserted) {
    Mapping of_all = mapping;
    of_all.dso = dso;
    it->second = tables_.AddMapping(of_all);
  }
  return it->second;
}

void MergedTrace::AppendPlaces(StackId stack, FramePlaces* places) {
  const absl::Span<const uint8_t> chain =
      tables_.stacks.callchain(stack, &chain_);
  for (size_t at = 0; at < chain.size(); at += 8) {
    const auto id =
        static_cast<FrameId>(Load<uint64_t>(&chain[at], kHostOrder));
    const Frame& frame = tables_.frames()[id];
    places->push_back({FrameTable::HashOf(frame.dso, frame.address),
                       frame.address, frame.dso, frame.mapping});
  }
}

Symbolizer* MergedTrace::SymbolizerFor(const Dso& dso) const {
  // `dso` is an element of the table, so its position is its id.
  const auto id = tables_.dsos().IndexOf(dso);
  return symbolizers_[source_of_[id]]();
}

void MergedTrace::Resolve(const Dso& dso, absl::Span<const uint64_t> addresses,
                          Found found) {
  Symbolizer* symbolizer = SymbolizerFor(dso);
  if (symbolizer == nullptr || dso.kind == DsoKind::kMarker) return;
  // Needs no lock: no two threads look up addresses of one DSO.
  auto& looked_up = looked_up_[tables_.dsos().IndexOf(dso)];
  const size_t first = looked_up.size();
  for (const uint64_t address : addresses)
    looked_up.emplace_back(address, false);
  symbolizer->Resolve(dso, addresses,
                      [&](size_t i, absl::Span<const Symbol> symbols) {
                        looked_up[first + i].second = true;
                        found(i, symbols);
                      });
}

MergedTrace::Reports MergedTrace::ReportsByRecording(
    const Reports& by_symbolizer) {
  for (auto& addresses : looked_up_) {
    std::sort(addresses.begin(), addresses.end());
  }
  std::vector<ReportMap> known(by_symbolizer.size());
  for (size_t i = 0; i < known.size(); ++i) {
    for (const DsoReport& report : by_symbolizer[i]) {
      known[i].emplace(ReportKey(report), report);
    }
  }
  Reports reports;
  for (uint32_t source = 1; source <= source_; ++source) {
    ReportMap own;
    std::vector<DsoReport*> report_of(tables_.dsos().size());
    for (const FrameId id : frames_of_[source]) {
      const Frame& frame = tables_.frames()[id];
      const auto& addresses = looked_up_[frame.dso];
      const auto at = std::lower_bound(addresses.begin(), addresses.end(),
                                       std::pair(frame.address, false));
      if (at == addresses.end() || at->first != frame.address) continue;
      DsoReport*& report = report_of[frame.dso];
      if (report == nullptr) {
        const Dso& dso = tables_.dsos()[frame.dso];
        report = ReportIn(&own, dso, known[source_of_[frame.dso] - 1]);
      }
      ++(at->second ? report->symbolized_count : report->unsymbolized_count);
    }
    std::vector<DsoReport>& in_order = reports.emplace_back();
    for (auto& [key, report] : own) in_order.push_back(std::move(report));
  }
  return reports;
}

void MergedTrace::Release(const Dso& dso) {
  Symbolizer* symbolizer = SymbolizerFor(dso);
  if (symbolizer != nullptr) symbolizer->Release(dso);
}

}  // namespace perf2x
