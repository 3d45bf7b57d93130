// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PERF_HEADER_BPF_FEATURES_H_
#define PERF2X_PERF_HEADER_BPF_FEATURES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "converter/base/byte_order.h"
#include "converter/base/byte_reader.h"

namespace perf2x {

// A BPF program that was loaded while recording: bpf_prog_info of
// include/uapi/linux/bpf.h, as perf_bpil keeps it.
struct BpfProgram {
  struct Function {
    uint64_t address = 0;
    uint32_t size = 0;
    std::string tag;       // 16 hexadecimal digits
    uint32_t type_id = 0;  // in the program's BpfTypes; 0: none
  };
  // A place in the source, from `address` on.
  struct Line {
    uint64_t address = 0;
    uint32_t file = 0;  // of the string in the program's BpfTypes
    uint32_t line = 0;
  };
  uint32_t id = 0, type = 0;
  uint32_t btf_id = 0;  // 0: none
  std::string name;     // at most 15 letters; may be empty
  std::string tag;
  std::vector<Function> functions;  // as compiled; the first is the program
  std::vector<Line> lines;
};

// A source line of a BPF function, from `offset` in its code on.
struct BpfLine {
  uint64_t offset = 0;
  std::string file;
  uint32_t line = 0;
};

// BTF, the type descriptions of a BPF program: here, the names of functions.
struct BpfTypes {
  uint32_t id = 0;
  // Name of type i + 1; only functions have theirs here.
  std::vector<std::string> names;
  std::string strings;  // NUL-terminated ones, found by their offsets
};

// Read the payload of the BPF_PROG_INFO and BPF_BTF features
// (write_bpf_prog_info(), write_bpf_btf()). False when damaged.
bool ReadBpfPrograms(ByteReader* in, std::vector<BpfProgram>* programs);
bool ReadBpfTypes(ByteReader* in, std::vector<BpfTypes>* types);

// What perf and the kernel call a function: "bpf_prog_TAG_name".
std::string BpfFunctionName(const BpfProgram& program, size_t function,
                            const std::vector<BpfTypes>& types);

// The source lines of the function whose code begins at `address`, ascending by
// offset; empty when there is none or its lines are not known.
std::vector<BpfLine> BpfLinesAt(uint64_t address,
                                const std::vector<BpfProgram>& programs,
                                const std::vector<BpfTypes>& types);

}  // namespace perf2x

#endif  // PERF2X_PERF_HEADER_BPF_FEATURES_H_
