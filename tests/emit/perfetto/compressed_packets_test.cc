// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/perfetto/compressed_packets.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/perfetto_trace.h"

namespace perf2x {
namespace {

namespace protos = perfetto::protos;

// A packet that an attribute makes long.
std::string Packet(uint64_t time) {
  protos::Trace trace;
  protos::TracePacket* packet = trace.add_packet();
  packet->set_timestamp(time);
  packet->mutable_trace_attributes()->add_attribute()->set_key(
      std::string(1000, 'x'));
  return trace.SerializeAsString();
}

std::string Compress(uint64_t packets, bool on_thread) {
  std::string out;
  CompressedPackets output(MakeStringOutput(&out), on_thread);
  for (uint64_t i = 0; i < packets; ++i) {
    EXPECT_TRUE(output.Write(Packet(i)).ok());
  }
  EXPECT_TRUE(output.Close().ok());
  return out;
}

TEST(CompressedPacketsTest, HoldsAllPacketsInOrder) {
  constexpr uint64_t kPackets = 2000;
  const std::string bytes = Compress(kPackets, /*on_thread=*/true);
  EXPECT_LT(bytes.size(), kPackets * 1000 / 50);
  protos::Trace whole;
  ASSERT_TRUE(whole.ParseFromString(bytes));
  EXPECT_GT(whole.packet_size(), 5);  // several chunks
  for (const protos::TracePacket& packet : whole.packet()) {
    EXPECT_TRUE(packet.has_compressed_packets());
    EXPECT_FALSE(packet.has_timestamp());
  }
  protos::Trace trace;
  ASSERT_TRUE(ReadPerfettoTrace(bytes, &trace));
  ASSERT_EQ(trace.packet_size(), kPackets);
  for (uint64_t i = 0; i < kPackets; ++i) {
    EXPECT_EQ(trace.packet(static_cast<int>(i)).timestamp(), i);
  }
}

TEST(CompressedPacketsTest, DoesNotDependOnTheThread) {
  EXPECT_EQ(Compress(1000, true), Compress(1000, false));
}

TEST(CompressedPacketsTest, NothingIsAnEmptyTrace) {
  EXPECT_EQ(Compress(0, true), "");
}

TEST(CompressedPacketsTest, ErrorsBelowComeUp) {
  for (const bool on_thread : {false, true}) {
    auto full = OpenOutput("/dev/full");
    ASSERT_TRUE(full.ok());
    CompressedPackets output(*std::move(full), on_thread);
    absl::Status status;
    for (uint64_t i = 0; i < 1000 && status.ok(); ++i) {
      status = output.Write(Packet(i));
    }
    if (status.ok()) status = output.Close();
    EXPECT_FALSE(status.ok());
  }
}

}  // namespace
}  // namespace perf2x
