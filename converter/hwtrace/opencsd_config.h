// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_HWTRACE_OPENCSD_CONFIG_H_
#define PERF2X_HWTRACE_OPENCSD_CONFIG_H_

#if PERF2X_OPENCSD
#include <opencsd/c_api/opencsd_c_api.h>

#include <cstdint>

#include "converter/hwtrace/etm_info.h"

namespace perf2x {

// Returns the configuration of an ETMv3 or a PTM, of Armv7.
template <class Config>
Config ConfigOfV7(const EtmSource& source) {
  Config config = {};
  config.reg_idr = source.etm_idr;
  config.reg_ctrl = source.config;
  config.reg_ccer = source.ccer;
  config.reg_trc_id = source.trace_id;
  config.arch_ver = ARCH_V7;
  config.core_prof = profile_CortexA;
  return config;
}

inline ocsd_etmv4_cfg ConfigV4(const EtmSource& source) {
  ocsd_etmv4_cfg config = {};
  config.reg_idr0 = source.idr0;
  config.reg_idr1 = source.idr1;
  config.reg_idr2 = source.idr2;
  config.reg_configr = source.config;
  config.reg_traceidr = source.trace_id;
  config.arch_ver = ARCH_V8;
  config.core_prof = profile_CortexA;
  if (source.protocol == EtmProtocol::kEte) {
    // The ETE's version is in a register that the ETMv4 decoder does not read.
    const uint32_t major = source.devarch >> 12 & 0xf;
    const uint32_t minor = source.devarch >> 16 & 0xf;
    config.reg_idr1 = (config.reg_idr1 & ~0xff0u) | major << 8 | minor << 4;
    config.arch_ver = ARCH_AA64;
  }
  return config;
}

inline ocsd_ete_cfg ConfigEte(const EtmSource& source) {
  ocsd_ete_cfg config = {};
  config.reg_idr0 = source.idr0;
  config.reg_idr1 = source.idr1;
  config.reg_idr2 = source.idr2;
  config.reg_devarch = source.devarch;
  config.reg_configr = source.config;
  config.reg_traceidr = source.trace_id;
  config.arch_ver = ARCH_AA64;
  config.core_prof = profile_CortexA;
  return config;
}

}  // namespace perf2x

#endif  // PERF2X_OPENCSD
#endif  // PERF2X_HWTRACE_OPENCSD_CONFIG_H_
