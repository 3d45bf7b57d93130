// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SYMBOLIZE_KERNEL_KALLSYMS_CACHE_H_
#define PERF2X_SYMBOLIZE_KERNEL_KALLSYMS_CACHE_H_

#include <array>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "converter/symbolize/kernel/kallsyms.h"

namespace perf2x {

// Shares kallsyms tables, of 10 MB each, between conversions. Keeps the tables
// in use and the two that were requested last. Thread-safe.
class KallsymsCache {
 public:
  using Table = std::shared_ptr<const Kallsyms>;

  // `running`: the path of the running kernel's table.
  explicit KallsymsCache(std::string running = "/proc/kallsyms")
      : running_(std::move(running)) {}

  // Like the functions of Kallsyms, but cached. Files are identified by path,
  // inode, size and modification time. Members of archives and failures are not
  // cached. The running kernel's table is read again only after the cache has
  // dropped it.
  absl::StatusOr<Table> Parse(std::shared_ptr<const SafeFile> file);
  absl::StatusOr<Table> ReadRunning();

 private:
  template <class Read>
  absl::StatusOr<Table> Get(const std::string& key, Read read);

  const std::string running_;
  std::mutex mutex_;  // guards the members below
  std::map<std::string, std::weak_ptr<const Kallsyms>> tables_;
  std::array<Table, 2> latest_;
};

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_KERNEL_KALLSYMS_CACHE_H_
