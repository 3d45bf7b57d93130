// SPDX-License-Identifier: Apache-2.0
#include "converter/session/recorded_code.h"

#include "converter/base/truncate_name.h"
#include "converter/perf/records/decode.h"
#include "converter/perf/records/simpleperf_records.h"
#include "converter/perf/records/wire.h"

namespace perf2x {
namespace {

using Severity = Diagnostics::Severity;

RecordedSymbols::File FileOf(absl::string_view path, uint64_t type) {
  RecordedSymbols::File file;
  file.path = path;
  const bool kernel = type == RecordedFile::kKernel;
  if (kernel || type == RecordedFile::kKernelModule) {
    file.space = RecordedSymbols::Space::kKernel;
  }
  if (kernel || type == RecordedFile::kSymbolMap) {
    file.addresses = RecordedSymbols::Addresses::kRunTime;
  } else if (type == RecordedFile::kDex) {
    file.addresses = RecordedSymbols::Addresses::kFileOffset;
  }
  return file;
}

template <class R>
bool DecodeUserRecord(const RawRecord& record, R* out) {
  return record.type == R::kType && Decode(record, out);
}

}  // namespace

void RecordedCode::Observe(const RawRecord& record) {
  if (symbols_ == nullptr) return;
  const bool whole = ForEachRecordedFile(
      record, [this](const RecordedFile& file) { AddFile(file); });
  if (!whole) {
    diagnostics_.Add(Severity::kDamage, "list of functions is cut short",
                     record.offset);
  }
  if (record.type > kRecordSimpleperfFirst) ObserveRecord(record);
}

void RecordedCode::AddFile(const RecordedFile& recorded) {
  RecordedSymbols::File file = FileOf(
      TruncatePath(recorded.path, /*offset=*/0, &diagnostics_), recorded.type);
  file.min_address = recorded.min_address;
  file.min_address_offset = recorded.min_address_offset;
  const RecordedSymbols::FileId id = symbols_->AddFile(file);
  recorded.ForEachSymbol([&](const RecordedSymbol& symbol) {
    AddSymbol(id, symbol.address, symbol.size, symbol.name);
  });
}

void RecordedCode::ObserveRecord(const RawRecord& record) {
  if (SimpleperfDsoRecord dso; DecodeUserRecord(record, &dso)) {
    RecordedSymbols::File file = FileOf(
        TruncatePath(dso.dso_name, record.offset, &diagnostics_), dso.dso_type);
    file.min_address = dso.min_vaddr;
    dsos_[dso.dso_id] = symbols_->AddFile(file);
  } else if (SimpleperfSymbolRecord symbol; DecodeUserRecord(record, &symbol)) {
    if (const auto it = dsos_.find(symbol.dso_id); it != dsos_.end()) {
      AddSymbol(it->second, symbol.addr, symbol.len, symbol.name);
    }
  } else if (SimpleperfKernelSymbolRecord kernel;
             DecodeUserRecord(record, &kernel)) {
    symbols_->SetKallsyms(
        {reinterpret_cast<const char*>(kernel.kallsyms.data()),
         kernel.kallsyms.size()});
  }
}

void RecordedCode::AddSymbol(RecordedSymbols::FileId file, uint64_t address,
                             uint64_t size, absl::string_view name) {
  if (symbols_->memory() >= budget_.Limit(Budget::kMemory) / 8) {
    diagnostics_.Add(Severity::kSkipped,
                     "function of a list that is larger than a recording of "
                     "this size may have (see SECURITY.md)");
    return;
  }
  symbols_->AddSymbol(
      file, address, size,
      TruncateName(name, kMaxRecordedSymbolSize, /*offset=*/0, &diagnostics_));
}

}  // namespace perf2x
