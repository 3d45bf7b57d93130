// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_HWTRACE_OPENCSD_TREE_H_
#define PERF2X_HWTRACE_OPENCSD_TREE_H_

#if PERF2X_OPENCSD
#include <opencsd/c_api/opencsd_c_api.h>

#include <algorithm>
#include <cstdint>
#include <mutex>

#include "absl/types/span.h"

namespace perf2x {

// Guards OpenCSD's global state: the table of decoders, the instruction decoder
// and the last error.
inline std::mutex& OpenCsdMutex() {
  static std::mutex* const mutex = new std::mutex;
  return *mutex;
}

// Owns a decode tree of OpenCSD. Across all threads, only one tree runs at a
// time.
class OpenCsdTree {
 public:
  explicit OpenCsdTree(bool formatted) {
    const Lock lock(OpenCsdMutex());
    handle_ = ocsd_create_dcd_tree(
        formatted ? OCSD_TRC_SRC_FRAME_FORMATTED : OCSD_TRC_SRC_SINGLE,
        formatted ? OCSD_DFRMTR_FRAME_MEM_ALIGN | OCSD_DFRMTR_RESET_ON_4X_FSYNC
                  : 0);
  }
  ~OpenCsdTree() {
    const Lock lock(OpenCsdMutex());
    ocsd_destroy_dcd_tree(handle_);
  }
  OpenCsdTree(const OpenCsdTree&) = delete;
  OpenCsdTree& operator=(const OpenCsdTree&) = delete;

  // These return false if OpenCSD refuses.
  bool Add(const char* name, int flags, const void* config) {
    const Lock lock(OpenCsdMutex());
    unsigned char id = 0;
    return ocsd_dt_create_decoder(handle_, name, flags, config, &id) == OCSD_OK;
  }
  bool SetPacketSink(uint8_t id, FnDefPktDataIn sink, const void* context) {
    const Lock lock(OpenCsdMutex());
    return ocsd_dt_attach_packet_callback(handle_, id, OCSD_C_API_CB_PKT_SINK,
                                          reinterpret_cast<void*>(sink),
                                          context) == OCSD_OK;
  }
  bool SetElementSink(FnTraceElemIn sink, const void* context) {
    const Lock lock(OpenCsdMutex());
    return ocsd_dt_set_gen_elem_outfn(handle_, sink, context) == OCSD_OK;
  }
  // Sets the callback that reads code. Drops code that was read before.
  bool SetCode(Fn_MemAccID_CB read, const void* context) {
    const Lock lock(OpenCsdMutex());
    ocsd_dt_remove_mem_acc(handle_, 0, OCSD_MEM_SPACE_ANY);
    return ocsd_dt_add_callback_trcid_mem_acc(handle_, 0, ~ocsd_vaddr_t{0},
                                              OCSD_MEM_SPACE_ANY, read,
                                              context) == OCSD_OK;
  }
  // Resets all decoders: they then wait for synchronization packets.
  void Reset() {
    const Lock lock(OpenCsdMutex());
    ocsd_dt_process_data(handle_, OCSD_OP_RESET, 0, 0, nullptr, nullptr);
  }
  // Decodes `trace`; `index` is the index of its first byte. Returns false if
  // OpenCSD did not accept all bytes.
  bool Process(uint64_t index, absl::Span<const uint8_t> trace) {
    const Lock lock(OpenCsdMutex());
    while (!trace.empty()) {
      uint32_t taken = 0;
      const ocsd_datapath_resp_t response = ocsd_dt_process_data(
          handle_, OCSD_OP_DATA, index, static_cast<uint32_t>(trace.size()),
          trace.data(), &taken);
      if (!OCSD_DATA_RESP_IS_CONT(response) || taken == 0) return false;
      taken = std::min<uint32_t>(taken, static_cast<uint32_t>(trace.size()));
      trace.remove_prefix(taken);
      index += taken;
    }
    return true;
  }

 private:
  using Lock = std::lock_guard<std::mutex>;

  dcd_tree_handle_t handle_;
};

}  // namespace perf2x

#endif  // PERF2X_OPENCSD
#endif  // PERF2X_HWTRACE_OPENCSD_TREE_H_
