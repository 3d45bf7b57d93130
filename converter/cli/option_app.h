// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CLI_OPTION_APP_H_
#define PERF2X_CLI_OPTION_APP_H_

#include <CLI/CLI.hpp>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"

namespace perf2x {

// A CLI::App that defines only options of which it is told the names. CLI11
// compares each option with all before it, so that defining all of them takes
// as long as the rest of a small conversion. Hides the functions of CLI::App
// that define options: to be called by this type.
class OptionApp final : public CLI::App {
 public:
  // `words` are those of the command line, and must outlive this object; null:
  // defines all options.
  OptionApp(std::string text, std::string name,
            const std::vector<std::string>* words)
      : CLI::App(std::move(text), std::move(name)),
        words_(words),
        unused_(others_.add_flag("--unused")) {}

  // Returns true if one of `names` ("-o,--output"; "!--no-symbols"; a command)
  // may be among the words. True for arguments that have no name.
  bool Names(absl::string_view names) const;

  // As those of CLI::App. If the words do not have the option, they define
  // nothing, and return an option that no word has.
  template <class... Rest>
  CLI::Option* add_option(const std::string& names, Rest&&... rest) {
    if (!Names(names)) return unused_;
    return CLI::App::add_option(names, std::forward<Rest>(rest)...);
  }
  template <class Value, class... Rest>
  CLI::Option* add_option_function(const std::string& names, Rest&&... rest) {
    if (!Names(names)) return unused_;
    return CLI::App::add_option_function<Value>(names,
                                                std::forward<Rest>(rest)...);
  }
  template <class... Rest>
  CLI::Option* add_flag(const std::string& names, Rest&&... rest) {
    if (!Names(names)) return unused_;
    return CLI::App::add_flag(names, std::forward<Rest>(rest)...);
  }
  template <class... Rest>
  CLI::Option* add_flag_callback(const std::string& names, Rest&&... rest) {
    if (!Names(names)) return unused_;
    return CLI::App::add_flag_callback(names, std::forward<Rest>(rest)...);
  }

 private:
  const std::vector<std::string>* const words_;
  CLI::App others_;
  CLI::Option* const unused_;
};

}  // namespace perf2x

#endif  // PERF2X_CLI_OPTION_APP_H_
