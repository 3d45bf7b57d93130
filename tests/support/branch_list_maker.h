// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TESTS_SUPPORT_BRANCH_LIST_MAKER_H_
#define PERF2X_TESTS_SUPPORT_BRANCH_LIST_MAKER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "branch_list.pb.h"

namespace perf2x {

// Returns a message with the text that files without a version begin with.
inline branch_list::BranchList NewBranchList() {
  branch_list::BranchList list;
  list.set_magic("simpleperf:EtmBranchList");
  return list;
}

inline branch_list::EtmBinary* AddBinary(const std::string& path,
                                         branch_list::BranchList* list) {
  branch_list::EtmBinary* const binary = list->add_etm_data();
  binary->set_path(path);
  return binary;
}

// Adds a list: a letter for each branch, E if it was taken, N if not.
inline void AddBranches(uint64_t address, const std::string& letters,
                        uint64_t count, branch_list::EtmBinary* binary) {
  branch_list::EtmBinary::Address* const at = binary->add_addrs();
  at->set_addr(address);
  branch_list::EtmBinary::Address::Branch* const branches = at->add_branches();
  std::string bits((letters.size() + 7) / 8, '\0');
  for (size_t i = 0; i < letters.size(); ++i) {
    if (letters[i] == 'E') bits[i / 8] |= static_cast<char>(1 << i % 8);
  }
  branches->set_branch(bits);
  branches->set_branch_size(static_cast<uint32_t>(letters.size()));
  branches->set_count(count);
}

inline std::vector<uint8_t> BytesOf(const branch_list::BranchList& list) {
  const std::string bytes = list.SerializeAsString();
  return {bytes.begin(), bytes.end()};
}

// Returns a file with a version, of messages that may be compressed.
inline std::vector<uint8_t> FramedBranchLists(
    const std::vector<std::vector<uint8_t>>& messages, bool compressed,
    uint32_t version = 1) {
  const std::string magic = "simpleperf:EtmBranchList";
  std::vector<uint8_t> file(magic.begin(), magic.end());
  const auto append = [&file](uint32_t value) {
    for (int i = 0; i < 4; ++i) {
      file.push_back(static_cast<uint8_t>(value >> (8 * i)));
    }
  };
  append(version);
  file.push_back(compressed ? 1 : 0);
  for (const std::vector<uint8_t>& message : messages) {
    append(static_cast<uint32_t>(message.size()));
    file.insert(file.end(), message.begin(), message.end());
  }
  return file;
}

}  // namespace perf2x

#endif  // PERF2X_TESTS_SUPPORT_BRANCH_LIST_MAKER_H_
