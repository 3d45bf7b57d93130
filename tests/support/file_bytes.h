// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TESTS_SUPPORT_FILE_BYTES_H_
#define PERF2X_TESTS_SUPPORT_FILE_BYTES_H_

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace perf2x {

// Returns what is in a file; nothing if it cannot be read.
inline std::string FileText(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

// As FileText. The buffer is exactly as long as the file, so that a sanitizer
// sees reads past its end.
inline std::vector<uint8_t> FileBytes(const std::filesystem::path& path) {
  const std::string text = FileText(path);
  return std::vector<uint8_t>(text.begin(), text.end());
}

}  // namespace perf2x

#endif  // PERF2X_TESTS_SUPPORT_FILE_BYTES_H_
