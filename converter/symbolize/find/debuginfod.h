#ifndef PERF2X_SYMBOLIZE_FIND_DEBUGINFOD_H_
#define PERF2X_SYMBOLIZE_FIND_DEBUGINFOD_H_

#include <memory>
#include <mutex>
#include <string>

#include "converter/base/build_id.h"

namespace perf2x {

// Asks the servers in the environment variable DEBUGINFOD_URLS, by way of
// elfutils' client, where it is installed; that keeps what it got in
// ~/.cache/debuginfod_client.
// Thread-safe.
class Debuginfod {
 public:
  Debuginfod();
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
  struct Client;
  std::unique_ptr<Client> client_;  // null: not asked for yet
};

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_FIND_DEBUGINFOD_H_
