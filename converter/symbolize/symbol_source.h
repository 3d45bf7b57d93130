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

// The DSO whose ELF files a FileSearch looks for.
struct FileRequest {
  const Dso& dso;
  const BuildId& id;  // build id of the files; empty: not known
  // The DSO's code; null if not found yet.
  const ElfFile* binary = nullptr;
};

// One place that symbols come from. symbol_sources.cc lists all sources in the
// order in which they are tried. A source either symbolizes a kind of DSO
// (overrides Open) or finds ELF files for sources that do (overrides the rest).
// Thread-safe.
class SymbolSource {
 public:
  virtual ~SymbolSource() = default;

  // Returns a symbolizer for the DSO; the source and the report must outlive
  // it. Returns null if the source does not symbolize this kind of DSO or found
  // no file to read. Adds to the report the files used, the files tried, and
  // why those failed.
  virtual std::unique_ptr<DsoSymbolizer> Open(const Dso&, DsoReport*) {
    return nullptr;
  }

  // Offers files with the DSO's code to the search, until FileSearch::done().
  virtual void OfferBinaries(const FileRequest&, FileSearch*) const {}
  // Offers separate debug files of the DSO to the search.
  virtual void OfferDebugFiles(const FileRequest&, FileSearch*) const {}
  // Returns an item of a build-id cache ("kallsyms", "vdso", "elf", "debug");
  // null if there is none.
  virtual std::shared_ptr<const SafeFile> FindItem(const BuildId&,
                                                   absl::string_view) const {
    return nullptr;
  }
  // If the source as a whole is unusable (a broken archive), notes why in the
  // search.
  virtual void NoteFailure(FileSearch*) const {}
  // Returns true if files come over the network. Remote sources are asked last,
  // and are asked for debug files only if debug information is missing.
  // FindItem and NoteFailure are not called on them.
  virtual bool is_remote() const { return false; }
};

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_SYMBOL_SOURCE_H_
