// SPDX-License-Identifier: Apache-2.0
#include "converter/tracepoint/formats.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tests/support/tracing_data.h"

namespace perf2x {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Builds payloads in one byte order.
class Bytes {
 public:
  explicit Bytes(ByteOrder order) : order_(order) {}
  template <class T>
  Bytes& Put(T v) {
    uint8_t buffer[sizeof(T)];
    Store(v, buffer, order_);
    bytes_.insert(bytes_.end(), buffer, buffer + sizeof(T));
    return *this;
  }
  Bytes& Raw(absl::string_view s) {
    bytes_.insert(bytes_.end(), s.begin(), s.end());
    return *this;
  }
  const std::vector<uint8_t>& get() const { return bytes_; }

 private:
  ByteOrder order_;
  std::vector<uint8_t> bytes_;
};

std::vector<uint8_t> Blob(ByteOrder order, std::vector<std::string> texts) {
  return TracingData(order, "sys", texts);
}

std::string Show(const TracepointFields& fields) {
  return absl::StrJoin(
      fields.fields, " ", [](std::string* out, const TracepointField& f) {
        absl::StrAppend(out, f.name, "=");
        switch (f.kind) {
          case TracepointField::Kind::kUnsigned:
            return absl::StrAppend(out, f.number, "u");
          case TracepointField::Kind::kSigned:
            return absl::StrAppend(out, static_cast<int64_t>(f.number));
          case TracepointField::Kind::kHex:
            return absl::StrAppend(out, "0x", absl::Hex(f.number));
          case TracepointField::Kind::kText:
            return absl::StrAppend(out, "'", f.text, "'");
          case TracepointField::Kind::kArray:
            return absl::StrAppend(out, f.text);
        }
      });
}

class TracepointFormatsTest : public ::testing::TestWithParam<ByteOrder> {
 protected:
  // The fields of `payload` in an event with `fields`.
  std::string Decode(absl::string_view fields, const Bytes& payload) {
    auto formats = TracepointFormats::Parse(
        Blob(GetParam(), {TracepointFormatText("ev", 7, fields)}),
        diagnostics_);
    EXPECT_TRUE(formats.ok()) << formats.status();
    const TracepointFormat* format = formats->Find(7);
    if (format == nullptr) return "no format";
    TracepointFields out;
    complete_ = format->Decode(payload.get(), &out);
    shared_ = out.omitted_shared;
    text_bytes_ = out.text_bytes;
    return Show(out);
  }
  Bytes Payload() const {
    return Bytes(GetParam())
        .Put(uint16_t{7})
        .Put(uint8_t{0})
        .Put(uint8_t{0})
        .Put(uint32_t{1234});
  }

