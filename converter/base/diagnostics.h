// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_DIAGNOSTICS_H_
#define PERF2X_BASE_DIAGNOSTICS_H_

#include <cstdint>
#include <map>
#include <string>

#include "absl/strings/string_view.h"

namespace perf2x {

// Problems of a conversion, kept as counters with the offset of the first
// occurrence. The summary prints them once, at the end. Not thread-safe.
class Diagnostics {
 public:
  // How serious a problem is.
  enum class Severity {
    kNote,     // worth knowing, nothing is missing: unverified symbols, …
    kSkipped,  // a record or a part of one is not in the output
    kDamage,   // the input is damaged; what could be read was used
  };
  // All occurrences of one message.
  struct Entry {
    Severity severity;
    uint64_t count = 0;         // occurrences
    uint64_t bytes = 0;         // of all occurrences; 0 where not known
    uint64_t first_offset = 0;  // in the input; 0 where it has no meaning
  };

  // Adds `count` occurrences, the first at `offset`. `bytes` is their total
  // size. All Adds with the same message share an entry, which keeps the
  // severity and the offset of the first Add. So a message should hold no
  // numbers that differ between occurrences. A message is in lower case but for
  // names: "SAMPLE record shorter than its fields".
  void Add(Severity severity, absl::string_view message, uint64_t offset = 0,
           uint64_t bytes = 0, uint64_t count = 1) {
    auto it = entries_.find(message);
    if (it == entries_.end()) {
      it = entries_.emplace(std::string(message), Entry{severity}).first;
      it->second.first_offset = offset;
    }
    it->second.count += count;
    it->second.bytes += bytes;
  }

  // Adds all entries of `other`, whose occurrences came before this object's.
  // If both have a message, takes first_offset from `other` and keeps this
  // object's severity.
  void Merge(const Diagnostics& other) {
    for (const auto& [message, entry] : other.entries_) {
      auto [it, inserted] = entries_.try_emplace(message, entry);
      if (inserted) continue;
      it->second.count += entry.count;
      it->second.bytes += entry.bytes;
      it->second.first_offset = entry.first_offset;
    }
  }

  // Returns the entries by message, in alphabetical order.
  const std::map<std::string, Entry, std::less<>>& entries() const {
    return entries_;
  }
  // Returns true if any entry is kSkipped or kDamage.
  bool lossy() const {
    for (const auto& [message, e] : entries_) {
      if (e.severity != Severity::kNote) return true;
    }
    return false;
  }

 private:
  std::map<std::string, Entry, std::less<>> entries_;
};

}  // namespace perf2x

#endif  // PERF2X_BASE_DIAGNOSTICS_H_
