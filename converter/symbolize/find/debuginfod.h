// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SYMBOLIZE_FIND_DEBUGINFOD_H_
#define PERF2X_SYMBOLIZE_FIND_DEBUGINFOD_H_

#include <memory>
#include <mutex>
#include <string>

#include "absl/status/statusor.h"
#include "converter/base/build_id.h"
#include "converter/symbolize/find/file_roots.h"
#include "converter/symbolize/symbol_source.h"

namespace perf2x {

// Returns true unless this is the static program, which cannot load the client
// library.
bool CanAskDebuginfod();

// Downloads files by build id from the servers in the environment variable
// DEBUGINFOD_URLS, if BinaryFinderOptions::debuginfod is set. Uses elfutils'
// client, which caches files in ~/.cache/debuginfod_client; if it is not
// installed, finds nothing.
// Blocks for as long as a server takes, with one request at a time.
class DebuginfodSource final : public SymbolSource {
 public:
  explicit DebuginfodSource(const FileRoots& roots);
  ~DebuginfodSource() override;

  // These ask the servers for the file with request.id, and offer the
  // downloaded copy.
  void OfferBinaries(const FileRequest& request,
                     FileSearch* search) const override {
    Offer(request.id, /*debug=*/false, search);
  }
  void OfferDebugFiles(const FileRequest& request,
                       FileSearch* search) const override {
    Offer(request.id, /*debug=*/true, search);
  }
  bool is_remote() const override { return true; }

 private:
  // Offers the file, or notes as "debuginfod (REASON)" why there is none.
  void Offer(const BuildId& id, bool debug, FileSearch* search) const;
  // Returns the path of the local copy. If there is none, the status says why.
  absl::StatusOr<std::string> Download(const BuildId& id, bool debug) const;

  const bool enabled_;
  struct Client;
  mutable std::mutex mutex_;
  mutable std::unique_ptr<Client> client_;  // null: not used yet
};

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_FIND_DEBUGINFOD_H_
