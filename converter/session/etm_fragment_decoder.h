// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_ETM_FRAGMENT_DECODER_H_
#define PERF2X_SESSION_ETM_FRAGMENT_DECODER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "converter/base/diagnostics.h"
#include "converter/hwtrace/etm_decoder.h"
#include "converter/hwtrace/etm_element.h"
#include "converter/session/aux_data.h"
#include "converter/session/aux_queues.h"

namespace perf2x {

// Decodes fragments of a CoreSight trace, one after the other. A fragment is
// the AUX data in a range. Cuts it into the formatter's frames, which may be
// split between pieces of data, and goes on after data that is missing. Not
// thread-safe.
class EtmFragmentDecoder {
 public:
  // The work (Budget::kWork) of resetting an EtmDecoder, besides what it counts
  // itself: it looks at all of its state.
  static constexpr uint64_t kWorkPerReset = 512;
  // The message for trace of sources that the decoder does not have.
  static constexpr char kUnknownUnits[] =
      "bytes of CoreSight trace of unknown trace units";

  // Begins the fragment in `range`, and resets `decoder`. Requires !active()
  // and data: `range.place` is not null. Both must outlive the fragment.
  void Begin(const AuxRange& range, EtmDecoder& decoder);
  // Returns true between Begin and End.
  bool active() const { return range_ != nullptr; }
  // Returns the number of bytes that are neither decoded nor skipped yet; 0
  // without a fragment.
  uint64_t left() const { return active() ? range_->end - at_ : 0; }

  // Returns the next element that was decoded; null: there is none until the
  // next Decode. The element is valid until then.
  const EtmElement* NextElement() {
    if (next_ == elements_.size()) return nullptr;
    const EtmElement& element = elements_[next_++];
    if (element.kind == EtmElement::Kind::kNoCode) ++unknown_code_;
    if (element.kind == EtmElement::Kind::kOverflow) ++overflows_;
    return &element;
  }
  // Decodes the next frame, or as many bytes of a raw trace, and returns 0. If
  // data is missing there, instead skips it, up to the begin of a frame, and
  // returns the number of bytes skipped. Requires left() > 0, and that
  // NextElement returned null.
  uint64_t Decode();
  // Counts the fragment's trace that could not be decoded, and its elements
  // kNoCode and kOverflow, at the offset of its AUX record. To be called once,
  // before End.
  void CountFaults(Diagnostics& diagnostics);
  // Ends the fragment: resets the decoder, and releases the data. Drops
  // elements that NextElement has not returned.
  void End();

  // Returns the work (Budget::kWork) since the last call, except that of Begin.
  // The caller charges it.
  uint64_t TakeWork() { return std::exchange(work_, 0); }

 private:
  uint64_t SkipGap();
  absl::Span<const uint8_t> JoinFrame(size_t size);

  const AuxRange* range_ = nullptr;
  EtmDecoder* decoder_ = nullptr;
  AuxData::Piece piece_;  // what is left of the current piece
  uint64_t at_ = 0;       // offset of piece_ in the stream
  std::array<uint8_t, EtmDecoder::kFrameSize> frame_{};  // split between pieces
  std::vector<EtmElement> elements_;
  size_t next_ = 0;  // in elements_
  uint64_t unknown_code_ = 0, overflows_ = 0;
  uint64_t work_ = 0;
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_ETM_FRAGMENT_DECODER_H_
