#include "converter/next_steps.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace perf2x {
namespace {

// The package that has a library's debug symbols, by Debian's rule for names:
// libgcc_s.so.1 is in libgcc-s1. Empty for what is no library.
std::string DebugPackageOf(absl::string_view name) {
  if (name == "libc.so.6" || name == "libm.so.6" ||
      absl::StartsWith(name, "ld-linux")) {
    return "libc6-dbg";
  }
  const size_t so = name.find(".so.");
  if (!absl::StartsWith(name, "lib") || so == name.npos) return "";
  std::string package = absl::StrReplaceAll(
      absl::AsciiStrToLower(name.substr(0, so)), {{"_", "-"}});
  absl::string_view version = name.substr(so + 4);
  version = version.substr(0, version.find('.'));
  if (absl::ascii_isdigit(package.back())) package += "-";
  return absl::StrCat(package, version, "-dbgsym");
}

}  // namespace

std::string NextStepFor(const FileReport& file) {
  switch (file.kind) {
    case CodeKind::kKernel:
    case CodeKind::kKernelModule:
      return "pass --kallsyms with a copy of the recorded machine's "
             "/proc/kallsyms (read by root), or --vmlinux";
    case CodeKind::kGuestKernel:
      return "pass --guest-kallsyms with the virtual machine's /proc/kallsyms";
    case CodeKind::kAnonymous:
      return "have the program write perf-PID.map or a jitdump, and pass its "
             "folder as --perf-map-dir";
    case CodeKind::kFile:
    case CodeKind::kGuestUser:
      break;
    default:
      return "";
  }
  const absl::string_view path = file.name;
  const bool packaged =
      absl::StartsWith(path, "/usr/") || absl::StartsWith(path, "/lib");
  if (!packaged || absl::StartsWith(path, "/usr/local/")) {
    return file.sources.empty()
               ? "pass --symfs with a folder that has it"
               : "keep its symbols (do not strip it), or pass --debug-dir with "
                 "a folder of separate debug files";
  }
  const std::string package = DebugPackageOf(path.substr(path.rfind('/') + 1));
  return absl::StrCat("install ",
                      package.empty() ? "its package's -dbgsym" : package,
                      " or pass --debug-dir or --debuginfod");
}

}  // namespace perf2x
