// SPDX-License-Identifier: Apache-2.0
#include "tests/support/perf_header_lines.h"

#include <rapidjson/document.h>

#include <algorithm>
#include <map>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace perf2x {
namespace {

using Json = rapidjson::Value;

const Json& At(const Json& object, const char* key) {
  static const Json* const kNone = new Json();
  if (!object.IsObject()) return *kNone;
  auto it = object.FindMember(key);
  return it == object.MemberEnd() ? *kNone : it->value;
}
std::string Text(const Json& v) {
  if (v.IsString()) return v.GetString();
  if (v.IsUint64()) return absl::StrCat(v.GetUint64());
  if (v.IsInt64()) return absl::StrCat(v.GetInt64());
  return "";
}
std::string Joined(const Json& list, const char* separator) {
  std::vector<std::string> texts;
  if (list.IsArray()) {
    for (const Json& v : list.GetArray()) texts.push_back(Text(v));
  }
  return absl::StrJoin(texts, separator);
}
// Calls f(element) for each element of a list, if `list` is one.
template <class F>
void Each(const Json& list, F f) {
  if (!list.IsArray()) return;
  for (const Json& v : list.GetArray()) f(v);
}

std::string OneBlank(absl::string_view line) {
  return absl::StrJoin(
      absl::StrSplit(line, absl::ByAnyChar(" \t"), absl::SkipEmpty()), " ");
}

// Sorts the words of a list: "A|B" for "B|A".
std::string InOrder(absl::string_view words) {
  std::vector<absl::string_view> list = absl::StrSplit(words, '|');
  std::sort(list.begin(), list.end());
  return absl::StrJoin(list, "|");
}

class Lines {
 public:
  explicit Lines(const Json& info) : info_(info) {
    const Json& host = At(info, "host");
    const Json& box = At(info, "container");
    Add("data offset : ", At(box, "data_offset"));
    Add("data size : ", At(box, "data_size"));
    Add("feat offset : ", At(box, "features_offset"));
    Add("directory data version : ", At(box, "directory_version"));
    Add("hostname : ", At(host, "name"));
    Add("os release : ", At(host, "os_release"));
    Add("perf version : ", At(info, "perf_version"));
    Add("arch : ", At(host, "arch"));
    Add("nrcpus online : ", At(host, "cpus_online"));
    Add("nrcpus avail : ", At(host, "cpus_available"));
    Add("cpudesc : ", At(host, "cpu"));
    Add("cpuid : ", At(host, "cpu_id"));
    Add("total memory : ", At(host, "memory_kb"), " kB");
    Add("e_machine : ", At(host, "e_machine"));
    Add("e_flags : ", At(host, "e_flags"));
    Add("cacheline size: ", At(host, "cache_line_size"));
    Line(absl::StrCat("cmdline : ",
                      absl::StrReplaceAll(Joined(At(info, "command_line"), " "),
                                          {{"'", "\\'"}})));
    Each(At(info, "events"), [&](const Json& e) { Event(e); });
    Each(At(info, "groups"), [&](const Json& g) {
      std::string name = Text(At(g, "name"));
      if (name == "{anon_group}") name.clear();
      Line(absl::StrCat("group: ", name, "{", Joined(At(g, "events"), ","),
                        "}"));
    });
    Each(At(info, "features"), [&](const Json& f) { Flag(Text(f)); });
    Machine(At(info, "machine"));
    Time(At(info, "time"));
    Contents();
  }
  std::set<std::string> Take() { return std::move(lines_); }

 private:
  void Line(absl::string_view text) { lines_.insert(OneBlank(text)); }
  void Add(const char* before, const Json& value, const char* after = "") {
    if (!value.IsNull()) Line(absl::StrCat(before, Text(value), after));
  }

