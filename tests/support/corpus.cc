// SPDX-License-Identifier: Apache-2.0
#include "tests/support/corpus.h"

#include <gtest/gtest.h>
#include <rapidjson/document.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "converter/input/input.h"
#include "converter/symbolize/kernel/kallsyms_cache.h"
#include "tests/support/temp_folder.h"

namespace perf2x {
namespace {

bool Exists(const std::string& path) {
  struct stat st;
  return stat(path.c_str(), &st) == 0;
}

std::map<std::string, uint64_t> Counts(const rapidjson::Value& object) {
  std::map<std::string, uint64_t> out;
  for (const auto& member : object.GetObject()) {
    if (member.value.IsUint64()) {
      out[member.name.GetString()] = member.value.GetUint64();
    }
  }
  return out;
}

std::string StringOr(const rapidjson::Value& object, const char* name) {
  auto it = object.FindMember(name);
  return it != object.MemberEnd() && it->value.IsString()
             ? it->value.GetString()
             : "";
}

std::string ReadAll(const std::string& path) {
  auto input = OpenInput(path);
  if (!input.ok()) return "";
  if (input->mapped) {
    const auto bytes = input->mapped->bytes();
    return std::string(reinterpret_cast<const char*>(bytes.data()),
                       bytes.size());
  }
  std::string out;
  std::vector<uint8_t> buffer(1 << 20);
  for (;;) {
    auto n = input->stream->Read(absl::MakeSpan(buffer));
    if (!n.ok() || *n == 0) return out;
    out.append(reinterpret_cast<const char*>(buffer.data()), *n);
  }
}

// Returns a path in a temporary folder that this process deletes when it ends.
std::string Scratch(const std::string& name) {
  static const TempFolder folder;
  return folder.File(name);
}

std::string UnpackTar(const std::string& tar, const std::string& name) {
  const std::string folder = Scratch(name);
  if (Exists(folder)) return folder;
  const std::string command =
      absl::StrCat("mkdir -p '", folder, "' && zstd -q -dc --long=24 '", tar,
                   "' | tar x -C '", folder, "'");
  return std::system(command.c_str()) == 0 ? folder : "";
}

constexpr char kOwnFolder[] = "testdata/corpus";

CorpusEntries ReadManifest(const std::string& folder) {
  CorpusEntries entries;
  std::error_code error;
  const std::string root = std::filesystem::canonical(folder, error);
  if (error || !Exists(root + "/MANIFEST.json")) return entries;
  rapidjson::Document json;
  json.Parse(ReadAll(root + "/MANIFEST.json").c_str());
  for (const auto& e : json.GetArray()) {
    CorpusEntry entry;
    entry.root = root;
    entry.id = StringOr(e, "id");
    entry.group = StringOr(e, "group");
    entry.mode = StringOr(e, "mode");
    entry.exercises = StringOr(e, "exercises");
    entry.path = absl::StrCat(root, "/", StringOr(e["files"][0], "path"));
    entry.records = Counts(e["records"]);
    entry.samples = Counts(e["samples"]);
    entry.period = Counts(e["period"]);
    entry.perf = StringOr(e, "perf");
    entry.symfs = StringOr(e, "symfs");
    entry.kallsyms = StringOr(e, "kallsyms");
    for (const auto& m : e["messages"].GetArray()) {
      entry.messages.push_back(m.GetString());
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

// Returns a name for Scratch() that differs between the two corpora.
std::string ScratchOf(const CorpusEntry& entry, const std::string& name) {
  const bool own = absl::EndsWith(entry.root, kOwnFolder);
  return absl::StrCat(own ? "own-" : "full-", name);
}

}  // namespace

const CorpusEntries& OwnRecordings() {
  static const auto* const kEntries =
      new CorpusEntries(ReadManifest(kOwnFolder));
  return *kEntries;
}

const CorpusEntries& FullCorpus() {
  static const auto* const kEntries = [] {
    const char* given = std::getenv("PERF2X_CORPUS");
    return new CorpusEntries(
        ReadManifest(given != nullptr ? given : "../shared/corpus"));
  }();
  return *kEntries;
}

const CorpusEntries& ThirdPartyRecordings() {
  static const auto* const kEntries = [] {
    auto* entries = new CorpusEntries();
    for (const CorpusEntry& entry : FullCorpus()) {
      if (FindRecording(OwnRecordings(), entry.id) == nullptr) {
        entries->push_back(entry);
      }
    }
    return entries;
  }();
  return *kEntries;
}

std::string NoCorpusMessage() {
  return "the full corpus is not there: see testdata/corpus/README.md "
         "(PERF2X_CORPUS names its folder)";
}

const CorpusEntry* FindRecording(const CorpusEntries& entries,
                                 absl::string_view id) {
  for (const CorpusEntry& entry : entries) {
    if (entry.id == id) return &entry;
  }
  return nullptr;
}

std::string RecordingOf(const CorpusEntry& entry) {
  if (!absl::EndsWith(entry.path, ".tar.zst")) return entry.path;
  const std::string folder =
      UnpackTar(entry.path, ScratchOf(entry, "dir-" + entry.id));
  // The archive has either the files of the folder or the folder itself.
  if (Exists(folder + "/data")) return folder;
  return folder + "/perf.data";
}

std::string TruthOf(const CorpusEntry& entry, const std::string& name) {
  const std::string path =
      absl::StrCat(entry.root, "/truth/", entry.id, ".", name);
  return Exists(path) ? ReadAll(path) : ReadAll(path + ".zst");
}

std::string SymfsOf(const CorpusEntry& entry) {
  if (entry.symfs.empty()) return "";
  return UnpackTar(absl::StrCat(entry.root, "/symfs/", entry.symfs, ".tar.zst"),
                   ScratchOf(entry, "symfs-" + entry.symfs));
}

std::string KallsymsOf(const CorpusEntry& entry) {
  if (entry.kallsyms.empty()) return "";
  const std::string path =
      Scratch(ScratchOf(entry, "kallsyms-" + entry.kallsyms));
  if (!Exists(path)) {
    std::ofstream(path) << ReadAll(
        absl::StrCat(entry.root, "/kallsyms/", entry.kallsyms, ".zst"));
  }
  return path;
}

ConvertOptions OptionsFor(const CorpusEntry& entry) {
  ConvertOptions options;
  SymbolizeOptions& symbols = options.symbols;
  symbols.binaries.symfs = SymfsOf(entry);
  symbols.binaries.debug_dirs.clear();
  symbols.binaries.buildid_dir = "/nonexistent";
  symbols.kallsyms = KallsymsOf(entry);
  symbols.kallsyms_cache = std::make_shared<KallsymsCache>("/nonexistent");
  symbols.perf_map_dirs = {CompanionsOf(entry)};
  symbols.inlines = symbols.lines = false;
  return options;
}

bool HasSymbolsOf(const CorpusEntry& entry, const std::string& dso) {
  if (!absl::EndsWith(entry.root, kOwnFolder)) return true;
  return absl::EndsWith(dso, ".map") || Exists(SymfsOf(entry) + dso);
}

std::string CompanionsOf(const CorpusEntry& entry) {
  const std::string folder = Scratch(ScratchOf(entry, "beside-" + entry.id));
  if (Exists(folder)) return folder;
  // The files of `perf inject --jit`, one for each function, are in a tar.
  const std::string command = absl::StrCat(
      "mkdir -p '", folder, "' && cd '", folder, "' && for f in ", entry.root,
      "/recorded/", entry.id,
      "/*.zst; do [ -e $f ] || continue; case $f in *perf.data*) ;; "
      "*.tar.zst) zstd -q -dc --long=24 $f | tar x ;; "
      "*) zstd -q -dc --long=24 $f >$(basename $f .zst) ;; esac; done; "
      "cp ",
      entry.root, "/recorded/", entry.id, "/*.map . 2>/dev/null; true");
  return std::system(command.c_str()) == 0 ? folder : "";
}

}  // namespace perf2x
