// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CONVERT_NAMED_OUTPUTS_H_
#define PERF2X_CONVERT_NAMED_OUTPUTS_H_

#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "converter/base/early_exit_cleanup.h"
#include "converter/base/output_compression.h"
#include "converter/base/output_target.h"
#include "converter/convert/output_check.h"
#include "converter/model/emitter.h"

namespace perf2x {

// Opens the output at the path that the user named, or files in a folder at
// that path. Compresses outputs if the path ends in ".gz" or ".zst", unless the
// format's own extension ends so: such a format compresses itself. Not
// thread-safe, but outputs may be written and closed on other threads.
class NamedOutputs final : public OutputFactory {
 public:
  // `path` is the file or folder that the user named. `targets` determines
  // where and how outputs are written. `check` checks files of a dataset when
  // they are opened: their names were not known before. Null: checks none.
  // `targets` and `check` must outlive this object.
  NamedOutputs(std::string path, const EmitterInfo& format,
               const OutputTargets& targets,
               const OutputCheck* check = nullptr);
  // Discards the files of a folder that are not published. Removes the folder
  // if this object made it and it is empty. Does not affect an output at the
  // path itself, which is complete once it is closed (see Output).
  ~NamedOutputs() override;

  // Opens the output at the path if `name` is empty. Otherwise opens the file
  // `name` in the folder at the path. Makes this folder and the folders in
  // `name` if they do not exist. The result must not outlive this object. Fails
  // if the file or a folder cannot be made.
  //
  // A name with folders ("results/host=web1/ID.parquet") is a file of a
  // dataset, which several processes may write to: see OutputTarget::MakeBelow.
  absl::StatusOr<std::unique_ptr<Output>> Open(absl::string_view name) override;

  // Gives the files of a folder their final names, in the order in which they
  // were opened. Does nothing for an output at the path itself. To be called
  // once, when all outputs were closed. A file whose Close failed is discarded;
  // that is no error here.
  //
  // Renames none if a folder has been replaced by another, or if a final name
  // belongs to something other than a writable regular file. If a rename fails
  // in spite of that check, the destructor removes the files that were renamed
  // before. It leaves those that replaced an older file.
  absl::Status Publish();

  // Returns the path of the file `name` in the folder `path`: "F/NAME". If the
  // folder's name ends in ".gz" or ".zst", the file's does too: "F.gz/NAME.gz".
  static std::string MemberPath(absl::string_view path, absl::string_view name);

 private:
  class Member;
  // A file of the folder.
  struct Written {
    Written(OutputTarget at, std::unique_ptr<StagedOutput> opened)
        : target(std::move(at)),
          output(std::move(opened)),
          cleanup([this] { Remove(); }) {}
    // Prepare and publish the output if it is complete.
    absl::Status Prepare();
    absl::Status Publish();
    // Removes the file if it is new.
    void Remove() const {
      if (is_new) unlink(target.final_path.c_str());
    }
    const OutputTarget target;
    const std::unique_ptr<StagedOutput> output;
    bool is_complete = false;
    std::atomic<bool> is_new{false};  // it is published, and replaced none
    const EarlyExitCleanup cleanup;
  };

  absl::StatusOr<std::unique_ptr<Output>> OpenPlain(absl::string_view name);
  // Returns the target of the file `name` in the folder at the path.
  absl::StatusOr<OutputTarget> TargetOf(absl::string_view name) const;

  const std::string path_;
  const OutputCompression compression_;
  const OutputTargets& targets_;
  const OutputCheck* const check_;
  std::optional<EarlyExitCleanup> made_folder_;
  std::list<Written> written_;
  bool is_published_ = false;
};

// Returns a recording's name without its folder and the suffixes ".data",
// ".gz", ".bz2", ".xz" and ".zst": "perf" for "…/perf.data.zst" and for "-".
std::string StemOf(absl::string_view input);

}  // namespace perf2x

#endif  // PERF2X_CONVERT_NAMED_OUTPUTS_H_
