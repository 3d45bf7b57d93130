// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_ADDRESS_MAP_H_
#define PERF2X_SESSION_ADDRESS_MAP_H_

#include <cstdint>
#include <deque>
#include <vector>

#include "converter/model/model.h"

namespace perf2x {

// Where the code in a mapping comes from.
enum class MappedCode : uint8_t {
  kNone,  // not known
  kData,  // code is not expected: [heap], [stack]
  kFile,
  kVdso,       // [vdso], which may have no file
  kGenerated,  // by a compiler at run time
};

// A mapping: the part of a Dso that lies at [start, end) of an address space.
struct MapEntry {
  uint64_t start = 0, end = 0;
  uint64_t offset = 0;  // of `start`, in the file
  DsoId dso = kNoId;
  MappingId mapping = kNoId;
  MappedCode code = MappedCode::kNone;
  // Returns true if Frame::address of code in the mapping is an offset in the
  // file. Else it is the run-time address.
  bool by_offset() const {
    return code == MappedCode::kFile || code == MappedCode::kVdso;
  }
  friend bool operator==(const MapEntry&, const MapEntry&) = default;
};

// The mappings of one address space at one moment, without overlaps. A
// persistent tree: copies share nodes, and a change copies only the path to the
// changed nodes. So copying a map costs as much as copying a pointer. Maps that
// share nodes must use the same Arena. The arena owns the nodes and frees none
// before it is destroyed. Not thread-safe.
class AddressMap {
 public:
  class Arena;

  // Returns the entry that covers `address`, or null. Valid and unchanged as
  // long as the arena.
  const MapEntry* Find(uint64_t address) const;
  // Inserts `entry`. Entries that overlap its range keep only their parts
  // before and after that range. Does nothing if the range is empty or
  // inverted, or if the map has an equal entry.
  void Insert(const MapEntry& entry, Arena& arena);
  // Removes [start, end). Entries that overlap it keep only their parts before
  // and after it. Does nothing if the range is empty or inverted.
  void Erase(uint64_t start, uint64_t end, Arena& arena);
  bool empty() const { return root_ == nullptr; }
  size_t size() const;  // entries
  // Appends all entries, in ascending order. They are valid and unchanged as
  // long as the arena.
  void AppendEntries(std::vector<const MapEntry*>* entries) const;

  // Returns true if both are unchanged copies of one map. Maps that merely have
  // equal entries may differ.
  friend bool operator==(const AddressMap&, const AddressMap&) = default;

 private:
  // A node of a treap: a search tree by start and a heap by priority. As
  // priorities are random, the tree is about as deep as a balanced one.
  struct Node;
  using Link = const Node*;

  static Link Merge(Link a, Link b, Arena& arena);
  static void Split(Link node, uint64_t key, Link* less, Link* rest,
                    Arena& arena);
  static Link Single(const MapEntry& entry, Arena& arena);
  static void SetSize(Node* node);
  static void AppendBelow(Link node, std::vector<const MapEntry*>* entries);
  // Sets `*before` and `*after` to the parts of the tree before `start` and
  // from `end` on.
  static void Cut(Link root, uint64_t start, uint64_t end, Link* before,
                  Link* after, Arena& arena);

  Link root_ = nullptr;
};

// Owns the nodes of all maps made with it.
class AddressMap::Arena {
 public:
  Arena();
  ~Arena();
  // To be called after a map was copied, before the map or its copy is changed.
  // Otherwise the change shows in both. Makes all existing nodes immutable:
  // later calls of Insert and Erase copy them.
  void Freeze() { ++epoch_; }
  // Returns the approximate memory of all nodes, in bytes. Never shrinks.
  uint64_t memory() const;

 private:
  friend class AddressMap;
  Node* Make(const Node& node);
  // Returns `node` if it may be changed in place, else a copy of it.
  Node* Own(Link node);
  uint32_t NextPriority();

  std::deque<Node> nodes_;
  uint64_t epoch_ = 0;
  uint64_t random_;  // so that no input can choose the trees' shape
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_ADDRESS_MAP_H_
