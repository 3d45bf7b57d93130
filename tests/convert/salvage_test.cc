// SPDX-License-Identifier: Apache-2.0

// What comes out of recordings that are damaged or of a dialect: a table of all
// such in the corpus. Samples are counted, or the one line that refuses.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <optional>

#include "absl/strings/match.h"
#include "converter/convert/convert.h"
#include "tests/support/corpus.h"
#include "tests/support/read_recording.h"

namespace perf2x {
namespace {

struct Salvaged {
  int64_t samples;    // -1: refused
  const char* words;  // of the error, or of the damage named; "": none
};

const std::map<std::string, Salvaged>& Table() {
  static const auto* const kTable = new std::map<std::string, Salvaged>{
      {"x86-killed9",
       {2677, "recording was not finished: its header gives no"}},
      {"x86-killed9_zstd",
       {2659, "recording was not finished: its header gives no"}},
      {"hiperf-dwarf.compress.data", {16, ""}},
      {"hiperf-fp.uncompress.data", {497, ""}},
      {"hiperf-report_test.data.4f24b8", {20, ""}},
      {"simpleperf-debug_unwind_small_map_range.data", {1, ""}},
      {"simpleperf-etm-perf_etm.data", {0, ""}},
      {"simpleperf-etm-perf_with_missing_aux_data.data",
       {0, "bytes of AUX data that the recording lacks"}},
      {"simpleperf-etm-perf_with_unformatted_trace.data", {0, ""}},
      {"simpleperf-generated_by_linux_perf.data", {156, ""}},
      {"simpleperf-has_embedded_native_libs_apk_perf.data", {55, ""}},
      {"simpleperf-perf.data", {2409, ""}},
      {"simpleperf-perf_display_bitmaps.data", {525, ""}},
      {"simpleperf-perf_for_build_id_check.data", {4408, ""}},
      {"simpleperf-perf_g_fp.data", {10, ""}},
      {"simpleperf-perf_merge1.data", {27, ""}},
      {"simpleperf-perf_need_proguard_mapping.data", {1, ""}},
      {"simpleperf-perf_test_max_stack_and_percent_limit.data", {121, ""}},
      {"simpleperf-perf_unwind_embedded_lib_in_apk.data", {1, ""}},
      {"simpleperf-perf_with_add_counter.data", {24, ""}},
      {"simpleperf-perf_with_big_trace_data.data", {0, ""}},
      {"simpleperf-perf_with_callchain_record.data", {21, ""}},
      {"simpleperf-perf_with_generic_git_symbols.data", {60, ""}},
      {"simpleperf-perf_with_interpreter_frames.data", {4032, ""}},
      {"simpleperf-perf_with_ip_zero_in_callchain.data", {1, ""}},
      {"simpleperf-perf_with_jit_symbol.data", {151, ""}},
      {"simpleperf-perf_with_kernel_symbols_available_true.data", {228, ""}},
      {"simpleperf-perf_with_meta_info.data", {1, ""}},
      {"simpleperf-perf_with_symbols.data", {935, ""}},
      {"simpleperf-perf_with_symbols_for_nonzero_minvaddr_dso.data", {317, ""}},
      {"simpleperf-perf_with_trace_offcpu_v2.data", {299, ""}},
      {"simpleperf-perf_with_tracepoint_event.data", {45, ""}},
      {"simpleperf-scripts-perf_test_vmlinux.data", {1, ""}},
      {"simpleperf-scripts-perf_with_long_callchain.data", {1, ""}},
      {"simpleperf-scripts-runtest_two_functions_arm64_perf.data", {2, ""}},
      {"broken-attr_cut.data",
       {-1, "attr section at offset 120 with 144 bytes lies"}},
      {"broken-attr_size_7.data",
       {-1, "header at offset 16 gives the size of an attr as 7"}},
      {"broken-bad_magic.data",
       {-1, "not a perf.data: starts with \"PERFILE3\", expected"}},
      {"broken-callchain_nr_huge.data", {799, ""}},
      {"broken-data_cut_60pct.data",
       {473, "data section runs past the end of the file"}},
      {"broken-data_cut_odd.data",
       {285, "data section runs past the end of the file"}},
      {"broken-data_offset_huge.data",
       {-1, "data section at offset 1152921504606846976 lies"}},
      {"broken-data_size_huge.data",
       {800, "data section runs past the end of the file"}},
      {"broken-data_size_zero.data",
       {800, "record of type 71096 claims a size of 0 bytes,"}},
      {"broken-empty.data", {-1, "input is empty"}},
      {"broken-features_cut.data",
       {800, "feature section runs past the end of the file"}},
      {"broken-header_cut.data",
       {-1, "header is cut short: 60 bytes, expected 104"}},
      {"broken-magic_only.data",
       {-1, "header is cut short: 8 bytes, expected at least 16"}},
      {"broken-no_features.data", {800, "feature table is cut short"}},
      {"broken-oversize_record.data",
       {400, "record of type 9 and 65528 bytes runs past the end,"}},
      {"broken-perf.data.bz2", {800, ""}},
      {"broken-perf.data.gz", {800, ""}},
      {"broken-perf.data.xz", {800, ""}},
      {"broken-pipe_cut_odd.data",
       {311, "record of type 9 and 88 bytes runs past the end, 41"}},
      {"broken-pipe_header_only.data", {0, ""}},
      {"broken-pipe_trailing_byte.data",
       {601, "input ends inside a record header, after 1 of 8"}},
      {"broken-pipe_trailing_garbage.data",
       {601, "record of type 415911333 claims a size of 807738811"}},
      {"broken-pipe_zstd_cut.data",
       {0, "record of type 81 and 14234 bytes runs past the"}},
      {"broken-random.data", {-1, "not a perf.data: starts with"}},
      {"broken-reversed_samples.data", {800, ""}},
      {"broken-short_sample.data",
       {400, "record of type 21868 claims a size of 0 bytes,"}},
      {"broken-text.data",
       {-1, "not a perf.data: starts with \"# starte\", expected"}},
      {"broken-unknown_type.data", {799, ""}},
      {"broken-v1_magic_on_v2.data", {800, ""}},
      {"broken-zero_size_record.data",
       {400, "record of type 9 claims a size of 0 bytes, expected"}},
      {"broken-zeros.data", {-1, "not a perf.data: starts with"}},
      {"broken-zstd_corrupt.data",
       {0, "damaged zstd data: Unsupported frame parameter"}},
      {"broken-zstd_cut.data",
       {0, "data section runs past the end of the file"}},
      {"fuzz-cf4883679740166144", {0, ""}},
      {"fuzz-cf5980151822942208",
       {-1, "header at offset 16 gives the size of an attr as 6"}},
      {"fuzz-poc15c4696a", {0, ""}},
      {"fuzz-poc1d0e6544",
       {-1, "header at offset 16 gives the size of an attr as 6"}},
      {"fuzz-poc2c02c3aa",
       {0, "record of type 3220111360 and 12468224 bytes runs"}},
      {"fuzz-poc39297b2a", {0, "header feature is cut short"}},
      {"fuzz-poc3c490f25",
       {0, "record of type 0 claims a size of 1 bytes, expected"}},
      {"fuzz-poc4a52fdd4",
       {-1, "header at offset 16 gives the size of an attr as 6"}},
      {"fuzz-poc62e91c55",
       {0, "record of type 76 and 21061 bytes runs past the"}},
      {"fuzz-poc66e69c58",
       {0, "record of type 1166016512 and 5960192 bytes runs"}},
      {"fuzz-poc6b01a040",
       {0, "record of type 1166016512 and 5898240 bytes runs"}},
      {"fuzz-poc7bef7f89",
       {0, "input ends inside a record header, after 7 of 8"}},
      {"fuzz-poc95cc7524",
       {0, "record of type 560189253 claims a size of 3789677025"}},
      {"fuzz-pocabf23464",
       {-1, "header at offset 16 gives the size of an attr as 6"}},
      {"fuzz-pocc5303470",
       {0, "record of type 2009271333 claims a size of 536870912"}},
      {"fuzz-pocc895bf2c", {-1, "header has zeros in place of sizes"}},
      {"fuzz-pocd8b5768b",
       {0, "record of type 1166016512 and 5963520 bytes runs"}},
      {"fuzz-pocda8445ae",
       {-1, "header at offset 16 gives the size of an attr as 6"}},
      {"fuzz-pocfd76c99f",
       {0, "feature section runs past the end of the file"}},
  };
  return *kTable;
}

bool Belongs(const CorpusEntry& entry) {
  return entry.group == "broken" || entry.group == "fuzz" ||
         absl::StrContains(entry.id, "killed9") ||
         absl::StartsWith(entry.id, "hiperf-") ||
         absl::StartsWith(entry.id, "simpleperf-");
}

uint64_t NumberAt(absl::Span<const uint8_t> bytes, size_t at, size_t size) {
  uint64_t value = 0;
  std::memcpy(&value, bytes.data() + at, size);
  return value;
}

// Counts SAMPLE records by the sizes in record headers alone, up to the first
// one that does not lie whole in the data section. Absent: the recording is
// compressed, or has no data section.
std::optional<uint64_t> WalkSamples(absl::Span<const uint8_t> bytes) {
  constexpr uint32_t kSample = 9, kCompressed = 81;
  if (bytes.size() < 16) return std::nullopt;
  size_t at = 16, end = bytes.size();
  if (NumberAt(bytes, 8, 8) != 16) {  // not a stream
    at = NumberAt(bytes, 40, 8);
    const uint64_t size = NumberAt(bytes, 48, 8);
    if (at > end) return std::nullopt;
    if (size != 0 && size < end - at) end = at + size;
  }
  uint64_t samples = 0;
  while (end - at >= 8) {
    const uint64_t type = NumberAt(bytes, at, 4);
    const uint64_t size = NumberAt(bytes, at + 6, 2);
    if (type == kCompressed) return std::nullopt;
    if (size < 8 || size > end - at) break;
    samples += type == kSample;
    at += size;
  }
  return samples;
}

// What a recording has by perf, else by its record headers.
std::optional<uint64_t> SamplesIn(const CorpusEntry& entry) {
  // perf counts the record that runs past the end of the data, too.
  const bool counted = entry.id != "broken-oversize_record.data";
  if (!entry.samples.empty()) {
    uint64_t samples = 0;
    for (const auto& [event, count] : entry.samples) samples += count;
    return samples;
  }
  const auto perfs = entry.records.find("SAMPLE");
  if (counted && perfs != entry.records.end()) return perfs->second;
  if (entry.group != "broken" && entry.id != "x86-killed9") return std::nullopt;
  auto input = OpenInput(RecordingOf(entry));
  if (!input.ok()) return std::nullopt;
  absl::Status damage;
  if (!input->mapped) input->mapped = *Spool(*input->stream, &damage);
  return WalkSamples(input->mapped->bytes());
}

// Returns how many recordings of the table were seen.
size_t CheckSalvaged(const CorpusEntries& entries) {
  size_t seen = 0, compared = 0;
  for (const CorpusEntry& entry : entries) {
    if (!Belongs(entry)) continue;
    SCOPED_TRACE(entry.id);
    auto expected = Table().find(entry.id);
    if (expected == Table().end()) {
      ADD_FAILURE() << "not in the table";
      continue;
    }
    ++seen;
    ConvertOptions options;
    options.symbolize = false;
    ConvertReport report;
    const absl::Status status =
        ReadRecording(RecordingOf(entry), options, {}, &report);
    int64_t samples = status.ok() ? 0 : -1;
    for (const auto& event : report.events) {
      samples += static_cast<int64_t>(event.samples);
    }
    std::string words(status.message());
    bool damaged = false;
    uint64_t skipped = 0;
    for (const auto& [what, found] : report.diagnostics.entries()) {
      skipped += absl::StartsWith(what, "SAMPLE record ") ? found.count : 0;
      words += "; " + what;
      damaged |= found.severity == Diagnostics::Severity::kDamage;
    }
    EXPECT_EQ(damaged, status.ok() && *expected->second.words != 0) << words;
    EXPECT_EQ(samples, expected->second.samples) << words;
    const std::optional<uint64_t> there = SamplesIn(entry);
    if (there.has_value() && status.ok()) {
      EXPECT_EQ(static_cast<uint64_t>(samples) + skipped, *there) << words;
      ++compared;
    }
    EXPECT_TRUE(absl::StrContains(words, expected->second.words)) << words;
    const ByteAccount& b = report.bytes;
    EXPECT_EQ(b.record_bytes + b.payload + b.damaged,
              b.data - b.compressed + b.decompressed);
  }
  std::printf("%zu of %zu counts are those of perf or of record headers\n",
              compared, seen);
  return seen;
}

bool IsOwn(absl::string_view id) {
  return absl::StartsWith(id, "broken-") || absl::StartsWith(id, "x86-");
}

TEST(SalvageTest, EachDamagedRecordingGivesWhatItHas) {
  const auto own =
      std::count_if(Table().begin(), Table().end(),
                    [](const auto& row) { return IsOwn(row.first); });
  EXPECT_EQ(CheckSalvaged(OwnRecordings()), static_cast<size_t>(own));
}

TEST(SalvageTest, EachDamagedRecordingOfThirdPartiesGivesWhatItHas) {
  if (FullCorpus().empty()) GTEST_SKIP() << NoCorpusMessage();
  const auto others =
      std::count_if(Table().begin(), Table().end(),
                    [](const auto& row) { return !IsOwn(row.first); });
  EXPECT_EQ(CheckSalvaged(ThirdPartyRecordings()), static_cast<size_t>(others));
}

}  // namespace
}  // namespace perf2x
