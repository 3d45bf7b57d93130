// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TESTS_SUPPORT_WRITE_BYTES_H_
#define PERF2X_TESTS_SUPPORT_WRITE_BYTES_H_

#include <filesystem>
#include <fstream>
#include <ios>

namespace perf2x {

// Writes a file of bytes, which may be in any container.
template <class Bytes>
void WriteBytes(const std::filesystem::path& path, const Bytes& bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

}  // namespace perf2x

#endif  // PERF2X_TESTS_SUPPORT_WRITE_BYTES_H_
