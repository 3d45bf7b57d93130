// SPDX-License-Identifier: Apache-2.0
#include "converter/symbolize/find/debuginfod.h"

#include <dlfcn.h>
#include <elfutils/debuginfod.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <type_traits>

#include "absl/status/status.h"

namespace perf2x {

bool CanAskDebuginfod() {
#ifdef PERF2X_STATIC
  return false;
#else
  return true;
#endif
}

// elfutils' client library depends on a dozen libraries for HTTP. As in libdw,
// they are loaded only when a server is to be asked.
struct DebuginfodSource::Client {
  decltype(&debuginfod_begin) begin = nullptr;
  decltype(&debuginfod_end) end = nullptr;
  decltype(&debuginfod_find_executable) find_executable = nullptr;
  decltype(&debuginfod_find_debuginfo) find_debuginfo = nullptr;
  debuginfod_client* handle = nullptr;

  Client() {
    if (!CanAskDebuginfod()) return;
    void* library = dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return;
    auto load = [&](auto* function, const char* name) {
      *function = reinterpret_cast<std::remove_pointer_t<decltype(function)>>(
          dlsym(library, name));
      return *function != nullptr;
    };
    if (load(&begin, "debuginfod_begin") && load(&end, "debuginfod_end") &&
        load(&find_executable, "debuginfod_find_executable") &&
        load(&find_debuginfo, "debuginfod_find_debuginfo")) {
      handle = begin();
    }
  }
  ~Client() {
    if (handle != nullptr) end(handle);
  }
};

DebuginfodSource::DebuginfodSource(const FileRoots& roots)
    : enabled_(roots.options().debuginfod) {}
DebuginfodSource::~DebuginfodSource() = default;

void DebuginfodSource::Offer(const BuildId& id, bool debug,
                             FileSearch* search) const {
  if (!enabled_ || id.empty()) return;
  const auto copy = Download(id, debug);
  if (copy.ok()) {
    search->Try(*copy);
  } else {
    search->AddTried("debuginfod", copy.status().message());
  }
}

absl::StatusOr<std::string> DebuginfodSource::Download(const BuildId& id,
                                                       bool debug) const {
  std::lock_guard<std::mutex> lock(mutex_);
  if (client_ == nullptr) client_ = std::make_unique<Client>();
  if (client_->handle == nullptr) {
    return absl::UnavailableError("its client library is not installed");
  }
  char* path = nullptr;
  const auto find = debug ? client_->find_debuginfo : client_->find_executable;
  const int fd = find(client_->handle, id.bytes().data(),
                      static_cast<int>(id.bytes().size()), &path);
  if (fd == -ENOENT) return absl::NotFoundError("no server has it");
  if (fd == -ENOSYS) {
    return absl::UnavailableError("DEBUGINFOD_URLS names no server");
  }
  if (fd < 0) return absl::UnavailableError(strerror(-fd));
  close(fd);
  std::string out = path == nullptr ? "" : path;
  free(path);
  return out;
}

}  // namespace perf2x
