// SPDX-License-Identifier: Apache-2.0
#include "converter/perf/records/registers.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "converter/perf/records/wire.h"

namespace perf2x {
namespace {

constexpr absl::string_view kX86[] = {
    "AX", "BX",    "CX",  "DX",  "SI",  "DI",  "BP",  "SP",
    "IP", "FLAGS", "CS",  "SS",  "DS",  "ES",  "FS",  "GS",
    "R8", "R9",    "R10", "R11", "R12", "R13", "R14", "R15"};
constexpr int kX86FirstXmm = 32;  // two bits per register
// If SIMD registers are in a block of their own (kAbiSimd), R16 to R31 and SSP
// take the place of XMM.
constexpr int kX86FirstExtended = 24, kX86LastExtended = 39, kX86Ssp = 41;
constexpr absl::string_view kArm[] = {"R0", "R1", "R2", "R3", "R4",  "R5",
                                      "R6", "R7", "R8", "R9", "R10", "FP",
                                      "IP", "SP", "LR", "PC"};
constexpr absl::string_view kArm64Special[] = {"FP", "LR", "SP", "PC"};
constexpr int kArm64FirstSpecial = 29, kArm64Vg = 46;

std::string X86RegisterName(uint64_t abi, int bit) {
  if (bit < kX86FirstExtended) return std::string(kX86[bit]);
  if (abi & kAbiSimd) {
    if (bit <= kX86LastExtended) return absl::StrCat("R", bit - 8);
    if (bit == kX86Ssp) return "SSP";
  } else if (bit >= kX86FirstXmm) {
    return absl::StrCat("XMM", (bit - kX86FirstXmm) / 2,
                        (bit & 1) == 0 ? "_low" : "_high");
  }
  return absl::StrCat("r", bit);
}

}  // namespace

std::string RegisterName(absl::string_view arch, uint64_t abi, int bit) {
  if (arch == "x86_64" ||
      (arch.size() == 4 && arch[0] == 'i' && absl::EndsWith(arch, "86"))) {
    return X86RegisterName(abi, bit);
  } else if (arch == "aarch64" || arch == "arm64") {
    if (bit < kArm64FirstSpecial) return absl::StrCat("X", bit);
    if (bit < kArm64FirstSpecial + 4) {
      return std::string(kArm64Special[bit - kArm64FirstSpecial]);
    }
    if (bit == kArm64Vg) return "VG";
  } else if (absl::StartsWith(arch, "arm")) {
    if (bit < 16) return std::string(kArm[bit]);
  } else if (absl::StartsWith(arch, "s390")) {
    if (bit < 16) return absl::StrCat("R", bit);
    if (bit < 32) return absl::StrCat("F", bit - 16);
    if (bit == 32) return "MASK";
    if (bit == 33) return "PC";
  }
  return absl::StrCat("r", bit);
}

}  // namespace perf2x