  void Event(const Json& e) {
    // perf does not number events of one name: NAME#2.
    const std::string numbered = Text(At(e, "name"));
    const std::string name =
        absl::StrCat("event ", numbered.substr(0, numbered.rfind('#')), ": ");
    auto setting = [&](const char* key, const std::string& value) {
      if (!value.empty()) Line(absl::StrCat(name, key, " = ", value));
    };
    setting("id", absl::StrCat("{ ", Joined(At(e, "ids"), ", "), " }"));
    setting("type", Text(At(e, "type")));
    setting("size", Text(At(e, "attr_size")));
    setting("config", Text(At(e, "config")));
    setting("{ sample_period, sample_freq }",
            Text(At(e, "frequency")) + Text(At(e, "period")));
    for (const char* key :
         {"sample_type", "read_format", "branch_sample_type"}) {
      setting(key, InOrder(Joined(At(e, key), "|")));
    }
    setting("{ wakeup_events, wakeup_watermark }",
            Text(At(e, "wakeup_events")));
    setting("{ bp_addr, config1 }", Text(At(e, "config1")));
    setting("{ bp_len, config2 }", Text(At(e, "config2")));
    for (const char* key :
         {"precise_ip", "bp_type", "sample_regs_user", "sample_stack_user",
          "clockid", "sample_regs_intr", "aux_watermark", "sample_max_stack",
          "aux_sample_size", "sig_data"}) {
      setting(key, Text(At(e, key)));
    }
    Each(At(e, "flags"), [&](const Json& f) { setting(f.GetString(), "1"); });
  }

  void Flag(const std::string& feature) {
    if (feature == "BRANCH_STACK") Line("contains samples with branch stack");
    if (feature == "STAT") Line("contains stat data");
    if (feature == "AUXTRACE") {
      Line("contains AUX area data (e.g. instruction trace)");
    }
  }

  void Machine(const Json& m) {
    const Json& topology = At(m, "topology");
    Each(At(topology, "sockets"),
         [&](const Json& v) { Add("sibling sockets : ", v); });
    Each(At(topology, "dies"),
         [&](const Json& v) { Add("sibling dies : ", v); });
    Each(At(topology, "cores"),
         [&](const Json& v) { Add("sibling threads : ", v); });
    if (At(topology, "cpus").IsNull()) {
      Line("Core ID and Socket ID information is not available");
    }
    Each(At(topology, "cpus"), [&](const Json& c) {
      const std::string die = Text(At(c, "die"));
      Line(absl::StrCat("CPU ", Text(At(c, "cpu")), ": Core ID ",
                        Text(At(c, "core")), ", ",
                        die.empty() ? "" : absl::StrCat("Die ID ", die, ", "),
                        "Socket ID ", Text(At(c, "socket"))));
    });
    Each(At(m, "numa_nodes"), [&](const Json& n) {
      const std::string node = absl::StrCat("node", Text(At(n, "node")));
      Line(absl::StrCat(node, " meminfo : total = ", Text(At(n, "total_kb")),
                        " kB, free = ", Text(At(n, "free_kb")), " kB"));
      Line(absl::StrCat(node, " cpu list : ", Text(At(n, "cpus"))));
    });
    std::vector<std::string> pmus;
    Each(At(m, "pmus"), [&](const Json& p) {
      pmus.push_back(
          absl::StrCat(Text(At(p, "name")), " = ", Text(At(p, "type"))));
    });
    Line(absl::StrCat("pmu mappings: ", pmus.empty()
                                            ? "not available"
                                            : absl::StrJoin(pmus, ", ")));
    Each(At(m, "caches"), [&](const Json& c) {
      Line(absl::StrCat("L", Text(At(c, "level")), " ", Text(At(c, "type")),
                        " ", Text(At(c, "size")), " [", Text(At(c, "cpus")),
                        "]"));
    });
    Line("CPU cache info:");
    Memory(At(m, "memory"));
    Line("cpu pmu capabilities: not available");
    Each(At(m, "pmu_capabilities"), [&](const Json& p) {
      std::vector<std::string> caps;
      for (const auto& cap : At(p, "capabilities").GetObject()) {
        caps.push_back(
            absl::StrCat(cap.name.GetString(), "=", Text(cap.value)));
      }
      Line(absl::StrCat(Text(At(p, "pmu")),
                        " pmu capabilities: ", absl::StrJoin(caps, ", ")));
    });
    Line("hybrid cpu system:");
    Each(At(m, "hybrid"), [&](const Json& h) {
      Line(absl::StrCat(Text(At(h, "pmu")),
                        " cpu list : ", Text(At(h, "cpus"))));
    });
    const Json& sched = At(m, "scheduler");
    Add("schedstat version : ", At(sched, "schedstat_version"));
    Add("Maximum sched domains : ", At(sched, "max_domains"));
    std::map<std::string, int> domains;
    Each(At(sched, "domains"), [&](const Json& d) {
      ++domains[Text(At(d, "cpu"))];
      Add("Domain : ", At(d, "domain"));
      Add("Domain name : ", At(d, "name"));
      Add("Domain cpu map : ", At(d, "cpu_mask"));
      Add("Domain cpu list : ", At(d, "cpu_list"));
    });
    for (const auto& [cpu, count] : domains) {
      Line(absl::StrCat("cpu : ", cpu));
      Line(absl::StrCat("nr_domains : ", count));
    }
  }

