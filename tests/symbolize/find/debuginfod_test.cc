// SPDX-License-Identifier: Apache-2.0

// Files from a debuginfod server: one on the loopback interface that has the
// test data. Its requests are documented in debuginfod(8).
#include <arpa/inet.h>
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <thread>

#include "absl/strings/str_cat.h"
#include "converter/symbolize/symbolize.h"
#include "tests/support/file_bytes.h"
#include "tests/support/temp_folder.h"

namespace perf2x {
namespace {

// Answers GET requests by path; all others are not found.
class Server {
 public:
  explicit Server(std::map<std::string, std::string> files)
      : files_(std::move(files)), socket_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(at);
    auto* address = reinterpret_cast<sockaddr*>(&at);
    if (bind(socket_, address, size) == 0 && listen(socket_, 8) == 0 &&
        getsockname(socket_, address, &size) == 0) {
      port_ = ntohs(at.sin_port);
      thread_ = std::thread([this] { Serve(); });
    }
  }
  ~Server() {
    shutdown(socket_, SHUT_RDWR);
    if (thread_.joinable()) thread_.join();
    close(socket_);
  }
  int port() const { return port_; }
  // How often anything was asked for.
  int requests() const { return requests_; }

 private:
  void Serve() {
    for (int client; (client = accept(socket_, nullptr, nullptr)) >= 0;) {
      std::string request;
      char chunk[1024];
      while (request.find("\r\n\r\n") == std::string::npos) {
        const ssize_t n = read(client, chunk, sizeof(chunk));
        if (n <= 0) break;
        request.append(chunk, static_cast<size_t>(n));
      }
      ++requests_;
      const size_t from = std::min(request.find(' ') + 1, request.size());
      const std::string path =
          request.substr(from, request.find(' ', from) - from);
      auto it = files_.find(path);
      const std::string body = it == files_.end() ? "" : it->second;
      const std::string answer = absl::StrCat(
          "HTTP/1.1 ", it == files_.end() ? "404 Not Found" : "200 OK",
          "\r\nContent-Type: application/octet-stream\r\nContent-Length: ",
          body.size(), "\r\nConnection: close\r\n\r\n", body);
      for (size_t at = 0; at < answer.size();) {
        const ssize_t n =
            send(client, &answer[at], answer.size() - at, MSG_NOSIGNAL);
        if (n <= 0) break;
        at += static_cast<size_t>(n);
      }
      close(client);
    }
  }

  const std::map<std::string, std::string> files_;
  const int socket_;
  int port_ = 0;
  std::atomic<int> requests_{0};
  std::thread thread_;
};

class DebuginfodTest : public testing::Test {
 protected:
  void SetUp() override {
    if (dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL) == nullptr) {
      GTEST_SKIP() << "no client library here";
    }
    setenv("no_proxy", "127.0.0.1", 1);
    setenv("DEBUGINFOD_CACHE_PATH", folder_.File("cache").c_str(), 1);
    const std::string stripped = "tests/symbolize/data/separate";
    auto elf = ElfFile::Open(*SafeFile::Open(stripped));
    id_ = (*elf)->build_id();
    const std::string base = absl::StrCat("/buildid/", id_.Hex());
    server_.emplace(std::map<std::string, std::string>{
        {base + "/executable", FileText(stripped)},
        {base + "/debuginfo", FileText(stripped + ".debug")}});
    ASSERT_NE(server_->port(), 0);
    setenv("DEBUGINFOD_URLS",
           absl::StrCat("http://127.0.0.1:", server_->port(), "/").c_str(), 1);
  }
  void TearDown() override {
    unsetenv("DEBUGINFOD_URLS");
    unsetenv("DEBUGINFOD_CACHE_PATH");
  }

  // The functions at a place in a program that is not there.
  std::string Chain(const BuildId& id, bool ask) {
    SymbolizeOptions options;
    options.binaries.debug_dirs.clear();
    options.binaries.buildid_dir = "/nonexistent";
    options.binaries.debuginfod = ask;
    auto symbolizer = MakeSymbolizer(options);
    Dso file;
    file.kind = DsoKind::kFile;
    file.name = "/gone/program";
    file.build_id = id;
    std::string chain;
    const uint64_t address = 0x230;
    symbolizer->Resolve(file, {&address, 1},
                        [&](size_t, absl::Span<const Symbol> symbols) {
                          for (const Symbol& s : symbols) {
                            absl::StrAppend(&chain, s.name, ":", s.line, " ");
                          }
                        });
    report_ = symbolizer->Reports().at(0);
    return chain;
  }

  TempFolder folder_;
  BuildId id_;
  std::optional<Server> server_;
  DsoReport report_;
};

TEST_F(DebuginfodTest, GivesProgramsAndTheirDebugFiles) {
  EXPECT_EQ(Chain(id_, /*ask=*/true),
            "demo::Leaf:8 demo::Shape::Area:13 demo::Outer:24 ");
  EXPECT_TRUE(report_.verified);
  ASSERT_FALSE(report_.sources.empty());
  EXPECT_NE(report_.sources[0].find(folder_.File("cache")), std::string::npos);
  EXPECT_GE(server_->requests(), 2);
}

TEST_F(DebuginfodTest, IsAskedOnlyWhenItShouldBe) {
  EXPECT_EQ(Chain(id_, /*ask=*/false), "");
  EXPECT_EQ(server_->requests(), 0);
}

TEST_F(DebuginfodTest, MayNotHaveTheFile) {
  const uint8_t other[20] = {1, 2, 3};
  EXPECT_EQ(Chain(BuildId(other), /*ask=*/true), "");
  EXPECT_EQ(report_.unsymbolized_count, 1u);
  EXPECT_GE(server_->requests(), 1);
  EXPECT_THAT(report_.tried,
              testing::Contains("debuginfod (no server has it)"));
}

TEST_F(DebuginfodTest, SaysWhyItDoesNotAnswer) {
  server_.reset();
  EXPECT_EQ(Chain(id_, /*ask=*/true), "");
  EXPECT_THAT(report_.tried,
              testing::Contains(testing::AllOf(
                  testing::StartsWith("debuginfod ("),
                  testing::Not(testing::HasSubstr("no server has it")))));
}

}  // namespace
}  // namespace perf2x
