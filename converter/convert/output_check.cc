// SPDX-License-Identifier: Apache-2.0
#include "converter/convert/output_check.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <system_error>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "converter/base/file_descriptor.h"
#include "converter/base/output_target.h"
#include "converter/base/status_macros.h"

namespace perf2x {
namespace {

namespace fs = std::filesystem;

// A perf.data folder has no folders but kcore_dir and, for guests, others that
// begin so. These have none.
constexpr int kMaxDepth = 2;

using FileId = OutputCheck::FileId;

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

std::string NameOf(const std::string& path) {
  return path == "-" ? "standard output" : path;
}

// Returns true for the name of a perf map or jitdump.
bool IsOfGeneratedCode(const fs::path& path) {
  const std::string name = path.filename().string();
  return (absl::StartsWith(name, "perf-") && absl::EndsWith(name, ".map")) ||
         (absl::StartsWith(name, "jit-") && absl::EndsWith(name, ".dump"));
}

// Returns what the symbol file at `path` is, such as "a program, library or
// debug file (ELF)", which nobody would replace by a trace. Null for other
// files.
const char* SymbolFileKind(const std::string& path) {
  struct stat st;
  const bool is_stream = path == "-";
  const FileDescriptor opened(
      is_stream ? dup(STDOUT_FILENO)
                : open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (opened.get() < 0 || fstat(opened.get(), &st) != 0 ||
      !S_ISREG(st.st_mode) || st.st_size == 0) {
    return nullptr;
  }
  std::error_code error;  // then the resolved name is empty
  if (IsOfGeneratedCode(path) ||
      IsOfGeneratedCode(
          fs::canonical(is_stream ? "/proc/self/fd/1" : path, error))) {
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

// Returns true if the file in a folder that is an input may be read: if it is
// one of a folder recording, or of the inputs for which a folder stands. Others
// in it may be logs.
bool MayBeRead(const fs::path& member) {
  const std::string name = member.filename().string();
  if (name == "data" || absl::StartsWith(name, "data.") ||
      absl::StartsWith(member.parent_path().filename().string(), "kcore_dir")) {
    return true;
  }
  for (const char* ending : {".data", ".pb", ".pb.gz", ".pprof"}) {
    if (absl::EndsWith(name, ending)) return true;
  }
  return false;
}

}  // namespace

void OutputCheck::AddInput(const std::string& input, Members members) {
  if (const auto id = IdOf(input, STDIN_FILENO)) read_.emplace(*id, input);
  std::error_code error;
  fs::recursive_directory_iterator at(input, error);
  for (; !error && at != fs::recursive_directory_iterator();
       at.increment(error)) {
    if (at.depth() >= kMaxDepth - 1) at.disable_recursion_pending();
    const std::string member = at->path().string();
    if (members == Members::kRead && !MayBeRead(at->path())) continue;
    if (const auto id = IdOf(member, -1)) read_.emplace(*id, member);
  }
}

absl::Status OutputCheck::Check(const std::string& output) const {
  const auto id = IdOf(output, STDOUT_FILENO);
  if (!id) return absl::OkStatus();
  if (const auto input = read_.find(*id); input != read_.end()) {
    return absl::InvalidArgumentError(absl::StrCat(
        NameOf(output), " would be written over ",
        input->second == output ? "the input of that name"
        : input->second == "-"  ? "standard input, which is the same file"
                                : absl::StrCat("the input ", input->second,
                                               ", which is the same file"),
        "; name another output"));
  }
  if (const char* kind = SymbolFileKind(output)) {
    return absl::InvalidArgumentError(
        absl::StrCat(NameOf(output), " is ", kind,
                     ", not to be written over; name another output"));
  }
  const auto other = written_.find(*id);
  if (other == written_.end()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "two outputs would be written to ", NameOf(output),
      other->second == output
          ? ""
          : absl::StrCat(", which is also ", NameOf(other->second)),
      "; name another file for one of them"));
}

absl::Status OutputCheck::AddOutput(const std::string& output) {
  RETURN_IF_ERROR(Check(output));
  if (const auto id = IdOf(output, STDOUT_FILENO)) written_[*id] = output;
  return absl::OkStatus();
}

absl::Status CheckOutputs(const std::vector<std::string>& inputs,
                          const std::vector<std::string>& outputs) {
  OutputCheck check;
  for (const std::string& path : inputs) check.AddInput(path);
  for (const std::string& path : outputs) {
    RETURN_IF_ERROR(check.AddOutput(path));
  }
  return absl::OkStatus();
}

bool IncludesStandardError(const std::vector<std::string>& inputs) {
  const auto id = IdOf("-", STDERR_FILENO);
  if (!id) return false;
  OutputCheck check;
  for (const std::string& path : inputs) {
    check.AddInput(path, OutputCheck::Members::kRead);
  }
  return check.IsInput(*id);
}

}  // namespace perf2x
