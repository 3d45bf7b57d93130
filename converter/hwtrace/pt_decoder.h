// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_HWTRACE_PT_DECODER_H_
#define PERF2X_HWTRACE_PT_DECODER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "converter/hwtrace/traced_code.h"

// Intel Processor Trace: Intel 64 and IA-32 Architectures Software Developer's
// Manual, volume 3, chapter "Intel Processor Trace". Decoded by libipt.

namespace perf2x {

// Returns false if this build is without libipt.
bool CanDecodeIntelPt();

// How a trace was recorded. 0: not known.
struct PtSettings {
  uint16_t family = 0;  // of the Intel processor, whose errata apply
  uint8_t model = 0, stepping = 0;
  uint8_t mtc_frequency = 0;  // IA32_RTIT_CTL.MTCFreq
  // The processor's highest frequency without turbo, as a multiple of the bus
  // clock.
  uint8_t nominal_ratio = 0;
  // Ticks of the TSC for each tick of the crystal clock, as a fraction: EBX and
  // EAX of CPUID leaf 15H.
  uint32_t tsc_numerator = 0, tsc_denominator = 0;
};

// Sets family, model and stepping from perf's CPUID text,
// "GenuineIntel,6,78,3". Does nothing for other vendors' processors.
void SetPtProcessor(absl::string_view cpu_id, PtSettings* settings);

// One step of the traced program.
struct PtStep {
  enum class Kind : uint8_t {
    kNone,         // no step
    kBegin,        // the flow begins at a PSB packet; no code was read yet
    kInstruction,  // the instruction at `ip` was executed
    kEnabled,      // tracing begins at `ip`
    kDisabled,     // tracing ends: before the instruction at `ip` or, if that
                   // is 0, after the last instruction
    kInterrupt,    // a jump from `ip` to `to` without a branch instruction
    kOverflow,     // the processor dropped a part of the trace here
    kTransaction,  // a transaction begins, ends or is aborted (`text`)
    kPtWrite,      // the instruction at `ip` wrote `payload`
    kPower,        // a change of power (`text`, `payload`)
    kUnknownCode,  // the flow is lost at `ip`, where no code is known
    kLost,         // the flow is lost for another reason (`text`)
  };
  // What kind of branch an instruction is.
  enum class Branch : uint8_t { kNone, kConditional, kJump, kCall, kReturn };
  Kind kind = Kind::kNone;
  Branch branch = Branch::kNone;  // of kInstruction
  // The branch changes the code segment: a system call, or a return to where
  // the kernel was entered.
  bool is_far = false;
  uint8_t size = 0;         // of the instruction, in bytes
  uint64_t ip = 0, to = 0;  // run-time addresses, see Kind
  uint64_t payload = 0;     // see Kind
  const char* text = "";    // static
};

// Decodes one buffer of Intel PT packets to the steps of the traced program.
// After an error, continues at the next PSB packet. Not thread-safe.
class PtDecoder {
 public:
  static constexpr size_t kNowhere = ~size_t{0};  // in place of an offset: none
  static constexpr size_t kPsbSize = 16;
  // The most bytes of a PSB+ (a PSB packet and the packets up to its PSBEND).
  static constexpr size_t kMaxPsbHeader = 512;

  // `trace` and `code` must outlive the decoder. Requires CanDecodeIntelPt().
  // `stop` is the offset of a PSB packet in `trace`, or kNowhere. The steps end
  // where the program was when that packet was written.
  PtDecoder(absl::Span<const uint8_t> trace, const PtSettings& settings,
            TracedCode& code, size_t stop = kNowhere);
  ~PtDecoder();
  PtDecoder(const PtDecoder&) = delete;
  PtDecoder& operator=(const PtDecoder&) = delete;

  // Sets `*step` to the next step. At the end, sets it to kNone and returns
  // false.
  bool Next(PtStep* step);

  // Returns the time-stamp counter at the last step; absent: not in the trace.
  std::optional<uint64_t> tsc() const;
  // Returns the decoder's offset in the trace: at or after the packets of the
  // last step.
  size_t offset() const;
  // Returns the work (Budget::kWork) since the last call. The caller charges
  // it.
  uint64_t TakeWork();
  // Returns the number of steps so far, without kBegin.
  uint64_t steps() const;
  // Returns true if the steps ended at the PSB packet to stop at.
  bool stopped() const;
  // The tail of the trace that must be decoded again, together with the trace
  // that continues it.
  struct Tail {
    size_t from = 0;       // the tail's offset; end of trace: none
    uint64_t steps = 0;    // steps in the tail, without kBegin
    bool in_flow = false;  // the flow was not lost at the end
  };
  // To be called once Next returned false, unless stopped().
  Tail tail() const;
  // Returns the value of steps() at the last PSB packet.
  uint64_t steps_at_last_psb() const;

  // Returns the offset of the first PSB packet from `from` on; kNowhere if
  // there is none.
  static size_t FindPsb(absl::Span<const uint8_t> trace, size_t from);

 private:
  class Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace perf2x

#endif  // PERF2X_HWTRACE_PT_DECODER_H_
