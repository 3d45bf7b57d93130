#include "converter/profile/tables.h"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <thread>

#include "absl/strings/str_cat.h"

namespace perf2x {

// The names found for some frames of one file, kept apart from the tables so
// that files can be named on several threads and interned in a fixed order.
class ProfileTables::Names {
 public:
  struct Found {
    uint32_t frame;  // index into the addresses that were asked for
    uint32_t first, count;
  };
  struct Entry {
    StringId name, system_name, file;
    uint32_t line, start_line;
    bool SameFunction(const Entry& other) const {
      return name == other.name && system_name == other.system_name &&
             file == other.file && start_line == other.start_line;
    }
  };

  void Add(size_t frame, absl::Span<const Symbol> symbols) {
    if (symbols.empty()) return;
    found_.push_back({static_cast<uint32_t>(frame),
                      static_cast<uint32_t>(entries_.size()),
                      static_cast<uint32_t>(symbols.size())});
    for (const Symbol& s : symbols) {
      entries_.push_back({Intern(s.name, &last_.name),
                          Intern(s.system_name, &last_.system_name),
                          Intern(s.file, &last_.file), s.line, s.start_line});
    }
  }
  const std::vector<Found>& found() const { return found_; }
  const std::vector<Entry>& entries() const { return entries_; }
  const StringTable& strings() const { return strings_; }

 private:
  // Frames come by address, so that the string is often that of the last.
  StringId Intern(absl::string_view s, StringId* last) {
    if (strings_[*last] != s) *last = strings_.Intern(s);
    return *last;
  }

