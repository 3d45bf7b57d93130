// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_HWTRACE_PT_PSB_HEADER_H_
#define PERF2X_HWTRACE_PT_PSB_HEADER_H_

#ifdef PERF2X_INTEL_PT
#include <intel-pt.h>

#include <cstddef>
#include <cstdint>
#include <optional>

#include "converter/hwtrace/pt_decoder.h"

namespace perf2x {

// A PSB+: the packets from a PSB packet to its PSBEND packet.
struct PtPsbHeader {
  size_t end = PtDecoder::kNowhere;  // offset after PSBEND; kNowhere: cut
  int modes = 0;                     // number of MODE.Exec packets
  std::optional<uint64_t> tsc;       // of its TSC packet
};

// Reads the PSB+ of one trace. Not thread-safe.
class PtPsbHeaderReader {
 public:
  // The trace in `config` must outlive the reader.
  explicit PtPsbHeaderReader(const pt_config& config)
      : packets_(pt_pkt_alloc_decoder(&config)) {}
  ~PtPsbHeaderReader() {
    if (packets_ != nullptr) pt_pkt_free_decoder(packets_);
  }
  PtPsbHeaderReader(const PtPsbHeaderReader&) = delete;
  PtPsbHeaderReader& operator=(const PtPsbHeaderReader&) = delete;

  // Reads up to PtDecoder::kMaxPsbHeader bytes from the offset `psb` on, which
  // may be kNowhere. Adds the number of bytes read to `*bytes`.
  PtPsbHeader Read(size_t psb, uint64_t* bytes) {
    PtPsbHeader header;
    if (packets_ == nullptr || psb == PtDecoder::kNowhere ||
        pt_pkt_sync_set(packets_, psb) < 0) {
      return header;
    }
    pt_packet packet{};
    for (size_t at = psb; at - psb < PtDecoder::kMaxPsbHeader;) {
      const int size = pt_pkt_next(packets_, &packet, sizeof(packet));
      if (size <= 0) break;
      at += static_cast<size_t>(size);
      *bytes += static_cast<size_t>(size);
      if (packet.type == ppt_psbend) {
        header.end = at;
        break;
      }
      if (packet.type == ppt_mode && packet.payload.mode.leaf == pt_mol_exec) {
        ++header.modes;
      }
      if (packet.type == ppt_tsc) header.tsc = packet.payload.tsc.tsc;
    }
    return header;
  }

 private:
  pt_packet_decoder* const packets_;  // null: no memory, or no trace
};

}  // namespace perf2x

#endif  // PERF2X_INTEL_PT
#endif  // PERF2X_HWTRACE_PT_PSB_HEADER_H_
