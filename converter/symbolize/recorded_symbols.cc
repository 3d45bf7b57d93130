// SPDX-License-Identifier: Apache-2.0
#include "converter/symbolize/recorded_symbols.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "converter/symbolize/kernel/kallsyms.h"

namespace perf2x {
namespace {

constexpr char kKernelName[] = "[kernel.kallsyms]";

}  // namespace

std::string RecordedSymbols::KeyOf(Space space, absl::string_view path) {
  return absl::StrCat(space == Space::kKernel ? "k" : "u", path);
}

RecordedSymbols::FileId RecordedSymbols::AddFile(const File& file) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto [it, inserted] =
      ids_.try_emplace(KeyOf(file.space, file.path), tables_.size());
  if (inserted) {
    constexpr uint64_t kOfMap = 48;  // bytes of an entry without its key
    memory_ += sizeof(Table) + file.path.size() + kOfMap;
    tables_.emplace_back();
  }
  Table& table = tables_[it->second];
  table.addresses = file.addresses;
  table.min_address = file.min_address;
  if (file.min_address_offset)
    table.min_address_offset = file.min_address_offset;
  return it->second;
}

void RecordedSymbols::AddSymbol(FileId file, uint64_t address, uint64_t size,
                                absl::string_view name) {
  if (name.empty()) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  Table& table = tables_[file];
  const uint64_t end = size > ~address ? ~uint64_t{0} : address + size;
  const auto [it, is_new] = table.entries.try_emplace(address);
  if (is_new) memory_ += sizeof(*it);
  memory_ += name.size() - it->second.name.size();
  it->second = {end, std::string(name)};
}

void RecordedSymbols::SetKallsyms(absl::string_view text) {
  // Memory of the table for each byte of text: the shortest line has 6 bytes.
  constexpr uint64_t kOfByte = SymbolIndex::kMemoryOfEntry / 6;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (kallsyms_ != nullptr) return;
  auto table = Kallsyms::Parse(
      SafeFile::FromMemory("kallsyms in the recording", std::string(text)));
  if (!table.ok()) return;
  kallsyms_ = *std::move(table);
  memory_ += kOfByte * text.size();
}

void RecordedSymbols::OnMap(absl::string_view path, uint64_t offset,
                            uint64_t size) {
  constexpr size_t kMaxParts = 64;  // more than a file has segments
  const std::lock_guard<std::mutex> lock(mutex_);
  if (tables_.empty()) return;
  const auto it = ids_.find(KeyOf(Space::kUser, path));
  if (it == ids_.end()) return;
  Table& table = tables_[it->second];
  if (table.min_address_offset || table.mapped.size() == kMaxParts) return;
  const std::pair<uint64_t, uint64_t> part(offset, offset + size);
  const auto at =
      std::lower_bound(table.mapped.begin(), table.mapped.end(), part);
  if (at == table.mapped.end() || *at != part) table.mapped.insert(at, part);
}

bool RecordedSymbols::empty() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return tables_.empty() && kallsyms_ == nullptr;
}

const RecordedSymbols::Table* RecordedSymbols::TableOf(
    Space space, absl::string_view path) const {
  if (tables_.empty()) return nullptr;
  const auto it = ids_.find(KeyOf(space, path));
  if (it == ids_.end() || tables_[it->second].entries.empty()) return nullptr;
  return &tables_[it->second];
}

const RecordedSymbols::Table* RecordedSymbols::TableOf(const Dso& dso) const {
  switch (dso.kind) {
    case DsoKind::kFile:
    case DsoKind::kVdso:
      return TableOf(Space::kUser, dso.name);
    case DsoKind::kAnonymous:
      // GetSymbolMapDsoName() in simpleperf/thread_tree.cpp
      return TableOf(Space::kUser, absl::StrCat("perf-", dso.pid, ".map"));
    case DsoKind::kKernel:
    case DsoKind::kKernelModule:
      return TableOf(Space::kKernel, dso.name);
    default:
      return nullptr;
  }
}

bool RecordedSymbols::Has(const Dso& dso) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return TableOf(dso) != nullptr ||
         (dso.kind == DsoKind::kKernelModule &&
          TableOf(Space::kKernel, kKernelName) != nullptr);
}

// Returns the address of a frame in the terms of the table.
uint64_t RecordedSymbols::ToTable(const Table& table, const Dso& dso,
                                  uint64_t address) {
  if (table.addresses != Addresses::kLink || dso.kind == DsoKind::kAnonymous) {
    return address;
  }
  uint64_t start = table.min_address_offset.value_or(0);
  for (const auto& [offset, end] : table.mapped) {
    if (offset <= address && address < end) start = offset;
  }
  const uint64_t place =
      dso.kind == DsoKind::kKernelModule ? address - dso.start : address;
  return place - start + table.min_address;
}

// Functions without a size end where the next one begins; the last one about a
// page later, as in SymbolIndex.
uint64_t RecordedSymbols::EndOf(const Table& table,
                                Entries::const_iterator entry) {
  constexpr uint64_t kPage = 4096;
  const auto& [start, function] = *entry;
  if (function.end != start) return function.end;
  const auto next = std::next(entry);
  return next == table.entries.end() ? start + kPage : next->first;
}

const RecordedSymbols::Entry* RecordedSymbols::FindEntry(const Table& table,
                                                         uint64_t address) {
  auto it = table.entries.upper_bound(address);
  if (it == table.entries.begin() || EndOf(table, --it) <= address) {
    return nullptr;
  }
  return &it->second;
}

void RecordedSymbols::Find(
    const Dso& dso, absl::Span<const uint64_t> addresses,
    absl::FunctionRef<void(size_t, absl::string_view)> found) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const Table* table = TableOf(dso);
  // Symbols of modules may come from kallsyms, with those of the kernel.
  const Table* kernel = dso.kind == DsoKind::kKernelModule
                            ? TableOf(Space::kKernel, kKernelName)
                            : nullptr;
  for (size_t i = 0; i < addresses.size(); ++i) {
    const Entry* entry =
        table == nullptr
            ? nullptr
            : FindEntry(*table, ToTable(*table, dso, addresses[i]));
    if (entry == nullptr && kernel != nullptr) {
      entry = FindEntry(*kernel, addresses[i]);
    }
    if (entry != nullptr) found(i, entry->name);
  }
}

void RecordedSymbols::ForEachIn(
    absl::string_view path, uint64_t start, uint64_t end,
    absl::FunctionRef<bool(const Function&)> found) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const Table* table = TableOf(Space::kUser, path);
  if (table == nullptr) return;
  for (auto it = table->entries.lower_bound(start);
       it != table->entries.end() && it->first < end; ++it) {
    if (!found(
            {it->first, std::min(EndOf(*table, it), end), it->second.name})) {
      return;
    }
  }
}

std::shared_ptr<const Kallsyms> RecordedSymbols::kallsyms() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return kallsyms_;
}

uint64_t RecordedSymbols::memory() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return memory_;
}

}  // namespace perf2x
