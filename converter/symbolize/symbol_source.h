// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SYMBOLIZE_SYMBOL_SOURCE_H_
#define PERF2X_SYMBOLIZE_SYMBOL_SOURCE_H_

#include <memory>

#include "absl/strings/string_view.h"
#include "converter/base/build_id.h"
#include "converter/model/dso_report.h"
#include "converter/model/model.h"
#include "converter/symbolize/dso_symbolizer.h"
#include "converter/symbolize/elf/elf_file.h"
#include "converter/symbolize/find/file_search.h"
#include "converter/symbolize/find/safe_file.h"

namespace perf2x {

// A search for ELF files of a DSO.
struct FileRequest {
  const Dso& dso;
  const BuildId& id;                // that a file must have; empty: not known
  const ElfFile* binary = nullptr;  // the DSO's code; null: not found
};

// One place that symbols come from. The list in symbol_sources.cc has all of
// them in the order in which they are tried. A source overrides Open if it
// symbolizes a kind of DSO, and the other functions if it has ELF files or
// items of the build-id cache for those that do. Thread-safe.
class SymbolSource {
 public:
  virtual ~SymbolSource() = default;

  // Returns a symbolizer for `dso`, which may live as long as the source and
  // `report`. Returns null for other kinds of DSO and if nothing was found;
  // adds to `report` what was used, what was tried, and why that failed.
  virtual std::unique_ptr<DsoSymbolizer> Open(const Dso&, DsoReport*) {
    return nullptr;
  }

  // Offers files with the DSO's code to `search`, until that is done.
  virtual void OfferBinaries(const FileRequest&, FileSearch*) const {}
  // Offers separate debug files.
  virtual void OfferDebugFiles(const FileRequest&, FileSearch*) const {}
  // Returns an item of the build-id cache ("kallsyms", "vdso"); null if there
  // is none. `id` has at least 2 bytes.
  virtual std::shared_ptr<const SafeFile> FindItem(const BuildId&,
                                                   absl::string_view) const {
    return nullptr;
  }
  // Notes why this source cannot be used for any DSO, if that is so.
  virtual void NoteFailure(FileSearch*) const {}
  // Returns true if files come over the network. Such sources are asked last,
  // and for debug files only if debug information is missing.
  virtual bool is_remote() const { return false; }
};

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_SYMBOL_SOURCE_H_
