// SPDX-License-Identifier: Apache-2.0

// What an interrupt came from, in stacks whose kernel has names.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "tests/support/perf_data_builder.h"
#include "tests/support/read_recording.h"
#include "tests/support/temp_folder.h"

namespace perf2x {
namespace {

// A fault at the first instruction of clear_page_erms. The call in
// clear_subpage returns to where its code goes on.
TEST(InterruptEntriesTest, WhatFaultedIsNamedByItsOwnAddress) {
  constexpr uint64_t kText = 0xffffffff81000000;
  const TempFolder folder;
  const std::string kallsyms = folder.File("kallsyms");
  std::ofstream(kallsyms) << "ffffffff81000000 T _text\n"
                             "ffffffff81000100 T clear_page_orig\n"
                             "ffffffff81000200 T clear_page_erms\n"
                             "ffffffff81000300 T clear_subpage\n"
                             "ffffffff81000400 T exc_page_fault\n"
                             "ffffffff81000500 T asm_exc_page_fault\n"
                             "ffffffff81000600 T _etext\n";
  Recording recording;
  Recording::Event event;
  event.attr.type = kTypeSoftware;
  event.attr.size = kAttrSizeVer0;
  event.attr.sample_type = kSampleIp | kSampleTid | kSampleCallchain;
  recording.events.push_back(event);
  MmapRecord kernel;
  kernel.pid = -1;
  kernel.addr = kernel.pgoff = kText;
  kernel.len = 0x1000;
  kernel.filename = "[kernel.kallsyms]_text";
  recording.Add(kernel, {}, kMiscKernel);
  const std::vector<uint64_t> chain = {kContextKernel, kText + 0x410,
                                       kText + 0x522, kText + 0x200,
                                       kText + 0x310};
  SampleRecord sample;
  sample.pid = sample.tid = 7;
  sample.ip = chain[1];
  sample.nr = chain.size();
  sample.ips = {reinterpret_cast<const uint8_t*>(chain.data()), chain.size(),
                kHostOrder};
  recording.Add(sample, {}, kMiscKernel);

  ConvertOptions options;
  options.symbols.kallsyms = kallsyms;
  std::vector<std::string> names;
  RecordingReader reader;
  reader.on_sample = [&](const Sample& s, TraceTables& tables) {
    std::vector<FrameId> frames;
    tables.FramesOf(s.stack, &frames);
    for (const FrameId id : frames) {
      const Function& function =
          tables.functions()[tables.Lines(id).back().function];
      names.push_back(std::string(tables.strings[function.name]));
    }
  };
  const ByteVector file = AsFile(recording);
  const absl::Status status = ReadRecording(MemoryInput(file), options, reader);
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_THAT(names,
              testing::ElementsAre("exc_page_fault", "asm_exc_page_fault",
                                   "clear_page_erms", "clear_subpage"));
}

}  // namespace
}  // namespace perf2x
