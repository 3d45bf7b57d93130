// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CONVERT_NAMED_OUTPUTS_H_
#define PERF2X_CONVERT_NAMED_OUTPUTS_H_

#include <unistd.h>

#include <atomic>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "converter/base/early_exit_cleanup.h"
#include "converter/base/output_place.h"
#include "converter/model/emitter.h"

namespace perf2x {

// Opens the one output that the user named, or files in the folder of that
// name. With a name that ends in ".gz" they are compressed, unless the format
// sees to that itself.
class NamedOutputs final : public OutputFactory {
 public:
  // `places` says how what is opened is written; must outlive this.
  // With `compress_on_thread`, see GzipOutput.
  NamedOutputs(std::string path, const EmitterInfo& format,
               const OutputPlaces& places, bool compress_on_thread);
  // Without Keep(), removes the files of a folder that were written, and the
  // folder if it was made here.
  ~NamedOutputs() override;

  absl::StatusOr<std::unique_ptr<Output>> Open(absl::string_view name) override;

  // All that was to be written is whole: it stays.
  void Keep() { kept_ = true; }

  // Where the member `name` of the folder `path` is written.
  static std::string MemberPath(absl::string_view path, absl::string_view name);

 private:
  class Member;
  // A file of the folder. Goes, once it has its final name, if the others fail.
  struct Written {
    explicit Written(std::string name)
        : path(std::move(name)), unfinished([this] { Remove(); }) {}
    void Remove() const {
      if (named) unlink(path.c_str());
    }
    const std::string path;
    std::atomic<bool> named{false};
    const EarlyExitCleanup unfinished;
  };

  absl::StatusOr<std::unique_ptr<Output>> OpenPlain(absl::string_view name);

  const std::string path_;
  const bool compress_;
  const bool compress_on_thread_;
  const OutputPlaces& places_;
  std::optional<EarlyExitCleanup> made_folder_;
  std::list<Written> written_;
  bool kept_ = false;
};

// What a recording's name is without its folder and what it ends with:
// "perf" for "…/perf.data.zst".
std::string StemOf(absl::string_view input);

}  // namespace perf2x

#endif  // PERF2X_CONVERT_NAMED_OUTPUTS_H_
