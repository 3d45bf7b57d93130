// SPDX-License-Identifier: Apache-2.0
#include "converter/model/sample_field.h"

namespace perf2x {
namespace {

using Kind = SampleField::Kind;

constexpr SampleField kFields[] = {
    {.name = "addr",
     .kind = Kind::kAddress,
     .option = "-d",
     .help = "data address, or that of a breakpoint or fault",
     .is_measurement = true},
    {.name = "phys_addr",
     .kind = Kind::kAddress,
     .option = "--phys-data",
     .help = "physical data address",
     .is_measurement = true},
    {.name = "data_page_size",
     .kind = Kind::kNumber,
     .unit = "bytes",
     .option = "--data-page-size",
     .help = "size of the page of `addr`"},
    {.name = "code_page_size",
     .kind = Kind::kNumber,
     .unit = "bytes",
     .option = "--code-page-size",
     .help = "size of the page of `ip`"},
    {.name = "weight",
     .kind = Kind::kNumber,
     .unit = "count",
     .option = "-W",
     .help = "weight, latency for most events; the first part of three",
     .is_measurement = true},
    {.name = "weight2",
     .kind = Kind::kNumber,
     .unit = "count",
     .option = "-W",
     .help = "second part of a weight of three",
     .is_measurement = true},
    {.name = "weight3",
     .kind = Kind::kNumber,
     .unit = "count",
     .option = "-W",
     .help = "third part of a weight of three",
     .is_measurement = true},
    {.name = "data_src",
     .kind = Kind::kText,
     .option = "-d",
     .help = "memory operation, level, snoop, TLB, lock in words",
     .is_measurement = true},
    {.name = "transaction",
     .kind = Kind::kHex,
     .option = "--transaction",
     .help = "hardware transaction flags"},
    {.name = "cgroup",
     .kind = Kind::kText,
     .option = "--all-cgroups",
     .help = "path of the cgroup, or its id if the recording has no path"},
    {.name = "branch_stack",
     .kind = Kind::kList,
     .option = "-b",
     .help = "branches, newest first",
     .is_measurement = true},
    {.name = "user_regs",
     .kind = Kind::kList,
     .option = "--user-regs",
     .help = "registers of user space"},
    {.name = "intr_regs",
     .kind = Kind::kList,
     .option = "-I",
     .help = "registers at the interrupt"},
    {.name = "read",
     .kind = Kind::kList,
     .option = "-e '{…}:S'",
     .help = "`id=value` of each counter that was read with the sample"},
    {.name = "id",
     .kind = Kind::kNumber,
     .help = "the kernel's id of the event instance",
     .is_event_id = true},
    {.name = "state",
     .kind = Kind::kText,
     .help = "with --wall-clock: what the thread did, or why it waited",
     .is_tag = true},
    {.name = "waker",
     .kind = Kind::kText,
     .help = "with --wall-clock: the thread that ended the wait",
     .is_tag = true},
    {.name = "parallelism",
     .kind = Kind::kNumber,
     .unit = "threads",
     .help = "with --latency: how many threads ran at that moment",
     .is_tag = true},
};

}  // namespace

absl::Span<const SampleField> SampleFieldTable() { return kFields; }

const SampleField* FindSampleField(absl::string_view name) {
  for (const SampleField& field : kFields) {
    if (field.name == name) return &field;
  }
  return nullptr;
}

}  // namespace perf2x
