// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/next_steps.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/match.h"

namespace perf2x {
namespace {

DsoReport File(const std::string& name, std::vector<std::string> tried = {}) {
  DsoReport file;
  file.kind = DsoKind::kFile;
  file.name = name;
  file.tried = std::move(tried);
  file.unsymbolized_count = 1;
  return file;
}
const BuildId kId{absl::Span<const uint8_t>(
    reinterpret_cast<const uint8_t*>("0123456789abcdefghij"), 20)};

TEST(NextStepsTest, AFileThatIsThereIsNotToBeInstalled) {
  for (const char* why :
       {"no symbols in it", "other build id", "no build id", "damaged",
        "permission denied", "not ELF", "unpacks to too much", "too many holes",
        "cannot be opened"}) {
    for (const char* path : {"/usr/bin/app", "/home/me/app"}) {
      DsoReport file = File(path, {std::string(path) + " (" + why + ")"});
      file.has_symbol_table = true;
      EXPECT_FALSE(absl::StrContains(MissingSymbolsAdvice(file), "install"))
          << why;
      EXPECT_FALSE(
          absl::StrContains(MissingSymbolsAdvice(file), "no such file"))
          << why;
    }
  }
}

TEST(NextStepsTest, WhatIsThereButUnprovenNeedsTheUsersWord) {
  DsoReport file = File("/usr/lib/libz.so.1");
  file.unproven = true;
  EXPECT_TRUE(
      absl::StrContains(MissingSymbolsAdvice(file),
                        "pass --trust-host if this is the recorded machine"));
  file.kind = DsoKind::kKernel;
  EXPECT_TRUE(absl::StrContains(MissingSymbolsAdvice(file), "--trust-host"));
}

TEST(NextStepsTest, FilesOfOtherMachines) {
  DsoReport file =
      File("/usr/lib/libz.so.1", {"/usr/lib/libz.so.1 (not there)"});
  EXPECT_EQ(
      MissingSymbolsAdvice(file),
      "there is no such file here: pass --symfs with a folder that has it");
  file.build_id = kId;
  EXPECT_EQ(MissingSymbolsAdvice(file),
            "there is no such file here: pass --symfs with a folder that has "
            "it, or --debuginfod");
}

TEST(NextStepsTest, ServersThatWereAsked) {
  DsoReport file = File(
      "/usr/lib/libz.so.1",
      {"/usr/lib/libz.so.1 (not there)", "debuginfod (Connection refused)"});
  file.build_id = kId;
  EXPECT_EQ(MissingSymbolsAdvice(file),
            "there is no such file here: pass --symfs with a folder that has "
            "it (debuginfod was asked: Connection refused)");
}

TEST(NextStepsTest, StrippedFiles) {
  DsoReport file = File("/usr/lib/x86_64-linux-gnu/libc.so.6");
  file.sources = {file.name};
  EXPECT_TRUE(
      absl::StrContains(MissingSymbolsAdvice(file), "install libc6-dbg"));
  file.name = "/usr/bin/node";
  EXPECT_TRUE(absl::StrContains(MissingSymbolsAdvice(file), "-dbgsym"));
  file.name = "/opt/app";
  EXPECT_FALSE(absl::StrContains(MissingSymbolsAdvice(file), "install"));
  EXPECT_TRUE(absl::StrContains(MissingSymbolsAdvice(file), "stripped"));
  // Places that a symbol table leaves out have no names anywhere.
  file.has_symbol_table = true;
  EXPECT_EQ(MissingSymbolsAdvice(file), "");
}

TEST(NextStepsTest, CodeThatIsGone) {
  DsoReport file = File("/memfd:jit (deleted)");
  EXPECT_TRUE(
      absl::StrContains(MissingSymbolsAdvice(file), "memory only (memfd)"));
  EXPECT_FALSE(absl::StrContains(MissingSymbolsAdvice(file), "--debug-dir"));
  file.build_id = kId;
  EXPECT_TRUE(absl::StrContains(MissingSymbolsAdvice(file), "--debug-dir"));
  file.name = "/opt/app (deleted)";
  EXPECT_TRUE(
      absl::StrContains(MissingSymbolsAdvice(file), "deleted or replaced"));
}

TEST(NextStepsTest, EachKindHasItsOwn) {
  DsoReport file = File("[anon]");
  file.kind = DsoKind::kAnonymous;
  EXPECT_TRUE(
      absl::StrContains(MissingSymbolsAdvice(file), "write a perf map"));
  file.tried = {"/tmp/perf-7.map (belongs to another user)"};
  EXPECT_TRUE(absl::StrContains(MissingSymbolsAdvice(file), "another user"));
  file.tried.clear();
  file.sources = {"/tmp/perf-7.map"};
  EXPECT_TRUE(
      absl::StrContains(MissingSymbolsAdvice(file), "its perf map lacks"));
  file.name = "[heap]";
  EXPECT_EQ(MissingSymbolsAdvice(file), "");
  file.kind = DsoKind::kVdso;
  EXPECT_EQ(MissingSymbolsAdvice(file), "");  // was found, and lacks this code
  file.sources.clear();
  EXPECT_TRUE(absl::StrContains(MissingSymbolsAdvice(file), "--archive"));
  file.kind = DsoKind::kGuestKernel;
  EXPECT_TRUE(
      absl::StrContains(MissingSymbolsAdvice(file), "--guest-kallsyms"));
  for (DsoKind kind : {DsoKind::kGuestUser, DsoKind::kHypervisor,
                       DsoKind::kUnknown, DsoKind::kGenerated}) {
    file.kind = kind;
    EXPECT_EQ(MissingSymbolsAdvice(file), "");
  }
  file.kind = DsoKind::kKernel;
  file.sources.clear();
  EXPECT_TRUE(absl::StrContains(MissingSymbolsAdvice(file), "--kallsyms"));
  // A table of zeros has said what to do.
  file.warnings = {"/proc/kallsyms has zeros for addresses: …"};
  EXPECT_EQ(MissingSymbolsAdvice(file), "");
}

}  // namespace
}  // namespace perf2x
