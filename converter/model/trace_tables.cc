#include "converter/model/trace_tables.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "converter/base/try_thread.h"

namespace perf2x {

uint64_t TraceTables::memory() const {
  // A file's key is kept beside it, and a name that stands for its code.
  constexpr uint64_t kOfFile = 512, kOfMapping = 96;
  constexpr uint64_t kOfFrame = 96, kOfThread = 384;
  return strings.memory() + stacks.memory() + file_bytes_ +
         files_.size() * kOfFile + mappings_.size() * kOfMapping +
         frames().size() * kOfFrame + threads.size() * kOfThread;
}

DsoId TraceTables::AddFile(Dso file) {
  file_bytes_ += 3 * file.name.size();
  files_.push_back(std::move(file));
  placeholders_.emplace_back();
  lines_.emplace_back();
  return static_cast<DsoId>(files_.size() - 1);
}

MappingId TraceTables::AddMapping(const Mapping& mapping) {
  mappings_.push_back(mapping);
  return static_cast<MappingId>(mappings_.size() - 1);
}

// With a million frames memory is all that this waits for, so what is needed
// some frames later is fetched ahead.
void TraceTables::InternFrames(absl::Span<const FramePlace> places,
                               std::vector<FrameId>* frames) {
  constexpr size_t kAhead = 16;
  for (size_t i = 0; i < std::min(kAhead, places.size()); ++i) {
    frames_.Prefetch(places[i].hash);
  }
  frames->resize(places.size());
  for (size_t i = 0; i < places.size(); ++i) {
    if (i + kAhead < places.size()) frames_.Prefetch(places[i + kAhead].hash);
    const FramePlace& place = places[i];
    (*frames)[i] =
        frames_.Intern(place.hash, place.file, place.mapping, place.address);
  }
}

FunctionId TraceTables::InternFunction(const Function& function) {
  auto [it, inserted] = function_ids_.try_emplace(
      function, static_cast<FunctionId>(functions_.size()));
  if (inserted) functions_.push_back(function);
  return it->second;
}

void TraceTables::SetPlaceholder(FrameId frame) {
  const DsoId file = frames()[frame].file;
  LineRange& range = placeholders_[file];
  if (range.count == 0) {
    const StringId name = strings.Intern(PlaceholderName(files_[file]));
    range = {static_cast<uint32_t>(lines_[file].size()), 1};
    lines_[file].push_back({InternFunction({name, name, 0, 0, true}), 0});
  }
  lines_of_[frame] = range;
}

absl::Span<const Line> TraceTables::Lines(FrameId frame) {
  lines_of_.resize(frames().size());
  const Frame& f = frames()[frame];
  std::vector<Line>& lines = lines_[f.file];
  LineRange& range = lines_of_[frame];
  if (range.count == 0 && symbolizer_ != nullptr) {
    const size_t first = lines.size();
    symbolizer_->Resolve(
        files_[f.file], {&f.address, 1},
        [&](size_t, absl::Span<const Symbol> symbols) {
          for (const Symbol& s : symbols) {
            lines.push_back(
                {InternFunction({strings.Intern(s.name),
                                 strings.Intern(s.system_name),
                                 strings.Intern(s.file), s.start_line, false}),
                 s.line});
          }
        });
    range = {static_cast<uint32_t>(first),
             static_cast<uint32_t>(lines.size() - first)};
  }
  if (range.count == 0) SetPlaceholder(frame);
  return absl::MakeConstSpan(lines).subspan(range.first, range.count);
}

void TraceTables::SymbolizeAllFrames(int max_threads, bool more_to_come) {
  lines_of_.resize(frames().size());
  if (symbolizer_ == nullptr) {
    for (FrameId i = all_named_; i < frames().size(); ++i) {
      if (lines_of_[i].count == 0) SetPlaceholder(i);
    }
    all_named_ = static_cast<FrameId>(frames().size());
    return;
  }
  std::vector<FrameId> nameless;
  std::vector<std::unique_ptr<Group>> groups = UnsymbolizedByDso(&nameless);
  all_named_ = static_cast<FrameId>(frames().size());

  // Largest first, so that the last one to end is a small one.
  std::vector<Group*> order;
  for (const auto& group : groups) order.push_back(group.get());
  std::stable_sort(order.begin(), order.end(), [](Group* a, Group* b) {
    return a->frames.size() > b->frames.size();
  });
  std::atomic<size_t> next{0};
  const auto find_next = [&](SortSpace* space) {
    const size_t i = next.fetch_add(1);
    if (i >= order.size()) return false;
    Symbolize(order[i], space);
    if (!more_to_come) symbolizer_->Release(files_[order[i]->file]);
    order[i]->found = true;
    return true;
  };
  std::vector<std::thread> helpers;
  const size_t wanted =
      std::min<size_t>(std::max(max_threads, 1), order.size());
  for (size_t i = 1; i < wanted; ++i) {
    helpers.push_back(TryThread([&] {
      for (SortSpace space; find_next(&space);) {
      }
    }));
    if (helpers.back().joinable()) continue;
    helpers.pop_back();
    break;
  }
  // This thread interns what was found, in order, as soon as it can.
  size_t interned = 0;
  const auto intern_found = [&] {
    for (; interned < groups.size() && groups[interned]->found; ++interned) {
      InternSymbols(*groups[interned]);
      groups[interned].reset();
    }
  };
  for (SortSpace space; find_next(&space);) intern_found();
  for (std::thread& t : helpers) t.join();
  intern_found();
}

// Fills `*frames` with those that have no name yet, file by file.
std::vector<std::unique_ptr<TraceTables::Group>> TraceTables::UnsymbolizedByDso(
    std::vector<FrameId>* frames) const {
  std::vector<size_t> end_of(files_.size());
  const auto for_each = [&](auto visit) {
    for (FrameId i = all_named_; i < this->frames().size(); ++i) {
      if (lines_of_[i].count == 0) visit(i, &end_of[this->frames()[i].file]);
    }
  };
  for_each([](FrameId, size_t* count) { ++*count; });
  size_t total = 0;
  for (size_t& end : end_of) total += std::exchange(end, total);
  frames->resize(total);
  for_each([&](FrameId frame, size_t* end) { (*frames)[(*end)++] = frame; });

  std::vector<std::unique_ptr<Group>> groups;
  size_t begin = 0;
  for (DsoId file = 0; file < files_.size(); ++file) {
    if (end_of[file] == begin) continue;
    groups.push_back(std::make_unique<Group>());
    groups.back()->file = file;
    groups.back()->frames =
        absl::MakeConstSpan(*frames).subspan(begin, end_of[file] - begin);
    begin = end_of[file];
  }
  return groups;
}

// Asks for the names of a group's frames. What this writes is only of these
// frames and of their file, so that threads may do it for different groups.
void TraceTables::Symbolize(Group* group, SortSpace* space) {
  space->items.clear();
  for (FrameId frame : group->frames) {
    space->items.push_back({frames()[frame].address, frame});
  }
  RadixSort(&space->items, &space->other_items);
  space->addresses.clear();
  for (const auto& item : space->items) space->addresses.push_back(item.key);

  std::vector<Line>& lines = lines_[group->file];
  group->first_line = lines.size();
  symbolizer_->Resolve(files_[group->file], space->addresses,
                       [&](size_t i, absl::Span<const Symbol> symbols) {
                         lines_of_[space->items[i].value] =
                             group->names.Add(symbols, &lines);
                       });
  group->names.Finish();
}

// Replaces, in the lines that Symbolize added, its numbers of functions by ids.
void TraceTables::InternSymbols(const Group& group) {
  const SymbolizedFrames& names = group.names;
  // Strings of the group, by its own ids, in the shared table; on first use.
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
  std::vector<Line>& lines = lines_[group.file];
  for (size_t i = group.first_line; i < lines.size(); ++i) {
    lines[i].function = ids[lines[i].function];
  }
  if (names.frames() == group.frames.size()) return;
  for (FrameId frame : group.frames) {
    if (lines_of_[frame].count == 0) SetPlaceholder(frame);
  }
}

std::string PlaceholderName(const Dso& file) {
  absl::string_view name = file.name;
  if (name.empty()) return "[unknown]";
  if (name.front() == '[') return std::string(name);
  if (size_t slash = name.rfind('/'); slash != name.npos) {
    name.remove_prefix(slash + 1);
  }
  return absl::StrCat("[", name, "]");
}

}  // namespace perf2x
