// SPDX-License-Identifier: Apache-2.0
#include "converter/hwtrace/etm_info.h"

#include <algorithm>

namespace perf2x {
namespace {

constexpr uint64_t kMagicV3 = 0x3030303030303030;
constexpr uint64_t kMagicV4 = 0x4040404040404040;
constexpr uint64_t kMagicEte = 0x5050505050505050;

// Reads one parameter after the other. Those that an older perf did not write
// are 0.
class Parameters {
 public:
  Parameters(const WordSpan& words, size_t first, size_t count)
      : words_(words), at_(first), end_(first + count) {}
  uint32_t Next() {
    return at_ < end_ ? static_cast<uint32_t>(words_[at_++]) : 0;
  }

 private:
  const WordSpan& words_;
  size_t at_;
  const size_t end_;
};

void SetTraceId(uint32_t reg, EtmSource* source) {
  // Bit 31: the number is not in use, another record tells it.
  constexpr uint32_t kUnused = uint32_t{1} << 31, kMask = 0x7f;
  const uint32_t id = reg & kMask;
  if ((reg & kUnused) == 0 && IsEtmTraceId(id)) {
    source->trace_id = static_cast<uint8_t>(id);
  }
}

void ReadV3(Parameters in, EtmSource* source) {
  source->config = in.Next();
  SetTraceId(in.Next(), source);
  source->ccer = in.Next();
  source->etm_idr = in.Next();
  // The architecture's version is 3.x of PTM and others of ETMv3.
  constexpr uint32_t kMajorVersion = 0xf << 8, kPtm = 3 << 8;
  source->protocol = (source->etm_idr & kMajorVersion) == kPtm
                         ? EtmProtocol::kPtm
                         : EtmProtocol::kEtmV3;
}

void ReadV4(Parameters in, bool ete, EtmSource* source) {
  source->protocol = ete ? EtmProtocol::kEte : EtmProtocol::kEtmV4;
  source->config = in.Next();
  SetTraceId(in.Next(), source);
  source->idr0 = in.Next();
  source->idr1 = in.Next();
  source->idr2 = in.Next();
  source->idr8 = in.Next();
  in.Next();  // TRCAUTHSTATUS
  if (ete) source->devarch = in.Next();
  source->timer_time = in.Next() == 1;
}

}  // namespace

bool EtmSource::has_context_id() const {
  switch (protocol) {
    case EtmProtocol::kEtmV3:
    case EtmProtocol::kPtm:
      return (config & (3 << 14)) != 0;  // ETMCR.ContextIDSize
    default:
      return (config & (1 << 6)) != 0;  // TRCCONFIGR.CID
  }
}

bool EtmSource::has_virtual_context_id() const {
  constexpr uint32_t kVmid = 1 << 7, kVmidOpt = 1 << 15;
  return (protocol == EtmProtocol::kEtmV4 || protocol == EtmProtocol::kEte) &&
         (config & (kVmid | kVmidOpt)) == (kVmid | kVmidOpt);
}

EtmSource* EtmInfo::SourceOf(int32_t cpu) {
  const auto it = std::find_if(
      sources.begin(), sources.end(),
      [cpu](const EtmSource& source) { return source.cpu == cpu; });
  return it == sources.end() ? nullptr : &*it;
}

std::optional<EtmInfo> ParseEtmInfo(const WordSpan& words) {
  constexpr size_t kHeader = 3;
  constexpr size_t kParametersV3 = 4, kParametersV4 = 7;  // of version 0
  if (words.size() < kHeader || words[0] > 2) return std::nullopt;
  const bool counted = words[0] > 0;
  const uint64_t cpus = words[1] & 0xffffffff;  // above them, the PMU's type
  EtmInfo info;
  info.snapshot = words[2] != 0;
  size_t at = kHeader;
  for (uint64_t i = 0; i < cpus; ++i) {
    const size_t fixed = counted ? 3 : 2;  // words before the parameters
    if (words.size() - at < fixed) return std::nullopt;
    const uint64_t magic = words[at];
    if (magic != kMagicV3 && magic != kMagicV4 && magic != kMagicEte) {
      return std::nullopt;
    }
    const uint64_t count = counted             ? words[at + 2]
                           : magic == kMagicV3 ? kParametersV3
                                               : kParametersV4;
    if (count > words.size() - at - fixed) return std::nullopt;
    EtmSource source;
    source.cpu = static_cast<int32_t>(words[at + 1]);
    const Parameters parameters(words, at + fixed, count);
    if (magic == kMagicV3) {
      ReadV3(parameters, &source);
    } else {
      ReadV4(parameters, magic == kMagicEte, &source);
    }
    info.sources.push_back(source);
    at += fixed + count;
  }
  return info;
}

std::optional<EtmHardwareId> ParseEtmHardwareId(uint64_t hw_id) {
  const uint64_t major = hw_id >> 60, minor = hw_id >> 56 & 0xf;
  EtmHardwareId id;
  if (major != 0 || !IsEtmTraceId(hw_id & 0xff)) return std::nullopt;
  id.trace_id = static_cast<uint8_t>(hw_id);
  if (minor >= 1) id.sink = static_cast<uint32_t>(hw_id >> 8);
  return id;
}

}  // namespace perf2x
