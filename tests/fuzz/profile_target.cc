// SPDX-License-Identifier: Apache-2.0

// pprof profiles: read, written again, merged, and converted to a format that
// shows them.

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "converter/convert/convert.h"
#include "converter/emit/registry.h"
#include "converter/profile_source/merged_profile.h"
#include "converter/profile_source/profile_encoder.h"
#include "converter/profile_source/profile_reader.h"
#include "tests/fuzz/slow_source.h"
#include "tests/fuzz/targets.h"

namespace perf2x {
namespace {

FuzzInput BytesIn(const std::string& s) {
  return {reinterpret_cast<const uint8_t*>(s.data()), s.size()};
}

absl::StatusOr<Profile> Read(FuzzInput bytes) {
  Budget budget;
  uint64_t size = 0;
  return ReadProfile(*InSteps(bytes), budget, &size);
}

absl::Status Rewrite(FuzzInput bytes, std::string* out) {
  auto profile = Read(bytes);
  if (!profile.ok()) return profile.status();
  const auto output = MakeStringOutput(out);
  return WriteProfile(
      *profile, [](ProfileSample*) { return true; }, *output);
}

// Sums do not depend on their order only if values are not negative.
bool WithoutNegative(ProfileSample* sample) {
  for (int64_t& value : sample->values) value = std::max<int64_t>(0, value);
  return true;
}

// Returns an empty string if one of the profiles is damaged.
std::string Merged(const std::vector<FuzzInput>& inputs) {
  MergedProfile merged(Budget::Unlimited());
  for (const FuzzInput input : inputs) {
    auto profile = Read(input);
    if (!profile.ok() || !merged.Add(&*profile, WithoutNegative).ok()) {
      return "";
    }
  }
  std::string out;
  const auto output = MakeStringOutput(&out);
  FuzzPromise(merged.Write(*output).ok(), "a merged profile can be written");
  return out;
}

class LastOutput final : public OutputFactory {
 public:
  absl::StatusOr<std::unique_ptr<Output>> Open(absl::string_view) override {
    bytes_.clear();
    return MakeStringOutput(&bytes_);
  }

 private:
  std::string bytes_;
};

}  // namespace

void FuzzProfile(FuzzInput input) {
  const std::vector<FuzzInput> pieces = FuzzPieces(input);
  std::string once, again;
  if (!Rewrite(pieces[0], &once).ok()) return;
  FuzzPromise(Rewrite(BytesIn(once), &again).ok() && once == again,
              "a profile that was written is written the same again");
  const std::string one = Merged({pieces[0]});
  FuzzPromise(Merged({BytesIn(one)}) == one, "merging is idempotent");
  const FuzzInput last = pieces.back();
  const std::string both = Merged({pieces[0], last});
  FuzzPromise(both == Merged({last, BytesIn(one)}), "merging commutes");
  constexpr const char* kFormats[] = {"pprof", "folded", "csv", "html",
                                      "speedscope"};
  ConvertOptions options;
  options.symbolize = false;
  LastOutput outputs;
  ConvertReport report;
  (void)Convert(MemoryInput(pieces[0]),
                *FindEmitter(kFormats[FuzzChoice(pieces[0]) % 5]), outputs,
                options, &report);
}

}  // namespace perf2x
