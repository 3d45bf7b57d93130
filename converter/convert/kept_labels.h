// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CONVERT_KEPT_LABELS_H_
#define PERF2X_CONVERT_KEPT_LABELS_H_

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_split.h"
#include "converter/profile_source/profile.h"

namespace perf2x {

// The labels of a profile that the user wants to keep: all, unless --labels was
// given.
class KeptLabels {
 public:
  // Reads "labels" and "branches" from the option values of the pprof format,
  // which must be valid. Fails with FailedPrecondition if --branches was given:
  // profiles have no branches. --labels none keeps no label.
  static absl::StatusOr<KeptLabels> FromOptions(
      const std::map<std::string, std::string>& options) {
    KeptLabels kept;
    const auto branches = options.find("branches");
    if (branches != options.end() && branches->second == "true") {
      return absl::FailedPreconditionError(
          "--branches is for recordings: a pprof profile has no branches");
    }
    const auto labels = options.find("labels");
    if (labels != options.end()) {
      kept.names_.emplace(absl::StrSplit(labels->second, ','));
    }
    return kept;
  }

  // Removes the labels that are not kept from `*sample`, a decoded sample of
  // `profile`.
  void Apply(const Profile& profile, ProfileSample* sample) const {
    if (!names_.has_value()) return;
    auto& labels = sample->labels;
    labels.erase(
        std::remove_if(labels.begin(), labels.end(),
                       [&](const ProfileSample::Label& label) {
                         return std::find(names_->begin(), names_->end(),
                                          profile[label.key]) == names_->end();
                       }),
        labels.end());
  }

 private:
  std::optional<std::vector<std::string>> names_;  // absent: all
};

}  // namespace perf2x

#endif  // PERF2X_CONVERT_KEPT_LABELS_H_
