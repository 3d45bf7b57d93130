// SPDX-License-Identifier: Apache-2.0
#include "converter/convert/profile_input.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "converter/convert/local_machine.h"
#include "converter/convert/merge.h"
#include "converter/perf/header/features.h"
#include "converter/profile_source/interrupted_frames.h"
#include "converter/profile_source/profile_dso.h"
#include "converter/profile_source/profile_reader.h"

namespace perf2x {
absl::StatusOr<Profile> ReadProfileInput(Input input, Budget& budget,
                                         ByteAccount* bytes) {
  std::unique_ptr<ByteSource> source = std::move(input.stream);
  if (source == nullptr) source = SourceOfBytes(input.mapped->bytes());
  uint64_t size = 0;
  absl::StatusOr<Profile> profile = ReadProfile(*source, budget, &size);
  bytes->data = bytes->record_bytes = size;
  if (!profile.ok()) return WithInputName(input.name, profile.status());
  if (input.mapped && input.mapped->has_lost_bytes()) {
    return absl::DataLossError(
        absl::StrCat(input.name, " became shorter while it was read"));
  }
  return profile;
}

absl::Status CorrectKernelAddresses(const SymbolizeOptions& symbols,
                                    Profile* profile) {
  if (!InterruptedFrames(*profile).has_candidates()) return absl::OkStatus();
  TraceTables tables;  // of the kernel alone
  for (const Profile::Mapping& mapping : profile->mappings) {
    const Dso dso = DsoOfMapping(*profile, mapping);
    if (dso.kind == DsoKind::kKernel && tables.dsos().empty()) {
      tables.AddDso(dso);
    }
  }
  LocalMachine machine(symbols, /*symbolize=*/true, /*unwind=*/false, tables);
  machine.MakeSymbolizer(HeaderFeatures());
  const std::vector<CodeRange> entries =
      machine.InterruptEntries(tables.dsos()[0]);
  if (entries.empty()) return absl::OkStatus();
  return CorrectInterruptedFrames(
      [&](uint64_t ip, uint64_t* start) {
        const auto next = std::upper_bound(
            entries.begin(), entries.end(), ip,
            [](uint64_t a, const CodeRange& range) { return a < range.start; });
        if (next == entries.begin()) return false;
        *start = std::prev(next)->start;
        return ip < std::prev(next)->end;
      },
      profile);
}

}  // namespace perf2x
