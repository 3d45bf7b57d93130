// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_HWTRACE_SPE_RECORD_H_
#define PERF2X_HWTRACE_SPE_RECORD_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/types/span.h"
#include "converter/hwtrace/spe_packet.h"

namespace perf2x {

// One sampled operation: the packets up to a timestamp or END packet. Virtual
// addresses have no tags. Kernel addresses are sign-extended. An address or a
// latency that the record lacks is 0.
struct SpeRecord {
  enum Operation : uint8_t { kLoad = 1, kStore = 2, kBranch = 4 };
  uint64_t pc = 0;               // of the sampled instruction
  bool has_pc = false;           // false: the record is incomplete
  uint64_t branch_target = 0;    // of the operation itself
  uint64_t previous_target = 0;  // of the last branch that was taken before it
  uint64_t virtual_address = 0, physical_address = 0;  // of the data
  uint64_t events = 0;                                 // bits of SpeEvent
  std::optional<uint64_t> timestamp;  // in the generic timer's ticks
  std::optional<uint32_t> context;    // the tid, if the kernel sets it
  uint16_t latency = 0;               // in cycles, from dispatch to completion
  uint16_t issue_latency = 0, translation_latency = 0;  // in cycles
  uint16_t source = 0;          // where data came from; see SpeSourceEncoding
  bool has_source = false;      // if unset, `source` has no meaning
  uint8_t operation = 0;        // bits of Operation
  uint8_t branch = 0;           // payload of a branch's operation packet
  uint8_t exception_level = 0;  // of `pc`
};

// The fields of records that packets set. Others are set to kSpeUnused.
enum SpeField : uint8_t {
  kSpeUnused,
  kSpeFieldPc,
  kSpeFieldBranchTarget,
  kSpeFieldVirtual,
  kSpeFieldPhysical,
  kSpeFieldPreviousTarget,
  kSpeFieldLatency,
  kSpeFieldIssueLatency,
  kSpeFieldTranslationLatency,
  kSpeFieldContext,
  kSpeFieldEvents,
  kSpeFieldSource,
  kSpeFieldTimestamp,
  // As the bits of SpeRecord::Operation. A packet of a load or store sets the
  // first one or, if its payload is odd, the second one.
  kSpeFieldLoad,
  kSpeFieldStore,
  kSpeFieldBranch,
  kSpeFields,
};

// Reads the records of AUX buffers. Not thread-safe.
class SpeDecoder {
 public:
  // `trace` must stay valid until the next call of Continue or the end of the
  // decoder.
  explicit SpeDecoder(absl::Span<const uint8_t> trace) : trace_(trace) {}
  // Continues with the next buffer of the trace, which may begin within a
  // packet. Requires that Next returned false.
  void Continue(absl::Span<const uint8_t> trace);
  // Reads the next record into `*record`; returns false at the end. Keeps
  // packets after the last END or timestamp for Continue. Skips bytes that are
  // in no packet, and drops the unfinished record before them.
  bool Next(SpeRecord* record);

  // Returns the offset in the buffer at which the next record starts.
  size_t offset() const { return at_; }
  // Returns the number of bytes of the buffer read so far that are in no
  // packet.
  uint64_t bad_bytes() const { return bad_bytes_; }
  // Returns the offset in the buffer of the first byte that is in no packet; 0
  // if there is none.
  size_t first_bad() const { return first_bad_; }
  // Returns the number of bytes in packets, except padding, since the last END,
  // timestamp, or byte outside of packets.
  uint64_t unfinished_bytes() const { return unfinished_bytes_ + cut_size_; }

 private:
  // Enough for any packet.
  static constexpr size_t kMaxPacket = 32;

  // What packets of the unfinished record said.
  struct Fields {
    // By SpeField. 0: no packet.
    std::array<uint64_t, kSpeFields> values{};
    uint32_t present = 0;  // a bit for each field
  };

  void ReadFields();
  bool ReadPacket(SpePacket* packet);
  bool ReadPacketAtAnEnd(SpePacket* packet);
  void SkipPadding();
  void SetField(const SpePacket& packet);
  void Finish(SpeRecord* record);
  bool IsCut(size_t at) const;
  void Bad(size_t at);

  absl::Span<const uint8_t> trace_;
  size_t at_ = 0;
  uint64_t bad_bytes_ = 0;
  size_t first_bad_ = 0;
  Fields fields_;
  uint64_t unfinished_bytes_ = 0;
  // The begin of a packet at the end of the buffer.
  std::array<uint8_t, kMaxPacket> cut_{};
  size_t cut_size_ = 0;
};

}  // namespace perf2x

#endif  // PERF2X_HWTRACE_SPE_RECORD_H_
