// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/next_steps.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "converter/symbolize/find/debuginfod.h"

namespace perf2x {
namespace {

// Returns the package with the debug symbols of an installed file, or how to
// find that package.
std::string DebugPackageOf(absl::string_view name) {
  if (name == "libc.so.6" || name == "libm.so.6" ||
      absl::StartsWith(name, "ld-linux")) {
    return "libc6-dbg";
  }
  return absl::StrCat(
      "the debug symbols of its package (on Debian, -dbgsym of "
      "what `dpkg -S '*/",
      name, "'` says)");
}

// Returns true if a file was found and not used for the reason `why`.
bool WasRefused(const DsoReport& file, absl::string_view why) {
  const std::string end = absl::StrCat(" (", why, ")");
  return std::any_of(
      file.tried.begin(), file.tried.end(),
      [&](const std::string& tried) { return absl::EndsWith(tried, end); });
}

std::string ForKernel(const DsoReport& file) {
  // The warning says what to do.
  if (file.sources.empty() && !file.warnings.empty()) return "";
  return "pass --kallsyms with a copy of the recorded machine's "
         "/proc/kallsyms (read by root), or --vmlinux";
}

std::string ForAnonymous(const DsoReport& file) {
  if (file.name == "[heap]" || absl::StartsWith(file.name, "[stack") ||
      file.name == "[vsyscall]" || file.name == "[uprobes]") {
    return "";
  }
  if (!file.sources.empty()) {
    return "its perf map lacks this code: copy the map when the program ends, "
           "or have it write a jitdump";
  }
  if (WasRefused(file, "belongs to another user")) {
    return "its perf map belongs to another user: pass --perf-map-dir with a "
           "folder that has a copy of yours";
  }
  return "have the program write a perf map (node --perf-basic-prof, python -X "
         "perf, java -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit) or "
         "a jitdump; --perf-map-dir says where it is, if not in /tmp";
}

// For a DSO whose code was in memory only, or whose path now leads to another
// file.
std::string ForGone(const DsoReport& file, absl::string_view why) {
  return absl::StrCat(
      why, file.build_id.empty()
               ? ", and the recording has no build id to find a copy by"
               : ": pass --debug-dir with a folder that has the recorded one");
}

// Returns ", or --debuginfod" or, if the servers were asked, what came of it.
std::string OrDebuginfod(const DsoReport& file) {
  for (absl::string_view tried : file.tried) {
    if (absl::ConsumePrefix(&tried, "debuginfod (") &&
        absl::ConsumeSuffix(&tried, ")")) {
      return absl::StrCat(" (debuginfod was asked: ", tried, ")");
    }
  }
  return CanAskDebuginfod()
             ? ", or --debuginfod"
             : ", or --debuginfod (not in this build: use one with shared "
               "libraries)";
}

std::string ForStripped(const DsoReport& file) {
  const absl::string_view path = file.name;
  const bool packaged =
      absl::StartsWith(path, "/usr/") || absl::StartsWith(path, "/lib");
  if (!packaged || absl::StartsWith(path, "/usr/local/")) {
    return "it is stripped: keep its symbols when it is built, or pass "
           "--debug-dir with a folder of separate debug files";
  }
  return absl::StrCat("it is stripped: install ",
                      DebugPackageOf(path.substr(path.rfind('/') + 1)),
                      ", or pass --debug-dir", OrDebuginfod(file));
}

std::string ForFile(const DsoReport& file) {
  if (absl::StartsWith(file.name, "/memfd:")) {
    return ForGone(file, "it was in memory only (memfd)");
  }
  const bool found =
      !file.sources.empty() || WasRefused(file, "no symbols in it");
  if (found) {
    // A symbol table that lacks some of the code was built that way.
    return file.has_symbol_table ? "" : ForStripped(file);
  }
  if (absl::EndsWith(file.name, " (deleted)")) {
    return ForGone(file, "it was deleted or replaced while it ran");
  }
  if (WasRefused(file, "permission denied")) {
    return "the file is there, but you may not read it: run perf2x as root, or "
           "pass --symfs with a copy";
  }
  if (WasRefused(file, "cannot be opened")) {
    return "its file cannot be opened, perhaps because too many are open: "
           "raise "
           "the limit (ulimit -n)";
  }
  if (WasRefused(file, "too many holes")) {
    return "its file is holes for the most part (see SECURITY.md): pass "
           "--symfs "
           "with a copy that has none (cp --sparse=never)";
  }
  if (WasRefused(file, "other build id") || WasRefused(file, "no build id")) {
    return ForGone(file, "the file there is another build");
  }
  if (WasRefused(file, "unpacks to too much")) {
    return "its file decompresses to more than its size is worth (see "
           "SECURITY.md): pass it decompressed";
  }
  if (WasRefused(file, "damaged") || WasRefused(file, "not ELF")) {
    return ForGone(file, "the file there is damaged or no ELF file");
  }
  const absl::string_view has_not =
      "there is no such file here: pass --symfs with a folder that has it";
  return file.build_id.empty() ? std::string(has_not)
                               : absl::StrCat(has_not, OrDebuginfod(file));
}

}  // namespace

std::string MissingSymbolsAdvice(const DsoReport& file) {
  if (file.unproven) {
    return "the file is there, but nothing proves that it is the recorded one: "
           "pass --trust-host if this is the recorded machine";
  }
  switch (file.kind) {
    case DsoKind::kKernel:
    case DsoKind::kKernelModule:
      return ForKernel(file);
    case DsoKind::kGuestKernel:
      return "pass --guest-kallsyms with the virtual machine's /proc/kallsyms";
    case DsoKind::kVdso:
      if (!file.sources.empty()) return "";
      return "pass --archive with what perf archive made on the recorded "
             "machine";
    case DsoKind::kAnonymous:
      return ForAnonymous(file);
    case DsoKind::kFile:
      return ForFile(file);
    default:
      return "";
  }
}

}  // namespace perf2x
