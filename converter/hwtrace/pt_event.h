// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_HWTRACE_PT_EVENT_H_
#define PERF2X_HWTRACE_PT_EVENT_H_

#ifdef PERF2X_INTEL_PT
#include <intel-pt.h>

#include "converter/hwtrace/pt_decoder.h"

// What libipt reports, as steps of the traced program.

namespace perf2x {

// Sets `*step` to an instruction that was executed.
void ReadPtInstruction(const pt_insn& instruction, PtStep* step);
// Sets `*step` to an event of the trace. Returns false for those that are no
// step of the program.
bool ReadPtEvent(const pt_event& event, PtStep* step);

}  // namespace perf2x

#endif  // PERF2X_INTEL_PT
#endif  // PERF2X_HWTRACE_PT_EVENT_H_
