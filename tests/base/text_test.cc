#include "converter/base/text.h"

#include <gtest/gtest.h>

#include <string>

namespace perf2x {
namespace {

const std::string kEscape = "\x1b[31m";    // red
const std::string kC1Escape = "\xc2\x9b";  // U+009B, likewise

TEST(AsUtf8Test, LeavesValidTextAlone) {
  std::string scratch;
  for (absl::string_view good :
       {"", "plain ascii, longer than a word", "caf\xc3\xa9", "\xe2\x82\xac",
        "\xf0\x9f\x98\x80", "\xed\x9f\xbf", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_EQ(AsUtf8(good, &scratch).data(), good.data());
  }
}

TEST(AsUtf8Test, ReplacesBytesThatAreNoCharacter) {
  std::string scratch;
  const std::string r = "\xef\xbf\xbd";
  EXPECT_EQ(AsUtf8("a\xff"
                   "b",
                   &scratch),
            "a" + r + "b");
  EXPECT_EQ(AsUtf8("\xc3", &scratch), r);          // cut short
  EXPECT_EQ(AsUtf8("\xc0\x80", &scratch), r + r);  // overlong
  EXPECT_EQ(AsUtf8("\xe0\x80\x80", &scratch), r + r + r);
  EXPECT_EQ(AsUtf8("\xed\xa0\x80", &scratch), r + r + r);  // a surrogate
  EXPECT_EQ(AsUtf8("\xf4\x90\x80\x80", &scratch), r + r + r + r);
  EXPECT_EQ(AsUtf8("\xe2\x82\xac\x80", &scratch), "\xe2\x82\xac" + r);
}

TEST(HasControlsTest, KnowsThoseOfAsciiAndThoseAbove) {
  EXPECT_FALSE(HasControls("caf\xc3\xa9 \xc2\xa0 \"\\"));
  for (const std::string& bad : {kEscape, kC1Escape, std::string("a\n"),
                                 std::string("\x7f"), std::string(1, '\0')}) {
    EXPECT_TRUE(HasControls(bad));
  }
}

TEST(PrintableTest, EscapesWhatATerminalObeys) {
  EXPECT_EQ(Printable("caf\xc3\xa9 \"\\"), "caf\xc3\xa9 \"\\");
  EXPECT_EQ(Printable(kEscape), "\\x1b[31m");
  EXPECT_EQ(Printable(kC1Escape + "31m"), "\\xc2\\x9b31m");
  // One byte is an escape for terminals that are not in UTF-8.
  EXPECT_EQ(Printable("\x9b"), "\\x9b");
  EXPECT_EQ(Printable("a\n\x7f"), "a\\x0a\\x7f");
  EXPECT_EQ(Printable("\"\\\n", /*quoted=*/true), "\\\"\\\\\\x0a");
}

TEST(JsonEscapedTest, HasNoControls) {
  EXPECT_EQ(JsonEscaped("caf\xc3\xa9"), "caf\xc3\xa9");
  EXPECT_EQ(JsonEscaped("\"\\\b\f\n\r\t"), "\\\"\\\\\\b\\f\\n\\r\\t");
  EXPECT_EQ(JsonEscaped(kEscape), "\\u001B[31m");
  EXPECT_EQ(JsonEscaped(kC1Escape), "\\u009B");
  EXPECT_EQ(JsonEscaped("\x7f"), "\\u007F");
  EXPECT_EQ(JsonEscaped("\x9b"), "\xef\xbf\xbd");
}

}  // namespace
}  // namespace perf2x
