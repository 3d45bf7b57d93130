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
  // element follows it. In one packet, ranges that end with branches not taken
  // count as one.
  static constexpr uint32_t kMaxRange = 64 << 10;
  // The most packets of an ETMv4 or ETE source without one that says that code
  // ran. OpenCSD keeps them until then. The trace is damaged if there are more.
  static constexpr uint32_t kMaxIdlePackets = 4096;

  // Returns true if this build includes OpenCSD.
  static bool InThisBuild();
  // Returns false for trace units that trace speculative execution (TRCIDR8 is
  // not 0). Their traces are not decoded.
  static bool Decodes(const EtmSource& source);

  // Returns a decoder for the trace of `sources`. If `formatted` is set, the
  // trace is in frames. Otherwise there must be one source. Ignores a source
  // without a trace id, with the trace id of an earlier source, or for which
  // Decodes is false. Returns null if no source remains, or without OpenCSD.
  // `code` must outlive the decoder.
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
  // Returns the number of bytes skipped or dropped since the last call: what is
  // no packet, and then all up to a synchronization packet. Bytes before the
  // first synchronization packet after Reset are not counted.
  virtual uint64_t TakeBadBytes() = 0;
  // Returns the number of bytes since the last call, or Reset before it, of
  // sources that had no synchronization packet since then, and so were not
  // decoded; of a trace in frames also bytes that no id comes before. Bytes
  // that trace units fill a trace with are not counted, if it is not in frames.
  // To be called at the end of a trace.
  virtual uint64_t TakeUnsynchronizedBytes() = 0;
  // Returns the number of bytes since the last call that are in frames, of
  // valid ids that none of the sources has.
  virtual uint64_t TakeUnknownBytes() = 0;
  // Returns the number of bytes since the last call that tell of branches, but
  // were not followed, as no packet says at which address. Bytes after a
  // kNoCode element and those of ETMv3 and PTM are not counted.
  virtual uint64_t TakeLostBytes() = 0;
  // Returns the work (Budget::kWork) since the last call, without that for
  // elements. The caller charges it.
  virtual uint64_t TakeWork() = 0;
};

}  // namespace perf2x

#endif  // PERF2X_HWTRACE_ETM_DECODER_H_
