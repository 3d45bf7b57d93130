// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TESTS_SUPPORT_CORPUS_H_
#define PERF2X_TESTS_SUPPORT_CORPUS_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

// Real recordings with what perf prints of them, in two places:
//
// - testdata/corpus, in this repository: our own recordings and the programs
//   that they are of.
// - the full corpus, outside of it, which also has recordings of third parties,
//   Debian's libraries and the symbols of kernels. Tests that need it are
//   skipped, with its name, where it is not.

namespace perf2x {

struct CorpusEntry {
  std::string root;  // folder of the corpus that it is from
  std::string id;
  std::string group;      // "recorded", "third-party", "broken", "fuzz"
  std::string mode;       // "file", "pipe", "dir", …
  std::string path;       // of the recording, absolute; may be wrapped
  std::string exercises;  // what it is there for
  std::map<std::string, uint64_t> records;  // by type name; as perf counted
  std::map<std::string, uint64_t> samples;  // by event name; as perf counted
  std::map<std::string, uint64_t> period;   // likewise, sums
  std::string symfs, kallsyms;              // names of its symbol files
  std::string perf;                         // version that made the truth
  std::vector<std::string> messages;        // what perf complained of
};
using CorpusEntries = std::vector<CorpusEntry>;

// The recordings in testdata/corpus.
const CorpusEntries& OwnRecordings();

// All recordings of the full corpus, ours among them: $PERF2X_CORPUS, or
// ../shared/corpus beside the sources. Empty if there is none.
const CorpusEntries& FullCorpus();

// Those of the full corpus that testdata/corpus lacks.
const CorpusEntries& ThirdPartyRecordings();

// What a test prints that is skipped because the full corpus is missing.
std::string NoCorpusMessage();

// The recording `id` of `entries`; null if there is none.
const CorpusEntry* FindRecording(const CorpusEntries& entries,
                                 absl::string_view id);

// The entry's recording as something OpenInput reads: directory recordings,
// which the corpus packs, are unpacked below the test's temporary folder.
std::string RecordingOf(const CorpusEntry& entry);

// The entry's file of ground truth, truth/ID.NAME, unpacked; empty if there is
// none.
std::string TruthOf(const CorpusEntry& entry, const std::string& name);

// The folder with the unpacked symbol files of `symfs`, and the path of the
// unpacked kallsyms, an empty file if the corpus has none.
std::string SymfsOf(const CorpusEntry& entry);
std::string KallsymsOf(const CorpusEntry& entry);

// Whether the entry's corpus has the symbols of `dso`, as perf script prints
// its name. True of everything in the full corpus.
bool HasSymbolsOf(const CorpusEntry& entry, const std::string& dso);

// The folder with the files that lay beside the recording (perf maps,
// jitdumps), unpacked.
std::string CompanionsOf(const CorpusEntry& entry);

}  // namespace perf2x

#endif  // PERF2X_TESTS_SUPPORT_CORPUS_H_
