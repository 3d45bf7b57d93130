#ifndef PERF2X_INTERRUPT_H_
#define PERF2X_INTERRUPT_H_

namespace perf2x {

// From here on SIGINT, SIGTERM and SIGHUP, unless they are ignored, first undo
// what is unfinished (base/unfinished.h) and then end the process as they
// always do. To be called before other threads start.
void CleanUpWhenInterrupted();

}  // namespace perf2x

#endif  // PERF2X_INTERRUPT_H_
