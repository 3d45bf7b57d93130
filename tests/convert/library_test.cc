// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include "converter/emit/registry.h"
#include "include/perf2x/convert.h"
#include "tests/support/temp_folder.h"

namespace perf2x {
namespace {

using Code = ConversionResult::Code;

// What a program that embeds the library switches on.
class LibraryTest : public testing::Test {
 protected:
  LibraryTest() {
    // Tests run in the source folder.
    request_.input = "testdata/flat.data";
    request_.output = folder_.path() + "/out";
    request_.format = "folded";
  }
  std::string File(const std::string& name, const std::string& bytes) {
    const std::string path = folder_.path() + "/" + name;
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
  // The code of the conversion; it failed with one line, and left nothing.
  Code FailureOf(const ConversionRequest& request) {
    const ConversionResult result = ConvertRecording(request);
    EXPECT_FALSE(result.ok());
    EXPECT_FALSE(result.error.empty());
    EXPECT_EQ(result.error.find('\n'), std::string::npos) << result.error;
    EXPECT_FALSE(std::filesystem::exists(folder_.path() + "/out"));
    return result.code;
  }

  TempFolder folder_;
  ConversionRequest request_;
};

TEST_F(LibraryTest, Converts) {
  const ConversionResult result = ConvertRecording(request_);
  EXPECT_EQ(result.code, Code::kOk) << result.error;
  EXPECT_TRUE(std::filesystem::exists(request_.output));
  ASSERT_FALSE(result.events.empty());
  EXPECT_GT(result.events[0].samples, 0u);
}

TEST_F(LibraryTest, ABadRequestIsTheCallers) {
  ConversionRequest no_format = request_;
  no_format.format = "svg";
  EXPECT_EQ(FailureOf(no_format), Code::kBadRequest);
  ConversionRequest no_option = request_;
  no_option.format_options["labels"] = "pid";  // of pprof
  EXPECT_EQ(FailureOf(no_option), Code::kBadRequest);
  for (const auto& [format, option] :
       {std::pair("pprof", "labels"), std::pair("chrome", "samples"),
        std::pair("csv", "tables")}) {
    ConversionRequest value = request_;
    value.format = format;
    value.format_options[option] = "x";
    // The request is looked at before the input.
    value.input = folder_.path() + "/none";
    EXPECT_EQ(FailureOf(value), Code::kBadRequest) << format;
  }
}

TEST_F(LibraryTest, OptionsThatWouldBeIgnoredAreTheCallers) {
  ConversionRequest flag = request_;
  flag.format = "chrome";
  flag.format_options["absolute-time"] = "1";  // "true" or "false"
  EXPECT_EQ(FailureOf(flag), Code::kBadRequest);
  flag.format_options["absolute-time"] = "true";
  EXPECT_TRUE(ConvertRecording(flag).ok());
}

TEST_F(LibraryTest, WhatAProfileCannotShowIsTheCallers) {
  ConversionRequest profile = request_;
  profile.output = folder_.path() + "/profile";
  profile.format = "pprof";
  ASSERT_TRUE(ConvertRecording(profile).ok());
  profile.input = profile.output;
  profile.output = folder_.path() + "/shown";
  profile.format = "chrome";
  EXPECT_EQ(FailureOf(profile), Code::kBadRequest);
  for (const char* format : {"bolt", "autofdo", "profgen"}) {
    profile.format = format;
    EXPECT_EQ(FailureOf(profile), Code::kBadRequest) << format;
  }
  profile.format = "pprof";
  profile.format_options["branches"] = "true";
  EXPECT_EQ(FailureOf(profile), Code::kBadRequest);
}

TEST_F(LibraryTest, AnOutputThatCannotBeMeant) {
  ConversionRequest none = request_;
  none.output = "";
  EXPECT_EQ(FailureOf(none), Code::kBadRequest);
  ConversionRequest folder = request_;
  folder.format = "csv";
  folder.output = "-";
  EXPECT_EQ(FailureOf(folder), Code::kBadRequest);
  EXPECT_FALSE(std::filesystem::exists("-"));
}

// Under no name, and no symbol file either.
TEST_F(LibraryTest, DoesNotWriteOverWhatItReads) {
  namespace fs = std::filesystem;
  const std::string input = folder_.path() + "/perf.data";
  fs::copy("testdata/flat.data", input);
  const auto size = fs::file_size(input);
  fs::create_symlink("perf.data", folder_.path() + "/link");
  fs::create_hard_link(input, folder_.path() + "/hard");
  request_.input = input;
  for (const std::string name : {"/perf.data", "/link", "/hard"}) {
    request_.output = folder_.path() + name;
    EXPECT_EQ(ConvertRecording(request_).code, Code::kBadRequest) << name;
    EXPECT_EQ(fs::file_size(input), size) << name;
  }
  const std::string elf = File("program",
                               "\x7f"
                               "ELF and more");
  request_.output = elf;
  EXPECT_EQ(ConvertRecording(request_).code, Code::kBadRequest);
  EXPECT_EQ(fs::file_size(elf), 13u);
}

TEST_F(LibraryTest, AnUntrustedInputIsARegularFile) {
  request_.untrusted = true;
  ConversionRequest other = request_;
  other.input = folder_.path() + "/fifo";
  ASSERT_EQ(mkfifo(other.input.c_str(), 0600), 0);
  EXPECT_EQ(FailureOf(other), Code::kBadRequest);  // and does not wait for it
  other.input = folder_.path() + "/link";
  std::filesystem::create_symlink(
      std::filesystem::absolute("testdata/flat.data"), other.input);
  EXPECT_EQ(FailureOf(other), Code::kBadRequest);
  other.input = "-";
  EXPECT_EQ(FailureOf(other), Code::kBadRequest);
  EXPECT_TRUE(ConvertRecording(request_).ok());
}

TEST_F(LibraryTest, AnErrorIsOneLineWhateverTheNames) {
  request_.input = folder_.path() + "/no\nsuch\x1b[31mfile";
  EXPECT_EQ(FailureOf(request_), Code::kCannotReadInput);
  EXPECT_EQ(ConvertRecording(request_).error.find('\x1b'), std::string::npos);
}

// What was read before the output failed is reported.
TEST_F(LibraryTest, SaysWhatWasDamagedAlsoIfTheOutputFails) {
  std::ifstream whole("testdata/flat.data", std::ios::binary);
  std::string bytes(std::istreambuf_iterator<char>(whole), {});
  request_.input = File("cut", bytes.substr(0, bytes.size() / 2));
  const size_t problems = ConvertRecording(request_).problems.size();
  EXPECT_GT(problems, 0u);
  request_.output = "/dev/full";
  const ConversionResult failed = ConvertRecording(request_);
  EXPECT_EQ(failed.code, Code::kCannotWriteOutput);
  EXPECT_EQ(failed.problems.size(), problems);
}

TEST_F(LibraryTest, AnInputThatCannotBeReadIsNotDamaged) {
  request_.input = folder_.path() + "/none";
  EXPECT_EQ(FailureOf(request_), Code::kCannotReadInput);
}

TEST_F(LibraryTest, SomethingElseIsNoRecording) {
  request_.input = File("text", "no recording, but more than sixteen bytes");
  EXPECT_EQ(FailureOf(request_), Code::kNotARecording);
  request_.input = File("empty", "");
  EXPECT_EQ(FailureOf(request_), Code::kNotARecording);
  request_.input = folder_.path();  // a folder without "data"
  EXPECT_EQ(FailureOf(request_), Code::kNotARecording);
}

TEST_F(LibraryTest, DamageAheadOfTheFirstRecord) {
  // gzip's magic number, and nothing that it could unpack.
  request_.input = File("damaged.gz", std::string("\x1f\x8b\x08\0\0\0", 6));
  EXPECT_EQ(FailureOf(request_), Code::kDamaged);
}

TEST_F(LibraryTest, AnOutputThatCannotBeWritten) {
  request_.output = folder_.path() + "/none/out";
  EXPECT_EQ(FailureOf(request_), Code::kCannotWriteOutput);
  request_.format = "csv";  // a folder, whose place a file has
  request_.output = File("taken", "");
  EXPECT_EQ(FailureOf(request_), Code::kCannotWriteOutput);
  // Opens, but has no room.
  for (const EmitterInfo& format : Emitters()) {
    if (format.file_names != nullptr) continue;
    request_.format = format.name;
    request_.output = "/dev/full";
    EXPECT_EQ(FailureOf(request_), Code::kCannotWriteOutput) << format.name;
  }
}

}  // namespace
}  // namespace perf2x
