// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_HWTRACE_ETM_DECODER_H_
#define PERF2X_HWTRACE_ETM_DECODER_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "converter/hwtrace/etm_element.h"
#include "converter/hwtrace/etm_info.h"

namespace perf2x {

// Decodes CoreSight traces with OpenCSD. Counts bytes that are not valid
// packets, and skips to the next synchronization packet. A decoder is not
// thread-safe. Several threads may have a decoder each.
class EtmDecoder {
 public:
  // Size in bytes of a frame of CoreSight's formatter. Frames interleave the
  // traces of several sources.
  static constexpr size_t kFrameSize = 16;
  // The most bytes of code in one range. A longer range is cut there; a kNoCode
  // element follows it. Ranges of one packet that end with branches not taken
  // count as one range.
  static constexpr uint32_t kMaxRange = 64 << 10;
  // The most consecutive packets of an ETMv4 or ETE source that report no
  // executed code. OpenCSD buffers such packets. More count as damage.
  static constexpr uint32_t kMaxIdlePackets = 4096;

  // Returns true if this build includes OpenCSD.
  static bool InThisBuild();
  // Returns false for trace units that trace speculative execution (TRCIDR8 is
  // not 0). Their traces are not decoded.
  static bool Decodes(const EtmSource& source);

  // Returns a decoder for the trace of `sources`. If `formatted` is set, the
  // trace is in frames. Otherwise there must be one source. Ignores sources
  // without a trace id, with the trace id of an earlier source, or with Decodes
  // false. Returns null if no source remains, or without OpenCSD. `code` must
  // outlive the decoder.
  static std::unique_ptr<EtmDecoder> Make(absl::Span<const EtmSource> sources,
                                          bool formatted, EtmCode* code);
  virtual ~EtmDecoder() = default;

  // Forgets the state of all sources and the code that was read. To be called
  // before trace that does not continue the trace decoded so far.
  virtual void Reset() = 0;
  // Decodes the next bytes and appends their elements: at most some 30 for each
  // byte. At bytes that are no packet, appends a kGap for each source. If
  // `formatted` was set, drops and counts an incomplete frame at the end.
  virtual void Decode(absl::Span<const uint8_t> trace,
                      std::vector<EtmElement>* elements) = 0;
  // Returns the number of bytes skipped or dropped since the last call: bytes
  // that are no packet, and all bytes from there to a synchronization packet.
  // Bytes before the first synchronization packet after Reset are not counted.
  virtual uint64_t TakeBadBytes() = 0;
  // Returns the number of bytes, since the last call or Reset, that were not
  // decoded because their source had no synchronization packet. If the trace is
  // in frames, includes bytes before the first id. Otherwise, excludes bytes
  // that trace units pad the trace with. To be called at the end of a trace.
  virtual uint64_t TakeUnsynchronizedBytes() = 0;
  // Returns the number of bytes in frames, since the last call, whose valid id
  // belongs to none of the sources.
  virtual uint64_t TakeUnknownBytes() = 0;
  // Returns the number of bytes since the last call with branches that were not
  // followed, because their address is not known. Excludes bytes after a
  // kNoCode element, and bytes of ETMv3 and PTM.
  virtual uint64_t TakeLostBytes() = 0;
  // Returns the work (Budget::kWork) since the last call, except the work for
  // elements. The caller charges it.
  virtual uint64_t TakeWork() = 0;
};

}  // namespace perf2x

#endif  // PERF2X_HWTRACE_ETM_DECODER_H_
