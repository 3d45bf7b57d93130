// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "converter/base/status_macros.h"
#include "converter/inspect/feature_line.h"
#include "converter/inspect/inspect.h"
#include "converter/inspect/line_text.h"
#include "converter/perf/header/dump_record.h"
#include "converter/perf/records/all_records.h"
#include "converter/perf/stream/record_reader.h"
#include "converter/perf/stream/time_order.h"

namespace perf2x {
namespace {

constexpr size_t kWriteAt = 64 << 10;

class Lines {
 public:
  Lines(const DumpOptions& options, Output& output, Budget& budget,
        Diagnostics* diagnostics)
      : options_(options),
        output_(output),
        budget_(budget),
        diagnostics_(*diagnostics),
        features_(budget, diagnostics),
        attrs_(diagnostics) {}

  AttrTable& attrs() { return attrs_; }

  absl::Status Add(const RawRecord& record, std::optional<uint64_t> time) {
    const bool of_container =
        record.type >= kRecordUserFirst || record.replayed;
    if (of_container && !options_.container) return absl::OkStatus();
    if (budget_.exhausted()) {
      ++skipped_;
      return absl::OkStatus();
    }
    AddHead(record, time);
    const bool whole = DumpRecord(record, attrs_, [&](const DumpField& field) {
      AddField(field);
      if (record.type == kRecordHeaderFeature &&
          absl::string_view(field.name) == "feature") {
        features_.Append(record, &text_);
      }
    });
    if (!whole) {
      const absl::string_view name = RecordName(record.type);
      diagnostics_.Add(Diagnostics::Severity::kSkipped,
                       absl::StrCat(name, " record shorter than its fields"),
                       record.offset, 8 + record.body.size());
      absl::StrAppend(&text_, " (shorter than its fields)");
    }
    text_ += '\n';
    return text_.size() < kWriteAt ? absl::OkStatus() : Flush();
  }

  absl::Status Flush() {
    budget_.Spend(Budget::kOutput, text_.size());
    RETURN_IF_ERROR(output_.Write(text_));
    text_.clear();
    return absl::OkStatus();
  }
  absl::Status Finish() {
    CountSkippedForBudget("record", budget_.exhausted_name(), skipped_,
                          &diagnostics_);
    return Flush();
  }

 private:
  void AddHead(const RawRecord& record, std::optional<uint64_t> time) {
    // The offset of a sorted record says little, and differs by container.
    if (!options_.sorted) {
      if (record.stream > 0) absl::StrAppend(&text_, record.stream, ":");
      absl::StrAppendFormat(&text_, "0x%x ", record.offset);
    }
    if (time) {
      absl::StrAppendFormat(&text_, "%d.%09d ", *time / 1000000000,
                            *time % 1000000000);
    } else {
      absl::StrAppend(&text_, "- ");
    }
    const absl::string_view name = RecordName(record.type);
    absl::StrAppend(&text_, name.empty() ? absl::StrCat("type ", record.type)
                                         : std::string(name));
    const uint32_t event = attrs_.EventOf(record);
    if (event != kNoEvent) {
      absl::StrAppend(&text_,
                      " event=", QuotedText(attrs_.events()[event].name));
    }
    if (record.misc != 0) {
      absl::StrAppendFormat(&text_, " misc=0x%x", record.misc);
    }
    if (!record.payload.empty()) {
      absl::StrAppend(&text_, " payload=", record.payload.size());
    }
  }

  bool Wanted(const DumpField& field) const {
    const absl::string_view name = field.name;
    if (name == "ips") return options_.callchain;
    if (name == "branches" || name == "branch_counters") {
      return options_.branches;
    }
    if (name == "user_regs" || name == "user_simd" || name == "intr_regs" ||
        name == "intr_simd") {
      return options_.regs;
    }
    if (name == "stack") return options_.stack;
    if (name == "raw" || name == "aux" || name == "data" || name == "attr") {
      return options_.raw;
    }
    return name != "cpu_reserved";
  }

  void AddField(const DumpField& field) {
    if (!Wanted(field)) return;
    absl::StrAppend(&text_, " ", field.name, "=",
                    field.kind == DumpField::Kind::kText
                        ? QuotedText(field.text)
                        : ValueText(field));
  }

  const DumpOptions& options_;
  Output& output_;
  Budget& budget_;
  Diagnostics& diagnostics_;
  FeatureLine features_;
  AttrTable attrs_;
  std::string text_;
  uint64_t skipped_ = 0;  // records
};

}  // namespace

absl::Status WriteDump(Input input, const DumpOptions& options, Output& output,
                       Diagnostics* diagnostics) {
  Budget budget;
  input.AddSizesTo(&budget);
  ASSIGN_OR_RETURN(std::unique_ptr<RecordReader> reader,
                   RecordReader::Open(std::move(input), diagnostics));
  Lines lines(options, output, budget, diagnostics);
  TimeOrder order(reader->needs_full_order(), kDefaultMaxMemory, budget);
  const auto add = [&](const OrderedRecords& ordered) {
    RawRecord record;
    record.order = reader->header().order;
    for (const TimedRecord* timed : ordered.records) {
      record.block = &ordered.BlockOf(*timed);
      timed->Get(&record);
      RETURN_IF_ERROR(lines.Add(record, timed->time));
    }
    return absl::OkStatus();
  };
  const auto no_key = [](TimedRecord* to) { to->key.event = kNoEvent; };
  for (RawRecord record; reader->Next(&record);) {
    lines.attrs().Observe(record);
    const auto time = lines.attrs().SortTimeOf(record);
    if (options.sorted && record.type == kRecordFinishedRound) {
      RETURN_IF_ERROR(order.EndRound(add));
    }
    RETURN_IF_ERROR(options.sorted && time.has_value()
                        ? order.Add(record, *time, no_key, add)
                        : lines.Add(record, time));
  }
  RETURN_IF_ERROR(order.Finish(add));
  return lines.Finish();
}

}  // namespace perf2x
