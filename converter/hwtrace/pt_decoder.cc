// SPDX-License-Identifier: Apache-2.0
#include "converter/hwtrace/pt_decoder.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "converter/hwtrace/pt_psb_header.h"
#ifdef PERF2X_INTEL_PT
#include <intel-pt.h>

#include "converter/hwtrace/pt_block_code.h"
#include "converter/hwtrace/pt_event.h"
#endif

namespace perf2x {
namespace {

constexpr std::array<uint8_t, PtDecoder::kPsbSize> kPsb = {
    0x02, 0x82, 0x02, 0x82, 0x02, 0x82, 0x02, 0x82,
    0x02, 0x82, 0x02, 0x82, 0x02, 0x82, 0x02, 0x82};

}  // namespace

size_t PtDecoder::FindPsb(absl::Span<const uint8_t> trace, size_t from) {
  if (from >= trace.size()) return kNowhere;
  const auto it = std::search(trace.begin() + static_cast<ptrdiff_t>(from),
                              trace.end(), kPsb.begin(), kPsb.end());
  return it == trace.end() ? kNowhere : static_cast<size_t>(it - trace.begin());
}

void SetPtProcessor(absl::string_view cpu_id, PtSettings* settings) {
  const std::vector<absl::string_view> words = absl::StrSplit(cpu_id, ',');
  uint32_t family = 0, model = 0, stepping = 0;
  if (words.size() < 4 || words[0] != "GenuineIntel" ||
      !absl::SimpleAtoi(words[1], &family) ||
      !absl::SimpleAtoi(words[2], &model) ||
      !absl::SimpleAtoi(words[3], &stepping)) {
    return;
  }
  settings->family = static_cast<uint16_t>(family);
  settings->model = static_cast<uint8_t>(model);
  settings->stepping = static_cast<uint8_t>(stepping);
}

#ifdef PERF2X_INTEL_PT

bool CanDecodeIntelPt() { return true; }

namespace {

using Kind = PtStep::Kind;

pt_config ConfigOf(absl::Span<const uint8_t> trace,
                   const PtSettings& settings) {
  pt_config config;
  pt_config_init(&config);
  // libipt does not write there.
  config.begin = const_cast<uint8_t*>(trace.data());
  config.end = config.begin + trace.size();
  if (settings.family != 0) {
    config.cpu = {pcv_intel, settings.family, settings.model,
                  settings.stepping};
    // A processor that it does not know has no errata.
    (void)pt_cpu_errata(&config.errata, &config.cpu);
  }
  config.mtc_freq = settings.mtc_frequency;
  config.nom_freq = settings.nominal_ratio;
  config.cpuid_0x15_eax = settings.tsc_denominator;
  config.cpuid_0x15_ebx = settings.tsc_numerator;
  return config;
}

// Returns true if libipt's decoder of instructions is one of blocks: since 2.2.
bool DecodesBlocks() {
  const pt_version version = pt_library_version();
  return version.major > 2 || (version.major == 2 && version.minor >= 2);
}

}  // namespace

class PtDecoder::Impl {
 public:
  Impl(absl::Span<const uint8_t> trace, const PtSettings& settings,
       TracedCode& code, size_t stop)
      : trace_(trace),
        code_(code),
        stop_(stop),
        decodes_blocks_(DecodesBlocks()) {
    const pt_config config = ConfigOf(trace, settings);
    // Null if there is no memory, or no trace; then there are no steps.
    decoder_ = pt_insn_alloc_decoder(&config);
    if (decoder_ == nullptr) return;
    headers_.emplace(config);
    pt_image_set_callback(pt_insn_get_image(decoder_), ReadCode, this);
  }
  ~Impl() {
    if (decoder_ != nullptr) pt_insn_free_decoder(decoder_);
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  bool Next(PtStep* step) {
    *step = PtStep();
    if (decoder_ == nullptr) return false;
    const bool found = TakeAhead(step) || Find(step);
    const size_t at = offset();
    if (at > offset_) bytes_ += at - offset_;
    offset_ = at;
    if (!found) {
      step->kind = Kind::kNone;
      return false;
    }
    SetTime();
    if (step->kind == Kind::kBegin) return true;
    ++steps_;
    if (decodes_blocks_) LookAhead();
    return true;
  }

  std::optional<uint64_t> tsc() const { return tsc_; }
  size_t offset() const {
    uint64_t at = 0;
    return decoder_ != nullptr && pt_insn_get_offset(decoder_, &at) >= 0
               ? static_cast<size_t>(at)
               : std::min(search_, trace_.size());
  }
  uint64_t TakeWork() {
    // Packets take more time the fewer bytes they have.
    constexpr uint64_t kBytesPerStep = 2;
    const uint64_t steps = bytes_ / kBytesPerStep;
    bytes_ %= kBytesPerStep;
    return steps + std::exchange(work_, 0);
  }
  uint64_t steps() const { return steps_; }
  uint64_t steps_at_last_psb() const { return steps_at_reached_; }
  bool stopped() const { return stopped_; }
  Tail tail() const {
    if (in_flow_) return {reached_, steps_ - steps_at_reached_, true};
    // A PSB packet may be cut at the end, or the packets that belong to it.
    if (cut_psb_ != kNowhere) return {cut_psb_, 0, false};
    const size_t at = trace_.size() - std::min(trace_.size(), kPsbSize - 1);
    return {std::min(std::max(at, search_), trace_.size()), 0, false};
  }

 private:
  static int ReadCode(uint8_t* buffer, size_t size, const pt_asid*, uint64_t ip,
                      void* self) {
    Impl& impl = *static_cast<Impl*>(self);
    const absl::Span<uint8_t> to(buffer, size);
    if (impl.decodes_blocks_) {
      const size_t again = impl.block_code_.ReadAgain(ip, to);
      if (again > 0) return static_cast<int>(again);
    }
    // An instruction is read at least once; errata have libipt read many. Four
    // are five steps.
    impl.work_ += ++impl.reads_ % 4 == 0 ? 2 : 1;
    const size_t n = impl.code_.Read(ip, to);
    if (impl.decodes_blocks_) impl.block_code_.Keep(ip, to.first(n));
    if (n == 0) impl.unknown_ip_ = ip;
    return n == 0 ? -pte_nomap : static_cast<int>(n);
  }

  void SetTime() {
    uint64_t tsc = 0;
    uint32_t lost_mtc = 0, lost_cyc = 0;  // libipt 2.2 wants both
    if (pt_insn_time(decoder_, &tsc, &lost_mtc, &lost_cyc) >= 0) tsc_ = tsc;
  }

  // libipt before 2.2 tells the time that the next packets have, libipt 2.2
  // that of the last event. While tracing is disabled, much time may pass, and
  // no code is read: the next event tells what time it is.
  void LookAhead() {
    constexpr int kFlags = pts_ip_suppressed | pts_event_pending;
    while (status_ >= 0 && (status_ & kFlags) == kFlags &&
           ahead_.kind == Kind::kNone) {
      ReadEvent(&ahead_);
      SetTime();
    }
  }
  bool TakeAhead(PtStep* step) {
    if (ahead_.kind == Kind::kNone) return false;
    *step = std::exchange(ahead_, PtStep());
    return true;
  }

  bool Find(PtStep* step) {
    for (;;) {
      if (!synced_) {
        step->kind = Kind::kBegin;
        return Synchronize();
      }
      if (status_ < 0) return Fail(step, status_);
      if (PassPsbsWithoutMode()) return Stop();
      if ((status_ & pts_event_pending) != 0) {
        if (ReadEvent(step)) return true;
      } else if ((status_ & pts_eos) != 0) {
        return false;
      } else {
        pt_insn instruction{};
        instruction.iclass = ptic_error;  // stays if libipt writes none
        const int before = status_;
        block_code_.BeginStep();
        status_ = pt_insn_next(decoder_, &instruction, sizeof(instruction));
        // libipt 2.2 meets some events only when it looks for the instruction
        // after them.
        if (decodes_blocks_ && status_ == -pte_event_ignored) {
          status_ = (before & pts_ip_suppressed) | pts_event_pending;
          ++work_;
          continue;
        }
        step->ip = instruction.ip;
        // An instruction that was decoded was executed, even if the trace does
        // not tell what follows it.
        if (status_ < 0 && instruction.iclass == ptic_error) continue;
        ReadPtInstruction(instruction, step);
        return true;
      }
    }
  }

  // Reads the pending event. Returns true if it is a step. Stops at a PSB
  // packet's event.
  bool ReadEvent(PtStep* step) {
    ++work_;
    pt_event event{};
    event.type = ptev_mnt;  // stays if there is an error before the event
    rest_ = offset();
    block_code_.Clear();
    status_ = pt_insn_event(decoder_, &event, sizeof(event));
    const bool is_first = !std::exchange(has_event_, true);
    if (event.status_update == 0) return ReadPtEvent(event, step);
    // The mode that the code after a PSB packet is executed in.
    if (event.type == ptev_exec_mode && PassPsbWithMode()) return Stop();
    if (event.type == ptev_disabled && !is_first && PassDisabledPsb()) {
      return Stop();
    }
    return false;
  }

  bool Stop() {
    stopped_ = true;
    status_ = pts_eos;  // stays
    return false;
  }

  // Begins at the next PSB packet.
  bool Synchronize() {
    // To set up libipt's decoder anew.
    constexpr uint64_t kWork = 8;
    const size_t at = FindPsb(trace_, search_);
    if (at == kNowhere || at >= stop_) {
      status_ = pts_eos;  // stays
      synced_ = true;
      return false;
    }
    work_ += kWork;
    offset_ = begun_ = at;
    passed_ = std::max(passed_, at + 1);
    status_ = pt_insn_sync_set(decoder_, at);
    synced_ = true;
    if (status_ < 0) return true;
    in_flow_ = true;
    next_psb_ = at;
    header_ = headers_->Read(at, &bytes_);
    has_event_ = false;
    rest_ = header_.end == kNowhere ? 0 : header_.end;
    // libipt 2.2 knows no time before the first event.
    if (header_.tsc.has_value()) tsc_ = header_.tsc;
    PassPsb();
    // The event that tells its mode is still to come.
    ++modes_to_come_;
    return true;
  }

  // Called when the program has reached the place of the next PSB packet.
  // Returns true if it is the one to stop at.
  bool PassPsb() {
    if (next_psb_ == kNowhere) return false;
    if (next_psb_ == stop_) return true;
    reached_ = next_psb_;
    steps_at_reached_ = steps_;
    passed_ = next_psb_ + kPsbSize;
    modes_to_come_ = header_.modes - 1;
    next_psb_ = FindPsb(trace_, passed_);
    header_ = headers_->Read(next_psb_, &bytes_);
    return false;
  }

  // Called for each mode of a PSB packet.
  bool PassPsbWithMode() {
    if (modes_to_come_ > 0) {
      --modes_to_come_;
      return false;
    }
    while (next_psb_ != kNowhere && header_.modes == 0) {
      if (PassPsb()) return true;
    }
    return PassPsb();
  }

  // libipt 2.2 has an event for each PSB packet that is written while tracing
  // is disabled. Those with a mode have another event.
  bool PassDisabledPsb() {
    return next_psb_ != kNowhere && header_.modes == 0 && PassPsb();
  }

  // Before libipt 2.2, there is no event for a PSB packet without a mode. It is
  // written while tracing is disabled, and so is passed once it was read and no
  // step is left.
  bool PassPsbsWithoutMode() {
    while ((status_ & pts_ip_suppressed) != 0 && next_psb_ != kNowhere &&
           header_.modes == 0 && header_.end <= ReadUpTo()) {
      if (PassPsb()) return true;
    }
    return false;
  }
  // The packets before are those of the steps so far, while tracing is
  // disabled: an event that is pending was read before.
  size_t ReadUpTo() const {
    return (status_ & pts_event_pending) != 0 ? rest_ : offset();
  }

  // Ends the flow at an error, and has it begin again at the next PSB packet
  // that was not reached yet. Returns false at the end of the trace.
  bool Fail(PtStep* step, int status) {
    // The most bytes of the packets that belong to a PSB packet.
    constexpr size_t kHeader = 96;
    // libipt 2.0 goes back to a PSB packet whose packets it read in vain,
    // libipt 2.1 does not.
    const size_t read = offset();
    const size_t at = in_flow_ ? read : begun_;
    ++work_;
    if (FindPsb(trace_.subspan(read, kPsbSize), 0) == 0) {
      bytes_ +=
          std::min(FindPsb(trace_, read + kPsbSize), trace_.size()) - read;
    }
    const pt_error_code error = pt_errcode(status);
    const bool is_cut = in_flow_ || trace_.size() - at <= kMaxPsbHeader;
    if (error == pte_eos && is_cut) {
      if (!in_flow_) cut_psb_ = at;
      status_ = pts_eos;
      return false;
    }
    // The state that a PSB packet tells may not follow from what was before;
    // then the flow begins anew at that packet. Code that is not known there
    // would not be known again.
    const bool may_begin_there = in_flow_ && steps_ == steps_at_reached_ &&
                                 reached_ != begun_ && error != pte_nomap;
    search_ = may_begin_there
                  ? reached_
                  : std::max(passed_, at > kHeader ? at - kHeader : 0);
    synced_ = false;
    in_flow_ = false;
    step->kind = error == pte_nomap ? Kind::kUnknownCode : Kind::kLost;
    // libipt 2.2 tells the last instruction of the block before.
    if (error == pte_nomap) step->ip = unknown_ip_;
    // What libipt calls an internal error is a list of it that is full.
    step->text = error == pte_internal
                     ? "more events in one place than libipt keeps"
                 : error == pte_eos ? "no PSBEND packet after a PSB packet"
                                    : pt_errstr(error);
    return true;
  }

  const absl::Span<const uint8_t> trace_;
  TracedCode& code_;
  const size_t stop_;
  const bool decodes_blocks_;
  pt_insn_decoder* decoder_ = nullptr;
  std::optional<PtPsbHeaderReader> headers_;  // null: decoder_ is
  bool synced_ = false, in_flow_ = false, stopped_ = false;
  int status_ = 0;           // of the last call
  size_t search_ = 0;        // where to look for a PSB packet to begin at
  size_t begun_ = kNowhere;  // the PSB packet that the flow began at
  size_t passed_ = 0;        // PSB packets before that were reached or begun at
  size_t next_psb_ = kNowhere;  // the first one that it has not reached
  PtPsbHeader header_;          // of next_psb_
  int modes_to_come_ = 0;       // of reached_
  bool has_event_ = false;      // since the flow began
  PtStep ahead_;                // read before it is due; kNone: none
  uint64_t unknown_ip_ = 0;     // where no code was known last
  PtBlockCode block_code_;      // empty: libipt does not decode blocks
  size_t rest_ = 0;             // offset before the pending event was read
  size_t reached_ = kNowhere;
  size_t cut_psb_ =
      kNowhere;  // the end came within the packets that belong to it
  uint64_t steps_ = 0, steps_at_reached_ = 0;  // but for kBegin
  std::optional<uint64_t> tsc_;
  size_t offset_ = 0;              // up to which bytes_ were counted
  uint64_t work_ = 0, bytes_ = 0;  // since TakeWork; decoded ones
  uint64_t reads_ = 0;             // of code
};

#else  // PERF2X_INTEL_PT

bool CanDecodeIntelPt() { return false; }

class PtDecoder::Impl {
 public:
  Impl(absl::Span<const uint8_t>, const PtSettings&, TracedCode&, size_t) {}
  bool Next(PtStep* step) {
    *step = PtStep();
    return false;
  }
  std::optional<uint64_t> tsc() const { return std::nullopt; }
  size_t offset() const { return 0; }
  uint64_t TakeWork() { return 0; }
  uint64_t steps() const { return 0; }
  uint64_t steps_at_last_psb() const { return 0; }
  bool stopped() const { return false; }
  Tail tail() const { return {}; }
};

#endif

PtDecoder::PtDecoder(absl::Span<const uint8_t> trace,
                     const PtSettings& settings, TracedCode& code, size_t stop)
    : impl_(std::make_unique<Impl>(trace, settings, code, stop)) {}
PtDecoder::~PtDecoder() = default;
bool PtDecoder::Next(PtStep* step) { return impl_->Next(step); }
std::optional<uint64_t> PtDecoder::tsc() const { return impl_->tsc(); }
size_t PtDecoder::offset() const { return impl_->offset(); }
uint64_t PtDecoder::TakeWork() { return impl_->TakeWork(); }
uint64_t PtDecoder::steps() const { return impl_->steps(); }
uint64_t PtDecoder::steps_at_last_psb() const {
  return impl_->steps_at_last_psb();
}
bool PtDecoder::stopped() const { return impl_->stopped(); }
PtDecoder::Tail PtDecoder::tail() const { return impl_->tail(); }

}  // namespace perf2x
