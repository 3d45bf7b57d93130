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

// The ELF files that a search found, and why others were not used.
struct FoundFiles {
  std::vector<std::unique_ptr<ElfFile>> elfs;
  std::vector<std::string> tried;  // "PATH (why not)"
  bool verified = false;           // by build id or CRC
  // A file is there, but nothing proves that it is the recorded one.
  bool unproven = false;
  // A file without a proof was written after the time that was given.
  bool newer = false;
  // A file at the recorded path is not the one that was mapped.
  bool replaced = false;
};

// Goes through places where a file may be. Not thread-safe.
class FileSearch {
 public:
  enum class Verdict { kUseless, kUse, kUseAndStop };
  using Judge = std::function<Verdict(const ElfFile&)>;
  using Trust = absl::FunctionRef<bool(const SafeFile&)>;

  // `id`: what a file's build id must be; empty when not known. `useless` says
  // why the judge does not want a file.
  FileSearch(BuildId id, Judge judge, std::string useless)
      : id_(std::move(id)),
        judge_(std::move(judge)),
        useless_(std::move(useless)) {}
  // Files that are trusted without a build id are newer than this when they
  // were written later (ns since 1970).
  void set_recorded_until(int64_t time) { recorded_until_ = time; }

  // Says so of what is found.
  void set_replaced() { found_.replaced = true; }

  // Passes over the file at `path`, which the caller has.
  void Skip(std::string path) { skipped_ = std::move(path); }

  bool done() const { return done_; }
  // Asks the judge for a file that is not tried here.
  Verdict Assess(const ElfFile& elf) const { return judge_(elf); }
  // Adds the result of another search, whose files were verified.
  void AddVerified(FoundFiles more);
  // Tries the file at `place`; empty: nothing. `trust` says whether it may be
  // used although there is no build id to compare with. False when no file is
  // there; of places below a root that is not noted.
  bool Try(const FilePlace& place, Trust trust);
  // The same for files that need a build id.
  bool Try(const FilePlace& place) {
    return Try(place, [](const SafeFile&) { return false; });
  }
  // The same with a file that is open, or null.
  void TryFile(std::shared_ptr<const SafeFile> file, Trust trust);
  void TryFile(std::shared_ptr<const SafeFile> file) {
    TryFile(std::move(file), [](const SafeFile&) { return false; });
  }
  void Note(absl::string_view path, absl::string_view why);
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

// Whether a file's build id is the recorded one, which perf pads with zeros to
// 20 bytes.
bool SameBuildId(const BuildId& recorded, const BuildId& found);

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_FIND_FILE_SEARCH_H_
