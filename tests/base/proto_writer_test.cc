// SPDX-License-Identifier: Apache-2.0
#include "converter/base/proto_writer.h"

#include <gtest/gtest.h>

#include <string>

#include "perfetto_trace.pb.h"

namespace perf2x {
namespace {

namespace pb = perfetto::protos;

TEST(ProtoWriterTest, WritesWhatProtobufReads) {
  ProtoWriter writer;
  writer.Uint(pb::PerfSample::kCpuFieldNumber, 300);
  writer.Uint(pb::PerfSample::kTimebaseCountFieldNumber, ~uint64_t{0});
  pb::PerfSample sample;
  ASSERT_TRUE(sample.ParseFromString(std::string(writer.bytes())));
  EXPECT_EQ(sample.cpu(), 300u);
  EXPECT_EQ(sample.timebase_count(), ~uint64_t{0});

  writer.Clear();
  writer.Double(pb::DebugAnnotation::kDoubleValueFieldNumber, -0.5);
  pb::DebugAnnotation arg;
  ASSERT_TRUE(arg.ParseFromString(std::string(writer.bytes())));
  EXPECT_EQ(arg.double_value(), -0.5);

  writer.Clear();
  writer.Int(pb::ProcessDescriptor::kPidFieldNumber, -1);
  pb::ProcessDescriptor process;
  ASSERT_TRUE(process.ParseFromString(std::string(writer.bytes())));
  EXPECT_EQ(process.pid(), -1);
}

TEST(ProtoWriterTest, NestsMessagesOfAnyLength) {
  for (const size_t size : {0, 1, 120, 127, 128, 16383, 16384, 3'000'000}) {
    const std::string text(size, 'x');
    ProtoWriter writer;
    const size_t packet = writer.Open(pb::Trace::kPacketFieldNumber);
    const size_t system = writer.Open(pb::TracePacket::kSystemInfoFieldNumber);
    const size_t name = writer.Open(pb::SystemInfo::kUtsnameFieldNumber);
    writer.Bytes(pb::Utsname::kReleaseFieldNumber, text);
    writer.Close(name);
    writer.Close(system);
    writer.Uint(pb::TracePacket::kTimestampFieldNumber, 7);
    writer.Close(packet);
    pb::Trace trace;
    ASSERT_TRUE(trace.ParseFromString(std::string(writer.bytes()))) << size;
    ASSERT_EQ(trace.packet_size(), 1);
    EXPECT_EQ(trace.packet(0).system_info().utsname().release(), text);
    EXPECT_EQ(trace.packet(0).timestamp(), 7u);
    EXPECT_EQ(trace.SerializeAsString().size(), writer.size()) << size;
  }
}

}  // namespace
}  // namespace perf2x
