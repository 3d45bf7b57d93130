// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TESTS_SUPPORT_CORPUS_H_
#define PERF2X_TESTS_SUPPORT_CORPUS_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "converter/convert/convert.h"

// Real recordings with the output that perf prints for them, in two places:
//
// - testdata/corpus, in this repository: our own recordings and the programs
//   that they are of.
// - the full corpus, outside of it, which also has recordings of third parties,
//   Debian's libraries and the symbols of kernels. Tests that need the
//   full corpus are skipped, with a message, if it is missing.

namespace perf2x {

struct CorpusEntry {
  std::string root;  // folder of the corpus that has the entry
  std::string id;
  std::string group;      // "recorded", "third-party", "broken", "fuzz"
  std::string mode;       // "file", "pipe", "dir", …
  std::string path;       // of the recording, absolute; may be wrapped
  std::string exercises;  // what the entry tests
  std::map<std::string, uint64_t> records;  // by type name; as perf counted
  std::map<std::string, uint64_t> samples;  // by event name; as perf counted
  std::map<std::string, uint64_t> period;   // by event name; sums by perf
  std::string symfs, kallsyms;              // names of the symbol files
  std::string perf;                   // version of perf that wrote the truth
  std::vector<std::string> messages;  // perf's complaints
};
using CorpusEntries = std::vector<CorpusEntry>;

// The recordings in testdata/corpus.
const CorpusEntries& OwnRecordings();

// All recordings of the full corpus, ours among them: $PERF2X_CORPUS, or
// ../shared/corpus beside the sources. Empty if there is none.
const CorpusEntries& FullCorpus();

// Recordings of the full corpus that testdata/corpus lacks.
const CorpusEntries& ThirdPartyRecordings();

// Returns the message of a test that is skipped because the full corpus is
// missing.
std::string NoCorpusMessage();

// Returns the recording `id` of `entries`, or null.
const CorpusEntry* FindRecording(const CorpusEntries& entries,
                                 absl::string_view id);

// Returns the path of the entry's recording, for OpenInput. Directory
// recordings, which the corpus stores as .tar.zst, are unpacked into a
// temporary folder.
std::string RecordingOf(const CorpusEntry& entry);

// Returns the contents of the entry's file of ground truth, truth/ID.NAME,
// decompressed; empty if there is none.
std::string TruthOf(const CorpusEntry& entry, const std::string& name);

// Return the folder with the unpacked symbol files of `symfs`, and the path of
// the unpacked kallsyms, an empty file if the corpus lacks it; "" if the entry
// names none.
std::string SymfsOf(const CorpusEntry& entry);
std::string KallsymsOf(const CorpusEntry& entry);
// Returns options with which the entry is symbolized as perf did it: nothing of
// this machine is used, which may be the recorded one.
ConvertOptions OptionsFor(const CorpusEntry& entry);

// Returns true if the entry's corpus has the symbols of `dso`, a name as perf
// script prints it. Always true for the full corpus.
bool HasSymbolsOf(const CorpusEntry& entry, const std::string& dso);

// Returns the folder with the files that lay beside the recording (perf maps,
// jitdumps), unpacked.
std::string CompanionsOf(const CorpusEntry& entry);

}  // namespace perf2x

#endif  // PERF2X_TESTS_SUPPORT_CORPUS_H_
