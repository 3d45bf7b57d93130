// SPDX-License-Identifier: Apache-2.0

// Header features with as many entries as fit: distinct ones in a recording of
// 1 MB, and equal ones in a recording that unpacks to 24 MB. Both are shown and
// converted within the bounds that SECURITY.md states.

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "converter/perf/records/encode.h"
#include "converter/perf/records/kernel_records.h"
#include "converter/perf/records/wire.h"
#include "tests/support/bombs.h"
#include "tests/support/bounds.h"
#include "tests/support/compressed_file.h"

namespace perf2x {
namespace {

// The data of a feature, little-endian.
class Data {
 public:
  Data& U32(uint64_t value) { return Word(value, 4); }
  Data& U64(uint64_t value) { return Word(value, 8); }
  // do_write_string()
  Data& Text(absl::string_view text) {
    U32(text.size() + 1);
    return CString(text);
  }
  Data& CString(absl::string_view text) {
    return Bytes(text.data(), text.size()).Word(0, 1);
  }
  // A field of a protobuf: an integer, or the bytes of a string or message.
  Data& Field(uint64_t number, uint64_t value) {
    return Varint(number << 3).Varint(value);
  }
  Data& Field(uint64_t number, const Data& contents) {
    return Varint(number << 3 | 2).Varint(contents.size()).Append(contents);
  }
  Data& Characters(absl::string_view text) {
    return Bytes(text.data(), text.size());
  }
  Data& Append(const Data& data) {
    return Bytes(data.bytes_.data(), data.bytes_.size());
  }
  Data& Zeros(size_t count) {
    bytes_.resize(bytes_.size() + count);
    return *this;
  }
  // Overwrites the word at `at`.
  void Set(size_t at, uint64_t value, size_t size) {
    for (size_t i = 0; i < size; ++i) {
      bytes_[at + i] = static_cast<uint8_t>(value >> (8 * i));
    }
  }
  size_t size() const { return bytes_.size(); }
  const ByteVector& bytes() const { return bytes_; }

 private:
  Data& Word(uint64_t value, size_t size) {
    bytes_.resize(bytes_.size() + size);
    Set(bytes_.size() - size, value, size);
    return *this;
  }
  Data& Varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7) Word(value | 0x80, 1);
    return Word(value, 1);
  }
  Data& Bytes(const void* data, size_t size) {
    const auto* begin = static_cast<const uint8_t*>(data);
    bytes_.insert(bytes_.end(), begin, begin + size);
    return *this;
  }

  ByteVector bytes_;
};

// A feature whose data are entries, of which a count may come before.
struct ListFeature {
  const char* name;
  uint32_t number;
  size_t count_at;    // of the count in the data
  size_t count_size;  // in bytes; 0: there is no count
  void (*begin)(Data&);
  void (*add)(Data&, uint32_t i);
};

std::string Name(uint32_t i) { return absl::StrCat(absl::Hex(i)); }
void Count32(Data& data) { data.U32(0); }
void Nothing(Data&) {}

