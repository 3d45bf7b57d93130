// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BENCH_PERF_DATA_WRITER_H_
#define PERF2X_BENCH_PERF_DATA_WRITER_H_

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "bench/record_buffer.h"

typedef struct ZSTD_CCtx_s ZSTD_CCtx;

namespace perf2x::bench {

// The constants of linux/perf_event.h and tools/perf that the generator writes.
enum RecordType : uint32_t {
  kMmap = 1,
  kComm = 3,
  kExit = 4,
  kFork = 7,
  kSample = 9,
  kMmap2 = 10,
  kAux = 11,
  kSwitchCpuWide = 15,
  kHeaderAttr = 64,
  kHeaderTracingData = 66,
  kHeaderBuildId = 67,
  kFinishedRound = 68,
  kIdIndex = 69,
  kAuxtraceInfo = 70,
  kAuxtrace = 71,
  kThreadMap = 73,
  kCpuMap = 74,
  kEventUpdate = 78,
  kTimeConv = 79,
  kHeaderFeature = 80,
  kCompressed = 81,
  kFinishedInit = 82,
};

enum SampleBits : uint64_t {
  kIp = 1 << 0,
  kTid = 1 << 1,
  kTime = 1 << 2,
  kCallchain = 1 << 5,
  kId = 1 << 6,
  kCpu = 1 << 7,
  kPeriod = 1 << 8,
  kRaw = 1 << 10,
  kBranchStack = 1 << 11,
  kRegsUser = 1 << 12,
  kStackUser = 1 << 13,
  kIdentifier = 1 << 16,
};

enum FeatureNumber : uint32_t {
  kTracingData = 1,
  kBuildIds = 2,
  kHostname = 3,
  kOsRelease = 4,
  kVersion = 5,
  kArch = 6,
  kNrCpus = 7,
  kCpuDesc = 8,
  kCpuId = 9,
  kCmdline = 11,
  kEventDesc = 12,
  kSampleTime = 21,
  kCompression = 27,
  kLastFeature = 32,  // perf 6.1's end marker in a pipe
};

inline constexpr uint32_t kAttrBytes = 128;  // perf_event_attr, VER7
inline constexpr uint32_t kRingBufferBytes = 128 * 4096 + 4096;

struct Event {
  std::string name;
  uint32_t type = 0;
  uint64_t config = 0;
  uint64_t period = 0;  // or the frequency, when `flags` say so
  uint64_t sample_type = 0;
  uint64_t flags = 0;
  uint64_t regs_user = 0;
  uint32_t stack_user = 0;
  std::vector<uint64_t> ids;  // one for each CPU
  uint64_t branch_type = 0;   // branch_sample_type
};

// Bits of perf_event_attr's flag word.
inline constexpr uint64_t kDisabled = 1 << 0, kInherit = 1 << 1,
                          kMmapFlag = 1 << 8, kCommFlag = 1 << 9,
                          kFreq = 1 << 10, kTask = 1 << 13,
                          kSampleIdAll = 1 << 18, kExcludeGuest = 1 << 20,
                          kMmap2Flag = 1 << 23, kCommExec = 1 << 24,
                          kContextSwitch = 1 << 26, kKsymbol = 1 << 29,
                          kBpfEvent = 1 << 30;
// Bits of branch_sample_type: branches of any kind in user space (-j any,u).
inline constexpr uint64_t kBranchUser = 1 << 0, kBranchAny = 1 << 3;

struct Feature {
  uint32_t number = 0;
  std::vector<uint8_t> payload;
};

// Writes a recording as perf 6.1 does: a file, or a stream as of `record -o -`.
// Ends the program with a message if the output cannot be written.
class PerfDataWriter {
 public:
  enum class Mode { kFile, kPipe };

  // Writes the header. `path` "-" is standard output. `zstd_level` 0 does not
  // compress. `features` must be in ascending order. In a pipe, the writer
  // omits or rewraps the features that perf omits or rewraps.
  PerfDataWriter(const std::string& path, Mode mode, int zstd_level,
                 std::vector<Event> events, std::vector<Feature> features);
  ~PerfDataWriter();
  PerfDataWriter(const PerfDataWriter&) = delete;
  PerfDataWriter& operator=(const PerfDataWriter&) = delete;

  // Writes records that perf itself makes. They are never compressed.
  void WriteSynthesized(const RecordBuffer& records) { Write(records.bytes()); }
  // Writes the records that one read of a ring buffer returned. With
  // `zstd_level`, compresses them as `record -z` does.
  void WriteRingBuffer(const RecordBuffer& records);
  void WriteFinishedRound();
  // Writes the features and the header's sizes. Must be called once, at the
  // end.
  void Finish();

  uint64_t bytes() const { return offset_; }

 private:
  void WriteFileHead();
  void WritePipeHead();
  std::vector<uint8_t> FileHeader(uint64_t data_size) const;
  void Compress(const std::vector<uint8_t>& bytes);
  void Write(const std::vector<uint8_t>& bytes);

  std::string path_;
  Mode mode_;
  std::vector<Event> events_;
  std::vector<Feature> features_;
  std::FILE* file_ = nullptr;
  ZSTD_CCtx* zstd_ = nullptr;
  uint64_t offset_ = 0;
  uint64_t attrs_offset_ = 0;
  uint64_t data_offset_ = 0;
};

// Appends an event as the feature EVENT_DESC stores it, without the number of
// events.
void AppendEventDesc(const Event& event, RecordBuffer& out);

}  // namespace perf2x::bench

#endif  // PERF2X_BENCH_PERF_DATA_WRITER_H_
