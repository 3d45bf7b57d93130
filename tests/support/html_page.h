// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TESTS_SUPPORT_HTML_PAGE_H_
#define PERF2X_TESTS_SUPPORT_HTML_PAGE_H_

#include <rapidjson/document.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace perf2x {

// A block of a page's data, read as docs/html.md describes it.
class PageBlock {
 public:
  // Fails unless `bytes` are a whole block and nothing else.
  static absl::StatusOr<PageBlock> Parse(absl::string_view bytes);

  const rapidjson::Value& meta() const { return header_["meta"]; }
  bool has(const std::string& column) const {
    return columns_.count(column) > 0;
  }
  const std::vector<uint64_t>& operator[](const std::string& column) const {
    return columns_.at(column);
  }

 private:
  rapidjson::Document header_;
  std::map<std::string, std::vector<uint64_t>> columns_;
};

// The blocks of a page, by the ids of their elements.
absl::StatusOr<std::map<std::string, PageBlock>> ReadPage(
    absl::string_view html);

// Returns the strings of a block that has them.
std::vector<std::string> StringsOf(const PageBlock& profile);

// Returns what is wrong with a page, or "". Sets `*samples` to the number of
// samples in it, without its base.
std::string CheckPage(absl::string_view html, uint64_t* samples);

}  // namespace perf2x

#endif  // PERF2X_TESTS_SUPPORT_HTML_PAGE_H_
