// SPDX-License-Identifier: Apache-2.0
#include "tests/symbolize/corpus.h"

#include <gtest/gtest.h>
#include <zstd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "tests/support/file_bytes.h"
#include "tests/support/temp_folder.h"

namespace perf2x {
namespace {

namespace fs = std::filesystem;

std::string Unzstd(const std::string& bytes) {
  ZSTD_DCtx* ctx = ZSTD_createDCtx();
  ZSTD_DCtx_setParameter(ctx, ZSTD_d_windowLogMax, 24);
  std::string text, chunk(1 << 20, '\0');
  ZSTD_inBuffer from{bytes.data(), bytes.size(), 0};
  for (size_t left = 1; left != 0;) {
    ZSTD_outBuffer to{chunk.data(), chunk.size(), 0};
    left = ZSTD_decompressStream(ctx, &to, &from);
    if (ZSTD_isError(left)) break;
    text.append(chunk, 0, to.pos);
    if (from.pos == from.size && to.pos < to.size) break;
  }
  ZSTD_freeDCtx(ctx);
  return text;
}

// The end of a name of something unpacked from `dir`.
std::string Suffix(const std::string& dir) {
  return dir == "testdata/corpus" ? "-own" : "-full";
}

// Of unpacked files, until the program ends.
const std::string& UnpackedDir() {
  static TempFolder unpacked;
  return unpacked.path();
}

}  // namespace

bool ParseFrameLine(absl::string_view line, FrameLine* out) {
  if (line.empty() || line[0] != '\t' || line.back() != ')') return false;
  line.remove_prefix(std::min(line.find_first_not_of("\t "), line.size()));
  const size_t space = line.find(' ');
  const size_t dso = line.rfind(" (");
  if (space == line.npos || dso == line.npos || dso <= space) return false;
  if (!absl::SimpleHexAtoi(line.substr(0, space), &out->address)) return false;
  absl::string_view name = line.substr(space + 1, dso - space - 1);
  if (const size_t plus = name.rfind("+0x"); plus != name.npos) {
    name = name.substr(0, plus);
  }
  out->name = std::string(name);
  out->dso = std::string(line.substr(dso + 2, line.size() - dso - 3));
  return true;
}

Corpus::Corpus(const std::string& dir)
    : dir_(dir), found_(fs::is_directory(dir + "/truth")) {}

Corpus Corpus::Own() { return Corpus("testdata/corpus"); }

Corpus Corpus::Full() {
  const char* set = getenv("PERF2X_CORPUS");
  return Corpus(set != nullptr ? set : "../shared/corpus");
}

std::string Corpus::skip_message() const {
  return absl::StrCat("the full corpus is not in ", dir_,
                      ": see testdata/corpus/README.md (PERF2X_CORPUS names "
                      "its folder)");
}

std::set<std::string> Corpus::Recordings(absl::string_view prefix) const {
  std::set<std::string> ids;
  for (const auto& entry : fs::directory_iterator(dir_ + "/truth")) {
    const std::string file = entry.path().filename();
    const size_t end = file.find(".script");
    if (absl::StartsWith(file, prefix) && end != file.npos &&
        !absl::StrContains(file, ".native.") &&
        !absl::StrContains(file, ".script-")) {
      ids.insert(file.substr(0, end));
    }
  }
  return ids;
}

std::string Corpus::Truth(const std::string& name) const {
  const std::string path = absl::StrCat(dir_, "/truth/", name);
  if (fs::exists(path)) return FileText(path);
  return fs::exists(path + ".zst") ? Unzstd(FileText(path + ".zst")) : "";
}

std::string Corpus::Recording(const std::string& id) const {
  return absl::StrCat(dir_, "/recorded/", id, "/perf.data.zst");
}

std::string Corpus::PerfMaps(const std::string& id) const {
  const std::string to =
      absl::StrCat(UnpackedDir(), "/maps-", id, Suffix(dir_));
  fs::create_directory(to);
  for (const auto& entry :
       fs::directory_iterator(absl::StrCat(dir_, "/recorded/", id))) {
    std::string name = entry.path().filename();
    if (!absl::StartsWith(name, "perf-")) continue;
    const std::string bytes = FileText(entry.path());
    const bool packed = entry.path().extension() == ".zst";
    if (packed) name.resize(name.size() - 4);
    std::ofstream(to + "/" + name, std::ios::binary)
        << (packed ? Unzstd(bytes) : bytes);
  }
  return to;
}

std::string Corpus::Symfs(const std::string& arch) const {
  const std::string to =
      absl::StrCat(UnpackedDir(), "/symfs-", arch, Suffix(dir_));
  if (!fs::exists(to)) {
    fs::create_directory(to);
    const std::string tar = to + ".tar";
    std::ofstream(tar, std::ios::binary)
        << Unzstd(FileText(absl::StrCat(dir_, "/symfs/", arch, ".tar.zst")));
    if (system(absl::StrCat("tar -xf ", tar, " -C ", to).c_str()) != 0) {
      ADD_FAILURE() << "cannot unpack " << tar;
    }
    fs::remove(tar);
  }
  // The archive's folder, if it has one of its own name.
  return fs::exists(to + "/" + arch) ? to + "/" + arch : to;
}

std::string Corpus::Kallsyms(const std::string& name) const {
  const std::string to =
      absl::StrCat(UnpackedDir(), "/kallsyms-", name, Suffix(dir_));
  if (!fs::exists(to)) {
    std::ofstream(to, std::ios::binary)
        << Unzstd(FileText(absl::StrCat(dir_, "/kallsyms/", name, ".zst")));
  }
  return to;
}

}  // namespace perf2x
