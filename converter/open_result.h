#ifndef PERF2X_OPEN_RESULT_H_
#define PERF2X_OPEN_RESULT_H_

#include <string>

#include "converter/profile/emitter.h"

namespace perf2x {

// Shows the file `output` with the first of the format's viewers that is
// installed, which takes the place of this process. Returns if none is, and has
// then said on standard error what to do with the file.
void OpenResult(const EmitterInfo& format, const std::string& output);

}  // namespace perf2x

#endif  // PERF2X_OPEN_RESULT_H_
