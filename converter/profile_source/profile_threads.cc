// SPDX-License-Identifier: Apache-2.0
#include "converter/profile_source/profile_threads.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "converter/base/truncate_name.h"
#include "converter/model/sample_field.h"

namespace perf2x {
namespace {

constexpr absl::string_view kKeyNames[] = {
    "process", "pid", "thread", "tid", "cpu", "cpumode", "time"};
constexpr std::pair<absl::string_view, CpuMode> kModes[] = {
    {"user", CpuMode::kUser},
    {"kernel", CpuMode::kKernel},
    {"hypervisor", CpuMode::kHypervisor},
    {"guest kernel", CpuMode::kGuestKernel},
    {"guest user", CpuMode::kGuestUser},
};

int32_t Int32(int64_t number) {
  return static_cast<int32_t>(
      std::clamp<int64_t>(number, std::numeric_limits<int32_t>::min(),
                          std::numeric_limits<int32_t>::max()));
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

void ProfileThreads::SetLabels(const ProfileSample& sample, Sample* to) {
  fields_.clear();
  for (const ProfileSample::Label& label : sample.labels) {
    if (label.key == keys_[kCpu]) {
      to->cpu = Int32(label.num);
    } else if (label.key == keys_[kCpuMode]) {
      for (const auto& [name, mode] : kModes) {
        if (profile_[label.str] == name) to->mode = mode;
      }
    } else if (label.key == keys_[kTime]) {
      to->time = static_cast<uint64_t>(label.num);
    } else if (const absl::string_view key = profile_[label.key];
               FindSampleField(key) != nullptr) {
      Field& field = fields_.emplace_back();
      field.name = key;
      if (label.str != 0) {
        field.value = profile_[label.str];
      } else {
        field.value = label.num;
      }
    }
  }
  to->fields = fields_;
}

}  // namespace perf2x
