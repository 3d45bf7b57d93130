// SPDX-License-Identifier: Apache-2.0
#include "converter/profile_source/merged_header.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "converter/base/saturating_add.h"
#include "converter/profile_source/profile_events.h"

namespace perf2x {
namespace {

// Comments that state a fact about all of a profile, in the order in which the
// pprof emitter writes them.
constexpr absl::string_view kFacts[] = {
    "command: ", "host: ", "kernel: ", "cpu: ", "perf: "};

size_t RankOfFact(absl::string_view comment) {
  return static_cast<size_t>(std::find_if(std::begin(kFacts), std::end(kFacts),
                                          [&](absl::string_view prefix) {
                                            return absl::StartsWith(comment,
                                                                    prefix);
                                          }) -
                             std::begin(kFacts));
}
bool IsFact(absl::string_view comment) {
  return RankOfFact(comment) < std::size(kFacts);
}

// Splits "184 samples lost" into 184 and " samples lost". Returns false for
// text that does not begin with a number as perf2x writes it.
bool SplitNumber(absl::string_view text, uint64_t* number,
                 absl::string_view* rest) {
  const size_t end = text.find_first_not_of("0123456789");
  if (end == 0 || end == text.npos || text[0] == '0' || text[end] != ' ') {
    return false;
  }
  *rest = text.substr(end);
  return absl::SimpleAtoi(text.substr(0, end), number);
}

// Keeps `*all` if the profiles agree, else empties it.
void KeepIfEqual(bool is_first, absl::string_view one, std::string* all) {
  if (is_first) {
    *all = std::string(one);
  } else if (*all != one) {
    all->clear();
  }
}

// Returns `stated` or, if that is empty, the name of the last type that has
// one: a merged profile can state no type without a name. Empty if none has.
std::string DefaultOf(const std::string& stated,
                      const std::vector<MergedHeader::Type>& types) {
  if (!stated.empty()) return stated;
  const auto named = std::find_if(
      types.rbegin(), types.rend(),
      [](const MergedHeader::Type& type) { return !type.type.empty(); });
  return named == types.rend() ? "" : named->type;
}

// Returns the first name in alphabetical order; empty only if both are.
std::string FirstName(const std::string& a, const std::string& b) {
  if (a.empty() || b.empty()) return a.empty() ? b : a;
  return std::min(a, b);
}

using Type = MergedHeader::Type;
using InPair = MergedHeader::InPair;

// Returns what each value type is of an event that is called as a count.
std::vector<InPair> PairsOf(const Profile& profile) {
  std::vector<InPair> pairs(profile.sample_types.size(), InPair::kNone);
  const auto counted_by = [&profile](size_t i) {
    const Profile::ValueType& type = profile.sample_types[i];
    return CountedByName(profile[type.type], profile[type.unit]);
  };
  for (size_t i = 1; i < pairs.size(); ++i) {
    if (counted_by(i).empty() || pairs[i - 1] != InPair::kNone ||
        counted_by(i - 1) != profile[profile.sample_types[i].type]) {
      continue;
    }
    pairs[i - 1] = InPair::kCount;
    pairs[i] = InPair::kCounted;
  }
  return pairs;
}

// The type that counts nothing because of its place.
Type ByItself(const Type& type) {
  return {.type = type.type, .unit = type.unit};
}

// Only one type can stand before another one: the first by name.
void KeepOneCountOfEach(std::set<Type>* types) {
  std::map<decltype(Type::counted), Type> first;
  for (const Type& type : *types) {
    if (type.counted.has_value()) first.emplace(type.counted, type);
  }
  for (auto it = types->begin(); it != types->end();) {
    const Type type = *it;
    const bool keep = !type.counted.has_value() || first[type.counted] == type;
    if (keep) {
      ++it;
      continue;
    }
    it = types->erase(it);
    types->insert(ByItself(type));
  }
}

// Orders types by the name of what they count or are, with counts first. Those
// that count nothing known come last, where no type follows that they would
// count because of their place.
class TypeOrder {
 public:
  explicit TypeOrder(const std::set<Type>& types) {
    for (const Type& type : types) {
      if (type.unit != "count") measures_.insert(type.type);
    }
  }
  bool operator()(const Type& a, const Type& b) const {
    return KeyOf(a) < KeyOf(b);
  }

 private:
  using Key = std::tuple<bool, absl::string_view, uint32_t, bool, InPair,
                         absl::string_view, bool, absl::string_view>;
  Key KeyOf(const Type& type) const {
    if (type.counted.has_value()) {
      const auto& [name, unit, nth] = *type.counted;
      return {false, name, nth, true, InPair::kNone, unit, false, type.type};
    }
    const absl::string_view name = CountedByName(type.type, type.unit);
    const bool is_count = !name.empty() && type.in_pair != InPair::kCounted;
    const bool last =
        type.unit == "count" && !(is_count && type.in_pair == InPair::kNone &&
                                  measures_.contains(name));
    return {last,         is_count ? name : type.type,
            type.nth,     !is_count,
            type.in_pair, type.unit,
            true,         type.type};
  }

