// SPDX-License-Identifier: Apache-2.0
#include "converter/branch_lists/branch_list_reader.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "converter/base/byte_order.h"
#include "converter/base/byte_source.h"
#include "converter/base/decompress.h"
#include "converter/base/proto_reader.h"
#include "converter/base/status_macros.h"

namespace perf2x {
namespace {

using Bytes = absl::Span<const uint8_t>;
using Severity = Diagnostics::Severity;

constexpr absl::string_view kMagic = "simpleperf:EtmBranchList";
// The same as the first field of a message.
constexpr absl::string_view kMagicField = "\n\x18simpleperf:EtmBranchList";
// After kMagic: a version, and whether messages are compressed.
constexpr size_t kFramedHeaderSize = kMagic.size() + 5;
constexpr uint8_t kZstd = 1;  // 0: not compressed
// Steps of work: to begin to decompress a message, whose window may have
// 128 MiB; and for some bytes of it.
constexpr uint64_t kWorkPerMessage = 1 << 14, kBytesPerStep = 4;

absl::string_view TextOf(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Returns the bytes of hexadecimal digits, without the zeros that pad shorter
// build ids.
BuildId BuildIdOf(Bytes digits) {
  const absl::string_view text = TextOf(digits);
  const bool is_hex =
      std::all_of(text.begin(), text.end(), absl::ascii_isxdigit);
  if (!is_hex || text.size() % 2 != 0) return BuildId();
  const std::string id = absl::HexStringToBytes(text);
  size_t size = id.size();
  while (size > 0 && id[size - 1] == 0) --size;
  size = std::min(id.size(), (size + 3) / 4 * 4);
  return BuildId({reinterpret_cast<const uint8_t*>(id.data()), size});
}

class MemorySource final : public ByteSource {
 public:
  explicit MemorySource(Bytes bytes) : left_(bytes), size_(bytes.size()) {}
  absl::StatusOr<size_t> Read(absl::Span<uint8_t> to) override {
    const size_t size = std::min(to.size(), left_.size());
    std::copy_n(left_.begin(), size, to.begin());
    left_.remove_prefix(size);
    return size;
  }
  uint64_t CompressedSizeUpTo(uint64_t) override { return size_; }

 private:
  Bytes left_;
  const uint64_t size_;
};

// Reads the messages of one file.
class FileReader {
 public:
  FileReader(Bytes file, Budget& budget, Diagnostics& diagnostics,
             BranchListSink& sink)
      : file_(file), budget_(budget), diagnostics_(diagnostics), sink_(sink) {}

  absl::Status ReadFramed();
  absl::Status ReadMessage(Bytes message);

 private:
  absl::Status ReadCompressed(Bytes message);
  absl::Status ReadBinary(Bytes message);
  absl::Status ReadAddress(Bytes message);
  absl::Status ReadList(uint64_t address, Bytes message);
  absl::Status ReadLbr(Bytes message);
  std::string PathOf(Bytes bytes);
  ListedSample SampleOf(Bytes message, size_t binaries);
  void CheckEnd(const ProtoReader& in) {
    if (!in.ok()) AddDamage("a message of the branch list is damaged", 0);
  }
  void AddDamage(absl::string_view message, uint64_t bytes) {
    diagnostics_.Add(Severity::kDamage, message, offset_, bytes);
  }

  const Bytes file_;
  Budget& budget_;
  Diagnostics& diagnostics_;
  BranchListSink& sink_;
  uint64_t offset_ = 0;  // of the message in the file
};

absl::Status FileReader::ReadFramed() {
  constexpr size_t kSize = 4;
  const auto u32 = [this](size_t at) {
    return Load<uint32_t>(&file_[at], ByteOrder::kLittle);
  };
  const bool compressed = file_[kFramedHeaderSize - 1] == kZstd;
  for (size_t at = kFramedHeaderSize; at < file_.size();) {
    offset_ = at;
    const size_t left = file_.size() - at;
    if (left < kSize || u32(at) > left - kSize) {
      AddDamage("the branch list ends within a message", left);
      return absl::OkStatus();
    }
    const Bytes message = file_.subspan(at + kSize, u32(at));
    RETURN_IF_ERROR(compressed ? ReadCompressed(message)
                               : ReadMessage(message));
    at += kSize + message.size();
  }
  return absl::OkStatus();
}

absl::Status FileReader::ReadCompressed(Bytes message) {
  constexpr size_t kAtOnce = 64 << 10;
  Budget::Share memory(budget_);
  std::vector<uint8_t> unpacked;
  std::unique_ptr<ByteSource> source;
  budget_.Spend(Budget::kWork, kWorkPerMessage);
  for (;;) {
    const size_t size = unpacked.size();
    memory.Set(2 * (unpacked.capacity() + kAtOnce));  // while it grows
    if (budget_.exhausted()) {
      CountSkippedForBudget("message of the branch list",
                            budget_.exhausted_name(), 1, &diagnostics_, offset_,
                            message.size());
      return absl::OkStatus();
    }
    if (source == nullptr) {
      source = Decompress(Compression::kZstd,
                          std::make_unique<MemorySource>(message));
    }
    unpacked.resize(size + kAtOnce);
    const auto got = ReadFully(*source, absl::MakeSpan(unpacked).subspan(size));
    unpacked.resize(size + got.value_or(0));
    budget_.Spend(Budget::kWork, got.value_or(0) / kBytesPerStep);
    if (!got.ok()) {
      AddDamage("a compressed message of the branch list is damaged",
                message.size());
    }
    if (got.value_or(0) < kAtOnce) break;
  }
  return ReadMessage(unpacked);
}

absl::Status FileReader::ReadMessage(Bytes message) {
  ProtoReader in(message);
  while (in.Next()) {
    if (!in.is_bytes()) continue;
    if (in.field() == 2) RETURN_IF_ERROR(ReadBinary(in.bytes()));
    if (in.field() == 3) RETURN_IF_ERROR(ReadLbr(in.bytes()));
  }
  CheckEnd(in);
  return absl::OkStatus();
}

std::string FileReader::PathOf(Bytes bytes) {
  constexpr size_t kMax = 4096;
  if (bytes.size() > kMax) {
    diagnostics_.Add(Severity::kSkipped,
                     "part of a path of the branch list beyond 4096 bytes",
                     offset_, bytes.size() - kMax);
  }
  return std::string(TextOf(bytes.subspan(0, kMax)));
}

// The kind comes after the lists.
absl::Status FileReader::ReadBinary(Bytes message) {
  ListedBinary binary;
  bool known = true;
  ProtoReader in(message);
  while (in.Next()) {
    if (in.field() == 1) binary.path = PathOf(in.bytes());
    if (in.field() == 2) binary.build_id = BuildIdOf(in.bytes());
    if (in.field() == 4) {
      known = in.number() <= 2;
      binary.kind = static_cast<ListedBinary::Kind>(in.number() % 3);
    }
    if (in.field() != 5) continue;
    ProtoReader kernel(in.bytes());
    while (kernel.Next()) {
      if (kernel.field() == 1) binary.kernel_start = kernel.number();
    }
    CheckEnd(kernel);
  }
  CheckEnd(in);
  if (!known) {
    diagnostics_.Add(Severity::kSkipped,
                     "branch lists of a kind of code that is not known",
                     offset_, message.size());
    return absl::OkStatus();
  }
  if (binary.kind != ListedBinary::Kind::kKernel) binary.kernel_start = 0;
  RETURN_IF_ERROR(sink_.OnBinary(binary));
  ProtoReader again(message);
  while (again.Next()) {
    if (again.field() == 3) RETURN_IF_ERROR(ReadAddress(again.bytes()));
  }
  return absl::OkStatus();
}

absl::Status FileReader::ReadAddress(Bytes message) {
  uint64_t address = 0;
  ProtoReader in(message);
  while (in.Next()) {
    if (in.field() == 1) address = in.number();
  }
  CheckEnd(in);
  ProtoReader again(message);
  while (again.Next()) {
    if (again.field() == 2) RETURN_IF_ERROR(ReadList(address, again.bytes()));
  }
  return absl::OkStatus();
}

absl::Status FileReader::ReadList(uint64_t address, Bytes message) {
  EtmBranchList list;
  list.address = address;
  uint64_t size = 0;
  ProtoReader in(message);
  while (in.Next()) {
    if (in.field() == 1) list.bits = in.bytes();
    if (in.field() == 2) size = in.number();
    if (in.field() == 3) list.count = in.number();
  }
  CheckEnd(in);
  if (size > 8 * uint64_t{list.bits.size()}) {
    AddDamage("branch list with fewer branches than it says", message.size());
    size = 8 * uint64_t{list.bits.size()};
  }
  list.size = static_cast<size_t>(size);
  if (list.size == 0 || list.count == 0) return absl::OkStatus();
  return sink_.OnList(list);
}

// The binaries come after the samples.
absl::Status FileReader::ReadLbr(Bytes message) {
  std::vector<ListedBinary> binaries;
  Budget::Share memory(budget_);
  ProtoReader in(message);
  while (in.Next()) {
    if (in.field() != 2) continue;
    ListedBinary& binary = binaries.emplace_back();
    ProtoReader fields(in.bytes());
    while (fields.Next()) {
      if (fields.field() == 1) binary.path = PathOf(fields.bytes());
      if (fields.field() == 2) binary.build_id = BuildIdOf(fields.bytes());
    }
    CheckEnd(fields);
    memory.Set(2 * sizeof(ListedBinary) * binaries.capacity());
    if (budget_.exhausted()) break;
  }
  CheckEnd(in);
  const size_t count = binaries.size();
  RETURN_IF_ERROR(sink_.OnBinaries(std::move(binaries)));
  ProtoReader again(message);
  while (again.Next()) {
    if (again.field() == 1) {
      RETURN_IF_ERROR(sink_.OnSample(SampleOf(again.bytes(), count)));
    }
  }
  return absl::OkStatus();
}

ListedSample FileReader::SampleOf(Bytes message, size_t binaries) {
  constexpr size_t kMaxBranches = 4096;
  const auto set_binary = [&](uint64_t id, ListedSample::Place* place) {
    if (id > binaries) {
      AddDamage("branch of a binary that the branch list does not have", 0);
    } else if (id > 0) {
      place->binary = static_cast<uint32_t>(id - 1);
    }
  };
  ListedSample sample;
  ProtoReader in(message);
  while (in.Next()) {
    if (in.field() == 1) set_binary(in.number(), &sample.place);
    if (in.field() == 2) sample.place.address = in.number();
    if (in.field() != 3) continue;
    if (sample.branches.size() == kMaxBranches) {
      AddDamage("branch beyond the first 4096 of a branch list's sample", 0);
      continue;
    }
    ListedSample::Branch& branch = sample.branches.emplace_back();
    ProtoReader fields(in.bytes());
    while (fields.Next()) {
      if (fields.field() == 1) set_binary(fields.number(), &branch.source);
      if (fields.field() == 2) set_binary(fields.number(), &branch.target);
      if (fields.field() == 3) branch.source.address = fields.number();
      if (fields.field() == 4) branch.target.address = fields.number();
    }
    CheckEnd(fields);
  }
  CheckEnd(in);
  return sample;
}

}  // namespace

bool IsBranchList(Bytes first_bytes) {
  const absl::string_view text =
      TextOf(first_bytes).substr(0, kBranchListMagicSize);
  return text == kMagic.substr(0, kBranchListMagicSize) ||
         text == kMagicField.substr(0, kBranchListMagicSize);
}

absl::Status CheckBranchList(Bytes file) {
  const absl::string_view text = TextOf(file);
  const absl::string_view magic =
      text[0] == kMagicField[0] ? kMagicField : kMagic;
  const absl::string_view name = text.substr(0, magic.size());
  // A file that ends within its magic number is damaged.
  if (name != magic.substr(0, name.size())) {
    return absl::UnimplementedError(absl::StrCat(
        "a branch list of simpleperf of an unknown kind: it begins with \"",
        absl::CHexEscape(name), "\", expected \"", absl::CHexEscape(magic),
        "\"; convert the recording that it was made of"));
  }
  if (magic == kMagicField || file.size() < kFramedHeaderSize) {
    return absl::OkStatus();
  }
  const auto version = Load<uint32_t>(&file[kMagic.size()], ByteOrder::kLittle);
  const uint8_t compression = file[kFramedHeaderSize - 1];
  if (version == 1 && compression <= kZstd) return absl::OkStatus();
  return absl::UnimplementedError(absl::StrCat(
      "a branch list of simpleperf of version ", version,
      version == 1
          ? absl::StrCat(", compressed in an unknown way (", compression, ")")
          : "",
      "; this perf2x reads version 1, with zstd or not compressed, and files "
      "without a version: convert the recording that it was made of"));
}

absl::Status ReadBranchLists(Bytes file, Budget& budget,
                             Diagnostics& diagnostics, BranchListSink& sink) {
  if (!IsBranchList(file)) {
    return absl::InvalidArgumentError("not a branch list of simpleperf");
  }
  RETURN_IF_ERROR(CheckBranchList(file));
  FileReader reader(file, budget, diagnostics, sink);
  const bool is_message = file[0] == static_cast<uint8_t>(kMagicField[0]);
  if (!is_message && file.size() < kFramedHeaderSize) {
    diagnostics.Add(Severity::kDamage, "the branch list ends within its header",
                    0, file.size());
    return absl::OkStatus();
  }
  return is_message ? reader.ReadMessage(file) : reader.ReadFramed();
}

}  // namespace perf2x
