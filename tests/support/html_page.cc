// SPDX-License-Identifier: Apache-2.0
#include "tests/support/html_page.h"

#include <zlib.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/strings/escaping.h"

namespace perf2x {
namespace {

absl::Status Bad(absl::string_view what) {
  return absl::DataLossError(std::string(what));
}

std::string InflateGzip(const std::string& packed) {
  z_stream z{};
  if (inflateInit2(&z, 16 + MAX_WBITS) != Z_OK) return "";
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  z.avail_in = static_cast<uInt>(packed.size());
  std::string out;
  int state = Z_OK;
  while (state == Z_OK) {
    char room[1 << 16];
    z.next_out = reinterpret_cast<Bytef*>(room);
    z.avail_out = sizeof(room);
    state = inflate(&z, Z_NO_FLUSH);
    out.append(room, sizeof(room) - z.avail_out);
  }
  const bool whole = state == Z_STREAM_END && z.avail_in == 0;
  inflateEnd(&z);
  return whole ? out : "";
}

std::vector<uint64_t> ReadColumn(const uint8_t* planes, size_t count,
                                 size_t width, bool delta) {
  std::vector<uint64_t> values(count);
  for (size_t plane = 0; plane < width; ++plane) {
    for (size_t i = 0; i < count; ++i) {
      values[i] |= uint64_t{planes[plane * count + i]} << 8 * plane;
    }
  }
  const uint64_t mask =
      width == 8 ? ~uint64_t{0} : (uint64_t{1} << 8 * width) - 1;
  for (size_t i = 1; delta && i < count; ++i) {
    values[i] = (values[i] + values[i - 1]) & mask;
  }
  return values;
}

uint64_t Sum(const std::vector<uint64_t>& values) {
  return std::accumulate(values.begin(), values.end(), uint64_t{0});
}

bool AllBelow(const std::vector<uint64_t>& values, size_t end) {
  return std::all_of(values.begin(), values.end(),
                     [&](uint64_t value) { return value < end; });
}

std::string CheckTree(const PageBlock& profile) {
  const std::vector<uint64_t>& up = profile["node.up"];
  if (up.empty() || up[0] != 0) return "no root";
  for (size_t i = 1; i < up.size(); ++i) {
    if (up[i] == 0 || up[i] > i) return "a node is before its parent";
  }
  if (!AllBelow(profile["node.function"], profile["function.name"].size()) ||
      !AllBelow(profile["function.dso"], profile["dso.name"].size())) {
    return "no such function or DSO";
  }
  const std::vector<uint64_t>& sizes = profile["string.size"];
  if (Sum(sizes) != profile["string.bytes"].size()) return "sizes of strings";
  for (const char* column : {"function.name", "function.file", "dso.name"}) {
    if (!AllBelow(profile[column], sizes.size())) return "no such string";
  }
  return "";
}

// Checks samples against the tree, and sums of entries against those of groups.
std::string CheckSamples(const PageBlock& profile, const PageBlock& samples,
                         const std::string& self, uint64_t bins) {
  const std::vector<uint64_t>& entries = samples["entry.samples"];
  for (const char* column : {"entry.bin", "entry.cpu", "entry.node"}) {
    if (samples[column].size() != entries.size()) return "columns differ";
  }
  if (!AllBelow(samples["entry.bin"], bins + 1)) return "no such bin";
  if (!AllBelow(samples["entry.node"], profile["node.up"].size())) {
    return "no such node";
  }
  if (!AllBelow(samples["group.thread"], samples["thread.tid"].size()) ||
      !AllBelow(samples["thread.process"], samples["process.pid"].size()) ||
      !AllBelow(samples["process.parent"], samples["process.pid"].size() + 1)) {
    return "no such thread or process";
  }
  size_t begin = 0;
  for (size_t group = 0; group < samples["group.entries"].size(); ++group) {
    uint64_t sum = 0;
    const size_t end = begin + samples["group.entries"][group];
    if (end > entries.size()) return "groups have more entries";
    for (; begin < end; ++begin) sum += entries[begin];
    if (sum != samples["group.samples"][group]) return "sums of groups";
  }
  if (begin != entries.size()) return "groups have fewer entries";
  return Sum(entries) == Sum(profile[self + ".samples"]) ? "" : "sums of nodes";
}

}  // namespace

absl::StatusOr<PageBlock> PageBlock::Parse(absl::string_view bytes) {
  constexpr absl::string_view kMagic = "perf2x-1";
  const auto* data = reinterpret_cast<const uint8_t*>(bytes.data());
  if (bytes.size() < 12 || bytes.substr(0, 8) != kMagic) return Bad("magic");
  const size_t size = data[8] | data[9] << 8 | data[10] << 16 |
                      static_cast<size_t>(data[11]) << 24;
  if (size > bytes.size() - 12) return Bad("size of the header");
  PageBlock block;
  block.header_.Parse(bytes.data() + 12, size);
  if (block.header_.HasParseError()) return Bad("header");
  const size_t columns = 12 + size;
  size_t used = columns;
  const rapidjson::Value& list = block.header_["columns"];
  for (const auto& member : list.GetObject()) {
    const size_t count = member.value["count"].GetUint64();
    const size_t width = member.value["width"].GetUint64();
    const size_t at = columns + member.value["offset"].GetUint64();
    const absl::string_view code = member.value["code"].GetString();
    if (width > 8 || at != used || count * width > bytes.size() - at) {
      return Bad(member.name.GetString());
    }
    used += count * width;
    block.columns_[member.name.GetString()] =
        ReadColumn(data + at, count, width, code == "delta");
  }
  if (used != bytes.size()) return Bad("more bytes than columns");
  return block;
}

absl::StatusOr<std::map<std::string, PageBlock>> ReadPage(
    absl::string_view html) {
  constexpr absl::string_view kStart =
      "<script type=\"application/octet-stream;base64\" id=\"";
  std::map<std::string, PageBlock> blocks;
  size_t at = 0;
  while ((at = html.find(kStart, at)) != html.npos) {
    at += kStart.size();
    const size_t quote = html.find("\">", at);
    const size_t end = html.find("</script>", at);
    if (quote == html.npos || end == html.npos) return Bad("element");
    std::string packed;
    if (!absl::Base64Unescape(html.substr(quote + 2, end - quote - 2),
                              &packed)) {
      return Bad("base64");
    }
    auto block = PageBlock::Parse(InflateGzip(packed));
    if (!block.ok()) return block.status();
    blocks.emplace(std::string(html.substr(at, quote - at)), *std::move(block));
    at = end;
  }
  return blocks;
}

std::vector<std::string> StringsOf(const PageBlock& profile) {
  const std::vector<uint64_t>& bytes = profile["string.bytes"];
  std::vector<std::string> strings;
  auto at = bytes.begin();
  for (const uint64_t size : profile["string.size"]) {
    strings.emplace_back(at, at + static_cast<ptrdiff_t>(size));
    at += static_cast<ptrdiff_t>(size);
  }
  return strings;
}

std::string CheckPage(absl::string_view html, uint64_t* samples) {
  const auto blocks = ReadPage(html);
  if (!blocks.ok()) return std::string(blocks.status().message());
  if (blocks->count("perf2x-profile") == 0 ||
      blocks->count("perf2x-samples") == 0) {
    return "a block is missing";
  }
  const PageBlock& profile = blocks->at("perf2x-profile");
  *samples = Sum(profile["self.samples"]);
  std::string bad = CheckTree(profile);
  for (const auto& [id, self, key] :
       {std::tuple("perf2x-samples", "self", "recording"),
        std::tuple("perf2x-base", "base", "base")}) {
    const auto block = blocks->find(id);
    if (!bad.empty() || block == blocks->end()) continue;
    bad = CheckSamples(profile, block->second, self,
                       profile.meta()[key]["time"]["bins"].GetUint64());
  }
  return bad;
}

}  // namespace perf2x