  std::set<std::string, std::less<>> measures_;  // names
};

}  // namespace

std::vector<MergedHeader::Type> MergedHeader::TypesOf(const Profile& profile) {
  std::vector<Type> types;
  std::map<std::tuple<absl::string_view, absl::string_view, InPair>, uint32_t>
      seen;
  const std::vector<InPair> in_pair = PairsOf(profile);
  const auto key = [&](size_t i) {
    const Profile::ValueType& type = profile.sample_types[i];
    return std::tuple(profile[type.type], profile[type.unit], in_pair[i]);
  };
  for (size_t i = 0; i < profile.sample_types.size(); ++i) {
    const auto of_type = key(i);
    Type& type = types.emplace_back();
    type.type = std::string(std::get<0>(of_type));
    type.unit = std::string(std::get<1>(of_type));
    type.in_pair = in_pair[i];
    if (CountsNext(profile, i)) {
      const auto next = key(i + 1);
      type.counted.emplace(std::get<0>(next), std::get<1>(next), seen[next]);
    } else {
      type.nth = seen[of_type]++;
    }
  }
  return types;
}

size_t MergedHeader::IndexOf(const Type& type) const {
  auto at = std::find(types_.begin(), types_.end(), type);
  if (at == types_.end()) {
    at = std::find(types_.begin(), types_.end(), ByItself(type));
  }
  return static_cast<size_t>(at - types_.begin());
}

void MergedHeader::Add(const Profile& profile) {
  const bool is_first = profiles_++ == 0;
  AddTypes(profile);
  AddPeriod(profile);
  AddComments(profile);
  if (profile.time_nanos != 0 &&
      (time_nanos_ == 0 || profile.time_nanos < time_nanos_)) {
    time_nanos_ = profile.time_nanos;
  }
  // A negative duration is none, so that the order of profiles does not matter.
  duration_nanos_ =
      AddValues(duration_nanos_, std::max<int64_t>(profile.duration_nanos, 0));
  KeepIfEqual(is_first, profile[profile.drop_frames], &drop_frames_);
  KeepIfEqual(is_first, profile[profile.keep_frames], &keep_frames_);
  KeepIfEqual(is_first, profile[profile.doc_url], &doc_url_);
}

// Equal lists keep their order; all types of different lists are sorted.
void MergedHeader::AddTypes(const Profile& profile) {
  const std::vector<Type> types = TypesOf(profile);
  const std::string default_type(profile[profile.default_sample_type]);
  if (profiles_ == 1) {
    types_ = types;
    default_type_ = default_type;
    return;
  }
  if (types == types_ && default_type == default_type_) return;
  default_type_ = FirstName(DefaultOf(default_type_, types_),
                            DefaultOf(default_type, types));
  std::set<Type> all(types_.begin(), types_.end());
  all.insert(types.begin(), types.end());
  KeepOneCountOfEach(&all);
  types_.assign(all.begin(), all.end());
  std::sort(types_.begin(), types_.end(), TypeOrder(all));
}

// The least period type, with the largest period that goes with it.
void MergedHeader::AddPeriod(const Profile& profile) {
  if (!profile.period_type.has_value()) return;
  const Profile::ValueType& of_one = *profile.period_type;
  const std::pair<std::string, std::string> type = {
      std::string(profile[of_one.type]), std::string(profile[of_one.unit])};
  if (!period_type_.has_value() || type < *period_type_) {
    period_type_ = type;
    period_ = profile.period;
  } else if (type == *period_type_) {
    period_ = std::max(period_, profile.period);
  }
}

void MergedHeader::AddComments(const Profile& profile) {
  std::set<std::string> facts;
  for (const StringIndex comment : profile.comments) {
    const absl::string_view text = profile[comment];
    uint64_t number = 0;
    absl::string_view rest;
    if (IsFact(text)) {
      facts.emplace(text);
    } else if (SplitNumber(text, &number, &rest)) {
      uint64_t& sum = numbers_[std::string(rest)];
      sum = SaturatingAdd(sum, number);
    } else {
      remarks_.emplace(text);
    }
  }
  if (profiles_ == 1) {
    facts_ = std::move(facts);
    return;
  }
  std::set<std::string> common;
  std::set_intersection(facts.begin(), facts.end(), facts_.begin(),
                        facts_.end(), std::inserter(common, common.end()));
  facts_ = std::move(common);
}

std::vector<std::string> MergedHeader::Comments() const {
  std::vector<std::string> comments(facts_.begin(), facts_.end());
  std::stable_sort(comments.begin(), comments.end(),
                   [](const std::string& a, const std::string& b) {
                     return RankOfFact(a) < RankOfFact(b);
                   });
  for (const auto& [rest, sum] : numbers_) {
    comments.push_back(absl::StrCat(sum, rest));
  }
  comments.insert(comments.end(), remarks_.begin(), remarks_.end());
  return comments;
}

}  // namespace perf2x
