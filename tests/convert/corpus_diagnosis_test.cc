// SPDX-License-Identifier: Apache-2.0

// What is recognised of each recording of the corpus.

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "converter/convert/convert.h"
#include "converter/convert/diagnosis.h"
#include "tests/support/corpus.h"
#include "tests/support/read_recording.h"

namespace perf2x {
namespace {

// All recordings of the corpus of which something is found, without symbols.
// The others are good ones: for them there is no false alarm.
TEST(DiagnosisCorpusTest, WhatIsFoundInEachRecording) {
  const std::string no_fp = "no-frame-pointers", none = "no-samples";
  const std::map<std::string, std::string> expected = {
      // Debian builds for armv7l without, and for s390x without backchains.
      {"armv7l-fp", no_fp},
      {"armv7l-hwcycles", no_fp},
      {"armv7l-pipe", no_fp},
      {"armv7l-pipe_zstd", no_fp},
      {"armv7l-threads", no_fp},
      {"armv7l-threads_dir", no_fp},
      {"armv7l-zstd", no_fp},
      {"s390x-fork", no_fp},
      {"s390x-fp", no_fp},
      {"s390x-multi", no_fp},
      {"s390x-pipe", no_fp},
      {"s390x-pipe_zstd", no_fp},
      {"s390x-sysw", no_fp},
      {"s390x-threads", no_fp},
      {"s390x-threads_dir", no_fp},
      {"s390x-zstd", no_fp},
      // So are Python, mawk and expr, and the C library that calls the kernel.
      {"vm-kprobe", no_fp},
      {"x86-fork_script", no_fp},
      {"x86-python_prog", no_fp},
      {"vm-lock", none},
      {"vm-sched_stat_inject", none},
      {"x86-empty_dummy", none},
      {"vm-lost", "lost"},
      {"vm-lost_dwarf", "lost"},
      {"vm-snapshot-2", "lost"},
      {"x86-lost_all", none + " lost"},
      {"x86-lost_some", "lost"},
  };
  std::map<std::string, std::string> found;
  for (const CorpusEntry& entry : OwnRecordings()) {
    if (entry.group != "recorded") continue;
    ConvertOptions options;
    options.symbolize = false;
    ConvertReport report;
    const absl::Status status =
        ReadRecording(RecordingOf(entry), options, {}, &report);
    if (!status.ok()) continue;
    std::string ids;
    for (const Finding& finding : report.findings) {
      const std::string& id = finding.id;
      // That is of the format, which has no counters here.
      if (id == "counters-not-shown") continue;
      // Many were recorded without.
      if (id == "no-call-graphs") continue;
      ids += (ids.empty() ? "" : " ") + id;
    }
    if (!ids.empty()) found[entry.id] = ids;
  }
  EXPECT_EQ(found, expected);
}

}  // namespace
}  // namespace perf2x
