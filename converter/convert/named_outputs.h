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
#include "converter/base/output_place.h"
#include "converter/base/packing.h"
#include "converter/model/emitter.h"

namespace perf2x {

// Opens the output at the path that the user named, or files in a folder at
// that path. Compresses outputs if the path ends in ".gz" or ".zst", unless the
// format's own extension does: such a format compresses itself. Not
// thread-safe, but outputs may be written and closed on other threads.
class NamedOutputs final : public OutputFactory {
 public:
  // `path` is the file or folder that the user named. `places` determines where
  // and how outputs are written; it must outlive this object. `helpers` is the
  // number of threads that help to compress; 0: none.
  NamedOutputs(std::string path, const EmitterInfo& format,
               const OutputPlaces& places, size_t helpers);
  // If Keep() was not called, removes the files in the folder that were closed
  // successfully, then the folder if this object made it and it is empty. Does
  // not remove an output that is no file of a folder.
  ~NamedOutputs() override;

  // Opens the output at the path if `name` is empty, else the file `name` in
  // the folder at the path. Makes that folder and those in `name` if they do
  // not exist. The result must not outlive this object. Fails if the file or a
  // folder cannot be made.
  absl::StatusOr<std::unique_ptr<Output>> Open(absl::string_view name) override;

  // Makes the destructor keep all files. To be called when all outputs have
  // been closed.
  void Keep() { kept_ = true; }

  // Returns the path of the file `name` in the folder `path`: "F/NAME". If the
  // folder's name ends in ".gz" or ".zst", the file's does too: "F.gz/NAME.gz".
  static std::string MemberPath(absl::string_view path, absl::string_view name);

 private:
  class Member;
  // A file of the folder. It gets its final name while others are still
  // written, so it is removed if the conversion fails, unless it is a device or
  // FIFO.
  struct Written {
    explicit Written(OutputPlace at)
        : place(std::move(at)), cleanup([this] { Remove(); }) {}
    void Remove() const {
      if (named && place.way == OutputPlace::Way::kReplace) {
        unlink(place.target.c_str());
      }
    }
    const OutputPlace place;
    std::atomic<bool> named{false};  // it has its final name
    const EarlyExitCleanup cleanup;
  };

  absl::StatusOr<std::unique_ptr<Output>> OpenPlain(absl::string_view name);
  // Makes the folders in the name of a member.
  absl::Status MakeFoldersOf(absl::string_view name) const;

  const std::string path_;
  const Packing packing_;
  const size_t helpers_;
  const OutputPlaces& places_;
  std::optional<EarlyExitCleanup> made_folder_;
  std::list<Written> written_;
  bool kept_ = false;
};

// Returns a recording's name without its folder and the suffixes ".data",
// ".gz", ".xz" and ".zst": "perf" for "…/perf.data.zst" and for "-".
std::string StemOf(absl::string_view input);

}  // namespace perf2x

#endif  // PERF2X_CONVERT_NAMED_OUTPUTS_H_
