// SPDX-License-Identifier: Apache-2.0
#include "converter/perf/records/skip_record.h"

#include "absl/strings/str_cat.h"
#include "converter/perf/records/all_records.h"

namespace perf2x {

void CountSkippedRecord(const RawRecord& record, absl::string_view why,
                        Diagnostics* diagnostics) {
  diagnostics->Add(Diagnostics::Severity::kSkipped,
                   absl::StrCat(RecordName(record.type), " record ", why),
                   record.offset, 8 + record.body.size());
}

}  // namespace perf2x
