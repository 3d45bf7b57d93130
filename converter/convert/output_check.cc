// SPDX-License-Identifier: Apache-2.0
#include "converter/convert/output_check.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <optional>
#include <system_error>
#include <tuple>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "converter/base/file_descriptor.h"
#include "converter/base/output_target.h"

namespace perf2x {
namespace {

namespace fs = std::filesystem;

// A perf.data folder has no folders but kcore_dir, which has none.
constexpr int kMaxDepth = 2;

// The same for all names of a file: its device and inode; for a file that does
// not exist yet, its path with all links followed.
using FileId = std::tuple<dev_t, ino_t, std::string>;

// Returns nullopt for what is ignored: character devices, sockets, and paths
// that cannot be resolved.
std::optional<FileId> IdOf(const std::string& path, int standard_stream) {
  struct stat st;
  const bool is_stream = path == "-";
  if ((is_stream ? fstat(standard_stream, &st) : stat(path.c_str(), &st)) ==
      0) {
    if (S_ISCHR(st.st_mode) || S_ISSOCK(st.st_mode)) return std::nullopt;
    return FileId(st.st_dev, st.st_ino, "");
  }
  if (is_stream) return std::nullopt;
  std::error_code error;
  const auto target = OutputTarget::Resolve(path);
  const fs::path made = fs::weakly_canonical(
      fs::absolute(target.ok() ? target->final_path : path, error), error);
  if (error) return std::nullopt;  // opening it will say why
  return FileId(0, 0, made.string());
}

using Names = std::map<FileId, std::string>;

void AddRead(const std::string& path, Names* names) {
  if (const auto id = IdOf(path, STDIN_FILENO)) names->emplace(*id, path);
  std::error_code error;
  fs::recursive_directory_iterator at(path, error);
  for (; !error && at != fs::recursive_directory_iterator();
       at.increment(error)) {
    if (at.depth() >= kMaxDepth - 1) at.disable_recursion_pending();
    const std::string member = at->path().string();
    if (const auto id = IdOf(member, -1)) names->emplace(*id, member);
  }
}

std::string NameOf(const std::string& path) {
  return path == "-" ? "standard output" : path;
}

// Returns what the symbol file at `path` is, such as "a program, library or
// debug file (ELF)", which nobody would replace by a trace. Null for other
// files.
const char* SymbolFileKind(const std::string& path) {
  struct stat st;
  const FileDescriptor opened(
      path == "-" ? dup(STDOUT_FILENO)
                  : open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (opened.get() < 0 || fstat(opened.get(), &st) != 0 ||
      !S_ISREG(st.st_mode) || st.st_size == 0) {
    return nullptr;
  }
  const std::string name = fs::path(path).filename().string();
  if ((absl::StartsWith(name, "perf-") && absl::EndsWith(name, ".map")) ||
      (absl::StartsWith(name, "jit-") && absl::EndsWith(name, ".dump"))) {
    return "symbols of generated code";
  }
  char magic[4];
  return pread(opened.get(), magic, sizeof(magic), 0) == sizeof(magic) &&
                 absl::string_view(magic, sizeof(magic)) ==
                     "\x7f"
                     "ELF"
             ? "a program, library or debug file (ELF)"
             : nullptr;
}

}  // namespace

bool HasStandardError(const std::vector<std::string>& inputs) {
  const auto id = IdOf("-", STDERR_FILENO);
  if (!id) return false;
  Names read;
  for (const std::string& path : inputs) AddRead(path, &read);
  return read.contains(*id);
}

absl::Status CheckOutputs(const std::vector<std::string>& inputs,
                          const std::vector<std::string>& outputs) {
  Names read, written;
  for (const std::string& path : inputs) AddRead(path, &read);
  for (const std::string& path : outputs) {
    const auto id = IdOf(path, STDOUT_FILENO);
    if (!id) continue;
    if (const auto input = read.find(*id); input != read.end()) {
      return absl::InvalidArgumentError(absl::StrCat(
          NameOf(path), " would be written over ",
          input->second == path  ? "the input of that name"
          : input->second == "-" ? "standard input, which is the same file"
                                 : absl::StrCat("the input ", input->second,
                                                ", which is the same file"),
          "; name another output with -o"));
    }
    if (const char* kind = SymbolFileKind(path)) {
      return absl::InvalidArgumentError(
          absl::StrCat(NameOf(path), " is ", kind,
                       ", not to be written over; name another output with "
                       "-o"));
    }
    const auto [other, is_new] = written.emplace(*id, path);
    if (!is_new) {
      return absl::InvalidArgumentError(absl::StrCat(
          "two outputs would be written to ", NameOf(path),
          other->second == path
              ? ""
              : absl::StrCat(", which is also ", NameOf(other->second)),
          "; name another file for one of them"));
    }
  }
  return absl::OkStatus();
}

}  // namespace perf2x