  Entry last_{};
  StringTable strings_;
  std::vector<Found> found_;
  std::vector<Entry> entries_;
};

CodeFileId ProfileTables::AddFile(CodeFile file) {
  files_.push_back(std::move(file));
  placeholders_.emplace_back();
  return static_cast<CodeFileId>(files_.size() - 1);
}

MappingId ProfileTables::AddMapping(const Mapping& mapping) {
  mappings_.push_back(mapping);
  return static_cast<MappingId>(mappings_.size() - 1);
}

// With a million frames memory is all that this waits for, so what is needed
// some frames later is fetched ahead.
void ProfileTables::InternFrames(absl::Span<const FramePlace> places,
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

FunctionId ProfileTables::InternFunction(const Function& function) {
  auto [it, inserted] = function_ids_.try_emplace(
      function, static_cast<FunctionId>(functions_.size()));
  if (inserted) functions_.push_back(function);
  return it->second;
}

void ProfileTables::SetPlaceholder(FrameId frame) {
  const CodeFileId file = frames()[frame].file;
  LineRange& range = placeholders_[file];
  if (range.count == 0) {
    const StringId name = strings.Intern(PlaceholderName(files_[file]));
    range = {static_cast<uint32_t>(lines_.size()), 1};
    lines_.push_back({InternFunction({name, name, 0, 0, true}), 0});
  }
  lines_of_[frame] = range;
}

void ProfileTables::SetLines(FrameId frame, absl::Span<const Line> lines) {
  lines_of_[frame] = {static_cast<uint32_t>(lines_.size()),
                      static_cast<uint32_t>(lines.size())};
  lines_.insert(lines_.end(), lines.begin(), lines.end());
}

absl::Span<const Line> ProfileTables::Lines(FrameId frame) {
  lines_of_.resize(frames().size());
  if (lines_of_[frame].count == 0) {
    const Frame& f = frames()[frame];
    std::vector<Line> lines;
    if (symbolizer_ != nullptr) {
      symbolizer_->Resolve(
          files_[f.file], {&f.address, 1},
          [&](size_t, absl::Span<const Symbol> symbols) {
            for (const Symbol& s : symbols) {
              lines.push_back(
                  {InternFunction(
                       {strings.Intern(s.name), strings.Intern(s.system_name),
                        strings.Intern(s.file), s.start_line, false}),
                   s.line});
            }
          });
    }
    if (lines.empty()) {
      SetPlaceholder(frame);
    } else {
      SetLines(frame, lines);
    }
  }
  const LineRange& range = lines_of_[frame];
  return {&lines_[range.first], range.count};
}

void ProfileTables::NameAllFrames(int threads, bool more_to_come) {
  if (all_named_ == frames().size()) return;
  lines_of_.resize(frames().size());
  if (symbolizer_ == nullptr) {
    for (FrameId i = all_named_; i < frames().size(); ++i) {
      if (lines_of_[i].count == 0) SetPlaceholder(i);
    }
    all_named_ = frames().size();
    return;
  }
  // The nameless frames, grouped by file.
  struct Group {
    CodeFileId file = 0;
    size_t begin = 0, end = 0;  // in todo
    Names names;
  };
  std::vector<size_t> count_of(files_.size());
  for (FrameId i = all_named_; i < frames().size(); ++i) {
    if (lines_of_[i].count == 0) ++count_of[frames()[i].file];
  }
  std::vector<std::unique_ptr<Group>> groups;
  std::vector<size_t> next_of(files_.size());
  size_t total = 0;
  for (CodeFileId file = 0; file < files_.size(); ++file) {
    if (count_of[file] == 0) continue;
    groups.push_back(std::make_unique<Group>());
    groups.back()->file = file;
    groups.back()->begin = next_of[file] = total;
    groups.back()->end = total += count_of[file];
  }
  std::vector<FrameId> todo(total);
  for (FrameId i = all_named_; i < frames().size(); ++i) {
    if (lines_of_[i].count == 0) todo[next_of[frames()[i].file]++] = i;
  }

  // Largest first, so that the last one to end is a small one.
  std::vector<Group*> order;
  for (auto& group : groups) order.push_back(group.get());
  std::stable_sort(order.begin(), order.end(), [](Group* a, Group* b) {
    return a->end - a->begin > b->end - b->begin;
  });
  std::atomic<size_t> next{0};
  auto work = [&] {
    for (size_t i; (i = next.fetch_add(1)) < order.size();) {
      Group* g = order[i];
      std::vector<std::pair<uint64_t, FrameId>> sorted;
      sorted.reserve(g->end - g->begin);
      for (size_t t = g->begin; t < g->end; ++t) {
        sorted.emplace_back(frames()[todo[t]].address, todo[t]);
      }
      std::sort(sorted.begin(), sorted.end());
      std::vector<uint64_t> addresses(sorted.size());
      for (size_t s = 0; s < sorted.size(); ++s) {
        addresses[s] = sorted[s].first;
        todo[g->begin + s] = sorted[s].second;
      }
      std::vector<std::pair<uint64_t, FrameId>>().swap(sorted);
      symbolizer_->Resolve(files_[g->file], addresses,
                           [g](size_t at, absl::Span<const Symbol> symbols) {
                             g->names.Add(at, symbols);
                           });
      if (!more_to_come) symbolizer_->Release(files_[g->file]);
    }
  };
  std::vector<std::thread> helpers;
  const size_t wanted = std::min<size_t>(std::max(threads, 1), order.size());
  for (size_t i = 1; i < wanted; ++i) helpers.emplace_back(work);
  work();
  for (std::thread& t : helpers) t.join();

  std::vector<Line> lines;
  for (auto& group : groups) {
    // Strings of the group, by its own ids, in the shared table; on first use.
    std::vector<StringId> shared(group->names.strings().size(), kNoId);
    auto string = [&](StringId id) {
      if (shared[id] == kNoId) {
        shared[id] = strings.Intern(group->names.strings()[id]);
      }
      return shared[id];
    };
    Names::Entry last{};
    FunctionId last_function = kNoId;
    for (const Names::Found& found : group->names.found()) {
      lines.clear();
      for (uint32_t i = 0; i < found.count; ++i) {
        const Names::Entry& e = group->names.entries()[found.first + i];
        if (last_function == kNoId || !e.SameFunction(last)) {
          last = e;
          last_function = InternFunction({string(e.name), string(e.system_name),
                                          string(e.file), e.start_line, false});
        }
        lines.push_back({last_function, e.line});
      }
      SetLines(todo[group->begin + found.frame], lines);
    }
    for (size_t i = group->begin; i < group->end; ++i) {
      if (lines_of_[todo[i]].count == 0) SetPlaceholder(todo[i]);
    }
    group.reset();
  }
  all_named_ = frames().size();
}

std::string PlaceholderName(const CodeFile& file) {
  absl::string_view name = file.name;
  if (name.empty()) return "[unknown]";
  if (name.front() == '[') return std::string(name);
  if (size_t slash = name.rfind('/'); slash != name.npos) {
    name.remove_prefix(slash + 1);
  }
  return absl::StrCat("[", name, "]");
}

}  // namespace perf2x
