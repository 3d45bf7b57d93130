// SPDX-License-Identifier: Apache-2.0
#include "converter/symbolize/find/archive.h"

#include <algorithm>
#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "converter/base/byte_reader.h"
#include "converter/symbolize/find/unpack.h"

namespace perf2x {
namespace {

constexpr size_t kBlock = 512;

// Returns a number in octal digits or, if it is too large for them, in binary
// (GNU).
std::optional<uint64_t> Number(absl::Span<const uint8_t> field) {
  uint64_t value = 0;
  if ((field[0] & 0x80) != 0) {
    for (size_t i = field.size() - 8; i < field.size(); ++i) {
      value = value << 8 | field[i];
    }
    return value;
  }
  for (uint8_t c : field) {
    if (c == ' ' || c == '\0') continue;
    if (c < '0' || c > '7') return std::nullopt;
    value = value << 3 | (c - '0');
  }
  return value;
}

// Returns "path" among the records of a pax header: "30 path=usr/bin/x\n".
std::string PaxPath(absl::string_view records) {
  while (!records.empty()) {
    const size_t space = records.find(' ');
    uint64_t size = 0;
    if (space == records.npos ||
        !absl::SimpleAtoi(records.substr(0, space), &size) ||
        size <= space + 1 || size > records.size()) {
      break;
    }
    absl::string_view record = records.substr(space + 1, size - space - 2);
    if (absl::StartsWith(record, "path=")) return std::string(record.substr(5));
    records.remove_prefix(size);
  }
  return "";
}

// "a/b/BUILD-ID/elf" -> "BUILD-ID/elf"; empty if `name` has another form.
absl::string_view KeyOf(absl::string_view name) {
  const size_t item = name.rfind('/');
  if (item == name.npos || item == 0) return {};
  const size_t id = name.rfind('/', item - 1);
  return id == name.npos ? absl::string_view() : name.substr(id + 1);
}

}  // namespace

absl::StatusOr<std::unique_ptr<Archive>> Archive::Open(
    const std::string& path) {
  auto packed = SafeFile::Open(path);
  if (!packed.ok()) return packed.status();
  auto tar = UnpackIfPacked(*std::move(packed));
  if (!tar.ok()) return tar.status();
  auto archive = std::make_unique<Archive>();
  archive->tar_ = *std::move(tar);
  archive->Read();
  if (archive->members_.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": no files of a build-id cache in it"));
  }
  return archive;
}

// Headers and contents are in blocks of 512 bytes; see "Basic Tar Format" in
// the manual of GNU tar.
void Archive::Read() {
  ByteReader in(tar_->bytes(), kHostOrder);
  std::string long_name;
  while (in.left() >= kBlock) {
    ByteReader header(in.Bytes(kBlock), kHostOrder);
    std::string name(header.FixedString(100));
    header.Skip(24);
    const auto size = Number(header.Bytes(12));
    header.Skip(20);
    const char type = static_cast<char>(header.U8());
    header.Skip(100);
    const bool ustar = header.FixedString(6) == "ustar";
    header.Skip(82);
    const absl::string_view prefix = header.FixedString(155);
    if (!size.has_value() || *size > in.left()) return;
    const uint64_t offset = in.offset();
    const absl::Span<const uint8_t> content = in.Bytes(*size);
    in.Skip(std::min<uint64_t>((kBlock - *size % kBlock) % kBlock, in.left()));
    const absl::string_view text(reinterpret_cast<const char*>(content.data()),
                                 content.size());
    if (type == 'L') {
      long_name = std::string(text.substr(0, text.find('\0')));
      continue;
    }
    if (type == 'x') {
      // A header without a path leaves a GNU long name as it is.
      if (std::string path = PaxPath(text); !path.empty()) {
        long_name = std::move(path);
      }
      continue;
    }
    if (!long_name.empty()) {
      name = std::move(long_name);
    } else if (ustar && !prefix.empty()) {
      name = absl::StrCat(prefix, "/", name);
    }
    long_name.clear();
    const absl::string_view key = KeyOf(name);
    if ((type == '0' || type == '\0') && !key.empty()) {
      members_.try_emplace(std::string(key), Member{name, offset, *size});
    }
  }
}

std::shared_ptr<const SafeFile> Archive::Find(const BuildId& id,
                                              absl::string_view item) const {
  auto it = members_.find(absl::StrCat(id.Hex(), "/", item));
  if (it == members_.end()) return nullptr;
  const Member& m = it->second;
  return SafeFile::PartOf(tar_, absl::StrCat(tar_->path(), ":", m.name),
                          m.offset, m.size);
}

}  // namespace perf2x
