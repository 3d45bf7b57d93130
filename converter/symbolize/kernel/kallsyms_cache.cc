// SPDX-License-Identifier: Apache-2.0
#include "converter/symbolize/kernel/kallsyms_cache.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace perf2x {

template <class Read>
absl::StatusOr<KallsymsCache::Table> KallsymsCache::Get(const std::string& key,
                                                        Read read) {
  std::lock_guard lock(mutex_);
  Table table = tables_[key].lock();
  if (table == nullptr) {
    std::erase_if(tables_, [](const auto& t) { return t.second.expired(); });
    auto made = read();
    if (!made.ok()) return made.status();
    table = *std::move(made);
    tables_[key] = table;
  }
  if (latest_[0] != table) {
    latest_[1] = std::exchange(latest_[0], table);
  }
  return table;
}

absl::StatusOr<KallsymsCache::Table> KallsymsCache::Parse(
    std::shared_ptr<const SafeFile> file) {
  const FileIdentity& id = file->identity();
  const auto parse = [&] { return Kallsyms::Parse(file); };
  if (id.inode == 0) return parse();  // a member of an archive
  return Get(absl::StrCat(file->path(), " ", id.device_major, ":",
                          id.device_minor, " ", id.inode, " ", id.generation,
                          " ", file->text().size(), " ", id.modified),
             parse);
}

absl::StatusOr<KallsymsCache::Table> KallsymsCache::ReadRunning() {
  return Get("running", [this] { return Kallsyms::ReadRunning(running_); });
}

}  // namespace perf2x
