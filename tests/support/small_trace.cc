// SPDX-License-Identifier: Apache-2.0
#include "tests/support/small_trace.h"

#include <zlib.h>

#include "tests/support/frame_places.h"

namespace perf2x {

SmallTrace::SmallTrace() : tables_(this) {
  tables_.set_frame_source(this);
  const uint8_t id[] = {0xab};
  Dso dso;
  dso.kind = DsoKind::kFile;
  dso.name = "/opt/lib.so";
  lib_ = tables_.AddDso(dso);
  dso.name = "/opt/app";
  dso.build_id = BuildId(id);
  app_ = tables_.AddDso(dso);
  dso = Dso();
  dso.kind = DsoKind::kKernel;
  dso.name = "[kernel.kallsyms]";
  kernel_ = tables_.AddDso(dso);
  const MappingId lib =
      tables_.AddMapping({lib_, 0x7f0000000000, 0x7f0000002000, 0x1000});
  const MappingId app = tables_.AddMapping({app_, 0x400000, 0x402000, 0});
  const MappingId kernel =
      tables_.AddMapping({kernel_, 0xffffffff81000000, ~uint64_t{0}, 0});
  frames_["main"] = InternFrame(app_, app, 0x100, tables_);
  frames_["sort"] = InternFrame(app_, app, 0x200, tables_);
  frames_["memcpy"] = InternFrame(lib_, lib, 0x1010, tables_);
  frames_["?"] = InternFrame(lib_, lib, 0x1fff, tables_);
  frames_["sys_read"] =
      InternFrame(kernel_, kernel, 0xffffffff81000010, tables_);
}

void SmallTrace::Resolve(const Dso& dso, absl::Span<const uint64_t> addresses,
                         Found found) {
  const Symbol main{"main", "main", "app.cc", 0, 5};
  for (size_t i = 0; i < addresses.size(); ++i) {
    std::vector<Symbol> symbols;
    if (dso.name == "/opt/app") {
      Symbol outer = main;
      outer.line = addresses[i] == 0x100 ? 6 : 7;
      if (addresses[i] == 0x200) {
        symbols.push_back({"sort(int*)", "_Z4sortPi", "sort.h", 21, 20});
      }
      if (addresses[i] == kDeepAddress) {
        symbols.resize(kDeep - 1, {"deep", "deep", "deep.h", 1, 1});
      }
      symbols.push_back(outer);
    } else if (addresses[i] == 0x1010) {
      symbols.push_back({"memcpy", "memcpy", "", 0, 0});
    } else if (dso.kind == DsoKind::kKernel) {
      symbols.push_back({"sys_read", "sys_read", "", 0, 0});
    }
    if (!symbols.empty()) found(i, symbols);
  }
}

StackId SmallTrace::Stack(const std::vector<std::string>& frames,
                          AddressSpaceId space) {
  std::vector<FrameId> ids;
  for (const std::string& name : frames) ids.push_back(frames_.at(name));
  const auto number = static_cast<uint8_t>(stacks_.size());
  stacks_.push_back(std::move(ids));
  const absl::Span<const uint8_t> chain(&number, 1);
  return tables_.stacks.Intern(StackTable::HashOf(space, chain), space, chain,
                               false);
}

void SmallTrace::AppendPlaces(StackId stack, FramePlaces* places) {
  AppendPlacesOf(stacks_[stack], tables_, places);
}

DsoId SmallTrace::Locate(AddressSpaceId, uint64_t address,
                         uint64_t* frame_address) {
  for (const Mapping& m : tables_.mappings()) {
    if (address < m.start || address >= m.limit) continue;
    const bool in_file = tables_.dsos()[m.dso].kind == DsoKind::kFile;
    *frame_address = in_file ? address - m.start + m.offset : address;
    return m.dso;
  }
  *frame_address = address;
  return kNoId;
}

void SmallTrace::AddFrame(const std::string& name, DsoId dso,
                          uint64_t address) {
  const MappingId mapping = tables_.AddMapping({dso, 0, 0x1000, 0});
  frames_[name] = InternFrame(dso, mapping, address, tables_);
}

ThreadId SmallTrace::AddThread(int32_t pid, int32_t tid,
                               absl::string_view process,
                               absl::string_view name) {
  tables_.threads.push_back({pid, tid, tables_.strings.Intern(process),
                             tables_.strings.Intern(name)});
  return static_cast<ThreadId>(tables_.threads.size() - 1);
}

EventId SmallTrace::AddEvent(absl::string_view name, absl::string_view unit,
                             EventKind kind) {
  Event event;
  event.name = std::string(name);
  event.unit = std::string(unit);
  event.kind = kind;
  tables_.events.push_back(event);
  return static_cast<EventId>(tables_.events.size() - 1);
}

absl::StatusOr<std::unique_ptr<Output>> SmallTrace::Open(
    absl::string_view name) {
  return MakeStringOutput(&outputs_[std::string(name)]);
}

absl::Status SmallTrace::Begin(
    const EmitterInfo& info,
    const std::map<std::string, std::string>& options) {
  for (const EmitterOption& o : info.options)
    options_[o.name] = o.default_value;
  for (const auto& [name, value] : options) options_[name] = value;
  auto emitter =
      info.make({tables_, *this, options_, pipeline_, &diagnostics_, *budget_});
  if (!emitter.ok()) return emitter.status();
  emitter_ = *std::move(emitter);
  return emitter_->Begin(info_);
}

void SmallTrace::Add(EventId event, ThreadId thread, StackId stack,
                     uint64_t period, std::optional<uint64_t> time) {
  Sample sample;
  sample.event = event;
  sample.thread = thread;
  sample.stack = stack;
  sample.address_space = tables_.stacks.address_space(stack);
  sample.period = period;
  sample.time = time;
  ASSERT_TRUE(emitter_->OnSample(sample).ok());
}

absl::Status SmallTrace::Finish() {
  const absl::Status status = emitter_->Finish(summary_);
  return status.ok() ? emitter_->OnAdvice(advice_) : status;
}

std::string Gunzip(const std::string& bytes) {
  z_stream z{};
  if (inflateInit2(&z, 16 + MAX_WBITS) != Z_OK) return "";
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  z.avail_in = static_cast<uInt>(bytes.size());
  std::string out;
  int status = Z_OK;
  while (status == Z_OK) {
    constexpr size_t kAtATime = 1 << 20;
    out.resize(z.total_out + kAtATime);
    z.next_out = reinterpret_cast<Bytef*>(out.data() + z.total_out);
    z.avail_out = kAtATime;
    status = inflate(&z, Z_NO_FLUSH);
  }
  out.resize(status == Z_STREAM_END && z.avail_in == 0 ? z.total_out : 0);
  inflateEnd(&z);
  return out;
}

}  // namespace perf2x
