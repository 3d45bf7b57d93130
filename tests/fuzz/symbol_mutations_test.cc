// SPDX-License-Identifier: Apache-2.0

// Symbol files that are changed section by section: headers exchanged, laid
// over one another, cut and made huge; units, tables and entries repeated;
// numbers within a section that lead elsewhere in it. Every changed file is
// read within the bounds of symbol files.

#include <elf.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "converter/unwind/dso_cfi.h"
#include "tests/fuzz/symbol_bombs.h"

namespace perf2x {
namespace {

namespace fs = std::filesystem;

using Random = std::mt19937;

uint64_t Below(Random& random, uint64_t end) {
  return end == 0 ? 0 : random() % end;
}

// A 64-bit little-endian ELF file, which may be invalid in any way.
class Image {
 public:
  explicit Image(std::string bytes) : bytes_(std::move(bytes)) {
    memcpy(&header_, bytes_.data(), sizeof(header_));
    sections_.resize(header_.e_shnum);
    memcpy(sections_.data(), &bytes_[header_.e_shoff],
           sections_.size() * sizeof(Elf64_Shdr));
    segments_.resize(header_.e_phnum);
    if (segments_.empty()) return;
    memcpy(segments_.data(), &bytes_[header_.e_phoff],
           segments_.size() * sizeof(Elf64_Phdr));
  }

  void Mutate(Random& random);
  // Returns the file with all changes; the headers come last.
  std::string str();

 private:
  Elf64_Shdr& AnySection(Random& random) {
    return sections_[Below(random, sections_.size())];
  }
  // Returns a section whose bytes are in the file; null if none was found.
  Elf64_Shdr* AnyBytes(Random& random) {
    for (int tries = 0; tries < 20; ++tries) {
      Elf64_Shdr& s = AnySection(random);
      if (s.sh_type != SHT_NOBITS && s.sh_size >= 4 &&
          s.sh_offset <= bytes_.size() &&
          s.sh_size <= bytes_.size() - s.sh_offset) {
        return &s;
      }
    }
    return nullptr;
  }
  void ChangeHeader(Random& random, Elf64_Shdr* s);
  void ChangeBytes(Random& random, Elf64_Shdr* s);
  // Appends new bytes, which become those of the section.
  void Move(Elf64_Shdr* s, const std::string& bytes) {
    s->sh_offset = bytes_.size();
    s->sh_size = bytes.size();
    bytes_ += bytes;
  }

