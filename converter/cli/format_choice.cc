// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/format_choice.h"

#include <sys/stat.h>

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "converter/base/output_compression.h"
#include "converter/base/status_macros.h"
#include "converter/cli/suggest.h"
#include "converter/convert/convert.h"
#include "converter/emit/registry.h"

namespace perf2x {
namespace {

std::vector<std::string> FormatNames() {
  std::vector<std::string> names;
  for (const EmitterInfo& e : Emitters()) names.push_back(e.name);
  return names;
}

// Returns the extension of `path`: ".svg" for "out/flame.svg.gz". Empty for
// names whose end no one would take for a file type: "out", "run.2", ".hidden",
// "/dev/null".
absl::string_view ExtensionOf(absl::string_view path) {
  ConsumeCompressionSuffix(&path);
  path = path.substr(path.rfind('/') + 1);
  const size_t dot = path.rfind('.');
  if (dot == path.npos || dot == 0) return "";
  const absl::string_view extension = path.substr(dot);
  return extension.size() > 1 && absl::ascii_isalpha(extension[1]) ? extension
                                                                   : "";
}

absl::Status NoFormatFor(absl::string_view extension) {
  std::vector<std::string> extensions;
  for (const EmitterInfo& e : Emitters()) extensions.push_back(e.extension);
  for (const EmitterInfo& e : Emitters()) {
    if (absl::StrCat(".", e.name) == extension) {
      return absl::InvalidArgumentError(
          absl::StrCat("files of ", e.name, " end in ", e.extension, ", not ",
                       extension, "; rename it or say --to ", e.name));
    }
  }
  const std::string meant = DidYouMean(extension, extensions);
  return absl::InvalidArgumentError(absl::StrCat(
      "no format's files end in ", extension,
      meant.empty() ? absl::StrCat(" but in ", absl::StrJoin(extensions, ", "))
                    : meant,
      meant.empty() ? "; " : " Otherwise ", "say --to FORMAT"));
}

// A format that is compressed by itself is not compressed once more: its
// readers expect what its extension says.
absl::Status CheckCompression(const EmitterInfo& format,
                              absl::string_view output) {
  const OutputCompression own = OutputCompressionOf(format.extension);
  const OutputCompression named = OutputCompressionOf(output);
  if (own == OutputCompression::kNone || named == OutputCompression::kNone ||
      own == named) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      format.name, " is compressed by itself, as its readers expect: ", output,
      " would not be ", SuffixOf(named), "; let the name end in ",
      format.extension));
}

absl::Status CheckOptions(const EmitterInfo& format,
                          const CommandLine& options) {
  for (const auto& [name, value] : options.convert.emitter_options) {
    const std::string& given = name;
    const auto has = [&given](const EmitterInfo& e) {
      return std::any_of(
          e.options.begin(), e.options.end(),
          [&](const EmitterOption& option) { return given == option.name; });
    };
    if (has(format)) continue;
    std::vector<std::string> others;
    for (const EmitterInfo& e : Emitters()) {
      if (has(e)) others.push_back(e.name);
    }
    return absl::InvalidArgumentError(
        absl::StrCat("--", name, " is an option of ",
                     absl::StrJoin(others, ", "), ", not of ", format.name));
  }
  if (format.check == nullptr) return absl::OkStatus();
  return format.check(WithDefaults(format, options.convert.emitter_options));
}

}  // namespace

bool IsDefaultFormat(const CommandLine& options) {
  return options.format.empty() && FindEmitterByPath(options.output) == nullptr;
}

absl::StatusOr<const EmitterInfo*> ChooseFormat(const CommandLine& options) {
  const EmitterInfo* format = nullptr;
  struct stat st;
  const bool folder =
      stat(options.output.c_str(), &st) == 0 && S_ISDIR(st.st_mode);
  if (!options.format.empty()) {
    format = FindEmitter(options.format);
    if (format == nullptr) {
      const std::string meant = DidYouMean(options.format, FormatNames());
      return absl::InvalidArgumentError(
          absl::StrCat("no format is called ", options.format, meant,
                       meant.empty() ? "; there are " : " There are ",
                       absl::StrJoin(FormatNames(), ", ")));
    }
  } else {
    format = FindEmitterByPath(options.output);
    const absl::string_view extension = ExtensionOf(options.output);
    if (format == nullptr && !folder && !extension.empty()) {
      return NoFormatFor(extension);
    }
    if (format == nullptr) format = FindEmitter("pprof");
  }
  if (!folder) RETURN_IF_ERROR(CheckCompression(*format, options.output));
  RETURN_IF_ERROR(CheckOptions(*format, options));
  return format;
}

}  // namespace perf2x
