// SPDX-License-Identifier: Apache-2.0
#include "converter/convert/named_outputs.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "converter/base/status_macros.h"

namespace perf2x {

NamedOutputs::NamedOutputs(std::string path, const EmitterInfo& format,
                           const OutputTargets& targets,
                           const OutputCheck* check)
    : path_(std::move(path)),
      compression_(OutputCompressionOf(format.extension) ==
                           OutputCompression::kNone
                       ? OutputCompressionOf(path_)
                       : OutputCompression::kNone),
      targets_(targets),
      check_(check) {}

class NamedOutputs::Member final : public Output {
 public:
  explicit Member(Written& written) : written_(written) {}
  absl::Status Write(absl::string_view bytes) override {
    return written_.output->Write(bytes);
  }
  absl::Status Close() override {
    absl::Status status = written_.output->Close();
    written_.is_complete = status.ok();
    return status;
  }

 private:
  Written& written_;
};

absl::Status NamedOutputs::Written::Prepare() {
  return is_complete ? output->Prepare() : absl::OkStatus();
}

absl::Status NamedOutputs::Written::Publish() {
  if (!is_complete) return absl::OkStatus();
  struct stat old;
  const bool replaces = lstat(target.final_path.c_str(), &old) == 0;
  RETURN_IF_ERROR(output->Publish());
  is_new = !replaces;
  return absl::OkStatus();
}

NamedOutputs::~NamedOutputs() {
  if (!is_published_) {
    for (const Written& file : written_) file.Remove();
  }
  written_.clear();  // temporary files are gone before their folder
  if (made_folder_.has_value()) rmdir(path_.c_str());
}

absl::Status NamedOutputs::Publish() {
  for (Written& file : written_) RETURN_IF_ERROR(file.Prepare());
  for (Written& file : written_) RETURN_IF_ERROR(file.Publish());
  is_published_ = true;
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<Output>> NamedOutputs::Open(
    absl::string_view name) {
  ASSIGN_OR_RETURN(auto output, OpenPlain(name));
  return MakeCompressedOutput(compression_, std::move(output));
}

absl::StatusOr<std::unique_ptr<Output>> NamedOutputs::OpenPlain(
    absl::string_view name) {
  if (name.empty()) {
    ASSIGN_OR_RETURN(const OutputTarget target, targets_.TargetOf(path_));
    return OpenOutput(target);
  }
  RETURN_IF_ERROR(ResolveOutputFolder(path_).status());
  if (mkdir(path_.c_str(), 0777) == 0) {
    made_folder_.emplace([this] { rmdir(path_.c_str()); });
  } else if (errno != EEXIST) {
    return absl::UnavailableError(
        absl::StrCat("cannot make folder ", path_, ": ", strerror(errno)));
  }
  ASSIGN_OR_RETURN(OutputTarget target, TargetOf(name));
  ASSIGN_OR_RETURN(auto output, OpenStagedOutput(target));
  return std::make_unique<Member>(
      written_.emplace_back(std::move(target), std::move(output)));
}

absl::StatusOr<OutputTarget> NamedOutputs::TargetOf(
    absl::string_view name) const {
  const std::string member = MemberPath(path_, name);
  if (name.find('/') == name.npos) {
    ASSIGN_OR_RETURN(OutputTarget target, targets_.TargetOf(member));
    RETURN_IF_ERROR(target.CheckNotDeviceOrFifo());
    return target;
  }
  ASSIGN_OR_RETURN(
      OutputTarget target,
      OutputTarget::MakeBelow(
          path_, absl::string_view(member).substr(path_.size() + 1)));
  if (check_ != nullptr) RETURN_IF_ERROR(check_->Check(target.path));
  return target;
}

std::string NamedOutputs::MemberPath(absl::string_view path,
                                     absl::string_view name) {
  return absl::StrCat(path, "/", name, SuffixOf(OutputCompressionOf(path)));
}

std::string StemOf(absl::string_view input) {
  if (input == "-") input = "perf.data";
  while (absl::ConsumeSuffix(&input, "/")) {
  }
  if (size_t slash = input.rfind('/'); slash != input.npos) {
    input.remove_prefix(slash + 1);
  }
  for (absl::string_view suffix : {".gz", ".bz2", ".xz", ".zst", ".data"}) {
    absl::ConsumeSuffix(&input, suffix);
  }
  return std::string(input);
}

}  // namespace perf2x
