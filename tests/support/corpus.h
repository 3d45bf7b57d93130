#ifndef PERF2X_TESTS_SUPPORT_CORPUS_H_
#define PERF2X_TESTS_SUPPORT_CORPUS_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

// A corpus of real recordings with perf's own ground truth, kept outside of the
// repository. Tests that use it are skipped, by name, where it is not.

namespace perf2x {

struct CorpusEntry {
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

// The folder: $PERF2X_CORPUS, or ../shared/corpus beside the sources. Empty
// when there is none.
std::string CorpusRoot();

// What a skipped test says.
std::string NoCorpusMessage();

// All recordings of the corpus; empty when there is none.
const std::vector<CorpusEntry>& Corpus();

// The entry's recording as something OpenInput reads: directory recordings,
// which the corpus packs, are unpacked below the test's temporary folder.
std::string RecordingOf(const CorpusEntry& entry);

// The entry's file of ground truth, truth/ID.NAME, unpacked; empty when there
// is none.
std::string TruthOf(const CorpusEntry& entry, const std::string& name);

// The folder with the unpacked symbol files of `symfs`, and the path of the
// unpacked kallsyms.
std::string SymfsOf(const CorpusEntry& entry);
std::string KallsymsOf(const CorpusEntry& entry);

// The folder with the files that lay beside the recording (perf maps,
// jitdumps), unpacked.
std::string CompanionsOf(const CorpusEntry& entry);

}  // namespace perf2x

#endif  // PERF2X_TESTS_SUPPORT_CORPUS_H_
