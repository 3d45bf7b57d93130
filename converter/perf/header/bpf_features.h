// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PERF_HEADER_BPF_FEATURES_H_
#define PERF2X_PERF_HEADER_BPF_FEATURES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "converter/base/byte_order.h"
#include "converter/perf/header/feature_reader.h"

namespace perf2x {

// A BPF program that was loaded before or during the recording. Read from
// struct bpf_prog_info (include/uapi/linux/bpf.h), which perf stores in a
// struct perf_bpil. Addresses are of the compiled code in the kernel.
struct BpfProgram {
  // One function of the program, at the address of its compiled code.
  struct Function {
    uint64_t address = 0;
    uint32_t size = 0;     // in bytes
    std::string tag;       // 16 hexadecimal digits; empty if not recorded
    uint32_t type_id = 0;  // type in the program's BpfBtf, from 1; 0: none
  };
  // The source line of the code from `address` to the address of the next Line.
  struct Line {
    uint64_t address = 0;  // of the line's first instruction
    uint32_t file = 0;     // offset of the file's name in BpfBtf::strings
    uint32_t line = 0;     // line number in the source file
  };
  // The kernel's number of the program, and its type (BPF_PROG_TYPE_*).
  uint32_t id = 0, type = 0;
  uint32_t btf_id = 0;  // 0: none
  std::string name;     // at most 16 bytes; may be empty
  std::string tag;      // 16 hexadecimal digits; empty if not recorded
  // The functions as compiled; the first is the program itself. Empty if not
  // recorded.
  std::vector<Function> functions;
  std::vector<Line> lines;  // of all functions, ascending by address
};

// A BpfProgram::Line relative to its function.
struct BpfLine {
  uint64_t offset = 0;     // in bytes from the function's start
  absl::string_view file;  // points into the BpfBtf; empty: damaged
  uint32_t line = 0;       // line number in the source file
};

// The names of functions and the string table of one BTF object (type
// descriptions of BPF).
struct BpfBtf {
  uint32_t id = 0;  // BpfProgram::btf_id
  // names[i] is the offset in `strings` of the name of type i + 1 (type 0 is
  // void). It is 0 if the type is no function.
  std::vector<uint32_t> names;
  std::string strings;  // NUL-terminated strings; the first one is empty

  // Returns the string at `offset`, cut to 4095 bytes, the longest path. Empty
  // if the offset is past the end of `strings`.
  absl::string_view StringAt(uint32_t offset) const;
};

// Read the payload of the feature BPF_PROG_INFO or BPF_BTF; layouts:
// write_bpf_prog_info() and write_bpf_btf(). Append what they read to the
// vector; ReadBpfTypes then sorts it by id. Charge it by in->ChargeMemory().
// Return false if the payload is damaged, or too large to keep
// (FeatureReader::full). Elements read before that stay in the vector.
bool ReadBpfPrograms(FeatureReader* in, std::vector<BpfProgram>* programs);
bool ReadBpfTypes(FeatureReader* in, std::vector<BpfBtf>* types);

// Returns the name that perf and the kernel give functions[function]:
// "bpf_prog_TAG_NAME". Requires that `function` is in range. TAG is the
// function's tag, else the program's. NAME is the function's name in `types`,
// cut to 511 bytes (KSYM_NAME_LEN). If `types` has no name, NAME is the
// program's name. If the program has several functions, NAME is "F" instead.
// Without any NAME, returns "bpf_prog_TAG". `types` must be sorted by id.
std::string BpfFunctionName(const BpfProgram& program, size_t function,
                            const std::vector<BpfBtf>& types);

// Returns the source lines of the function whose code begins at `address`,
// ascending by offset. Of several such functions, the first counts. Empty if
// there is no such function, or if its lines or BpfBtf are not known. `types`
// must be sorted by id and outlive the result. Takes time linear in the number
// of functions of all programs and the number of lines of the function.
std::vector<BpfLine> BpfLinesAt(uint64_t address,
                                const std::vector<BpfProgram>& programs,
                                const std::vector<BpfBtf>& types);

}  // namespace perf2x

#endif  // PERF2X_PERF_HEADER_BPF_FEATURES_H_
