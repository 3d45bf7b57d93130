// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/emitters.h"
#include "converter/emit/html/html_emitter.h"

namespace perf2x {

EmitterInfo HtmlEmitterInfo() {
  static constexpr EmitterOption kOptions[] = {
      {"base", "FILE",
       "an older recording to compare with; differences are shown by colour",
       ""},
  };
  static constexpr const char* kViewers[] = {"$BROWSER", "xdg-open"};
  return {
      .name = "html",
      .extension = ".html",
      .summary = "one page with flame graph and time line, for browsers",
      .options = kOptions,
      .make = MakeEmitter<HtmlEmitter>,
      .base_option = "base",
      .make_base = [](const EmitterContext& context,
                      std::shared_ptr<ComparisonBase>* kept)
          -> absl::StatusOr<std::unique_ptr<Emitter>> {
        return std::make_unique<HtmlBaseEmitter>(context, kept);
      },
      .viewers = kViewers,
      .advice = "open it in a browser: neither $BROWSER nor xdg-open is one"};
}

}  // namespace perf2x
