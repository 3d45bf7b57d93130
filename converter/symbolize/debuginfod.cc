#include "converter/symbolize/debuginfod.h"

#include <elfutils/debuginfod.h>
#include <stdlib.h>
#include <unistd.h>

namespace perf2x {

Debuginfod::~Debuginfod() {
  if (client_ != nullptr) debuginfod_end(client_);
}

std::string Debuginfod::Find(const BuildId& id, bool debug) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (client_ == nullptr) client_ = debuginfod_begin();
  if (client_ == nullptr || id.empty()) return "";
  char* path = nullptr;
  const auto find =
      debug ? debuginfod_find_debuginfo : debuginfod_find_executable;
  const int fd = find(client_, id.bytes().data(),
                      static_cast<int>(id.bytes().size()), &path);
  if (fd < 0) return "";
  close(fd);
  std::string out = path == nullptr ? "" : path;
  free(path);
  return out;
}

}  // namespace perf2x
