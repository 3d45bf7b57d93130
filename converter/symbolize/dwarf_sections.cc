#include "converter/symbolize/dwarf_sections.h"

#include <elf.h>
#include <zlib.h>
#include <zstd.h>

#include "absl/strings/str_cat.h"

namespace perf2x {
namespace {

#ifndef ELFCOMPRESS_ZSTD
#define ELFCOMPRESS_ZSTD 2
#endif

// No compressed byte stands for more than this many: zlib's limit, which zstd
// could pass but compilers' output does not.
constexpr uint64_t kLargestRatio = 1040;
constexpr size_t kLongestString = 64 << 10;

bool Inflate(absl::Span<const uint8_t> in, std::string* out) {
  z_stream z{};
  if (inflateInit(&z) != Z_OK) return false;
  size_t in_at = 0, out_at = 0;
  int result = Z_OK;
  // zlib counts in 32 bits.
  constexpr size_t kStep = 1 << 30;
  while (result == Z_OK) {
    z.next_in = const_cast<Bytef*>(in.data() + in_at);
    z.avail_in = static_cast<uInt>(std::min(in.size() - in_at, kStep));
    z.next_out = reinterpret_cast<Bytef*>(out->data() + out_at);
    z.avail_out = static_cast<uInt>(std::min(out->size() - out_at, kStep));
    const uInt in_before = z.avail_in, out_before = z.avail_out;
    result = inflate(&z, Z_NO_FLUSH);
    in_at += in_before - z.avail_in;
    out_at += out_before - z.avail_out;
    if (in_before == z.avail_in && out_before == z.avail_out) break;
  }
  inflateEnd(&z);
  return out_at == out->size();
}

// Unpacks `in`, which claims to be `size` bytes long then. Empty on damage.
std::string Unpack(absl::Span<const uint8_t> in, uint64_t size, uint32_t how) {
  if (size / kLargestRatio > in.size()) return "";
  std::string out(size, '\0');
  bool ok = false;
  if (how == ELFCOMPRESS_ZLIB) {
    ok = Inflate(in, &out);
  } else if (how == ELFCOMPRESS_ZSTD) {
    ok = ZSTD_decompress(out.data(), out.size(), in.data(), in.size()) ==
         out.size();
  }
  return ok ? out : "";
}

}  // namespace

std::unique_ptr<DwarfSections> LoadDwarfSections(const ElfFile& elf,
                                                 bool split) {
  auto out = std::make_unique<DwarfSections>();
  out->order = elf.order();
  auto keep = [&](std::string bytes) -> DwarfSections::Bytes {
    const std::string& s = out->unpacked.emplace_back(std::move(bytes));
    return {reinterpret_cast<const uint8_t*>(s.data()), s.size()};
  };
  auto load = [&](absl::string_view name) -> DwarfSections::Bytes {
    const absl::string_view suffix = split ? ".dwo" : "";
    if (const auto* s = elf.Find(absl::StrCat(".debug_", name, suffix))) {
      const DwarfSections::Bytes bytes = elf.Bytes(*s);
      if ((s->flags & SHF_COMPRESSED) == 0) return bytes;
      ByteReader in(bytes, elf.order());
      const uint32_t how = in.U32();
      if (elf.is64()) in.Skip(4);
      const uint64_t size = elf.is64() ? in.U64() : in.U32();
      in.Skip(elf.is64() ? 8 : 4);
      return in.ok() ? keep(Unpack(in.Rest(), size, how))
                     : DwarfSections::Bytes();
    }
    // The older GNU way: "ZLIB" and the size, big-endian.
    if (const auto* s = elf.Find(absl::StrCat(".zdebug_", name, suffix))) {
      ByteReader in(elf.Bytes(*s), ByteOrder::kBig);
      if (in.FixedString(4) != "ZLIB") return {};
      const uint64_t size = in.U64();
      return in.ok() ? keep(Unpack(in.Rest(), size, ELFCOMPRESS_ZLIB))
                     : DwarfSections::Bytes();
    }
    return {};
  };
  out->info = load("info");
  if (out->info.empty()) return nullptr;
  out->abbrev = load("abbrev");
  out->line = load("line");
  out->str = load("str");
  out->line_str = load("line_str");
  out->str_offsets = load("str_offsets");
  out->addr = load("addr");
  out->ranges = load("ranges");
  out->rnglists = load("rnglists");
  // The index of a package has no ".dwo" in its name.
  if (const auto* s = elf.Find(".debug_cu_index")) {
    out->cu_index = elf.Bytes(*s);
  }
  return out;
}

uint64_t ReadUleb(ByteReader& in) {
  uint64_t value = 0;
  for (int shift = 0;; shift += 7) {
    const uint8_t byte = in.U8();
    if (shift < 64) value |= uint64_t{byte & 0x7fu} << shift;
    if ((byte & 0x80) == 0) return value;
  }
}

int64_t ReadSleb(ByteReader& in) {
  uint64_t value = 0;
  for (int shift = 0;;) {
    const uint8_t byte = in.U8();
    if (shift < 64) value |= uint64_t{byte & 0x7fu} << shift;
    shift += 7;
    if ((byte & 0x80) == 0) {
      if (shift < 64 && (byte & 0x40) != 0) value |= ~uint64_t{0} << shift;
      return static_cast<int64_t>(value);
    }
  }
}

absl::string_view DwarfString(absl::Span<const uint8_t> section, uint64_t at) {
  if (at >= section.size()) return {};
  const char* p = reinterpret_cast<const char*>(section.data()) + at;
  return {p, strnlen(p, std::min<size_t>(section.size() - at, kLongestString))};
}

}  // namespace perf2x
