// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_MODEL_SAMPLE_SELECTOR_H_
#define PERF2X_MODEL_SAMPLE_SELECTOR_H_

#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "converter/model/model.h"
#include "converter/model/symbolizer.h"

namespace perf2x {

// Decides which samples a session forwards to its emitter, before their stacks
// are looked up. Not thread-safe.
class SampleSelector {
 public:
  // The properties by which samples are selected.
  struct Candidate {
    EventId event = 0;
    ThreadId thread = 0;
    int32_t cpu = -1;  // -1: not known
    std::optional<uint64_t> time;
    uint64_t count = 1;  // of samples that this one stands for
    // Dso and Frame::address of the sampled instruction. Set if needs_place();
    // the Dso is then never kNoId.
    DsoId dso = kNoId;
    uint64_t address = 0;
  };

  virtual ~SampleSelector() = default;

  // Returns true if Selects uses Candidate::dso and address.
  virtual bool needs_place() const = 0;
  // Returns true if set_symbolizer must be called before the first sample.
  virtual bool needs_symbols() const = 0;
  // Sets the symbolizer for filters by symbol, which must outlive the selector.
  // Null: no code has a symbol.
  virtual void set_symbolizer(Symbolizer* symbolizer) = 0;
  // Returns how many innermost addresses of a stack are kept; 0: all.
  virtual uint32_t max_stack() const = 0;
  // Returns Event::selection_rank of an event. Requires that
  // TraceTables::events has this event and all earlier ones, with their names.
  virtual uint32_t RankOfEvent(EventId event) = 0;
  // Returns true if the sample is selected. To be called once for each sample,
  // as it also collects what Check needs.
  virtual bool Selects(const Candidate& sample) = 0;
  // To be called after the last sample. Fails if a value that the user selects
  // by does not occur in the recording. Also fails if samples are selected by
  // time and no sample has a time.
  virtual absl::Status Check() const = 0;
};

}  // namespace perf2x

#endif  // PERF2X_MODEL_SAMPLE_SELECTOR_H_
