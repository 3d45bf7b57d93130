// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TESTS_SESSION_TRACKER_TEST_H_
#define PERF2X_TESTS_SESSION_TRACKER_TEST_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "converter/base/block.h"
#include "converter/perf/header/attr_table.h"
#include "converter/perf/records/encode.h"
#include "converter/session/address_spaces.h"
#include "converter/session/host_environment.h"
#include "converter/session/record_context.h"
#include "converter/session/thread_tracker.h"
#include "converter/session/trace_sink.h"
#include "tests/support/recording_emitter.h"

namespace perf2x {

// A machine without files. Writes down what it is told.
class FakeEnvironment final : public HostEnvironment {
 public:
  RecordedSymbols* recorded_symbols() override { return symbols; }
  RecordedSymbols* symbols = nullptr;  // null: not used

  Symbolizer* MakeSymbolizer(const HeaderFeatures&) override { return nullptr; }
  Symbolizer* MakeSymbolizerWithoutLines(const HeaderFeatures&) override {
    return nullptr;
  }
  std::unique_ptr<UnwindInfoSource> MakeUnwindInfoSource(
      const HeaderFeatures&) override {
    return nullptr;
  }
  void OnFork(int32_t pid, int32_t, int32_t parent_pid) override {
    calls.push_back(absl::StrCat("fork ", parent_pid, " ", pid));
  }
  void OnPidNamespace(int32_t pid, int32_t, uint64_t inode) override {
    calls.push_back(absl::StrCat("namespace ", pid, " ", inode));
  }
  std::unique_ptr<JitDump> OpenJitDump(absl::string_view name, int32_t,
                                       const HeaderFeatures&) override {
    calls.push_back(absl::StrCat("jitdump ", name));
    return nullptr;
  }
  uint64_t memory() const override { return bytes; }
  std::vector<std::string> calls;
  uint64_t bytes = 0;  // the memory that it says it has
};

using Lines = std::vector<std::string>;

// What trackers refer to, and an emitter that writes down what they report.
class TrackerTest : public testing::Test {
 protected:
  explicit TrackerTest(EmitterRequirements requirements = {})
      : emitter_(tables_, requirements),
        sink_(emitter_, {.before_begin =
                             [] {
                               TraceInfo info;
                               info.input = "test";
                               return info;
                             },
                         .after_begin = nullptr}) {
    EXPECT_TRUE(sink_.EnsureBegun().ok());
    emitter_.Take();
  }

  // Adds an event to attrs_, not to tables_.
  void AddEvent(EventAttr attr, const std::vector<uint64_t>& ids = {}) {
    attr.size = kAttrSizeVer0;
    std::vector<uint8_t>& body =
        bodies_.emplace_back(EncodeAttr(attr, kHostOrder));
    for (const uint64_t id : ids) {
      body.resize(body.size() + 8);
      Store(id, &body[body.size() - 8], kHostOrder);
    }
    RawRecord record;
    record.type = kRecordHeaderAttr;
    record.body = body;
    attrs_.Observe(record);
  }
  // A record with this body, of which no more than that is needed.
  const RawRecord& Raw(uint32_t type, uint16_t misc = 0,
                       std::vector<uint8_t> body = {}) {
    RawRecord& raw = raws_.emplace_back();
    raw.type = type;
    raw.misc = misc;
    raw.body = bodies_.emplace_back(std::move(body));
    raw.block = &block_;
    return raw;
  }
  // A record of `attr`'s event as it lies in a recording.
  template <class R>
  const RawRecord& Encoded(const R& record, const EventAttr& attr,
                           uint16_t misc = 0) {
    return Raw(R::kType, misc, Encode(record, kHostOrder, misc, attr));
  }
  // The context of a record of pid 7, tid 8 on CPU 1.
  template <class R>
  RecordContext At(uint64_t time, const R&, uint16_t misc = 0) {
    SampleId id;
    id.pid = 7;
    id.tid = 8;
    id.cpu = 1;
    return {Raw(R::kType, misc), time, id};
  }
  Lines Take() { return emitter_.Take(); }
  // Notes and skips, in order of name.
  Lines Diagnosed() const {
    Lines lines;
    for (const auto& [message, entry] : diagnostics_.entries()) {
      lines.push_back(absl::StrCat(entry.count, " x ", message));
    }
    return lines;
  }

  Diagnostics diagnostics_;
  AttrTable attrs_{&diagnostics_};
  TraceTables tables_;
  RecordingEmitter emitter_;
  TraceSink sink_;
  FakeEnvironment environment_;
  DsoTable dsos_{tables_};
  AddressSpaces spaces_{tables_, dsos_};
  ThreadTracker threads_{tables_, sink_, spaces_.arena(), environment_,
                         diagnostics_};

 private:
  BlockRef block_{std::make_unique<MemoryBlock>(8)};
  std::deque<RawRecord> raws_;
  std::deque<std::vector<uint8_t>> bodies_;
};

}  // namespace perf2x

#endif  // PERF2X_TESTS_SESSION_TRACKER_TEST_H_
