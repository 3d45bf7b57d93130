// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TESTS_SYMBOLIZE_CORPUS_H_
#define PERF2X_TESTS_SYMBOLIZE_CORPUS_H_

#include <cstdint>
#include <set>
#include <string>

#include "absl/strings/string_view.h"

namespace perf2x {

// A frame line of perf script: "\t  2022 demo::map_phase+0x1c2 (/bin/inl)".
struct FrameLine {
  uint64_t address = 0;
  std::string name, dso;
};
bool ParseFrameLine(absl::string_view line, FrameLine* out);

// Recordings with what perf printed of them. Packed symbol files are unpacked
// once a test program.
class Corpus {
 public:
  // Our own recordings and programs, in testdata/corpus; see
  // tests/support/corpus.h.
  static Corpus Own();
  // The full corpus, in the folder that PERF2X_CORPUS names or
  // ../shared/corpus; also has Debian's libraries and kernels' symbols.
  static Corpus Full();
  bool found() const { return found_; }
  std::string skip_message() const;

  // Names of the own recordings that begin with `prefix` and have a script.
  std::set<std::string> Recordings(absl::string_view prefix) const;
  // The text of truth/`name`, packed or not; empty when there is none.
  std::string Truth(const std::string& name) const;
  // Path of a recording that is one file, packed by zstd.
  std::string Recording(const std::string& id) const;
  // A folder with the unpacked perf maps of a recording.
  std::string PerfMaps(const std::string& id) const;
  // A folder with the unpacked symfs/`arch`.
  std::string Symfs(const std::string& arch) const;
  // Path of the unpacked kallsyms/`name`, an empty file in our own.
  std::string Kallsyms(const std::string& name) const;

 private:
  explicit Corpus(const std::string& dir);

  std::string dir_;
  bool found_;
};

}  // namespace perf2x

#endif  // PERF2X_TESTS_SYMBOLIZE_CORPUS_H_
