// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/parquet/json_texts.h"

#include <cstring>
#include <variant>

namespace perf2x {

// Of each field: the size of its name plus 1, its type, its value, its name.
bool JsonTexts::MakeKey(Fields fields, Key* key) {
  char* to = key->data();
  char* const end = to + key->size();
  for (const Field& field : fields) {
    uint64_t value;
    if (const auto* number = std::get_if<uint64_t>(&field.value)) {
      value = *number;
    } else if (const auto* is_signed = std::get_if<int64_t>(&field.value)) {
      value = static_cast<uint64_t>(*is_signed);
    } else {
      return false;
    }
    const size_t size = field.name.size();
    if (static_cast<size_t>(end - to) < 2 + sizeof(value) + size) return false;
    *to++ = static_cast<char>(size + 1);  // not a zero of the end
    *to++ = static_cast<char>(field.value.index());
    std::memcpy(to, &value, sizeof(value));
    to += sizeof(value);
    std::memcpy(to, field.name.data(), size);
    to += size;
  }
  return true;
}

size_t JsonTexts::PlaceOf(const Key& key) {
  uint64_t hash = 0;
  for (size_t at = 0; at < key.size(); at += sizeof(hash)) {
    uint64_t word;
    std::memcpy(&word, &key[at], sizeof(word));
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 32;
  }
  return hash % kKnown;
}

StringId* JsonTexts::Find(Fields fields) {
  Key key{};
  if (!MakeKey(fields, &key)) return nullptr;
  Known& known = known_[PlaceOf(key)];
  if (known.group != group_ || known.key != key) known = {group_, 0, key};
  return &known.text;
}

}  // namespace perf2x
