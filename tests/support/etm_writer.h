// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TESTS_SUPPORT_ETM_WRITER_H_
#define PERF2X_TESTS_SUPPORT_ETM_WRITER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "converter/hwtrace/etm_info.h"

namespace perf2x {

// Writes the packets of an ETMv4 instruction trace of AArch64 code, as Arm IHI
// 0064 has them, for a trace unit as EtmWriter::Source() says.
class EtmWriter {
 public:
  // A trace unit of version 4.3, without speculation, cycle counts and return
  // stack. Its trace names threads by context ids of four bytes.
  static EtmSource Source(int32_t cpu, uint8_t trace_id);

  EtmWriter& Sync();  // A-Sync and Trace Info
  EtmWriter& TraceOn();
  EtmWriter& Overflow();  // the trace must go on with Sync
  // Address and Context packet, at EL0 or, in the kernel's half, EL1.
  EtmWriter& Context(uint64_t address, uint32_t thread);
  EtmWriter& Address(uint64_t address);
  // One letter for each branch that was reached: E was taken, N was not.
  EtmWriter& Atoms(const std::string& letters);
  // 3 to 23 taken branches, then one that was taken or not, in one byte.
  EtmWriter& ManyAtoms(int taken, char last);
  // An interrupt before the instruction at `address`.
  EtmWriter& Interrupt(uint64_t address);
  EtmWriter& Timestamp(uint64_t time);
  EtmWriter& Byte(uint8_t byte);

  const std::vector<uint8_t>& bytes() const { return bytes_; }
  // Returns the trace in CoreSight's frames of 16 bytes, as that of a source.
  std::vector<uint8_t> Frames(uint8_t trace_id) const;

 private:
  void Append(uint64_t value, int bytes);

  std::vector<uint8_t> bytes_;
};

// A program that counts from 3 to 0, calls a function and returns.
const std::vector<uint32_t>& CountdownProgram();

// The words of an AUXTRACE_INFO record of version 1 for these sources, which
// must be of ETMv4.
std::vector<uint64_t> EtmInfoWords(const std::vector<EtmSource>& sources);

// Returns a 64-bit little-endian ELF program for AArch64 that has `code` at
// 0x1000, in the file as in memory, with one function there.
std::vector<uint8_t> Arm64Program(const std::vector<uint32_t>& code,
                                  const std::string& function);

}  // namespace perf2x

#endif  // PERF2X_TESTS_SUPPORT_ETM_WRITER_H_
