// SPDX-License-Identifier: Apache-2.0
#include "converter/profile_source/profile_threads.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <variant>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "converter/base/truncate_name.h"

namespace perf2x {
namespace {

constexpr absl::string_view kKeyNames[] = {
    "process", "pid", "thread", "tid", "cpu", "cpumode", "time"};
constexpr absl::string_view kState = "state";  // the other text is "waker"

// What may be wrong with a label, as a part of the message.
constexpr absl::string_view kNoText = "with a value that is no text";
constexpr absl::string_view kNoNumber = "with a value that is no number";
constexpr absl::string_view kOutOfRange = "with a value that is out of range";
constexpr absl::string_view kUnknownMode = "with a mode that is not known";
constexpr absl::string_view kOtherUnit =
    "with a value that is not in nanoseconds";
constexpr absl::string_view kRepeated = "that its sample has already";

constexpr std::pair<absl::string_view, CpuMode> kModes[] = {
    {"user", CpuMode::kUser},
    {"kernel", CpuMode::kKernel},
    {"hypervisor", CpuMode::kHypervisor},
    {"guest kernel", CpuMode::kGuestKernel},
    {"guest user", CpuMode::kGuestUser},
};

// Sizes of the longest numbers of 64 bits: any number of labels can have one
// long text.
constexpr size_t kMaxDecimal = 20, kMaxHex = 2 + 16;
// Emitters write such a text for every sample.
constexpr size_t kMaxText = 4096;

const CpuMode* FindMode(absl::string_view name) {
  for (const auto& [of, mode] : kModes) {
    if (of == name) return &mode;
  }
  return nullptr;
}

// Returns the value of a label as one of a field of this kind, the reverse of
// what docs/pprof.md says; nullopt if it is not. `text` is absent for a number.
std::optional<decltype(Field::value)> ValueOf(
    SampleField::Kind kind, std::optional<absl::string_view> text,
    int64_t number) {
  uint64_t value = static_cast<uint64_t>(number);
  switch (kind) {
    case SampleField::Kind::kNumber:
      if (text.has_value() &&
          (text->size() > kMaxDecimal || !absl::SimpleAtoi(*text, &value))) {
        break;
      }
      return value;
    case SampleField::Kind::kHex:
    case SampleField::Kind::kAddress:
      if (text.has_value() &&
          (text->size() > kMaxHex || !absl::StartsWith(*text, "0x") ||
           !absl::SimpleHexAtoi(*text, &value))) {
        break;
      }
      return Field::Hex{value};
    case SampleField::Kind::kText:
    case SampleField::Kind::kList:
      if (text.has_value()) return *text;
      return number;
  }
  return std::nullopt;
}

}  // namespace

ProfileThreads::ProfileThreads(const Profile& profile, TraceTables& tables)
    : profile_(profile),
      tables_(tables),
      names_(profile.strings.size(), kNoId) {
  std::fill(std::begin(keys_), std::end(keys_), kNoId);
  for (StringIndex i = 0; i < profile.strings.size(); ++i) {
    const auto key =
        std::find(std::begin(kKeyNames), std::end(kKeyNames), profile[i]);
    if (key != std::end(kKeyNames)) keys_[key - std::begin(kKeyNames)] = i;
    if (const SampleField* field = FindSampleField(profile[i])) {
      field_of_key_[i] = field;
    }
  }
  absl::string_view name =
      profile.mappings.empty() ? "" : profile[profile.mappings[0].filename];
  name.remove_prefix(name.rfind('/') + 1);
  if (name.empty()) name = "profile";
  main_name_ = tables.strings.Intern(name.substr(0, kMaxThreadNameSize));
}

StringId ProfileThreads::NameOf(StringIndex s) {
  StringId& name = names_[s];
  if (name == kNoId) {
    name = tables_.strings.Intern(profile_[s].substr(0, kMaxThreadNameSize));
  }
  return name;
}

ProfileThreads::Key ProfileThreads::KeyOf(const Label& label) const {
  const auto at = std::find(std::begin(keys_), std::end(keys_), label.key);
  return static_cast<Key>(at - std::begin(keys_));
}

absl::string_view ProfileThreads::FaultOf(Key key, const Label& label) const {
  const absl::string_view text = profile_[label.str];
  if (key == kProcess || key == kThread) return label.str == 0 ? kNoText : "";
  if (key == kCpuMode) {
    if (label.str == 0) return kNoText;
    return FindMode(text) == nullptr ? kUnknownMode : "";
  }
  int64_t number = label.num;
  if (label.str != 0 &&
      (text.size() > kMaxDecimal || !absl::SimpleAtoi(text, &number))) {
    return kNoNumber;
  }
  if (key == kTime) {
    const absl::string_view unit = profile_[label.num_unit];
    return unit.empty() || unit == "nanoseconds" || unit == "time" ? ""
                                                                   : kOtherUnit;
  }
  using Limits = std::numeric_limits<int32_t>;
  const int64_t least = key == kCpu ? 0 : Limits::min();
  return number < least || number > Limits::max() ? kOutOfRange : "";
}

int64_t ProfileThreads::NumberOf(const Label& label) const {
  int64_t number = label.num;
  if (label.str != 0) (void)absl::SimpleAtoi(profile_[label.str], &number);
  return number;
}

ProfileThreads::KeyLabels ProfileThreads::LabelsOf(
    const ProfileSample& sample) const {
  KeyLabels found = {};
  for (const Label& label : sample.labels) {
    const Key key = KeyOf(label);
    if (key == kKeys || found[key] != nullptr) continue;
    if (FaultOf(key, label).empty()) found[key] = &label;
  }
  return found;
}

ThreadId ProfileThreads::ThreadOf(const ProfileSample& sample) {
  const KeyLabels labels = LabelsOf(sample);
  Thread thread;
  const auto name = [&](Key key) {
    return labels[key] == nullptr ? kNoId : NameOf(labels[key]->str);
  };
  const auto number = [&](Key key) {
    return labels[key] == nullptr
               ? 0
               : static_cast<int32_t>(NumberOf(*labels[key]));
  };
  thread.pid = number(kPid);
  thread.tid = number(kTid);
  thread.process_name = name(kProcess);
  thread.name = name(kThread);
  if (thread.process_name == kNoId) {
    thread.process_name = thread.name == kNoId ? main_name_ : thread.name;
  }
  if (thread.name == kNoId) thread.name = thread.process_name;
  const auto [it, inserted] = threads_.try_emplace(
      {thread.pid, thread.tid, thread.process_name, thread.name},
      static_cast<ThreadId>(tables_.threads.size()));
  if (inserted) tables_.threads.push_back(thread);
  return it->second;
}

void ProfileThreads::SetCpuAndTime(const ProfileSample& sample,
                                   Sample* to) const {
  const KeyLabels labels = LabelsOf(sample);
  if (const Label* cpu = labels[kCpu]) {
    to->cpu = static_cast<int32_t>(NumberOf(*cpu));
  }
  if (const Label* mode = labels[kCpuMode]) {
    to->mode = *FindMode(profile_[mode->str]);
  }
  if (const Label* time = labels[kTime]) {
    to->time = static_cast<uint64_t>(NumberOf(*time));
  }
}

absl::string_view ProfileThreads::SetField(const SampleField& field,
                                           const Label& label) {
  const auto at = std::lower_bound(kinds_.begin(), kinds_.end(), &field);
  if (at != kinds_.end() && *at == &field) return kRepeated;
  std::optional<absl::string_view> text;
  if (label.str != 0) text = profile_[label.str];
  auto value = ValueOf(field.kind, text, label.num);
  if (!value.has_value()) return kNoNumber;
  if (auto* shown = std::get_if<absl::string_view>(&*value);
      shown != nullptr && shown->size() > kMaxText) {
    ++truncated_;
    cut_bytes_ += shown->size() - kMaxText;
    *shown = shown->substr(0, kMaxText);
  }
  fields_.insert(fields_.begin() + (at - kinds_.begin()), {field.name, *value});
  kinds_.insert(at, &field);
  return "";
}

absl::string_view ProfileThreads::SetTag(const SampleField& tag,
                                         const Label& label, SampleTags* tags) {
  if (tag.kind == SampleField::Kind::kText) {
    if (label.str == 0) return kNoText;
    StringId& text = tag.name == kState ? tags->state : tags->waker;
    if (text != 0) return kRepeated;
    text = NameOf(label.str);
    return "";
  }
  if (label.str != 0) return kNoNumber;
  if (label.num < 0 || label.num > std::numeric_limits<uint32_t>::max()) {
    return kOutOfRange;
  }
  if (tags->parallelism != 0) return kRepeated;
  tags->parallelism = static_cast<uint32_t>(label.num);
  return "";
}

void ProfileThreads::SetFields(const ProfileSample& sample, Sample* to) {
  fields_.clear();
  kinds_.clear();
  SampleTags tags;
  std::array<bool, kKeys> seen = {};
  for (const Label& label : sample.labels) {
    absl::string_view fault;
    if (const Key key = KeyOf(label); key != kKeys) {
      fault = FaultOf(key, label);
      if (fault.empty() && std::exchange(seen[key], true)) fault = kRepeated;
    } else if (const auto it = field_of_key_.find(label.key);
               it != field_of_key_.end()) {
      const SampleField& field = *it->second;
      fault =
          field.is_tag ? SetTag(field, label, &tags) : SetField(field, label);
    }
    if (!fault.empty()) ++left_out_[{profile_[label.key], fault}];
  }
  to->fields = fields_;
  to->tags = tables_.tags.Intern(tags);
}

void ProfileThreads::ReportSkipped(Diagnostics* diagnostics) const {
  for (const auto& [label, count] : left_out_) {
    diagnostics->Add(Diagnostics::Severity::kSkipped,
                     absl::StrCat("label \"", label.first, "\" of the profile ",
                                  label.second),
                     0, 0, count);
  }
  if (truncated_ > 0) {
    diagnostics->Add(Diagnostics::Severity::kSkipped,
                     "text of a label of the profile truncated", 0, cut_bytes_,
                     truncated_);
  }
}

}  // namespace perf2x
