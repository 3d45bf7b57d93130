// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_ADDRESS_MAP_H_
#define PERF2X_SESSION_ADDRESS_MAP_H_

#include <cstdint>
#include <deque>
#include <vector>

#include "converter/model/model.h"

namespace perf2x {

// What lies at [start, end) of an address space.
struct MapEntry {
  uint64_t start = 0, end = 0;
  uint64_t offset = 0;  // in the file, of `start`
  DsoId file = kNoId;
  MappingId mapping = kNoId;
  // Whether code in it goes by its offset in the file, else by its run-time
  // address (see Frame).
  bool by_offset = false;
  friend bool operator==(const MapEntry&, const MapEntry&) = default;
};

// The mappings of one address space at one moment, without overlaps. A value of
// the size of a pointer: copies share their nodes, and a change copies only the
// path to what changed, so that old versions stay readable at no cost (a fork's
// child, the address space of a stack). Nodes live as long as the
// MapArena.
class AddressMap {
 public:
  class Arena;

  // The entry that covers `address`, or null. Valid as long as the arena.
  const MapEntry* Find(uint64_t address) const;
  // Puts `entry` in, cutting away what it covers of others. An empty or
  // inverted range changes nothing, nor does an entry that is there already.
  void Insert(const MapEntry& entry, Arena& arena);
  void Erase(uint64_t start, uint64_t end, Arena& arena);
  bool empty() const { return root_ == nullptr; }
  size_t size() const;  // entries
  // Appends all entries, ascending; valid as long as the arena.
  void AppendEntries(std::vector<const MapEntry*>* entries) const;

  // Whether two maps are the same version, not merely equal.
  friend bool operator==(const AddressMap&, const AddressMap&) = default;

 private:
  // Of a treap: ordered by start, a heap by priority. As priorities are random,
  // it is about as deep as a balanced tree.
  struct Node;
  using Link = const Node*;

  static Link Merge(Link a, Link b, Arena& arena);
  static void Split(Link node, uint64_t key, Link* less, Link* rest,
                    Arena& arena);
  static Link Single(const MapEntry& entry, Arena& arena);
  static void SetSize(Node* node);
  static void AppendBelow(Link node, std::vector<const MapEntry*>* entries);
  // Takes out [start, end), giving what lies before and behind.
  static void Cut(Link root, uint64_t start, uint64_t end, Link* before,
                  Link* behind, Arena& arena);

  Link root_ = nullptr;
};

// Owns the nodes of all maps made with it.
class AddressMap::Arena {
 public:
  Arena();
  ~Arena();
  // From now on no node made so far changes: the maps that exist may be kept.
  // Until then Insert and Erase change nodes that they made in place.
  void Freeze() { ++epoch_; }
  // About how many bytes of memory all nodes take.
  uint64_t memory() const;

 private:
  friend class AddressMap;
  Node* Make(const Node& node);
  // A version of `node` that may be changed.
  Node* Own(Link node);
  uint32_t NextPriority();

  std::deque<Node> nodes_;
  uint64_t epoch_ = 0;
  uint64_t random_;  // no input can choose the shape of the trees
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_ADDRESS_MAP_H_
