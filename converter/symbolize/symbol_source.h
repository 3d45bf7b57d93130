// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SYMBOLIZE_SYMBOL_SOURCE_H_
#define PERF2X_SYMBOLIZE_SYMBOL_SOURCE_H_

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "converter/base/build_id.h"
#include "converter/model/dso_report.h"
#include "converter/model/model.h"
#include "converter/symbolize/dso_symbolizer.h"
#include "converter/symbolize/elf/elf_file.h"
#include "converter/symbolize/find/file_search.h"
#include "converter/symbolize/find/safe_file.h"

namespace perf2x {

// Returns a warning that the file which the user named by `option` cannot be
// used: "--vmlinux PATH: WHY; it takes NEEDED". `failure` is "PATH: WHY".
inline std::string UnusedFileWarning(absl::string_view option,
                                     absl::string_view failure,
                                     absl::string_view needed) {
  return absl::StrCat(option, " ", failure, "; it takes ", needed);
}

struct SymbolizeOptions;

// The DSO whose ELF files a FileSearch looks for. Valid during one call.
struct FileRequest {
  const Dso& dso;
  const BuildId& id;  // build id of the files; empty: not known
  // The file with the DSO's code. Null: it was not found, or the search is for
  // this file.
  const ElfFile* binary = nullptr;
};

// One source of symbols, or of files with symbols. symbol_sources.cc lists all
// sources in the order in which they are tried. There are two sorts:
// - Sources that symbolize DSOs override Open.
// - Sources that find ELF files for the first sort override all functions but
//   Open.
// By default, functions do nothing or return null. Thread-safe.
class SymbolSource {
 public:
  virtual ~SymbolSource() = default;

  // Returns a symbolizer for the DSO; the source and the report must outlive
  // it. Returns null if the source does not symbolize this kind of DSO or found
  // no file to read. In either case, adds the files that were used or rejected
  // to the report, with the reasons. The report may already have entries of
  // other sources.
  virtual std::unique_ptr<DsoSymbolizer> Open(const Dso&, DsoReport*) {
    return nullptr;
  }

  // Offers files with the DSO's code to the search. The search checks their
  // build ids, and ignores offers once it is done().
  virtual void OfferBinaries(const FileRequest&, FileSearch*) const {}
  // Like OfferBinaries, for separate debug files.
  virtual void OfferDebugFiles(const FileRequest&, FileSearch*) const {}
  // Returns a file of a build-id cache by build id and item ("kallsyms",
  // "vdso", "elf" or "debug"). Null if there is none.
  virtual std::shared_ptr<const SafeFile> FindItem(const BuildId&,
                                                   absl::string_view) const {
    return nullptr;
  }
  // If the source as a whole is unusable (a broken archive), returns the path
  // and the reason: "PATH: WHY". Otherwise returns "".
  virtual std::string Failure() const { return ""; }
  // Returns true if files come over the network. Remote sources are asked last,
  // and for debug files only if debug information is missing. Their FindItem
  // and Failure are not called.
  virtual bool is_remote() const { return false; }
};

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_SYMBOL_SOURCE_H_
