// SPDX-License-Identifier: Apache-2.0
#include "converter/base/text.h"

#include <gtest/gtest.h>

#include <string>

namespace perf2x {
namespace {

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

TEST(PlainTextTest, LeavesTextThatIsSafeAlone) {
  std::string scratch;
  for (absl::string_view safe :
       {"", "operator<<(std::ostream&, char)", "caf\xc3\xa9", "\xe2\x82\xac",
        "\xc2\xa0", "\xf0\x9f\x98\x80", "\xe2\x80\x8d"}) {
    EXPECT_EQ(AsPlainText(safe, &scratch).data(), safe.data());
  }
}

TEST(PlainTextTest, EscapesWhatATerminalObeys) {
  EXPECT_EQ(PlainText("\x1b]0;title\x07"), "\\x1b]0;title\\x07");
  EXPECT_EQ(PlainText("a\nb\tc\x7f"), "a\\x0ab\\x09c\\x7f");
  // C1: U+009B starts a control sequence as ESC [ does.
  EXPECT_EQ(PlainText("a\xc2\x9b"
                      "31mb"),
            "a\\x9b31mb");
  EXPECT_EQ(PlainText("\xc2\x80\xc2\x9f\xc2\xa0"), "\\x80\\x9f\xc2\xa0");
}

TEST(PlainTextTest, EscapesWhatReordersText) {
  EXPECT_EQ(PlainText("a\xe2\x80\xaeko"), "a\\u202eko");
  EXPECT_EQ(PlainText("\xd8\x9c|\xe2\x81\xa6|\xe2\x81\xa9|\xe2\x80\xa8|\xe2"
                      "\x80\x8f"),
            "\\u061c|\\u2066|\\u2069|\\u2028|\\u200f");
}

// Text is looked at eight bytes at a time.
TEST(PlainTextTest, FindsWhatItEscapesAtEveryPlaceOfAWord) {
  for (int c = 1; c < 0x80; ++c) {
    const bool safe = c >= 0x20 && c < 0x7f;
    for (size_t at = 0; at < 19; ++at) {
      for (const char rest : {' ', '~'}) {
        std::string text(19, rest);
        text[at] = static_cast<char>(c);
        EXPECT_EQ(PlainText(text) == text, safe) << c << " at " << at;
      }
    }
  }
}

TEST(PlainTextTest, ReplacesBytesThatAreNoCharacterFirst) {
  // A lone 0x9b is C1 to a terminal with an 8-bit character set.
  EXPECT_EQ(PlainText("\x9b\x1b"), "\xef\xbf\xbd\\x1b");
}

TEST(HasControlCharactersTest, OnlyC0) {
  EXPECT_FALSE(HasControlCharacters(""));
  EXPECT_FALSE(HasControlCharacters("/a b/\xc3\xa9~\xff"));
  EXPECT_TRUE(HasControlCharacters("a\tb"));
  EXPECT_TRUE(HasControlCharacters(absl::string_view("\0", 1)));
}

}  // namespace
}  // namespace perf2x
