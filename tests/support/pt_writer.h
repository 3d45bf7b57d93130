// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TESTS_SUPPORT_PT_WRITER_H_
#define PERF2X_TESTS_SUPPORT_PT_WRITER_H_

#ifdef PERF2X_INTEL_PT
#include <gtest/gtest.h>
#include <intel-pt.h>

#include <cstdint>

#include "tests/support/perf_data_builder.h"

namespace perf2x {

// Writes packets of Intel PT, by libipt's encoder. Bits of conditional branches
// are gathered: a packet takes six.
class PtWriter {
 public:
  PtWriter() : bytes_(1 << 22) {
    pt_config config;
    pt_config_init(&config);
    config.begin = bytes_.data();
    config.end = bytes_.data() + bytes_.size();
    encoder_ = pt_alloc_encoder(&config);
  }
  ~PtWriter() { pt_free_encoder(encoder_); }
  PtWriter(const PtWriter&) = delete;
  PtWriter& operator=(const PtWriter&) = delete;

  // PSB with the state of 64-bit code at `ip`, which is executed next; 0:
  // tracing is disabled. Then there may be no mode.
  void Psb(uint64_t ip, uint64_t tsc, bool has_mode = true) {
    Plain(ppt_psb);
    if (tsc != 0) Tsc(tsc);
    if (has_mode) Mode();
    if (ip != 0) Address(ppt_fup, ip);
    Plain(ppt_psbend);
  }
  void Mode() {
    Flush();
    pt_packet mode{};
    mode.type = ppt_mode;
    mode.payload.mode.leaf = pt_mol_exec;
    mode.payload.mode.bits.exec = pt_set_exec_mode(ptem_64bit);
    Put(mode);
  }
  void Tsc(uint64_t tsc) {
    pt_packet packet{};
    packet.type = ppt_tsc;
    packet.payload.tsc.tsc = tsc;
    Put(packet);
  }
  void Tnt(bool taken) {
    bits_ = bits_ << 1 | (taken ? 1 : 0);
    if (++bit_count_ == 6) Flush();
  }
  void Tip(uint64_t ip) { Address(ppt_tip, ip); }
  void Enable(uint64_t ip) { Address(ppt_tip_pge, ip); }
  // Tracing ends before the instruction at `ip`.
  void Disable(uint64_t ip) {
    Address(ppt_fup, ip);
    pt_packet packet{};
    packet.type = ppt_tip_pgd;
    packet.payload.ip.ipc = pt_ipc_suppressed;
    Put(packet);
  }
  // Tracing ends after the last instruction, a system call.
  void Leave() {
    Flush();
    pt_packet packet{};
    packet.type = ppt_tip_pgd;
    packet.payload.ip.ipc = pt_ipc_suppressed;
    Put(packet);
  }
  // An interrupt of the instruction at `from`.
  void Interrupt(uint64_t from, uint64_t to) {
    Address(ppt_fup, from);
    Address(ppt_tip, to);
  }
  void Overflow(uint64_t resumes_at) {
    Plain(ppt_ovf);
    Address(ppt_fup, resumes_at);
  }
  void PtWrite(uint64_t ip, uint64_t value) {
    Flush();
    pt_packet packet{};
    packet.type = ppt_ptw;
    packet.payload.ptw.payload = value;
    packet.payload.ptw.plc = 1;
    packet.payload.ptw.ip = 1;
    Put(packet);
    Address(ppt_fup, ip);
  }
  // The transaction at `ip` begins or, with `aborted`, is undone.
  void Transaction(uint64_t ip, bool aborted) {
    Flush();
    pt_packet packet{};
    packet.type = ppt_mode;
    packet.payload.mode.leaf = pt_mol_tsx;
    packet.payload.mode.bits.tsx.intx = aborted ? 0 : 1;
    packet.payload.mode.bits.tsx.abrt = aborted ? 1 : 0;
    Put(packet);
    Address(ppt_fup, ip);
  }
  void PowerEntry(uint8_t state) {
    Flush();
    pt_packet packet{};
    packet.type = ppt_pwre;
    packet.payload.pwre.state = state;
    Put(packet);
  }
  // The end of what PowerEntry began, before anything else is executed.
  void PowerExit(uint8_t last, uint8_t deepest) {
    Flush();
    pt_packet packet{};
    packet.type = ppt_pwrx;
    packet.payload.pwrx.last = last;
    packet.payload.pwrx.deepest = deepest;
    Put(packet);
  }
  void Ratio(uint8_t ratio) {
    Flush();
    pt_packet packet{};
    packet.type = ppt_cbr;
    packet.payload.cbr.ratio = ratio;
    Put(packet);
  }

  // The packets so far.
  ByteVector Bytes() {
    Flush();
    uint64_t size = 0;
    pt_enc_get_offset(encoder_, &size);
    return ByteVector(bytes_.begin(),
                      bytes_.begin() + static_cast<ptrdiff_t>(size));
  }

 private:
  void Put(const pt_packet& packet) {
    ASSERT_GT(pt_enc_next(encoder_, &packet), 0);
  }
  void Flush() {
    if (bit_count_ == 0) return;
    pt_packet packet{};
    packet.type = ppt_tnt_8;
    packet.payload.tnt.bit_size = bit_count_;
    packet.payload.tnt.payload = bits_;
    bit_count_ = 0;
    bits_ = 0;
    Put(packet);
  }
  void Plain(pt_packet_type type) {
    Flush();
    pt_packet packet{};
    packet.type = type;
    Put(packet);
  }
  void Address(pt_packet_type type, uint64_t ip) {
    Flush();
    pt_packet packet{};
    packet.type = type;
    packet.payload.ip.ipc = pt_ipc_sext_48;
    packet.payload.ip.ip = ip & 0xffffffffffff;
    Put(packet);
  }

  ByteVector bytes_;
  pt_encoder* encoder_ = nullptr;
  uint64_t bits_ = 0;
  uint8_t bit_count_ = 0;
};

}  // namespace perf2x

#endif  // PERF2X_INTEL_PT
#endif  // PERF2X_TESTS_SUPPORT_PT_WRITER_H_
