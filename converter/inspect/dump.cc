// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "converter/base/status_macros.h"
#include "converter/inspect/dump_text.h"
#include "converter/inspect/feature_line.h"
#include "converter/inspect/inspect.h"
#include "converter/inspect/line_text.h"
#include "converter/perf/header/dump_record.h"
#include "converter/perf/records/all_records.h"
#include "converter/perf/records/aux_records.h"
#include "converter/perf/records/decode.h"
#include "converter/perf/stream/record_reader.h"
#include "converter/perf/stream/time_order.h"

namespace perf2x {
namespace {

class Lines {
 public:
  Lines(const DumpOptions& options, Output& output, Budget& budget,
        Diagnostics* diagnostics)
      : options_(options),
        text_(static_cast<size_t>(options.threads - 1), output, budget),
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
        features_.Append(record, &text_.lines());
      }
    });
    if (!whole) {
      const absl::string_view name = RecordName(record.type);
      diagnostics_.Add(Diagnostics::Severity::kSkipped,
                       absl::StrCat(name, " record shorter than its fields"),
                       record.offset, 8 + record.body.size());
      absl::StrAppend(&text_.lines(), " (shorter than its fields)");
    }
    text_.lines() += '\n';
    if (options_.packets) RETURN_IF_ERROR(AddPackets(record));
    return text_.EndLine();
  }

  absl::Status Finish() {
    CountSkippedForBudget("record", budget_.exhausted_name(), skipped_,
                          &diagnostics_);
    CountSkippedForBudget("part of a trace", budget_.exhausted_name(),
                          cut_traces_, &diagnostics_, cut_from_, cut_bytes_);
    return text_.Finish();
  }

 private:
  // Adds the packets of an Arm SPE trace, if that is what the record has.
  absl::Status AddPackets(const RawRecord& record) {
    AuxtraceInfoRecord info;
    if (record.type == kRecordAuxtraceInfo && Decode(record, &info)) {
      has_spe_ = info.trace_type == kAuxtraceArmSpe;
    }
    if (!has_spe_ || record.type != kRecordAuxtrace) return absl::OkStatus();
    ASSIGN_OR_RETURN(const size_t shown,
                     text_.AddPackets(record.payload, *record.block));
    if (shown < record.payload.size()) {
      if (cut_traces_++ == 0) cut_from_ = record.offset;
      cut_bytes_ += record.payload.size() - shown;
    }
    return absl::OkStatus();
  }

  void AddHead(const RawRecord& record, std::optional<uint64_t> time) {
    std::string& text = text_.lines();
    // The offset of a sorted record says little, and differs by container.
    if (!options_.sorted) {
      if (record.stream > 0) absl::StrAppend(&text, record.stream, ":");
      absl::StrAppendFormat(&text, "0x%x ", record.offset);
    }
    if (time) {
      absl::StrAppendFormat(&text, "%d.%09d ", *time / 1000000000,
                            *time % 1000000000);
    } else {
      absl::StrAppend(&text, "- ");
    }
    const absl::string_view name = RecordName(record.type);
    absl::StrAppend(&text, name.empty() ? absl::StrCat("type ", record.type)
                                        : std::string(name));
    const uint32_t event = attrs_.EventOf(record);
    if (event != kNoEvent) {
      absl::StrAppend(&text,
                      " event=", QuotedText(attrs_.events()[event].name));
    }
    if (record.misc != 0) {
      absl::StrAppendFormat(&text, " misc=0x%x", record.misc);
    }
    if (!record.payload.empty()) {
      absl::StrAppend(&text, " payload=", record.payload.size());
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
    absl::StrAppend(&text_.lines(), " ", field.name, "=",
                    field.kind == DumpField::Kind::kText
                        ? QuotedText(field.text)
                        : ValueText(field));
  }

  const DumpOptions& options_;
  DumpText text_;
  Budget& budget_;
  Diagnostics& diagnostics_;
  FeatureLine features_;
  AttrTable attrs_;
  bool has_spe_ = false;  // traces are those of Arm SPE
  uint64_t skipped_ = 0;  // records
  // Traces whose packets are not all shown, the first one's record, and the
  // size of what is missing.
  uint64_t cut_traces_ = 0, cut_from_ = 0, cut_bytes_ = 0;
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
