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

namespace perf2x {

// The ELF files that a search found, and the reasons why others were not used.
struct FoundFiles {
  std::vector<std::unique_ptr<ElfFile>> elfs;
  std::vector<std::string> tried;  // "PATH (why not)"
  bool verified = false;           // by build id or CRC
  // A file was not used because the recording has no build id to prove it.
  bool unproven = false;
  // A file without a build id was used, although it was written after the
  // recording.
  bool newer = false;
  // A file at the recorded path is not the one that was mapped.
  bool replaced = false;
};

// A search for one kind of file of one DSO. Callers offer places and files
// until done() is true. Not thread-safe.
class FileSearch {
 public:
  enum class Verdict { kUseless, kUse, kUseAndStop };
  using Judge = std::function<Verdict(const ElfFile&)>;
  using Trust = absl::FunctionRef<bool(const SafeFile&)>;

  // `id`: the build id that files must have; empty: not known. `useless` is the
  // reason noted for files that the judge rejects.
  FileSearch(BuildId id, Judge judge, std::string useless)
      : id_(id), judge_(std::move(judge)), useless_(std::move(useless)) {}
  // Sets when the recording ended, in ns since 1970. A later file that is used
  // without a build id sets FoundFiles::newer.
  void set_recorded_until(int64_t time) { recorded_until_ = time; }

  // Marks the result as replaced.
  void set_replaced() { found_.replaced = true; }

  // Ignores the file at `path` from now on, because the caller has opened it
  // already. Replaces the path of an earlier call.
  void Skip(std::string path) { skipped_ = std::move(path); }

  bool done() const { return done_; }
  // Returns the judge's verdict on a file, without adding the file to the
  // result.
  Verdict Assess(const ElfFile& elf) const { return judge_(elf); }
  // Adds the files and `tried` of another search. Its files must be verified.
  void AddVerified(FoundFiles more);
  // Tries the file at `place`, unless `place` is empty. If the search has no
  // build id, `trust` decides whether the file is used. Returns false only if
  // there is no file. In that case, notes the path if the place has no root.
  bool Try(const FilePlace& place, Trust trust);
  // Like Try above, but rejects the file if the search has no build id.
  bool Try(const FilePlace& place) {
    return Try(place, [](const SafeFile&) { return false; });
  }
  // Like Try, for a file that is open already; ignores null.
  void TryFile(std::shared_ptr<const SafeFile> file, Trust trust);
  void TryFile(std::shared_ptr<const SafeFile> file) {
    TryFile(std::move(file), [](const SafeFile&) { return false; });
  }
  // Adds "PATH (WHY)" to the tried files.
  void Note(absl::string_view path, absl::string_view why);
  // Returns the result. Ends the search.
  FoundFiles Take() { return std::move(found_); }

 private:
  const BuildId id_;
  const Judge judge_;
  const std::string useless_;
  std::string skipped_;
  int64_t recorded_until_ = 0;  // 0: not known
  bool done_ = false;
  FoundFiles found_;
};

// Returns true if a file's build id is the recorded one, which perf pads with
// zeros to 20 bytes.
bool SameBuildId(const BuildId& recorded, const BuildId& found);

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_FIND_FILE_SEARCH_H_
