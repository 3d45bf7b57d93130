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

int32_t Int32(int64_t number) {
  return static_cast<int32_t>(
      std::clamp<int64_t>(number, std::numeric_limits<int32_t>::min(),
                          std::numeric_limits<int32_t>::max()));
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

ThreadId ProfileThreads::ThreadOf(const ProfileSample& sample) {
  Thread thread;
  thread.name = thread.process_name = kNoId;
  for (const ProfileSample::Label& label : sample.labels) {
    if (label.key == keys_[kProcess]) thread.process_name = NameOf(label.str);
    if (label.key == keys_[kThread]) thread.name = NameOf(label.str);
    if (label.key == keys_[kPid]) thread.pid = Int32(label.num);
    if (label.key == keys_[kTid]) thread.tid = Int32(label.num);
  }
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
  for (const ProfileSample::Label& label : sample.labels) {
    if (label.key == keys_[kCpu]) {
      to->cpu = Int32(label.num);
    } else if (label.key == keys_[kCpuMode]) {
      for (const auto& [name, mode] : kModes) {
        if (profile_[label.str] == name) to->mode = mode;
      }
    } else if (label.key == keys_[kTime]) {
      to->time = static_cast<uint64_t>(label.num);
    }
  }
}

bool ProfileThreads::SetField(const SampleField& field,
                              const ProfileSample::Label& label) {
  const auto at = std::lower_bound(kinds_.begin(), kinds_.end(), &field);
  if (at != kinds_.end() && *at == &field) return true;
  std::optional<absl::string_view> text;
  if (label.str != 0) text = profile_[label.str];
  auto value = ValueOf(field.kind, text, label.num);
  if (!value.has_value()) return false;
  if (auto* shown = std::get_if<absl::string_view>(&*value);
      shown != nullptr && shown->size() > kMaxText) {
    ++truncated_;
    cut_bytes_ += shown->size() - kMaxText;
    *shown = shown->substr(0, kMaxText);
  }
  fields_.insert(fields_.begin() + (at - kinds_.begin()), {field.name, *value});
  kinds_.insert(at, &field);
  return true;
}

bool ProfileThreads::SetTag(const SampleField& tag,
                            const ProfileSample::Label& label,
                            SampleTags* tags) {
  if (tag.kind == SampleField::Kind::kText) {
    if (label.str == 0) return false;
    StringId& text = tag.name == kState ? tags->state : tags->waker;
    if (text == 0) text = NameOf(label.str);
    return true;
  }
  if (label.str != 0 || label.num < 0 ||
      label.num > std::numeric_limits<uint32_t>::max()) {
    return false;
  }
  if (tags->parallelism == 0) {
    tags->parallelism = static_cast<uint32_t>(label.num);
  }
  return true;
}

void ProfileThreads::SetFields(const ProfileSample& sample, Sample* to) {
  fields_.clear();
  kinds_.clear();
  SampleTags tags;
  for (const ProfileSample::Label& label : sample.labels) {
    const auto it = field_of_key_.find(label.key);
    if (it == field_of_key_.end()) continue;
    const SampleField& field = *it->second;
    const bool fits =
        field.is_tag ? SetTag(field, label, &tags) : SetField(field, label);
    if (!fits) ++left_out_[field.name];
  }
  to->fields = fields_;
  to->tags = tables_.tags.Intern(tags);
}

void ProfileThreads::ReportSkipped(Diagnostics* diagnostics) const {
  for (const auto& [name, count] : left_out_) {
    diagnostics->Add(
        Diagnostics::Severity::kSkipped,
        absl::StrCat("label \"", name,
                     "\" of the profile with a value that is ",
                     FindSampleField(name)->kind == SampleField::Kind::kText
                         ? "no text"
                         : "no number"),
        0, 0, count);
  }
  if (truncated_ > 0) {
    diagnostics->Add(Diagnostics::Severity::kSkipped,
                     "text of a label of the profile truncated", 0, cut_bytes_,
                     truncated_);
  }
}

}  // namespace perf2x
