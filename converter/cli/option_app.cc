// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/option_app.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace perf2x {
namespace {

// Returns true if `word` may be `name`, or have it among its letters ("-qv").
bool MayName(absl::string_view word, absl::string_view name) {
  if (!absl::StartsWith(name, "-") || absl::StartsWith(name, "--")) {
    return word.substr(0, word.find('=')) == name;
  }
  return absl::StartsWith(word, "-") && !absl::StartsWith(word, "--") &&
         absl::StrContains(word, name.substr(1));
}

}  // namespace

bool OptionApp::Names(absl::string_view names) const {
  if (words_ == nullptr) return true;
  for (absl::string_view name : absl::StrSplit(names, ',')) {
    absl::ConsumePrefix(&name, "!");
    if (absl::ascii_isupper(static_cast<unsigned char>(name[0]))) return true;
    if (std::any_of(words_->begin(), words_->end(),
                    [&](const std::string& w) { return MayName(w, name); })) {
      return true;
    }
  }
  return false;
}

}  // namespace perf2x