  Diagnostics diagnostics_;
  bool complete_ = false;
  uint64_t shared_ = 0, text_bytes_ = 0;
};

TEST_P(TracepointFormatsTest, DecodesNumbersBySizeAndSign) {
  EXPECT_EQ(Decode("\tfield:int a;\toffset:8;\tsize:4;\tsigned:1;\n"
                   "\tfield:u8 b;\toffset:12;\tsize:1;\tsigned:0;\n"
                   "\tfield:s8 c;\toffset:13;\tsize:1;\tsigned:1;\n"
                   "\tfield:short d;\toffset:14;\tsize:2;\tsigned:1;\n"
                   "\tfield:u64 e;\toffset:16;\tsize:8;\tsigned:0;\n",
                   Payload()
                       .Put(uint32_t(-5))
                       .Put(uint8_t{200})
                       .Put(uint8_t(-3))
                       .Put(uint16_t(-300))
                       .Put(uint64_t{1} << 40)),
            "a=-5 b=200u c=-3 d=-300 e=1099511627776u");
  EXPECT_TRUE(complete_);
  EXPECT_THAT(diagnostics_.entries(), IsEmpty());
}

TEST_P(TracepointFormatsTest, ShowsPointersAndProbeAddressesInHex) {
  EXPECT_EQ(Decode("\tfield:const char * p;\toffset:8;\tsize:8;\tsigned:0;\n"
                   "\tfield:unsigned long __probe_ip;\toffset:16;\tsize:8;\t"
                   "signed:0;\n",
                   Payload().Put(uint64_t{0xffff8000}).Put(uint64_t{0x401000})),
            "p=0xffff8000 __probe_ip=0x401000");
}

TEST_P(TracepointFormatsTest, ReadsFixedStringsAndArrays) {
  using namespace std::string_literals;
  EXPECT_EQ(Decode("\tfield:char comm[8];\toffset:8;\tsize:8;\tsigned:1;\n"
                   "\tfield:char old[TASK_LEN];\toffset:16;\tsize:4;\t"
                   "signed:1;\n"
                   "\tfield:u16 ports[2];\toffset:20;\tsize:4;\tsigned:0;\n"
                   "\tfield:unsigned long args[2];\toffset:24;\tsize:16;\t"
                   "signed:0;\n"
                   "\tfield:__u8 mac[4];\toffset:40;\tsize:4;\tsigned:0;\n"
                   "\tfield:__u8 word[4];\toffset:44;\tsize:4;\tsigned:0;\n",
                   Payload()
                       .Raw("sh\0junk!"s)
                       .Raw("full"s)
                       .Put(uint16_t{80})
                       .Put(uint16_t{443})
                       .Put(uint64_t{3})
                       .Put(uint64_t{0x7fff0000})
                       .Raw("\x01\x02\xff\0"s)
                       .Raw("abc\0"s)),
            "comm='sh' old='full' ports=[80, 443] args=[0x3, 0x7fff0000] "
            "mac=[1, 2, 255, 0] word='abc'");
}

// `perf probe 'f vec=+0(%si):x64[2]'`: the kernel writes no length.
TEST_P(TracepointFormatsTest, ArraysOfProbesHaveElementsOfTheirType) {
  EXPECT_EQ(Decode("\tfield:u64 vec[];\toffset:8;\tsize:16;\tsigned:0;\n"
                   "\tfield:s16 sg[];\toffset:24;\tsize:4;\tsigned:1;\n"
                   "\tfield:s32 in[];\toffset:28;\tsize:4;\tsigned:1;\n"
                   "\tfield:u8 by[];\toffset:32;\tsize:2;\tsigned:0;\n"
                   "\tfield:struct u64 s[];\toffset:34;\tsize:2;\tsigned:0;\n",
                   Payload()
                       .Put(uint64_t{3})
                       .Put(uint64_t{0x7fff0000})
                       .Put(uint16_t{80})
                       .Put(uint16_t(-2))
                       .Put(uint32_t(-7))
                       .Put(uint16_t{0x0101})
                       .Put(uint16_t{0x0202})),
            "vec=[0x3, 0x7fff0000] sg=[80, -2] in=[-7] by=[1, 1] s=[2, 2]");
  EXPECT_TRUE(complete_);
}

TEST_P(TracepointFormatsTest, FollowsDataLocations) {
  using namespace std::string_literals;
  // name lies at 16 from the start, ids at 16 + 4 from the end of theirs.
  EXPECT_EQ(
      Decode("\tfield:__data_loc char[] name;\toffset:8;\tsize:4;\tsigned:1;\n"
             "\tfield:__rel_loc int[] ids;\toffset:12;\tsize:4;\tsigned:1;\n",
             Payload()
                 .Put(uint32_t{4 << 16 | 16})
                 .Put(uint32_t{8 << 16 | 4})
                 .Raw("eth\0"s)
                 .Put(uint32_t{1})
                 .Put(uint32_t(-2))),
      "name='eth' ids=[1, -2]");
}

TEST_P(TracepointFormatsTest, LeavesOutWhatLiesBehindThePayload) {
  EXPECT_EQ(
      Decode("\tfield:__data_loc char[] name;\toffset:8;\tsize:4;\tsigned:1;\n"
             "\tfield:int a;\toffset:12;\tsize:4;\tsigned:1;\n"
             "\tfield:int b;\toffset:16;\tsize:4;\tsigned:1;\n",
             Payload().Put(uint32_t{100 << 16 | 12}).Put(uint32_t{1})),
      "a=1");
  EXPECT_FALSE(complete_);
}

TEST_P(TracepointFormatsTest, FieldsThatShareBytesAreNotMuchText) {
  const Bytes payload = Payload().Put(uint64_t{1});
  std::string fields;
  for (int i = 0; i < 9; ++i) {
    absl::StrAppend(&fields, "\tfield:u64 a", i,
                    "[2];\toffset:0;\tsize:16;\tsigned:0;\n");
  }
  fields += "\tfield:u64 last;\toffset:8;\tsize:8;\tsigned:0;\n";
  const std::string shown = Decode(fields, payload);
  EXPECT_THAT(shown, testing::HasSubstr(" a1=["));
  EXPECT_THAT(shown, testing::Not(testing::HasSubstr("a2")));
  EXPECT_THAT(shown, testing::EndsWith(" last=1u"));
  EXPECT_FALSE(complete_);
  EXPECT_EQ(shared_, 7u);
  // Strings as well.
  Decode(
      "\tfield:char a[8];\toffset:8;\tsize:8;\tsigned:1;\n"
      "\tfield:char b[8];\toffset:8;\tsize:8;\tsigned:1;\n"
      "\tfield:char c[8];\toffset:8;\tsize:8;\tsigned:1;\n"
      "\tfield:char d[8];\toffset:8;\tsize:8;\tsigned:1;\n"
      "\tfield:char e[8];\toffset:8;\tsize:8;\tsigned:1;\n",
      Payload().Raw("12345678"));
  EXPECT_EQ(shared_, 1u);
  EXPECT_EQ(text_bytes_, 32u);
}

TEST_P(TracepointFormatsTest, NamesAreThoseOfFolders) {
  const std::string longest(255, 'n'), longer(256, 'n');
  const auto parse = [&](const std::string& system, const std::string& name) {
    auto formats = TracepointFormats::Parse(
        TracingData(GetParam(), system, {TracepointFormatText(name, 1, "")}),
        diagnostics_);
    EXPECT_TRUE(formats.ok());
    return *std::move(formats);
  };
  const TracepointFormats known = parse(longest, longest);
  EXPECT_EQ(known.size(), 1u);
  EXPECT_GT(known.memory(), 2 * 255u);
  EXPECT_THAT(diagnostics_.entries(), IsEmpty());
  EXPECT_EQ(parse(longer, "a").size(), 0u);
  EXPECT_EQ(parse("a", longer).size(), 0u);
  ASSERT_EQ(diagnostics_.entries().size(), 1u);
  EXPECT_EQ(diagnostics_.entries().begin()->second.count, 2u);
}

TEST_P(TracepointFormatsTest, ReadsSingleFields) {
  auto formats = TracepointFormats::Parse(
      Blob(GetParam(),
           {TracepointFormatText(
               "ev", 7,
               "\tfield:int a;\toffset:8;\tsize:4;\tsigned:1;\n"
               "\tfield:char c[4];\toffset:12;\tsize:4;\tsigned:1;\n")}),
      diagnostics_);
  ASSERT_TRUE(formats.ok());
  const TracepointFormat* format = formats->Find(7);
  ASSERT_NE(format, nullptr);
  EXPECT_EQ(format->system(), "sys");
  EXPECT_EQ(format->name(), "ev");
  EXPECT_EQ(format->print_format(), "\"x=%d\", REC->x");
  EXPECT_EQ(format->Find("nothing"), nullptr);
  const auto raw = Payload().Put(uint32_t(-1)).Raw("ab");
  EXPECT_EQ(format->Number(*format->Find("a"), raw.get()), uint64_t(-1));
  EXPECT_EQ(format->String(*format->Find("a"), raw.get()), std::nullopt);
  EXPECT_EQ(format->String(*format->Find("c"), raw.get()), std::nullopt);
  EXPECT_EQ(format->String(*format->Find("c"), Bytes(raw).Raw("cd").get()),
            "abcd");
}

TEST_P(TracepointFormatsTest, CountsFormatsThatCannotBeUnderstood) {
  auto formats = TracepointFormats::Parse(
      Blob(GetParam(), {"", "name: \x01\n", std::string(100 << 10, 'x'),
                        TracepointFormatText("good", 3, "")}),
      diagnostics_);
  ASSERT_TRUE(formats.ok());
  EXPECT_EQ(formats->size(), 1u);
  ASSERT_NE(formats->Find(3), nullptr);
  EXPECT_THAT(formats->Find(3)->layouts(), IsEmpty());
  ASSERT_EQ(diagnostics_.entries().size(), 1u);
  EXPECT_EQ(diagnostics_.entries().begin()->second.count, 3u);
}

TEST_P(TracepointFormatsTest, KeepsWhatPrecedesACut) {
  const std::vector<uint8_t> blob = Blob(
      GetParam(),
      {TracepointFormatText("a", 1, ""), TracepointFormatText("b", 2, "")});
  size_t before = 0;
  for (size_t size = 0; size < blob.size() - 16; ++size) {
    Diagnostics diagnostics;
    auto formats = TracepointFormats::Parse(
        absl::MakeConstSpan(blob).subspan(0, size), diagnostics);
    if (!formats.ok()) {
      EXPECT_EQ(before, 0u);
      continue;
    }
    EXPECT_TRUE(diagnostics.lossy()) << size;
    EXPECT_GE(formats->size(), before);
    before = formats->size();
  }
  EXPECT_EQ(before, 1u);
}

TEST_P(TracepointFormatsTest, SurvivesAnyByteChanged) {
  const std::vector<uint8_t> blob =
      Blob(GetParam(),
           {TracepointFormatText(
               "a", 1,
               "\tfield:__data_loc char[] n;\toffset:8;\tsize:4;\tsigned:1;"
               "\n\tfield:u16 ports[2];\toffset:12;\tsize:4;\tsigned:0;\n")});
  const std::vector<uint8_t> payload(64, 0x20);
  for (size_t at = 0; at < blob.size(); ++at) {
    for (uint8_t flip : {0x01, 0x10, 0x80, 0xff}) {
      std::vector<uint8_t> broken = blob;
      broken[at] ^= flip;
      Diagnostics diagnostics;
      auto formats = TracepointFormats::Parse(broken, diagnostics);
      if (!formats.ok()) continue;
      TracepointFields out;
      for (uint64_t id : {0, 1, 17, 33}) {
        if (auto* format = formats->Find(id)) format->Decode(payload, &out);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(ByteOrders, TracepointFormatsTest,
                         ::testing::Values(ByteOrder::kLittle, ByteOrder::kBig),
                         [](const auto& test) {
                           return test.param == ByteOrder::kBig ? "Big"
                                                                : "Little";
                         });

TEST(TracepointFormatsErrorTest, RefusesOtherData) {
  Diagnostics diagnostics;
  EXPECT_FALSE(TracepointFormats::Parse({}, diagnostics).ok());
  const std::vector<uint8_t> other(100, 'x');
  EXPECT_FALSE(TracepointFormats::Parse(other, diagnostics).ok());
}

}  // namespace
}  // namespace perf2x
