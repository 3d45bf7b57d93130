// SPDX-License-Identifier: Apache-2.0
#include "converter/session/address_map.h"

#include "converter/base/hash_seed.h"

namespace perf2x {

struct AddressMap::Node {
  MapEntry entry;
  Link left = nullptr;
  Link right = nullptr;
  uint64_t epoch = 0;  // when it was made
  uint32_t priority = 0;
  uint32_t size = 1;  // nodes of the subtree
};

AddressMap::Arena::Arena() : random_(kHashSeed.number) {}
AddressMap::Arena::~Arena() = default;

AddressMap::Node* AddressMap::Arena::Make(const Node& node) {
  nodes_.push_back(node);
  nodes_.back().epoch = epoch_;
  return &nodes_.back();
}

AddressMap::Node* AddressMap::Arena::Own(Link node) {
  if (node->epoch == epoch_) return const_cast<Node*>(node);
  return Make(*node);
}

uint64_t AddressMap::Arena::memory() const {
  return nodes_.size() * sizeof(Node);
}

// splitmix64, seeded anew in each process.
uint32_t AddressMap::Arena::NextPriority() {
  random_ += 0x9e3779b97f4a7c15;
  uint64_t z = random_;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return static_cast<uint32_t>(z >> 32);
}

const MapEntry* AddressMap::Find(uint64_t address) const {
  const MapEntry* found = nullptr;
  for (Link node = root_; node != nullptr;) {
    if (node->entry.start <= address) {
      found = &node->entry;
      node = node->right;
    } else {
      node = node->left;
    }
  }
  return found != nullptr && address < found->end ? found : nullptr;
}

size_t AddressMap::size() const { return root_ == nullptr ? 0 : root_->size; }

void AddressMap::AppendEntries(std::vector<const MapEntry*>* entries) const {
  AppendBelow(root_, entries);
}

// Recurses as deep as Merge and Split.
void AddressMap::AppendBelow(Link node, std::vector<const MapEntry*>* entries) {
  if (node == nullptr) return;
  AppendBelow(node->left, entries);
  entries->push_back(&node->entry);
  AppendBelow(node->right, entries);
}

void AddressMap::SetSize(Node* node) {
  node->size = 1 + (node->left == nullptr ? 0 : node->left->size) +
               (node->right == nullptr ? 0 : node->right->size);
}

AddressMap::Link AddressMap::Single(const MapEntry& entry, Arena& arena) {
  Node node;
  node.entry = entry;
  node.priority = arena.NextPriority();
  return arena.Make(node);
}

AddressMap::Link AddressMap::Merge(Link a, Link b, Arena& arena) {
  if (a == nullptr) return b;
  if (b == nullptr) return a;
  if (a->priority >= b->priority) {
    Node* top = arena.Own(a);
    top->right = Merge(top->right, b, arena);
    SetSize(top);
    return top;
  }
  Node* top = arena.Own(b);
  top->left = Merge(a, top->left, arena);
  SetSize(top);
  return top;
}

// Splits a tree into the entries that start below `key` and the rest.
void AddressMap::Split(Link node, uint64_t key, Link* less, Link* rest,
                       Arena& arena) {
  if (node == nullptr) {
    *less = *rest = nullptr;
    return;
  }
  Node* top = arena.Own(node);
  if (top->entry.start < key) {
    Link right;
    Split(top->right, key, &right, rest, arena);
    top->right = right;
    SetSize(top);
    *less = top;
  } else {
    Link left;
    Split(top->left, key, less, &left, arena);
    top->left = left;
    SetSize(top);
    *rest = top;
  }
}

void AddressMap::Cut(Link root, uint64_t start, uint64_t end, Link* before,
                     Link* after, Arena& arena) {
  Link middle, rest;
  Split(root, start, before, &rest, arena);
  Split(rest, end, &middle, after, arena);
  // The last entry that starts before `start` and the last one that starts in
  // the range may reach beyond `end`.
  auto keep_beyond_end = [&](MapEntry entry) {
    if (entry.end <= end) return;
    entry.offset += end - entry.start;
    entry.start = end;
    *after = Merge(Single(entry, arena), *after, arena);
  };
  Link last = middle;
  while (last != nullptr && last->right != nullptr) last = last->right;
  if (last != nullptr) keep_beyond_end(last->entry);

  last = *before;
  while (last != nullptr && last->right != nullptr) last = last->right;
  if (last != nullptr && last->entry.end > start) {
    MapEntry head = last->entry;
    keep_beyond_end(head);
    Link others, cut;
    Split(*before, head.start, &others, &cut, arena);
    head.end = start;
    *before = Merge(others, Single(head, arena), arena);
  }
}

void AddressMap::Insert(const MapEntry& entry, Arena& arena) {
  if (entry.start >= entry.end) return;
  const MapEntry* there = Find(entry.start);
  if (there != nullptr && *there == entry) return;
  Link before, after;
  Cut(root_, entry.start, entry.end, &before, &after, arena);
  root_ = Merge(Merge(before, Single(entry, arena), arena), after, arena);
}

void AddressMap::Erase(uint64_t start, uint64_t end, Arena& arena) {
  if (start >= end) return;
  Link before, after;
  Cut(root_, start, end, &before, &after, arena);
  root_ = Merge(before, after, arena);
}

}  // namespace perf2x