  std::string bytes_;
  Elf64_Ehdr header_;
  std::vector<Elf64_Shdr> sections_;
  std::vector<Elf64_Phdr> segments_;
};

// A number that may be an offset, a count or the largest of its kind.
uint64_t AnyNumber(Random& random, uint64_t size) {
  switch (Below(random, 5)) {
    case 0:
      return Below(random, size + 1);
    case 1:
      return Below(random, 16);
    case 2:
      return ~uint64_t{0} >> Below(random, 64);
    case 3:
      return uint64_t{1} << Below(random, 64);
    default:
      return size - Below(random, 16);
  }
}

void Image::ChangeHeader(Random& random, Elf64_Shdr* s) {
  const Elf64_Shdr other = AnySection(random);
  switch (Below(random, 8)) {
    case 0:
      std::swap(*s, AnySection(random));
      break;
    case 1:  // over another
      s->sh_offset = other.sh_offset;
      s->sh_size = other.sh_size;
      break;
    case 2:  // over all
      s->sh_offset = 0;
      s->sh_size = bytes_.size();
      break;
    case 3:
      s->sh_size = AnyNumber(random, s->sh_size);
      break;
    case 4:
      s->sh_offset = AnyNumber(random, bytes_.size());
      break;
    case 5:
      s->sh_type = Below(random, 2) == 0
                       ? other.sh_type
                       : static_cast<Elf64_Word>(Below(random, 20));
      break;
    case 6:
      s->sh_flags ^= Below(random, 2) == 0 ? SHF_COMPRESSED : SHF_ALLOC;
      break;
    default:
      s->sh_link = static_cast<Elf64_Word>(Below(random, sections_.size() + 2));
      s->sh_info = static_cast<Elf64_Word>(Below(random, sections_.size() + 2));
      s->sh_entsize = AnyNumber(random, s->sh_size);
      s->sh_name = other.sh_name;
  }
}

void Image::ChangeBytes(Random& random, Elf64_Shdr* s) {
  std::string content = bytes_.substr(s->sh_offset, s->sh_size);
  const uint64_t at = Below(random, content.size());
  const uint64_t size =
      std::min<uint64_t>(1 + Below(random, 64), content.size() - at);
  switch (Below(random, 4)) {
    case 0: {  // all of it over and over: units and entries share their tables
      const uint64_t most = 1 + 300'000 / content.size();
      std::string many;
      for (uint64_t i = 1 + Below(random, most); i > 0; --i) many += content;
      Move(s, many);
      break;
    }
    case 1: {  // a piece of it
      std::string many;
      for (uint64_t i = Below(random, 300'000 / size); i > 0; --i) {
        many += content.substr(at, size);
      }
      content.insert(at, many);
      Move(s, content);
      break;
    }
    case 2: {  // numbers that lead elsewhere
      for (uint64_t i = 1 + Below(random, 8); i > 0; --i) {
        const uint64_t number = AnyNumber(random, s->sh_size);
        const size_t width = size_t{1} << Below(random, 4);
        const uint64_t to = s->sh_offset + Below(random, s->sh_size);
        memcpy(&bytes_[to], &number,
               std::min<uint64_t>(width, bytes_.size() - to));
      }
      break;
    }
    default:
      content.erase(at, size);
      Move(s, content);
  }
}

void Image::Mutate(Random& random) {
  for (uint64_t i = 1 + Below(random, 4); i > 0; --i) {
    if (Below(random, 8) == 0 && !segments_.empty()) {
      Elf64_Phdr& p = segments_[Below(random, segments_.size())];
      const Elf64_Phdr other = segments_[Below(random, segments_.size())];
      p.p_type = other.p_type;
      p.p_offset = AnyNumber(random, bytes_.size());
      p.p_filesz = AnyNumber(random, bytes_.size());
      segments_.resize(segments_.size() + Below(random, 2'000), p);
    } else if (Below(random, 2) == 0) {
      ChangeHeader(random, &AnySection(random));
    } else if (Elf64_Shdr* s = AnyBytes(random)) {
      ChangeBytes(random, s);
    }
  }
  if (Below(random, 10) == 0) {
    sections_.resize(sections_.size() + Below(random, 10'000),
                     AnySection(random));
  }
}

std::string Image::str() {
  std::string out = bytes_;
  const auto put = [&out](const auto& headers) {
    out.append(reinterpret_cast<const char*>(headers.data()),
               headers.size() * sizeof(headers[0]));
  };
  header_.e_shoff = out.size();
  header_.e_shnum = static_cast<Elf64_Half>(sections_.size());
  put(sections_);
  header_.e_phoff = out.size();
  header_.e_phnum = static_cast<Elf64_Half>(segments_.size());
  put(segments_);
  return out.replace(0, sizeof(header_), reinterpret_cast<char*>(&header_),
                     sizeof(header_));
}

// Symbolizes 600 addresses and looks up their unwind rules. Returns CPU time in
// seconds.
double Read(const std::string& image, size_t* named) {
  const clock_t start = clock();
  auto elf = OpenElf(image);
  if (elf == nullptr) return 0;
  std::vector<uint64_t> addresses;
  for (uint64_t i = 0; i < 600; ++i) addresses.push_back(0x200 + 8 * i);
  NameWith(std::move(elf), addresses,
           [&](size_t, absl::Span<const Symbol> symbols) {
             *named += !symbols.empty();
           });
  const Machine* machine = MachineOf("x86_64", 2);
  TestSource source({image}, image);
  RuleTable rules;
  DsoCfi cfi(*machine, 0, &source, &rules);
  for (uint64_t at : addresses) (void)cfi.Find(at);
  return static_cast<double>(clock() - start) / CLOCKS_PER_SEC;
}

// PERF2X_SYMBOL_MUTATIONS sets the number of mutations of each file; seeds
// start at 0.
TEST(SymbolMutationTest, FilesChangedBySectionAreReadWithinBounds) {
  const char* more = getenv("PERF2X_SYMBOL_MUTATIONS");
  const int count = more != nullptr ? atoi(more) : Sanitized() ? 40 : 120;
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator("tests/symbolize/data")) {
    std::ifstream in(entry.path(), std::ios::binary);
    std::stringstream bytes;
    bytes << in.rdbuf();
    auto elf = OpenElf(bytes.str());
    if (elf != nullptr && elf->is64() && elf->order() == ByteOrder::kLittle &&
        !elf->damaged() && !elf->sections().empty()) {
      files.push_back(bytes.str());
    }
  }
  std::sort(files.begin(), files.end());
  ASSERT_GE(files.size(), 5u);
  double longest = 0;
  size_t named = 0;
  const uint64_t before = PeakMemory();
  for (size_t file = 0; file < files.size(); ++file) {
    for (int seed = 0; seed < count; ++seed) {
      SCOPED_TRACE(absl::StrCat("file ", file, ", seed ", seed));
      Random random(static_cast<uint32_t>(seed));
      Image image(files[file]);
      image.Mutate(random);
      const double seconds = Read(image.str(), &named);
      longest = std::max(longest, seconds);
      ASSERT_TRUE(Sanitized() || seconds < MaxSeconds()) << seconds;
    }
  }
  EXPECT_TRUE(Sanitized() || PeakMemory() - before < kMaxMemory);
  // Most are not damaged that much.
  EXPECT_GT(named, files.size() * static_cast<size_t>(count));
  RecordProperty("longest_ms", static_cast<int>(1000 * longest));
  std::cout << files.size() * static_cast<size_t>(count)
            << " files, the slowest " << longest << " s of CPU, " << named
            << " pieces of code named\n";
}

}  // namespace
}  // namespace perf2x
