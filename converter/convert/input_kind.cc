// SPDX-License-Identifier: Apache-2.0
#include "converter/convert/input_kind.h"

#include <algorithm>
#include <vector>

#include "converter/branch_lists/branch_list_reader.h"
#include "converter/input/first_bytes.h"
#include "converter/perf/header/file_header.h"
#include "converter/profile_source/profile_magic.h"

namespace perf2x {

// Reads no more of a recording than its magic number: it may come slowly.
InputKind KindOf(Input* input) {
  if (!input->directory.empty()) return InputKind::kRecording;
  constexpr size_t kMagicSize = 8;
  if (CheckMagic(FirstBytes(input, kMagicSize)).ok()) {
    return InputKind::kRecording;
  }
  const std::vector<uint8_t> first =
      FirstBytes(input, std::max(kBranchListMagicSize, kProfileMagicSize));
  if (IsBranchList(first)) return InputKind::kBranchList;
  return IsProfile(first) ? InputKind::kProfile : InputKind::kRecording;
}

}  // namespace perf2x