  void Memory(const Json& memory) {
    if (memory.IsNull()) return;
    const uint64_t block = At(memory, "block_size").GetUint64();
    uint64_t nodes = 0;
    Each(At(memory, "nodes"), [&](const Json& n) {
      ++nodes;
      const std::string ranges = Text(At(n, "blocks"));
      uint64_t blocks = 0;
      for (absl::string_view range : absl::StrSplit(ranges, ',')) {
        std::vector<absl::string_view> ends = absl::StrSplit(range, '-');
        uint64_t from = 0, to = 0;
        if (!absl::SimpleAtoi(ends.front(), &from) ||
            !absl::SimpleAtoi(ends.back(), &to)) {
          continue;
        }
        blocks += to - from + 1;
      }
      uint64_t size = blocks * block;
      const char* unit = "B";
      for (const char* next : {"K", "M", "G"}) {
        if (size / 1024 <= 1) break;
        size /= 1024;
        unit = next;
      }
      Line(absl::StrCat(Text(At(n, "node")), " [", size, unit, "]: ", ranges));
    });
    Line(absl::StrFormat("memory nodes (nr %d, block size 0x%x):", nodes,
                         block));
  }

  void Time(const Json& time) {
    if (const Json& first = At(time, "first_sample_ns"); !first.IsNull()) {
      const uint64_t from = first.GetUint64();
      const uint64_t to = At(time, "last_sample_ns").GetUint64();
      auto stamp = [](uint64_t t) {
        return absl::StrFormat("%d.%06d", t / 1000000000,
                               t % 1000000000 / 1000);
      };
      Line(absl::StrCat("time of first sample : ", stamp(from)));
      Line(absl::StrCat("time of last sample : ", stamp(to)));
      Line(absl::StrFormat("sample duration : %.3f ms",
                           static_cast<double>(to - from) / 1e6));
    }
    if (const Json& ns = At(time, "clock_resolution_ns"); !ns.IsNull()) {
      Line(absl::StrCat("clockid frequency: ", ns.GetUint64() * 1000, " MHz"));
    }
    if (const Json& clock = At(time, "clock"); !clock.IsNull()) {
      Line(absl::StrCat("clockid: ", Text(clock), " (",
                        Text(At(time, "clock_id")), ")"));
      const uint64_t wall = At(time, "reference_wall_ns").GetUint64();
      const uint64_t ns = At(time, "reference_clock_ns").GetUint64();
      Line(absl::StrFormat("reference time: = %d.%06d (TOD) = %d.%09d (%s)",
                           wall / 1000000000, wall % 1000000000 / 1000,
                           ns / 1000000000, ns % 1000000000, Text(clock)));
    }
  }

  void Contents() {
    const Json& c = At(info_, "compression");
    if (!At(c, "ratio").IsNull()) {
      const std::string method = Text(At(c, "method"));
      Line(absl::StrCat("compressed : ", method == "zstd" ? "Zstd" : "Unknown",
                        ", level = ", Text(At(c, "level")),
                        ", ratio = ", Text(At(c, "ratio"))));
    }
    Line("bpf_prog_info empty");
    Line("btf info empty");
    Each(At(info_, "bpf_types"),
         [&](const Json& t) { Add("btf info of id ", At(t, "id")); });
    Each(At(info_, "bpf_programs"), [&](const Json& p) {
      const std::string id = Text(At(p, "id"));
      int i = 0;
      Line(absl::StrCat("bpf_prog_info ", id, ":"));
      const bool whole = At(p, "functions").Size() == 1;
      Each(At(p, "functions"), [&](const Json& f) {
        const std::string what =
            absl::StrCat(Text(At(f, "name")), " addr ", Text(At(f, "address")),
                         " size ", Text(At(f, "size")));
        Line(whole ? absl::StrCat("bpf_prog_info ", id, ": ", what)
                   : absl::StrCat("sub_prog ", i, ": ", what));
        ++i;
      });
    });
    Each(At(info_, "missing_features"), [&](const Json& f) {
      Line(absl::StrCat("missing feature: ", Text(f)));
    });
  }

