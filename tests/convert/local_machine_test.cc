// SPDX-License-Identifier: Apache-2.0

// Which recordings are taken to be of this machine, and whose files of
// generated code are read then.
#include "converter/convert/local_machine.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "converter/symbolize/elf/elf_file.h"
#include "tests/support/temp_folder.h"

namespace perf2x {
namespace {

class LocalMachineTest : public testing::Test {
 protected:
  LocalMachineTest() {
    utsname name;
    EXPECT_EQ(uname(&name), 0);
    features_.hostname = name.nodename;
    struct sysinfo info;
    EXPECT_EQ(sysinfo(&info), 0);
    memory_kb_ = uint64_t{info.totalram} * info.mem_unit / 1024;
  }

  // A jitdump of the process `pid`, as it numbers itself.
  std::string WriteDump(const std::string& name, uint32_t pid) {
    const std::string path = folder_.path() + "/" + name;
    const uint32_t header[10] = {0x4A695444, 1, 40, 62, 0, pid};
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(header), sizeof(header));
    return path;
  }
  bool Opens(const std::string& name, int32_t pid) {
    LocalMachine machine(options_, /*symbolize=*/true, /*unwind=*/true,
                         tables_);
    return machine.OpenJitDump(name, pid, features_) != nullptr;
  }

  TempFolder folder_;
  TraceTables tables_;
  SymbolizeOptions options_;
  HeaderFeatures features_;
  uint64_t memory_kb_ = 0;
};

TEST_F(LocalMachineTest, AHostNameIsNoProof) {
  const std::string dump = WriteDump("jit-77.dump", 77);
  EXPECT_FALSE(Opens(dump, 77));
  features_.memory_kb = memory_kb_ + 1;
  EXPECT_FALSE(Opens(dump, 77));
  features_.memory_kb = memory_kb_;
  EXPECT_TRUE(Opens(dump, 77));
  features_.hostname += "x";
  EXPECT_FALSE(Opens(dump, 77));
  options_.trust_host = true;
  EXPECT_TRUE(Opens(dump, 77));
}

// Who has an account here knows how much memory there is.
TEST_F(LocalMachineTest, ARecordingOfOthersShowsNothing) {
  const std::string dump = WriteDump("jit-77.dump", 77);
  features_.memory_kb = memory_kb_;
  options_.may_prove_same_host = false;
  EXPECT_FALSE(Opens(dump, 77));
  options_.trust_host = true;
  EXPECT_TRUE(Opens(dump, 77));
}

// Without KASLR it is the same everywhere.
TEST_F(LocalMachineTest, TheKernelsAddressIsNoProof) {
  std::ifstream kallsyms("/proc/kallsyms");
  std::string address, type, name;
  while (name != "_text" && kallsyms >> address >> type >> name) {
  }
  Dso kernel;
  kernel.kind = DsoKind::kKernel;
  kernel.reference_symbol = "_text";
  kernel.reference_address = std::strtoull(address.c_str(), nullptr, 16);
  if (kernel.reference_address == 0) {
    GTEST_SKIP() << "/proc/kallsyms shows no addresses";
  }
  tables_.AddDso(kernel);
  EXPECT_FALSE(Opens(WriteDump("jit-77.dump", 77), 77));
}

// Beyond any pid, so that no process of that number has written the map.
TEST_F(LocalMachineTest, PerfMapsAreOfTheRecordedMachine) {
  Dso code;
  code.kind = DsoKind::kAnonymous;
  code.pid = (1 << 22) + getpid();
  const std::string map = absl::StrCat("/tmp/perf-", code.pid, ".map");
  std::ofstream(map) << "7f0000001000 100 jitted\n";
  const auto is_named = [&] {
    LocalMachine machine(options_, /*symbolize=*/true, /*unwind=*/true,
                         tables_);
    const uint64_t address = 0x7f0000001010;
    bool named = false;
    machine.MakeSymbolizer(features_)->Resolve(
        code, {&address, 1},
        [&](size_t, absl::Span<const Symbol>) { named = true; });
    return named;
  };
  EXPECT_FALSE(is_named());
  features_.memory_kb = memory_kb_;
  EXPECT_TRUE(is_named());
  std::filesystem::remove(map);
}

// As those for symbols, see docs/symbols.md.
TEST_F(LocalMachineTest, FilesForUnwindingMayComeFromDebuginfod) {
  if (dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL) == nullptr) {
    GTEST_SKIP() << "libdebuginfod is not installed: scripts/install-deps";
  }
  const char program[] = "tests/symbolize/data/separate";
  const BuildId id = (*ElfFile::Open(*SafeFile::Open(program)))->build_id();
  // What was fetched before is not asked for again.
  const std::string cached = folder_.path() + "/" + id.Hex();
  std::filesystem::create_directory(cached);
  std::filesystem::copy(program, cached + "/executable");
  setenv("DEBUGINFOD_CACHE_PATH", folder_.path().c_str(), 1);
  Dso file;
  file.kind = DsoKind::kFile;
  file.name = "/gone/program";
  file.build_id = id;
  const DsoId dso = tables_.AddDso(file);
  options_.binaries.buildid_dir = "/nonexistent";
  const auto opens = [&] {
    LocalMachine machine(options_, /*symbolize=*/false, /*unwind=*/true,
                         tables_);
    return machine.MakeUnwindInfoSource(features_)->OpenBinary(dso) != nullptr;
  };
  unsetenv("DEBUGINFOD_URLS");
  EXPECT_FALSE(opens());
  setenv("DEBUGINFOD_URLS", "http://127.0.0.1:9/", 1);
  EXPECT_TRUE(opens());
  unsetenv("DEBUGINFOD_URLS");
  unsetenv("DEBUGINFOD_CACHE_PATH");
}

