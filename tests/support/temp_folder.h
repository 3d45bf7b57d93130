// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TESTS_SUPPORT_TEMP_FOLDER_H_
#define PERF2X_TESTS_SUPPORT_TEMP_FOLDER_H_

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

namespace perf2x {

// A new folder that the destructor deletes with its contents. Every test must
// use its own folder: tests run in parallel, each in a process, and so do the
// tests of builds with sanitizers.
class TempFolder {
 public:
  TempFolder() : path_(testing::TempDir() + "perf2x_XXXXXX") {
    if (mkdtemp(path_.data()) == nullptr) {
      ADD_FAILURE() << "no temporary folder " << path_;
      path_ = "/nonexistent";
    }
  }
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string File(std::string_view name) const {
    return path_ + "/" + std::string(name);
  }

 private:
  std::string path_;
};

}  // namespace perf2x

#endif  // PERF2X_TESTS_SUPPORT_TEMP_FOLDER_H_
