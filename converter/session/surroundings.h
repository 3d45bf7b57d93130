#ifndef PERF2X_SESSION_SURROUNDINGS_H_
#define PERF2X_SESSION_SURROUNDINGS_H_

#include <cstdint>
#include <memory>

#include "absl/strings/string_view.h"
#include "converter/perf/features.h"
#include "converter/profile/symbolizer.h"
#include "converter/symbolize/jitdump.h"
#include "converter/unwind/code_source.h"

namespace perf2x {

// What a session asks of the machine that it runs on: files beside the
// recording. Asked once the recording's header is known, so that it can be told
// whether that machine is the recorded one.
class Surroundings {
 public:
  virtual ~Surroundings() = default;
  // What names code; null: nothing does. Must outlive the session.
  virtual Symbolizer* MakeSymbolizer(const HeaderFeatures& features) = 0;
  // What gives code the names of its symbol tables alone, without inlined
  // functions and lines; null: nothing does. Must outlive the session.
  virtual Symbolizer* MakeSymbolTable(const HeaderFeatures& features) = 0;
  // What gives the call frame information of code; may be null.
  virtual std::unique_ptr<CodeSource> MakeCodeSource(
      const HeaderFeatures& features) = 0;
  // What NAMESPACES tells: the inode of the pid namespace of a process.
  virtual void SetPidNamespace(int32_t /*pid*/, uint64_t /*inode*/) {}
  // The jitdump that the process mapped under this name; null: not to be had.
  virtual std::unique_ptr<JitDump> OpenJitDump(
      absl::string_view name, int32_t pid, const HeaderFeatures& features) = 0;
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_SURROUNDINGS_H_