TEST_F(LocalMachineTest, AMappedFileThatIsTheVeryInodeIsAProof) {
  const std::string path = folder_.path() + "/program";
  std::ofstream(path) << "code";
  auto file = SafeFile::Open(path);
  ASSERT_TRUE(file.ok());
  const FileIdentity& identity = (*file)->identity();
  if (identity.generation == 0) {
    GTEST_SKIP() << "this file system does not number the uses of inodes";
  }
  Dso code;
  code.kind = DsoKind::kFile;
  code.name = path;
  code.device_major = identity.device_major;
  code.device_minor = identity.device_minor;
  code.inode = identity.inode;
  code.inode_generation = identity.generation;
  const std::string dump = WriteDump("jit-77.dump", 77);
  EXPECT_FALSE(Opens(dump, 77));
  tables_.AddDso(code);
  EXPECT_TRUE(Opens(dump, 77));
}

TEST_F(LocalMachineTest, AJitDumpIsOfTheProcessThatMappedIt) {
  features_.memory_kb = memory_kb_;
  EXPECT_TRUE(Opens(WriteDump("jit-77.dump", 77), 77));
  EXPECT_FALSE(Opens(WriteDump("jit-77.dump", 77), 78));
  EXPECT_FALSE(Opens(WriteDump("jit-78.dump", 77), 78));
  EXPECT_FALSE(Opens(WriteDump("jit-x.dump", 0), 0));
  // Gathered by the user, of a process that had another number outside.
  options_.perf_map_dirs = {folder_.path()};
  EXPECT_TRUE(Opens("/gone/jit-77.dump", 4711));
  EXPECT_FALSE(Opens("/gone/jit-78.dump", 4711));
}

TEST_F(LocalMachineTest, AJitDumpThatOthersMayHaveWrittenIsNotRead) {
  features_.memory_kb = memory_kb_;
  const std::string dump = WriteDump("jit-77.dump", 77);
  ASSERT_EQ(chmod(dump.c_str(), 0666), 0);
  EXPECT_FALSE(Opens(dump, 77));
  ASSERT_EQ(chmod(dump.c_str(), 0600), 0);
  EXPECT_TRUE(Opens(dump, 77));
  if (geteuid() == 0) {
    ASSERT_EQ(chown(dump.c_str(), 65534, 65534), 0);
    EXPECT_FALSE(Opens(dump, 77));
  }
}

}  // namespace
}  // namespace perf2x
