// SPDX-License-Identifier: Apache-2.0
#include "converter/branch_lists/etm_list_follower.h"

#include <optional>

#include "converter/base/status_macros.h"

namespace perf2x {
namespace {

// Packets of ETMv4 (Arm IHI 0064).
constexpr uint8_t kTraceOn = 0x04;
constexpr uint8_t kAddressWithContext = 0x85, kThumbAddressWithContext = 0x86;
constexpr uint8_t kThreeAtoms = 0xf8, kOneAtom = 0xf6;

// A trace unit of version 4.3, without speculation, cycle counts, context ids
// and return stack.
EtmSource PlainSource() {
  EtmSource source;
  source.cpu = 0;
  source.trace_id = 1;
  source.idr0 = 0x28000ea1;
  source.idr1 = 0x4100f433;
  source.idr2 = 0x488;
  return source;
}

}  // namespace

EtmListFollower::EtmListFollower(EtmCode* code, bool is_64_bit, Budget& budget)
    : is_64_bit_(is_64_bit),
      budget_(budget),
      decoder_(EtmDecoder::Make({PlainSource()}, /*formatted=*/false, code)) {
  if (decoder_ != nullptr) Synchronize();
}

void EtmListFollower::Synchronize() {
  decoder_->Reset();
  packets_.assign(11, 0);  // A-Sync and Trace Info
  packets_.insert(packets_.end(), {0x80, 0x01, 0x01, 0x00, kTraceOn});
}

void EtmListFollower::AppendStart(uint64_t address) {
  const bool thumb = IsThumb(address);
  packets_.push_back(thumb ? kThumbAddressWithContext : kAddressWithContext);
  // Instructions of T32 lie at even addresses, all others at multiples of 4.
  if (thumb) {
    packets_.push_back(address >> 1 & 0x7f);
    packets_.push_back(address >> 8 & 0xff);
  } else {
    packets_.push_back(address >> 2 & 0x7f);
    packets_.push_back(address >> 9 & 0x7f);
  }
  for (int shift = 16; shift < 64; shift += 8) {
    packets_.push_back(address >> shift & 0xff);
  }
  constexpr uint8_t k64Bit = 1 << 4, kNonSecure = 1 << 5;
  packets_.push_back(kNonSecure | (is_64_bit_ ? k64Bit : 0));
}

// Appends the next branches of a list: those that fit some packets.
void EtmListFollower::AppendAtoms(const EtmBranchList& list, size_t* next) {
  constexpr size_t kPackets = 256;
  for (size_t i = 0; i < kPackets && *next < list.size; ++i) {
    if (list.size - *next >= 3) {
      uint8_t atoms = kThreeAtoms;
      for (int bit = 0; bit < 3; ++bit) {
        atoms |= static_cast<uint8_t>(list.taken((*next)++) << bit);
      }
      packets_.push_back(atoms);
    } else {
      packets_.push_back(kOneAtom | (list.taken((*next)++) ? 1 : 0));
    }
  }
}

absl::Status EtmListFollower::Follow(const EtmBranchList& list, Sink sink,
                                     End* end) {
  *end = End::kWhole;
  branches_ = 0;
  if (!IsThumb(list.address) && list.address % 4 != 0) {
    *end = End::kNoInstruction;
    return absl::OkStatus();
  }
  AppendStart(list.address);
  for (size_t next = 0; next < list.size && *end == End::kWhole;) {
    AppendAtoms(list, &next);
    RETURN_IF_ERROR(Decode(sink, end));
  }
  // Branches after an indirect one wait for its target, which does not come.
  if (*end == End::kWhole && branches_ < list.size) *end = End::kLost;
  if (*end == End::kWhole && list.taken(list.size - 1)) {
    RETURN_IF_ERROR(FinishBranch(sink));
  }
  // Nothing follows from what comes after the list.
  packets_.push_back(kTraceOn);
  if (const auto step = flow_.End()) return sink(*step);
  return absl::OkStatus();
}

// One more branch shows where the last one leads, unless that is indirect. What
// ran there is not known.
absl::Status EtmListFollower::FinishBranch(Sink sink) {
  packets_.push_back(kOneAtom);
  const absl::Span<const EtmElement> elements = DecodePackets();
  decoder_->TakeLostBytes();
  for (const EtmElement& element : elements) {
    if (element.kind != EtmElement::Kind::kRange &&
        element.kind != EtmElement::Kind::kNoCode) {
      continue;
    }
    EtmElement target;
    target.kind = EtmElement::Kind::kException;
    target.start = element.start;
    const auto step = flow_.Add(target);
    return step.has_value() ? sink(*step) : absl::OkStatus();
  }
  return absl::OkStatus();
}

// Decodes the packets so far. The result is valid until the next call.
absl::Span<const EtmElement> EtmListFollower::DecodePackets() {
  elements_.clear();
  decoder_->Decode(packets_, &elements_);
  packets_.clear();
  uint64_t work = decoder_->TakeWork();
  for (const EtmElement& element : elements_) {
    work += 1 + element.instructions / 2;
  }
  budget_.Spend(Budget::kWork, work);
  return elements_;
}

absl::Status EtmListFollower::Decode(Sink sink, End* end) {
  // A step is kept and counted.
  constexpr uint64_t kWorkPerStep = 2;
  if (budget_.exhausted()) {
    *end = End::kSkipped;
    return absl::OkStatus();
  }
  for (const EtmElement& element : DecodePackets()) {
    if (element.kind == EtmElement::Kind::kNoCode) *end = End::kNoCode;
    if (element.kind == EtmElement::Kind::kRange) ++branches_;
    if (const auto step = flow_.Add(element)) {
      budget_.Spend(Budget::kWork, kWorkPerStep);
      RETURN_IF_ERROR(sink(*step));
    }
  }
  if (decoder_->TakeLostBytes() > 0 && *end == End::kWhole) *end = End::kLost;
  if (decoder_->TakeBadBytes() > 0) {
    // OpenCSD waits for synchronization.
    *end = End::kLost;
    Synchronize();
  }
  return absl::OkStatus();
}

}  // namespace perf2x
