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

// Decodes CoreSight traces by OpenCSD. Bytes that are no packet are skipped up
// to the next synchronization packet and counted. Not thread-safe; different
// decoders may be used on different threads, one at a time.
class EtmDecoder {
 public:
  // The bytes of a frame, in which CoreSight's formatter puts the traces of
  // several sources.
  static constexpr size_t kFrame = 16;
  // The most code in one range. Longer ranges are cut there, and a kNoCode
  // follows.
  static constexpr uint32_t kMaxRange = 64 << 10;

  // Returns true if this build has OpenCSD.
  static bool InThisBuild();
  // Returns true if traces of the source can be decoded: not those that the
  // processor writes before it knows that the instructions will retire.
  static bool Decodes(const EtmSource& source);

  // Returns a decoder of the trace of `sources`: in frames if `formatted` is
  // set; else there must be one source. Leaves out sources without a trace id,
  // or with that of an earlier one, and those that it cannot decode. Null if
  // none is left, or without OpenCSD. `code` must outlive the decoder.
  static std::unique_ptr<EtmDecoder> Make(absl::Span<const EtmSource> sources,
                                          bool formatted, EtmCode* code);
  virtual ~EtmDecoder() = default;

  // To be called before trace that does not continue what was decoded before.
  virtual void Reset() = 0;
  // Decodes the next bytes and appends what they say to `*elements`: at most
  // some 30 elements a byte. Of a formatted trace, takes whole frames only.
  virtual void Decode(absl::Span<const uint8_t> trace,
                      std::vector<EtmElement>* elements) = 0;
  // Returns how many bytes were skipped since the last call.
  virtual uint64_t TakeBadBytes() = 0;
};

}  // namespace perf2x

#endif  // PERF2X_HWTRACE_ETM_DECODER_H_
