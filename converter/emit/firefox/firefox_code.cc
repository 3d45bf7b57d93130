// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/firefox/firefox_code.h"

#include <algorithm>

#include "converter/emit/firefox/firefox_categories.h"
#include "converter/emit/json_column.h"

namespace perf2x {
namespace {

// Bits of the column "flags" of the frame table and of the function table: the
// columns in which a row has a value.
enum FrameFlags {
  kInlined = 1,
  kHasAddress = 2,  // and a library
  kHasCategory = 4,
  kHasSymbol = 8,
  kHasLine = 16
};
enum FunctionFlags { kHasResource = 4, kHasSource = 8, kHasStartLine = 16 };
constexpr int kLibraryResource = 1, kOtherResource = 0;

// Returns true for code that lies in a file or in the kernel, where an address
// has a meaning outside of the recorded process.
bool IsLibrary(DsoKind kind) {
  return kind == DsoKind::kFile || kind == DsoKind::kVdso ||
         kind == DsoKind::kKernel || kind == DsoKind::kKernelModule ||
         kind == DsoKind::kGuestKernel;
}

absl::string_view BaseName(absl::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

// Returns the build id as Breakpad's tools and symbol servers write it: its
// first 16 bytes as a GUID, whose first three parts are in the byte order of
// the other end, and an age of 0.
std::string BreakpadId(const BuildId& id) {
  if (id.empty()) return "";
  constexpr size_t kOrder[] = {3, 2, 1,  0,  5,  4,  7,  6,
                               8, 9, 10, 11, 12, 13, 14, 15};
  constexpr char kDigits[] = "0123456789ABCDEF";
  std::string text;
  for (const size_t i : kOrder) {
    const uint8_t byte = i < id.bytes().size() ? id.bytes()[i] : 0;
    text.push_back(kDigits[byte >> 4]);
    text.push_back(kDigits[byte & 15]);
  }
  return text + "0";
}

}  // namespace

FirefoxCode::FirefoxCode(TraceTables& tables, const UsedStacks& stacks,
                         UsedStrings& strings)
    : tables_(tables), stacks_(stacks), strings_(strings) {
  first_row_.reserve(tables_.frames().size());
  symbol_of_.reserve(tables_.frames().size());
  for (FrameId frame = 0; frame < tables_.frames().size(); ++frame) {
    tables_.PrefetchLines(frame);
    const absl::Span<const Line> lines = tables_.Lines(frame);
    const DsoId dso = tables_.frames()[frame].dso;
    first_row_.push_back(static_cast<uint32_t>(function_of_.size()));
    symbol_of_.push_back(SymbolOf(frame, lines.back().function));
    const uint32_t resource = ResourceOf(dso);
    for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
      function_of_.push_back(FunctionOf(line->function, resource));
    }
  }
  first_row_.push_back(static_cast<uint32_t>(function_of_.size()));
  const StackTree& tree = stacks_.tree();
  row_of_.reserve(tree.size());
  uint32_t rows = 0;
  for (StackTree::NodeId node = 0; node < tree.size(); ++node) {
    const FrameId frame = tree.frame(node);
    rows +=
        stacks_.is_flat(node) ? 1 : first_row_[frame + 1] - first_row_[frame];
    row_of_.push_back(rows - 1);
  }
}

uint32_t FirefoxCode::LibraryOf(DsoId dso) {
  if (!IsLibrary(tables_.dsos()[dso].kind)) return kNoId;
  library_of_.resize(tables_.dsos().size(), kNoId);
  if (library_of_[dso] == kNoId) {
    library_of_[dso] = static_cast<uint32_t>(libraries_.size());
    libraries_.push_back(dso);
  }
  return library_of_[dso];
}

// Code without a file has a DSO for each process and, if it is generated, one
// for each function: these share a resource for each kind.
uint32_t FirefoxCode::ResourceOf(DsoId dso) {
  resource_of_.resize(tables_.dsos().size(), kNoId);
  if (resource_of_[dso] != kNoId) return resource_of_[dso];
  const Dso& code = tables_.dsos()[dso];
  const absl::string_view name = code.kind != DsoKind::kGenerated
                                     ? BaseName(code.name)
                                 : code.pid < 0 ? absl::string_view("[bpf]")
                                                : absl::string_view("[jit]");
  const auto [it, inserted] = resource_ids_.try_emplace(
      tables_.strings.Intern(name), static_cast<uint32_t>(resources_.size()));
  if (inserted) {
    resources_.push_back(it->first);
    is_library_.push_back(IsLibrary(code.kind));
  }
  return resource_of_[dso] = it->second;
}

// Returns the address in the library; kNoId if the profile has none: addresses
// have 32 bits. Addresses of kernel code are from the beginning of its mapping.
uint64_t FirefoxCode::AddressOf(FrameId id) const {
  const Frame& frame = tables_.frames()[id];
  const DsoKind kind = tables_.dsos()[frame.dso].kind;
  if (!IsLibrary(kind)) return kNoId;
  const bool in_file = kind == DsoKind::kFile || kind == DsoKind::kVdso;
  const uint64_t start = in_file ? 0 : tables_.mappings()[frame.mapping].start;
  return frame.address < start
             ? kNoId
             : std::min<uint64_t>(frame.address - start, kNoId);
}

uint32_t FirefoxCode::FunctionOf(FunctionId function, uint32_t resource) {
  const auto [it, inserted] = function_ids_.try_emplace(
      std::pair(function, resource), static_cast<uint32_t>(functions_.size()));
  if (!inserted) return it->second;
  functions_.push_back({function, resource});
  const StringId file = tables_.functions()[function].file;
  if (file == 0) {
    source_of_.push_back(kNoId);
  } else {
    const auto [source, is_new] =
        source_ids_.try_emplace(file, static_cast<uint32_t>(sources_.size()));
    if (is_new) sources_.push_back(file);
    source_of_.push_back(source->second);
  }
  return it->second;
}

// `function` is the one whose code has the address, not one inlined into it.
uint32_t FirefoxCode::SymbolOf(FrameId frame, FunctionId function) {
  const uint64_t address = AddressOf(frame);
  if (address == kNoId || !tables_.IsSymbolized(frame)) return kNoId;
  const uint32_t library = LibraryOf(tables_.frames()[frame].dso);
  const auto [it, inserted] = symbol_ids_.try_emplace(
      std::pair(function, library), static_cast<uint32_t>(symbols_.size()));
  if (inserted) symbols_.push_back({function, library, address});
  Symbol& symbol = symbols_[it->second];
  symbol.address = std::min(symbol.address, address);
  return it->second;
}

void FirefoxCode::WriteLibraries(const std::string& arch, JsonWriter& json) {
  for (FrameId frame = 0; frame < tables_.frames().size(); ++frame) {
    if (AddressOf(frame) != kNoId) LibraryOf(tables_.frames()[frame].dso);
  }
  WriteArray(json, "libs", libraries_.size(), [&](size_t i) {
    const Dso& dso = tables_.dsos()[libraries_[i]];
    json.BeginObject();
    WriteText(json, "arch", arch);
    WriteText(json, "name", BaseName(dso.name));
    WriteText(json, "path", dso.name);
    WriteText(json, "debugName", BaseName(dso.name));
    WriteText(json, "debugPath", dso.name);
    WriteText(json, "breakpadId", BreakpadId(dso.build_id));
    json.Key("codeId");
    dso.build_id.empty() ? json.Null() : json.String(dso.build_id.Hex());
    json.EndObject();
  });
}

void FirefoxCode::WriteShared(JsonWriter& json) {
  const auto table = [&](absl::string_view key, auto write) {
    json.Key(key);
    json.BeginObject();
    (this->*write)(json);
    json.EndObject();
  };
  table("stackTable", &FirefoxCode::WriteStacks);
  table("frameTable", &FirefoxCode::WriteFrames);
  table("funcTable", &FirefoxCode::WriteFunctions);
  table("resourceTable", &FirefoxCode::WriteResources);
  table("nativeSymbols", &FirefoxCode::WriteSymbols);
  table("sources", &FirefoxCode::WriteSources);
  json.Key("sourceLocationTable");
  json.BeginObject();
  for (const char* key : {"source", "line", "column"}) {
    WriteNumbers(json, key, 0, [](size_t) { return 0; });
  }
  WriteNumber(json, "length", 0);
  json.EndObject();
}

void FirefoxCode::WriteStacks(JsonWriter& json) const {
  const StackTree& tree = stacks_.tree();
  const uint32_t rows = row_of_.empty() ? 0 : row_of_.back() + 1;
  // A node's first row is a child of the parent's last one; each other row is
  // a child of the row before it.
  StackTree::NodeId node = 0;
  uint32_t first = 0;
  const auto advance = [&](uint32_t row) {
    if (row == 0) node = first = 0;
    while (row_of_[node] < row) first = row_of_[node++] + 1;
  };
  WriteNumbers(json, "frame", rows, [&](uint32_t row) {
    advance(row);
    return first_row_[tree.frame(node)] + (row - first);
  });
  WriteNumbers(json, "prefixOffset", rows, [&](uint32_t row) {
    advance(row);
    if (row > first) return uint32_t{1};
    const StackTree::NodeId parent = tree.parent(node);
    return parent == kNoId ? 0 : row - row_of_[parent];
  });
  WriteNumber(json, "length", rows);
}

template <class Number>
void FirefoxCode::FrameColumn(JsonWriter& json, absl::string_view key,
                              Number number) {
  FrameId frame = 0;
  WriteNumbers(json, key, function_of_.size(), [&](uint32_t row) {
    while (first_row_[frame + 1] <= row) tables_.PrefetchLines(++frame);
    const absl::Span<const Line> lines = tables_.Lines(frame);
    const uint32_t depth = row - first_row_[frame];
    return number(frame, lines[lines.size() - 1 - depth], depth);
  });
}

void FirefoxCode::WriteFrames(JsonWriter& json) {
  const auto category = [this](FrameId frame, const Line& line) {
    return CategoryOf(tables_.dsos()[tables_.frames()[frame].dso],
                      tables_.functions()[line.function]);
  };
  FrameColumn(json, "flags",
              [&](FrameId frame, const Line& line, uint32_t depth) {
                return kHasCategory | (depth > 0 ? kInlined : 0) |
                       (AddressOf(frame) != kNoId ? kHasAddress : 0) |
                       (symbol_of_[frame] != kNoId ? kHasSymbol : 0) |
                       (line.line != 0 ? kHasLine : 0);
              });
  FrameColumn(json, "address", [&](FrameId frame, const Line&, uint32_t) {
    const uint64_t address = AddressOf(frame);
    return address == kNoId ? 0 : address;
  });
  FrameColumn(json, "lib", [&](FrameId frame, const Line&, uint32_t) {
    return AddressOf(frame) == kNoId ? 0
                                     : LibraryOf(tables_.frames()[frame].dso);
  });
  FrameColumn(json, "category", [&](FrameId frame, const Line& line, uint32_t) {
    return category(frame, line).category;
  });
  FrameColumn(json, "subcategory",
              [&](FrameId frame, const Line& line, uint32_t) {
                return category(frame, line).subcategory;
              });
  WriteNumbers(json, "func", function_of_.size(),
               [&](size_t row) { return function_of_[row]; });
  FrameColumn(json, "nativeSymbol", [&](FrameId frame, const Line&, uint32_t) {
    return symbol_of_[frame] == kNoId ? 0 : symbol_of_[frame];
  });
  FrameColumn(json, "line",
              [](FrameId, const Line& line, uint32_t) { return line.line; });
  for (const char* key : {"innerWindowID", "column", "originalLocation"}) {
    WriteNumbers(json, key, function_of_.size(), [](size_t) { return 0; });
  }
  WriteNumber(json, "length", static_cast<int64_t>(function_of_.size()));
}

void FirefoxCode::WriteFunctions(JsonWriter& json) {
  const size_t rows = functions_.size();
  const auto function = [this](size_t row) -> const Function& {
    return tables_.functions()[functions_[row].function];
  };
  WriteNumbers(json, "flags", rows, [&](size_t row) {
    return kHasResource | (source_of_[row] != kNoId ? kHasSource : 0) |
           (function(row).start_line != 0 ? kHasStartLine : 0);
  });
  WriteNumbers(json, "name", rows, [&](size_t row) {
    return strings_.IndexOf(function(row).name);
  });
  WriteNumbers(json, "resource", rows,
               [&](size_t row) { return functions_[row].resource; });
  WriteNumbers(json, "source", rows, [&](size_t row) {
    return source_of_[row] == kNoId ? 0 : source_of_[row];
  });
  WriteNumbers(json, "lineNumber", rows,
               [&](size_t row) { return function(row).start_line; });
  for (const char* key : {"columnNumber", "originalLocation"}) {
    WriteNumbers(json, key, rows, [](size_t) { return 0; });
  }
  WriteNumber(json, "length", static_cast<int64_t>(rows));
}

void FirefoxCode::WriteResources(JsonWriter& json) {
  const size_t rows = resources_.size();
  WriteNumbers(json, "name", rows,
               [&](size_t row) { return strings_.IndexOf(resources_[row]); });
  WriteArray(json, "host", rows, [&](size_t) { json.Null(); });
  WriteNumbers(json, "type", rows, [&](size_t row) {
    return is_library_[row] ? kLibraryResource : kOtherResource;
  });
  WriteNumber(json, "length", static_cast<int64_t>(rows));
}

void FirefoxCode::WriteSymbols(JsonWriter& json) {
  const size_t rows = symbols_.size();
  WriteNumbers(json, "libIndex", rows,
               [&](size_t row) { return symbols_[row].library; });
  WriteNumbers(json, "address", rows,
               [&](size_t row) { return symbols_[row].address; });
  WriteNumbers(json, "name", rows, [&](size_t row) {
    return strings_.IndexOf(tables_.functions()[symbols_[row].function].name);
  });
  WriteNumbers(json, "functionSize", rows, [](size_t) { return -1; });
  WriteNumber(json, "length", static_cast<int64_t>(rows));
}

void FirefoxCode::WriteSources(JsonWriter& json) {
  const size_t rows = sources_.size();
  WriteArray(json, "id", rows, [&](size_t) { json.Null(); });
  WriteNumbers(json, "filename", rows,
               [&](size_t row) { return strings_.IndexOf(sources_[row]); });
  for (const char* key : {"startLine", "startColumn"}) {
    WriteNumbers(json, key, rows, [](size_t) { return 1; });
  }
  for (const char* key : {"sourceMapURL", "content"}) {
    WriteArray(json, key, rows, [&](size_t) { json.Null(); });
  }
  WriteNumber(json, "length", static_cast<int64_t>(rows));
}

}  // namespace perf2x