  const Json& info_;
  std::set<std::string> lines_;
};

// Removes the explanations that newer versions of perf add: " = 1
// (PERF_TYPE_SOFTWARE)".
std::string WithoutRemark(absl::string_view setting) {
  setting = setting.substr(0, setting.find(" ("));
  if (setting == "config = 0") return "config = 0x0";
  const size_t equals = setting.find(" = ");
  if (equals == setting.npos || !absl::StrContains(setting, '|')) {
    return std::string(setting);
  }
  return absl::StrCat(setting.substr(0, equals + 3),
                      InOrder(setting.substr(equals + 3)));
}

// Returns true for lines that perf prints for facts that a recording lacks.
bool IsNoFact(absl::string_view line) {
  for (const char* end : {" :", "(null)", "offset : 0", "data size : 0"}) {
    if (absl::EndsWith(line, end)) return true;
  }
  return false;
}

void AddEventOfPerf(absl::string_view line, std::set<std::string>* facts) {
  // "event : name = NAME, , id = { 1, 2 }, type = 1, …"
  absl::ConsumePrefix(&line, "event : name = ");
  const size_t end = line.find(", , ");
  if (end == line.npos) return;
  const std::string name = absl::StrCat("event ", line.substr(0, end), ": ");
  line.remove_prefix(end + 4);
  while (!line.empty()) {
    // A comma within braces does not end a setting.
    size_t depth = 0, i = 0;
    for (; i < line.size(); ++i) {
      if (line[i] == '{') ++depth;
      if (line[i] == '}') --depth;
      if (line[i] == ',' && depth == 0) break;
    }
    facts->insert(
        OneBlank(absl::StrCat(name, WithoutRemark(line.substr(0, i)))));
    line.remove_prefix(std::min(line.size(), i + 1));
    absl::ConsumePrefix(&line, " ");
  }
}

}  // namespace

std::set<std::string> PerfHeaderLines(const std::string& json) {
  rapidjson::Document document;
  document.Parse(json.c_str(), json.size());
  if (document.HasParseError()) return {"(not JSON)"};
  return Lines(document).Take();
}

std::set<std::string> FactsOfPerf(const std::string& info) {
  std::set<std::string> facts;
  bool header = false;
  for (absl::string_view line : absl::StrSplit(info, '\n')) {
    if (absl::StartsWith(line, "==== ")) {
      header = absl::StrContains(line, "--header-only");
    }
    if (!header || !absl::ConsumePrefix(&line, "#")) continue;
    const std::string text = OneBlank(line);
    absl::string_view rest = text;
    if (text.empty() || IsNoFact(text) || absl::StartsWith(text, "====") ||
        absl::StartsWith(text, "captured on") ||  // the file's own date
        absl::StartsWith(text, "header version") ||
        absl::StartsWith(text, "stderr") || absl::StartsWith(text, "Tip:")) {
      continue;
    }
    if (absl::StartsWith(text, "event : ")) {
      AddEventOfPerf(text, &facts);
    } else if (absl::ConsumePrefix(&rest, "missing features: ")) {
      for (absl::string_view f : absl::StrSplit(rest, ' ', absl::SkipEmpty())) {
        facts.insert(absl::StrCat("missing feature: ", f));
      }
    } else if (absl::ConsumePrefix(&rest, "reference time: ")) {
      // The part before "= " is the same time in the local time zone.
      facts.insert(
          absl::StrCat("reference time: ", rest.substr(rest.find("= "))));
    } else {
      facts.insert(text);
    }
  }
  return facts;
}

}  // namespace perf2x
