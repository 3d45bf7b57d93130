#ifndef PERF2X_SYMBOLIZE_DEBUGINFOD_H_
#define PERF2X_SYMBOLIZE_DEBUGINFOD_H_

#include <mutex>
#include <string>

#include "converter/base/build_id.h"

struct debuginfod_client;

namespace perf2x {

// Asks the servers in the environment variable DEBUGINFOD_URLS, by way of
// elfutils' client, which keeps what it got in ~/.cache/debuginfod_client.
// Thread-safe.
class Debuginfod {
 public:
  Debuginfod() = default;
  Debuginfod(const Debuginfod&) = delete;
  Debuginfod& operator=(const Debuginfod&) = delete;
  ~Debuginfod();

  // Path of the local copy of the program or library, or of its debug file;
  // empty when no server has it.
  std::string FindBinary(const BuildId& id) { return Find(id, false); }
  std::string FindDebugFile(const BuildId& id) { return Find(id, true); }

 private:
  std::string Find(const BuildId& id, bool debug);
  std::mutex mutex_;
  debuginfod_client* client_ = nullptr;
};

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_DEBUGINFOD_H_
