// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SYMBOLIZE_FIND_FILE_SEARCH_H_
#define PERF2X_SYMBOLIZE_FIND_FILE_SEARCH_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "converter/symbolize/elf/elf_file.h"
#include "converter/symbolize/find/safe_file.h"
#include "converter/symbolize/find/symbol_files.h"

namespace perf2x {

// The ELF files that a search found, and the reasons why others were not used.
struct FoundFiles {
  std::vector<std::shared_ptr<const ElfFile>> elfs;  // in the order found
  std::vector<std::string> tried;  // rejected files: "PATH (why not)"
  bool verified = false;           // `elfs` are proven by build id or CRC
  // A file was rejected because no build id is known that could prove it.
  bool unproven = false;
  // A file was used that was written after the recording, and the search has no
  // build id.
  bool newer = false;
  // The search has no build id, and the file now at the recorded path (below no
  // root) is proven to be another inode than the mapped one. `elfs` may contain
  // this file if it was trusted.
  bool replaced = false;
};

// A search for one kind of file of one DSO. Callers offer places and files. The
// search opens and checks them, and keeps the files that the judge accepts.
// Once done() is true, it ignores further offers. Not thread-safe.
class FileSearch {
 public:
  // What the judge says of a file.
  enum class Verdict {
    kUseless,     // rejected
    kUse,         // used; the search goes on
    kUseAndStop,  // used; the search is done
  };
  // Judges a file that has the right build id, or is trusted. Called once for
  // each such file; may keep state.
  using Judge = std::function<Verdict(const ElfFile&)>;
  // Returns true if a file may be used although the search has no build id.
  // Called only if it has none.
  using Trust = absl::FunctionRef<bool(const SafeFile&)>;

  // `files` opens the files and must outlive the search. `id`: the build id
  // that files must have; empty: not known. `useless` is the reason noted for
  // files that the judge rejects.
  FileSearch(SymbolFiles& files, BuildId id, Judge judge, std::string useless)
      : files_(files),
        id_(id),
        judge_(std::move(judge)),
        useless_(std::move(useless)) {}
  // Sets when the recording ended, in ns since 1970. A later file that is used
  // although the search has no build id sets FoundFiles::newer.
  void set_recorded_until(int64_t time) { recorded_until_ = time; }

  // Sets FoundFiles::replaced.
  void set_replaced() { found_.replaced = true; }

  // Ignores the file at `path` from now on, because the caller has opened it
  // already. Replaces the path of an earlier call.
  void Skip(std::string path) { skipped_ = std::move(path); }

  // Returns true after the verdict kUseAndStop.
  bool done() const { return done_; }
  // Calls the judge and returns its verdict on a file. Does not add the file to
  // the result. The caller must pass an accepted file to AddVerified, because
  // the judge may remember it as used.
  Verdict Assess(const ElfFile& elf) const { return judge_(elf); }
  // Adds the files and the `tried` of another search, whose files the caller
  // has verified. Does not call the judge, and does not change done().
  void AddVerified(FoundFiles more);
  // Opens the file at `place` and uses it, or rejects it and adds it to the
  // tried files. If the search has no build id, rejects files for which `trust`
  // is false. Does nothing if done(), if `place` is empty, or if Skip was
  // called for its path. Returns false only if it looked for the file and found
  // none. Does not call AddTried for a file missing below a root
  // (FilePlace::root): callers try many roots, and call AddTried once.
  bool Try(const FilePlace& place, Trust trust);
  // Like Try above, but rejects the file if the search has no build id.
  bool Try(const FilePlace& place) {
    return Try(place, [](const SafeFile&) { return false; });
  }
  // Like Try, for a file that is open already; ignores null.
  void TryFile(std::shared_ptr<const SafeFile> file, Trust trust);
  // As above, but rejects the file if the search has no build id.
  void TryFile(std::shared_ptr<const SafeFile> file) {
    TryFile(std::move(file), [](const SafeFile&) { return false; });
  }
  // Adds "PATH (WHY)" to the tried files.
  void AddTried(absl::string_view path, absl::string_view why);
  // Returns the result. To be called once, last.
  FoundFiles Take() { return std::move(found_); }

 private:
  SymbolFiles& files_;
  const BuildId id_;
  const Judge judge_;
  const std::string useless_;
  std::string skipped_;
  int64_t recorded_until_ = 0;  // 0: not known
  bool done_ = false;
  FoundFiles found_;
};

// Returns true if `found`, the build id of a file, is the recorded one. Ignores
// zeros with which perf pads recorded build ids to 20 bytes. Returns false if
// `found` is empty.
bool SameBuildId(const BuildId& recorded, const BuildId& found);

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_FIND_FILE_SEARCH_H_
