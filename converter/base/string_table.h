// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_STRING_TABLE_H_
#define PERF2X_BASE_STRING_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/strings/string_view.h"
#include "converter/base/huge_page_allocator.h"
#include "converter/base/stable_array.h"

namespace perf2x {

// The index of a string in a StringTable. 0 is the empty string.
using StringId = uint32_t;

// Stores each distinct string once and numbers the strings in order of arrival.
// Charges no budget; see memory(). While one thread calls Intern, others may
// read the strings that were there before (see StableArray); otherwise not
// thread-safe.
class StringTable {
 public:
  StringTable() : slots_(kFirstSlots) { Intern(""); }
  StringTable(const StringTable&) = delete;
  StringTable& operator=(const StringTable&) = delete;

  // Returns the id of `s`, which may contain any bytes. A new string is copied.
  StringId Intern(absl::string_view s);
  // Returns the string of an id that this table returned. The string is valid
  // as long as the table.
  absl::string_view operator[](StringId id) const { return strings_[id]; }
  // Returns the number of strings, the empty one included.
  size_t size() const { return strings_.size(); }
  // Returns the approximate size of the table in bytes.
  uint64_t memory() const {
    return bytes_ + strings_.memory() + slots_.size() * sizeof(Slot);
  }

 private:
  // Contains a part of the string's hash, so that most look-ups compare only
  // with the right string, and Grow() reads no string at all.
  struct Slot {
    uint32_t hash = 0;
    StringId id = kNoString;
  };
  static constexpr StringId kNoString = ~0u;
  static constexpr size_t kFirstSlots = 64;

  absl::string_view Copy(absl::string_view s);
  void Grow();

  std::vector<Slot, HugePageAllocator<Slot>>
      slots_;                                   // open addressing, power of two
  StableArray<absl::string_view, 64> strings_;  // by id, in chunks_
  std::vector<std::unique_ptr<char[]>> chunks_;
  char* free_ = nullptr;  // in the last chunk
  size_t free_size_ = 0;
  uint64_t bytes_ = 0;  // of all strings
};

}  // namespace perf2x

#endif  // PERF2X_BASE_STRING_TABLE_H_
