// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PERF_STREAM_INPUT_PAGES_H_
#define PERF2X_PERF_STREAM_INPUT_PAGES_H_

#include <cstddef>

#include "converter/perf/header/attr_table.h"
#include "converter/perf/records/raw_record.h"

namespace perf2x {

// The most bytes of samples with stack dumps that a sink of OrderedReader
// should hold back and read later. The pages of more may have been released:
// reading them again is slower.
inline constexpr size_t kMaxDelayedBytes = 9 << 20;

// Populates the pages of a mapped input before they are read, many at a time.
// Releases pages after they were read, unless samples have callchains that are
// kept where they lie in the input. Affects speed and memory only: a page is
// read on access anyway. Not thread-safe.
class InputPages {
 public:
  // Set `releases` if the input is read once, from its beginning to its end.
  // Otherwise no pages are released. The `kept` bytes before the newest sample
  // are not released: samples in them may not have been processed yet.
  InputPages(bool releases, size_t kept) : releases_(releases), kept_(kept) {}

  // To be called with each sample before it is read, in the order of the file.
  // `attrs` must have observed all earlier records. Ignores samples that are
  // not in the first sample's file.
  void BeforeSample(const RawRecord& sample, const AttrTable& attrs) {
    const Block* const block = sample.block->get();
    if (block_ == nullptr) block_ = block;
    const auto at =
        static_cast<size_t>(sample.body.data() - block->bytes().data());
    if (block == block_ && at >= next_) Step(at, attrs.AttrOf(sample));
  }

 private:
  void Step(size_t at, const EventAttr& attr);

  const bool releases_;
  const size_t kept_;
  const Block* block_ = nullptr;
  size_t next_ = 0;      // offset of the sample at which to take the next step
  size_t released_ = 0;  // bytes released so far
};

}  // namespace perf2x

#endif  // PERF2X_PERF_STREAM_INPUT_PAGES_H_
