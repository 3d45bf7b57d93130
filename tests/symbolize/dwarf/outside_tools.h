// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TESTS_SYMBOLIZE_DWARF_OUTSIDE_TOOLS_H_
#define PERF2X_TESTS_SYMBOLIZE_DWARF_OUTSIDE_TOOLS_H_

#include <cstdint>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "converter/symbolize/elf/elf_file.h"
#include "tests/support/command_output.h"
#include "tests/support/temp_folder.h"

namespace perf2x {

// One function of a chain that was inlined at a place, innermost first.
struct InlineLine {
  std::string name, file;  // without folders; "??": not known
  uint32_t line = 0;
  friend bool operator==(const InlineLine&, const InlineLine&) = default;
};
using Chain = std::vector<InlineLine>;
// Addresses in a program with how often each was hit.
using Places = std::map<uint64_t, uint64_t>;

inline std::string Show(const Chain& chain) {
  std::string out;
  for (const InlineLine& l : chain) {
    absl::StrAppend(&out, "\n    ", l.name, " ", l.file, ":", l.line);
  }
  return out;
}

inline absl::string_view Base(absl::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

// "file:12", with or without a folder, a column or a discriminator. Line 0 says
// that there is no source line; what comes with it may be an object's name from
// the symbol table or, in perf, "program[1060]".
inline void ParseLine(absl::string_view at, InlineLine* out) {
  at = absl::StripAsciiWhitespace(at.substr(0, at.find(" (")));
  const std::vector<absl::string_view> parts = absl::StrSplit(Base(at), ':');
  out->file = std::string(parts[0]);
  if (parts.size() < 2 || !absl::SimpleAtoi(parts[1], &out->line)) {
    out->line = 0;
  }
  if (out->line == 0) out->file = "??";
}

// What an outside tool says of places in a file, given as offsets; empty when
// it is not installed.
inline std::map<uint64_t, Chain> Ask(const std::string& command,
                                     const std::string& program,
                                     const std::vector<uint64_t>& addresses) {
  auto file = SafeFile::Open(program);
  if (!file.ok()) return {};
  auto elf = ElfFile::Open(*std::move(file));
  if (!elf.ok()) return {};
  std::map<uint64_t, uint64_t> offsets;
  for (uint64_t a : addresses) {
    if (auto to = (*elf)->AddressOfOffset(a); to.has_value()) offsets[*to] = a;
  }
  const TempFolder folder;
  const std::string list = folder.File("addresses");
  {
    std::ofstream out(list);
    for (const auto& [address, offset] : offsets) {
      out << absl::StrCat("0x", absl::Hex(address)) << "\n";
    }
  }
  std::map<uint64_t, Chain> answers;
  const std::string text =
      OutputOf(absl::StrCat(command, program, " < ", list, " 2>/dev/null"));
  Chain* chain = nullptr;
  std::string name;
  bool named = false;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    uint64_t address;
    if (line.empty()) continue;
    if (absl::StartsWith(line, "0x") && absl::SimpleHexAtoi(line, &address)) {
      chain = &answers[offsets[address]];
      named = false;
    } else if (chain != nullptr && !named) {
      // eu-addr2line adds " inlined at FILE:LINE in FUNCTION".
      name = std::string(line.substr(0, line.find(" inlined at ")));
      named = true;
    } else if (chain != nullptr) {
      InlineLine entry;
      entry.name = name;
      ParseLine(line, &entry);
      if (entry.name != "??") chain->push_back(entry);
      named = false;
    }
  }
  return answers;
}

inline std::map<uint64_t, Chain> AskLlvm(
    const std::string& program, const std::vector<uint64_t>& addresses) {
  return Ask("llvm-symbolizer --no-demangle --inlines -a -e ", program,
             addresses);
}

inline std::map<uint64_t, Chain> AskAddr2line(
    const std::string& program, const std::vector<uint64_t>& addresses) {
  return Ask("addr2line -aif -e ", program, addresses);
}

inline std::map<uint64_t, Chain> AskElfutils(
    const std::string& program, const std::vector<uint64_t>& addresses) {
  return Ask("eu-addr2line -aif -e ", program, addresses);
}

// Whether eu-addr2line says the same. It names the function that has the code
// by debug information, which knows no ".cold" and the like, and not by symbol.
inline bool SameAsElfutils(const Chain& here, Chain there) {
  if (!here.empty() && there.size() == here.size()) {
    there.back().name = here.back().name;
  }
  return there == here;
}

}  // namespace perf2x

#endif  // PERF2X_TESTS_SYMBOLIZE_DWARF_OUTSIDE_TOOLS_H_