constexpr ListFeature kLists[] = {
    {"CommandLine", kFeatureCmdline, 0, 4, Count32,
     [](Data& d, uint32_t i) { d.Text(Name(i)); }},
    {"CpuTopology", kFeatureCpuTopology, 0, 4, Count32,
     [](Data& d, uint32_t i) { d.Text(Name(i)); }},
    {"NumaTopology", kFeatureNumaTopology, 0, 4, Count32,
     [](Data& d, uint32_t i) { d.U32(i).U64(1).U64(1).Text(Name(i)); }},
    {"PmuMappings", kFeaturePmuMappings, 0, 4, Count32,
     [](Data& d, uint32_t i) { d.U32(i).Text(Name(i)); }},
    {"GroupDesc", kFeatureGroupDesc, 0, 4, Count32,
     [](Data& d, uint32_t i) { d.Text(Name(i)).U32(0).U32(~0u); }},
    {"Auxtrace", kFeatureAuxtrace, 0, 8, [](Data& d) { d.U64(0); },
     [](Data& d, uint32_t i) { d.U64(i).U64(8); }},
    {"Cache", kFeatureCache, 4, 4, [](Data& d) { d.U32(1).U32(0); },
     [](Data& d, uint32_t i) {
       d.U32(i).U32(i).U32(i).U32(i).Text(Name(i)).Text("").Text("");
     }},
    {"MemTopology", kFeatureMemTopology, 16, 8,
     [](Data& d) { d.U64(1).U64(1).U64(0); },
     [](Data& d, uint32_t i) {
       d.U64(i).U64(1).U64(64).U64(0x5555'5555'5555'5555);
     }},
    {"BpfPrograms", kFeatureBpfProgInfo, 0, 4, Count32,
     [](Data& d, uint32_t i) { d.U32(8).U32(0).U64(0).U32(1).U32(i); }},
    {"BpfTypes", kFeatureBpfBtf, 0, 4, Count32,
     [](Data& d, uint32_t i) { d.U32(i).U32(0); }},
    {"CpuPmuCaps", kFeatureCpuPmuCaps, 0, 4, Count32,
     [](Data& d, uint32_t i) { d.Text(Name(i)).Text(""); }},
    {"PmuCaps", kFeaturePmuCaps, 0, 4, Count32,
     [](Data& d, uint32_t i) { d.U32(1).Text(Name(i)).Text("").Text("x"); }},
    {"HybridTopology", kFeatureHybridTopology, 0, 4, Count32,
     [](Data& d, uint32_t i) { d.Text(Name(i)).Text(Name(i)); }},
    {"CpuDomains", kFeatureCpuDomainInfo, 0, 0,
     [](Data& d) { d.U32(15).U32(1); },
     [](Data& d, uint32_t i) { d.U32(i).U32(1).U32(0).Text("").Text(""); }},
    {"EventDesc", kFeatureEventDesc, 0, 4, [](Data& d) { d.U32(0).U32(64); },
     [](Data& d, uint32_t i) {
       d.U32(0).U32(64).Zeros(56).U32(1).Text(Name(i)).U64(i);
     }},
    {"BuildIds", kFeatureBuildId, 0, 0, Nothing,
     [](Data& d, uint32_t i) {
       // struct perf_record_header_build_id
       d.U32(kRecordHeaderBuildId).U32(52 << 16).U32(~0u);
       d.U32(i).Zeros(20).Append(Data().CString(Name(i | 0x1000'0000)));
       d.Zeros(7);
     }},
    {"SimpleperfMeta", kFeatureSimpleperfMetaInfo, 0, 0, Nothing,
     [](Data& d, uint32_t i) { d.CString(Name(i)).CString(""); }},
    {"SimpleperfFiles", kFeatureSimpleperfFile, 0, 0, Nothing,
     [](Data& d, uint32_t i) {
       Data file;
       file.CString(Name(i)).U32(1).U64(0).U32(0);
       d.U32(file.size()).Append(file);
     }},
    {"SimpleperfFiles2", kFeatureSimpleperfFile2, 0, 0, Nothing,
     [](Data& d, uint32_t i) {
       Data file;
       file.Field(1, Data().Characters(Name(i))).Field(2, 2);
       d.U32(file.size()).Append(file);
     }},
    {"SimpleperfEmptyFiles2", kFeatureSimpleperfFile2, 0, 0, Nothing,
     [](Data& d, uint32_t) { d.U32(0); }},
    {"HiperfFiles", kFeatureHiperfFilesSymbol, 0, 4, Count32,
     [](Data& d, uint32_t i) {
       d.Text(Name(i)).U32(2).U64(0).U64(0).Text("").U32(0);
     }},
};

// Returns a list of about `size` bytes.
Data ListOf(const ListFeature& feature, size_t size, bool distinct) {
  Data data;
  feature.begin(data);
  uint32_t count = 0;
  while (data.size() < size) {
    feature.add(data, distinct ? count : 1);
    ++count;
  }
  data.Set(feature.count_at, count, feature.count_size);
  return data;
}

// A list whose entries are in one other entry.
Data CapabilitiesOfOnePmu(size_t size) {
  Data data;
  data.U32(1).Append(ListOf(kLists[10], size, /*distinct=*/true)).Text("cpu");
  return data;
}

// A file with as many symbols as fit, `step` bytes from one to the next.
Data SymbolsOfOneFile(size_t size, uint64_t step) {
  Data file;
  file.CString("f").U32(1).U64(0).U32(0);
  uint32_t count = 0;
  while (file.size() < size) file.U64(step * count++).U32(1).CString("");
  file.Set(14, count, 4);
  return Data().U32(file.size()).Append(file);
}

// The same as simpleperf writes it today: a protobuf.
Data ProtoSymbolsOfOneFile(size_t size, uint64_t step) {
  Data file;
  file.Field(1, Data().Characters("f")).Field(2, 2);
  for (uint64_t i = 0; file.size() < size; ++i) {
    file.Field(4, Data().Field(1, step * i).Field(2, 1));
  }
  return Data().U32(file.size()).Append(file);
}
// The same as hiperf writes it.
Data HiperfSymbolsOfOneFile(size_t size, uint64_t step) {
  Data file;
  file.U32(1).Text("f").U32(2).U64(0).U64(0).Text("").U32(0);
  const size_t count_at = file.size() - 4;
  uint32_t count = 0;
  while (file.size() < size) file.U64(step * count++).U32(1).U32(0);
  file.Set(count_at, count, 4);
  return file;
}

// Memory of which every other block is there: as text, each is a range.
Data EveryOtherBlock(size_t size) {
  Data data;
  data.U64(1).U64(1).U64(1).U64(0).U64(1).U64(size / 8 * 64);
  while (data.size() < size) data.U64(0x5555'5555'5555'5555);
  return data;
}

// struct btf_header, types, strings.
Data Btf(const Data& types, const std::string& strings) {
  Data btf;
  btf.U32(0x0001'eb9f).U32(24).U32(0).U32(types.size());
  btf.U32(types.size()).U32(strings.size()).Append(types);
  Data object;
  object.U32(1).U32(1).U32(btf.size() + strings.size()).Append(btf);
  return object.Append(Data().CString(strings));
}

// Functions that share a name of half the data.
Data TypesThatShareAName(size_t size) {
  Data types;
  while (types.size() < size / 2) types.U32(1).U32(12 << 24).U32(0);
  return Btf(types, std::string(1, '\0') + std::string(size / 2, 'n'));
}

// A program whose functions and lines share the same bytes. All functions have
// the name, and all lines the file, that is most of TypesThatShareAName.
Data ProgramThatSharesBytes(size_t size) {
  const uint64_t words = size / 4;
  Data program;
  program.U32(1).U32(192).U32(words * 4).U64(0).Zeros(192);
  constexpr size_t kInfo = 20;
  program.Set(kInfo + 104, words / 2, 4);  // nr_jited_ksyms
  program.Set(kInfo + 108, words / 2, 4);  // nr_jited_func_lens
  program.Set(kInfo + 128, 1, 4);          // btf_id
  program.Set(kInfo + 132, 8, 4);          // func_info_rec_size
  program.Set(kInfo + 144, words / 2, 4);  // nr_func_info
  program.Set(kInfo + 148, words / 4, 4);  // nr_line_info
  program.Set(kInfo + 168, words / 4, 4);  // nr_jited_line_info
  program.Set(kInfo + 172, 16, 4);         // sizes of their elements
  program.Set(kInfo + 176, 8, 4);
  for (uint64_t i = 0; i < words; ++i) program.U32(1);
  return program;
}

struct FeatureBomb {
  std::string name;
  std::vector<std::pair<uint32_t, std::function<Data(size_t)>>> features;
  bool is_distinct = false;
};

void PrintTo(const FeatureBomb& bomb, std::ostream* out) { *out << bomb.name; }

std::vector<FeatureBomb> Bombs() {
  std::vector<FeatureBomb> bombs;
  for (const bool distinct : {true, false}) {
    for (const ListFeature& list : kLists) {
      bombs.push_back({absl::StrCat(list.name, distinct ? "" : "Repeated"),
                       {{list.number,
                         [&list, distinct](size_t size) {
                           return ListOf(list, size, distinct);
                         }}},
                       distinct});
    }
  }
  bombs.push_back({"CapabilitiesOfOnePmu",
                   {{kFeaturePmuCaps, CapabilitiesOfOnePmu}},
                   true});
  const auto symbols = [&](const char* name, uint32_t feature,
                           Data (*make)(size_t, uint64_t)) {
    for (const uint64_t step : {1, 0}) {
      bombs.push_back(
          {absl::StrCat(name, step == 0 ? "Repeated" : ""),
           {{feature, [make, step](size_t size) { return make(size, step); }}},
           step != 0});
    }
  };
  symbols("SymbolsOfOneFile", kFeatureSimpleperfFile, SymbolsOfOneFile);
  symbols("ProtoSymbolsOfOneFile", kFeatureSimpleperfFile2,
          ProtoSymbolsOfOneFile);
  symbols("HiperfSymbolsOfOneFile", kFeatureHiperfFilesSymbol,
          HiperfSymbolsOfOneFile);
  bombs.push_back(
      {"EveryOtherBlock", {{kFeatureMemTopology, EveryOtherBlock}}});
  bombs.push_back(
      {"TypesThatShareAName", {{kFeatureBpfBtf, TypesThatShareAName}}});
  bombs.push_back(
      {"BpfFunctionsThatShareAName",
       {{kFeatureBpfProgInfo,
         [](size_t size) { return ProgramThatSharesBytes(size / 2); }},
        {kFeatureBpfBtf,
         [](size_t size) { return TypesThatShareAName(size / 2); }}}});
  bombs.push_back({"LongHostname", {{kFeatureHostname, [](size_t size) {
                                       return Data().Text(
                                           std::string(size, 'h'));
                                     }}}});
  return bombs;
}

ByteVector RecordingWith(const FeatureBomb& bomb, size_t size) {
  Recording recording = NewRecording(kUsualFields);
  for (const auto& [number, make] : bomb.features) {
    recording.features.push_back({number, make(size).bytes()});
  }
  // Symbols at the addresses of BPF functions.
  for (uint64_t i = 1; i < 200; ++i) {
    KsymbolRecord symbol;
    symbol.addr = 0x1'0000'0001;
    symbol.len = static_cast<uint32_t>(i);
    symbol.name = "bpf";
    recording.Add(symbol, At(i));
  }
  recording.Add(SampleAt(1000));
  return AsFile(recording);
}

class FeatureBombTest : public testing::TestWithParam<FeatureBomb> {
 protected:
  static void ExpectBounded(const ByteVector& bytes,
                            const std::vector<std::string>& ways) {
    for (const std::string& way : ways) {
      ExpectWithinBounds(TakeHostile(MemoryInput(bytes), way), way);
      if (Sanitized()) break;
    }
  }
};

TEST_P(FeatureBombTest, OfAMegabyteStaysWithinTheBounds) {
  const ByteVector bytes = RecordingWith(GetParam(), kBoundedInput - 40'000);
  ASSERT_LE(bytes.size(), kBoundedInput);
  KeepBomb("Feature" + GetParam().name, bytes);
  ExpectBounded(bytes, EveryWay());
}

TEST_P(FeatureBombTest, UnpackedStaysWithinTheBounds) {
  // Distinct entries do not compress that well.
  if (Sanitized() || GetParam().is_distinct) return;
  const ByteVector bytes = Gzipped(RecordingWith(GetParam(), 24'000'000));
  ASSERT_LE(bytes.size(), kBoundedInput);
  KeepBomb("Unpacked" + GetParam().name, bytes);
  ExpectBounded(bytes, {"info", "pprof"});
}

INSTANTIATE_TEST_SUITE_P(Bombs, FeatureBombTest, testing::ValuesIn(Bombs()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace perf2x
