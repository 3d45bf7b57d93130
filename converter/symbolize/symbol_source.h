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
  const BuildId& id;                // build id of the files; empty: not known
  const ElfFile* binary = nullptr;  // the DSO's code; null: not found
};

// One place that symbols come from. symbol_sources.cc lists all sources in the
// order in which they are tried. A source that symbolizes a kind of DSO
// overrides Open. A source of ELF files or build-id cache items, which other
// sources then read, overrides the other functions. Thread-safe.
class SymbolSource {
 public:
  virtual ~SymbolSource() = default;

  // Returns a symbolizer for the DSO; the source and the report must outlive
  // it. Returns null if the source does not symbolize this kind of DSO or found
  // no symbols. Adds to the report the files used, the files tried, and why
  // those failed.
  virtual std::unique_ptr<DsoSymbolizer> Open(const Dso&, DsoReport*) {
    return nullptr;
  }

  // Offers files with the DSO's code to the search, until the search is done.
  virtual void OfferBinaries(const FileRequest&, FileSearch*) const {}
  // Offers separate debug files of the DSO to the search.
  virtual void OfferDebugFiles(const FileRequest&, FileSearch*) const {}
  // Returns the item ("kallsyms", "vdso") that a build-id cache has for a build
  // id of at least 2 bytes; null if there is none.
  virtual std::shared_ptr<const SafeFile> FindItem(const BuildId&,
                                                   absl::string_view) const {
    return nullptr;
  }
  // If this source cannot be used for any DSO, notes the reason in the search.
  virtual void NoteFailure(FileSearch*) const {}
  // Returns true if files come over the network. Remote sources are asked last,
  // and are asked for debug files only if debug information is missing.
  virtual bool is_remote() const { return false; }
};

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_SYMBOL_SOURCE_H_
