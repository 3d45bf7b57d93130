// SPDX-License-Identifier: Apache-2.0
#include "converter/model/trace_tables.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "absl/strings/str_cat.h"
#include "converter/base/prefetch.h"

namespace perf2x {

uint64_t TraceTables::memory() const {
  // kOfDso includes the DSO's key and its placeholder's name.
  constexpr uint64_t kOfDso = 512, kOfMapping = 96;
  constexpr uint64_t kOfFrame = 96, kOfThread = 384;
  return strings.memory() + stacks.memory() + dso_bytes_ +
         dsos_.size() * kOfDso + mappings_.size() * kOfMapping +
         frames().size() * kOfFrame + threads.size() * kOfThread +
         tags.memory();
}

DsoId TraceTables::AddDso(Dso dso) {
  // Tables of mappings and reports have copies of the name.
  constexpr uint64_t kCopies = 8;
  dso_bytes_ += kCopies * dso.name.size();
  dsos_.push_back(std::move(dso));
  placeholders_.emplace_back();
  lines_.emplace_back();
  return static_cast<DsoId>(dsos_.size() - 1);
}

MappingId TraceTables::AddMapping(const Mapping& mapping) {
  mappings_.push_back(mapping);
  return static_cast<MappingId>(mappings_.size() - 1);
}

// With a million frames memory latency dominates, so slots are prefetched some
// frames ahead.
void TraceTables::InternFrames(const FramePlaces& places,
                               std::vector<FrameId>* frames) {
  constexpr size_t kAhead = 16;
  const absl::Span<const FramePlace> stored = places.stored();
  for (size_t i = 0; i < std::min(kAhead, stored.size()); ++i) {
    frames_.Prefetch(stored[i].hash);
  }
  interned_.resize(stored.size());
  for (size_t i = 0; i < stored.size(); ++i) {
    if (i + kAhead < stored.size()) frames_.Prefetch(stored[i + kAhead].hash);
    interned_[i] = InternFrame(stored[i]);
  }
  frames->resize(places.size());
  FrameId* to = frames->data();
  for (const uint32_t index : places.indexes()) *to++ = interned_[index];
}

FunctionId TraceTables::InternFunction(const Function& function) {
  auto [it, inserted] = function_ids_.try_emplace(
      function, static_cast<FunctionId>(functions_.size()));
  if (inserted) functions_.push_back(function);
  return it->second;
}

void TraceTables::SetPlaceholder(FrameId frame) {
  const DsoId dso = frames()[frame].dso;
  LineRange& range = placeholders_[dso];
  if (range.count == 0) {
    const StringId name = strings.Intern(PlaceholderName(dsos_[dso]));
    range = {static_cast<uint32_t>(lines_[dso].size()), 1};
    lines_[dso].push_back({InternFunction({name, name, 0, 0, true}), 0});
  }
  lines_of_[frame] = range;
}

void TraceTables::Symbolize(FrameId frame) {
  lines_of_.resize(frames().size());
  if (symbolizer_ == nullptr) return SetPlaceholder(frame);
  const Frame& f = frames()[frame];
  std::vector<Line>& lines = lines_[f.dso];
  const size_t first = lines.size();
  symbolizer_->Resolve(
      dsos_[f.dso], {&f.address, 1},
      [&](size_t, absl::Span<const Symbol> symbols) {
        for (const Symbol& s : symbols) {
          lines.push_back(
              {InternFunction({strings.Intern(s.name),
                               strings.Intern(s.system_name),
                               strings.Intern(s.file), s.start_line, false}),
               s.line});
        }
      });
  if (lines.size() == first) return SetPlaceholder(frame);
  lines_of_[frame] = {static_cast<uint32_t>(first),
                      static_cast<uint32_t>(lines.size() - first)};
}

void TraceTables::SymbolizeAllFrames(WorkerPool& workers, bool more_to_come) {
  // Other threads take longer to wake, and to be waited for, than so few frames
  // to symbolize whose files are open.
  constexpr size_t kFewFrames = 1024;
  lines_of_.resize(frames().size());
  if (symbolizer_ == nullptr) {
    for (FrameId i = first_unsymbolized_; i < frames().size(); ++i) {
      if (lines_of_[i].count == 0) SetPlaceholder(i);
    }
    first_unsymbolized_ = static_cast<FrameId>(frames().size());
    return;
  }
  std::vector<FrameId> unsymbolized;
  std::vector<std::unique_ptr<Group>> groups = UnsymbolizedByDso(&unsymbolized);
  first_unsymbolized_ = static_cast<FrameId>(frames().size());

  // Largest group first, so that the last group to end is a small one.
  std::vector<Group*> order;
  order.reserve(groups.size());
  for (const auto& group : groups) order.push_back(group.get());
  std::stable_sort(order.begin(), order.end(), [](Group* a, Group* b) {
    return a->frames.size() > b->frames.size();
  });
  // Groups are interned in order, each as soon as all before it are symbolized,
  // by one thread at a time.
  std::mutex interning;
  size_t interned = 0;
  const auto intern_found = [&] {
    for (; interned < groups.size() && groups[interned]->found; ++interned) {
      InternSymbols(*groups[interned]);
      groups[interned].reset();
    }
  };
  const auto symbolize = [&](size_t i) {
    Group* const group = order[i];
    Symbolize(group);
    if (!more_to_come) symbolizer_->Release(dsos_[group->dso]);
    group->found = true;
    if (interning.try_lock()) {
      intern_found();
      interning.unlock();
    }
  };
  const bool opens_files = std::any_of(
      groups.begin(), groups.end(),
      [this](const auto& group) { return lines_[group->dso].empty(); });
  if (!opens_files && unsymbolized.size() < kFewFrames) {
    for (size_t i = 0; i < order.size(); ++i) symbolize(i);
  } else {
    workers.ForEach(order.size(), symbolize);
  }
  intern_found();
}

// Sets `*frames` to the frames that are not symbolized yet, DSO by DSO; the
// returned groups refer to it.
std::vector<std::unique_ptr<TraceTables::Group>> TraceTables::UnsymbolizedByDso(
    std::vector<FrameId>* frames) const {
  std::vector<size_t> end_of(dsos_.size());
  const auto for_each = [&](auto visit) {
    for (FrameId i = first_unsymbolized_; i < this->frames().size(); ++i) {
      if (lines_of_[i].count == 0) visit(i, &end_of[this->frames()[i].dso]);
    }
  };
  for_each([](FrameId, size_t* count) { ++*count; });
  size_t total = 0;
  for (size_t& end : end_of) total += std::exchange(end, total);
  frames->resize(total);
  for_each([&](FrameId frame, size_t* end) { (*frames)[(*end)++] = frame; });

  std::vector<std::unique_ptr<Group>> groups;
  size_t begin = 0;
  for (DsoId dso = 0; dso < dsos_.size(); ++dso) {
    if (end_of[dso] == begin) continue;
    groups.push_back(std::make_unique<Group>());
    groups.back()->dso = dso;
    groups.back()->frames =
        absl::MakeConstSpan(*frames).subspan(begin, end_of[dso] - begin);
    begin = end_of[dso];
  }
  // By first frame: the order of functions follows from that of frames, so that
  // a profile's code gets the same order when it is symbolized later.
  std::sort(groups.begin(), groups.end(), [](const auto& a, const auto& b) {
    return a->frames.front() < b->frames.front();
  });
  return groups;
}

// Symbolizes the frames of a group. Writes only to entries of these frames and
// of their DSO, so that several threads may process different groups.
void TraceTables::Symbolize(Group* group) {
  std::vector<Keyed<FrameId>> by_address, scratch;
  by_address.reserve(group->frames.size());
  for (FrameId frame : group->frames) {
    by_address.push_back({frames()[frame].address, frame});
  }
  RadixSort(&by_address, &scratch);
  std::vector<uint64_t> addresses;
  addresses.reserve(by_address.size());
  for (const auto& item : by_address) addresses.push_back(item.key);

  std::vector<Line>& lines = lines_[group->dso];
  group->first_line = lines.size();
  constexpr size_t kAhead = 16;
  symbolizer_->Resolve(
      dsos_[group->dso], addresses,
      [&](size_t i, absl::Span<const Symbol> symbols) {
        if (i + kAhead < by_address.size()) {
          PrefetchForWriting(&lines_of_[by_address[i + kAhead].value]);
        }
        lines_of_[by_address[i].value] = group->names.Add(symbols, &lines);
      });
  group->names.Finish();
}

// Replaces the group's function indexes, in the lines that Symbolize added, by
// FunctionIds.
void TraceTables::InternSymbols(const Group& group) {
  const SymbolizedFrames& names = group.names;
  // Ids of the group's strings in the shared table, by the group's own ids; set
  // on first use.
  std::vector<StringId> shared(names.strings().size(), kNoId);
  const auto string = [&](StringId id) {
    if (shared[id] == kNoId) shared[id] = strings.Intern(names.strings()[id]);
    return shared[id];
  };
  std::vector<FunctionId> ids;
  ids.reserve(names.functions().size());
  for (const Function& f : names.functions()) {
    ids.push_back(InternFunction({string(f.name), string(f.system_name),
                                  string(f.file), f.start_line, false}));
  }
  std::vector<Line>& lines = lines_[group.dso];
  for (size_t i = group.first_line; i < lines.size(); ++i) {
    lines[i].function = ids[lines[i].function];
  }
  if (names.frame_count() == group.frames.size()) return;
  for (FrameId frame : group.frames) {
    if (lines_of_[frame].count == 0) SetPlaceholder(frame);
  }
}

std::string PlaceholderName(const Dso& dso) {
  absl::string_view name = dso.name;
  if (name.empty()) return "[unknown]";
  if (name.front() == '[') return std::string(name);
  if (size_t slash = name.rfind('/'); slash != name.npos) {
    name.remove_prefix(slash + 1);
  }
  return absl::StrCat("[", name, "]");
}

}  // namespace perf2x
