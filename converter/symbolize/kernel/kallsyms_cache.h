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

#include "absl/status/statusor.h"
#include "converter/symbolize/kernel/kallsyms.h"

namespace perf2x {

// Kallsyms tables, of 10 MB each, for conversions that need the same ones.
// Keeps those in use, and the two that were asked for last. Thread-safe.
class KallsymsCache {
 public:
  using Table = std::shared_ptr<const Kallsyms>;

  // As Kallsyms has them; a file that was parsed before is not again.
  absl::StatusOr<Table> Parse(std::shared_ptr<const SafeFile> file);
  absl::StatusOr<Table> ReadRunning();

 private:
  template <class Read>
  absl::StatusOr<Table> Get(const std::string& key, Read read);

  std::mutex mutex_;  // guards what follows
  std::map<std::string, std::weak_ptr<const Kallsyms>> tables_;
  std::array<Table, 2> latest_;
};

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_KERNEL_KALLSYMS_CACHE_H_
