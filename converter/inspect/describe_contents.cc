// SPDX-License-Identifier: Apache-2.0
// Build ids, tracepoint formats and programs of a recording, for `perf2x info`.

#include "converter/inspect/describe.h"
#include "converter/perf/records/wire.h"

namespace perf2x {
namespace {

InfoValue BpfPrograms(const HeaderFeatures& f) {
  InfoValue::List programs;
  for (const BpfProgram& p : f.bpf_programs) {
    InfoValue program;
    program["id"] = p.id;
    AddText(p.name, "name", &program);
    program["tag"] = p.tag;
    AddNonZero(p.btf_id, "btf_id", &program);
    InfoValue::List functions;
    for (size_t i = 0; i < p.functions.size(); ++i) {
      InfoValue v;
      v["name"] = BpfFunctionName(p, i, f.bpf_types);
      v["address"] = HexText(p.functions[i].address);
      v["size"] = p.functions[i].size;
      functions.push_back(std::move(v));
    }
    program["functions"] = std::move(functions);
    programs.push_back(std::move(program));
  }
  return programs;
}

const char* CpuModeName(uint16_t misc) {
  switch (misc & kMiscCpuModeMask) {
    case kMiscKernel:
      return "kernel";
    case kMiscUser:
      return "user";
    case kMiscHypervisor:
      return "hypervisor";
    case kMiscGuestKernel:
      return "guest kernel";
    case kMiscGuestUser:
      return "guest user";
    default:
      return "unknown";
  }
}

}  // namespace

void AddContents(const RecordingInfo& info, InfoValue* out) {
  const HeaderFeatures& f = info.features;
  AddList(info.build_ids, "build_ids", out,
          [](const RecordingInfo::BuildIdFile& b) {
            InfoValue v;
            v["build_id"] = b.build_id.Hex();
            v["mode"] = CpuModeName(b.misc);
            v["pid"] = b.pid;
            v["file"] = b.file;
            return v;
          });
  if (info.tracing) {
    InfoValue& tracing = (*out)["tracing_data"];
    tracing["version"] = info.tracing->version;
    tracing["byte_order"] =
        info.tracing->big_endian ? "big-endian" : "little-endian";
    tracing["long_size"] = info.tracing->long_size;
    tracing["page_size"] = info.tracing->page_size;
    AddList(info.tracing->systems, "systems", &tracing,
            [](const TracingDataSummary::System& s) {
              InfoValue v;
              v["system"] = s.name;
              v["events"] = s.events;
              return v;
            });
  }
  if (!f.bpf_programs.empty()) (*out)["bpf_programs"] = BpfPrograms(f);
  AddList(f.bpf_types, "bpf_types", out, [](const BpfBtf& t) {
    InfoValue v;
    v["id"] = t.id;
    v["types"] = uint64_t{t.names.size()};
    return v;
  });
  if (!info.auxtrace_types.empty()) {
    (*out)["aux_traces"] = ListOf(info.auxtrace_types);
  }
  AddNonZero(f.auxtrace_index.size(), "aux_trace_pieces", out);
  if (!f.simpleperf_meta.empty()) {
    (*out)["simpleperf"] = ObjectOf(f.simpleperf_meta);
  }
  AddList(info.recorded_files, "recorded_files", out,
          [](const RecordingInfo::FileSymbols& file) {
            InfoValue v;
            v["symbols"] = file.symbols;
            v["type"] = file.type;
            v["file"] = file.path;
            return v;
          });
}

}  // namespace perf2x
