#ifndef PERF2X_BASE_GZIP_OUTPUT_H_
#define PERF2X_BASE_GZIP_OUTPUT_H_

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "converter/base/output.h"

namespace perf2x {

// Hands what is written on to `to`, gzip-compressed, 256 KiB at a time on a
// thread of its own. The same bytes in give the same bytes out.
class GzipOutput final : public Output {
 public:
  explicit GzipOutput(std::unique_ptr<Output> to);
  ~GzipOutput() override;

  absl::Status Write(absl::string_view bytes) override;
  absl::Status Close() override;

  // Whether from now on the thread that writes is to compress as well: for when
  // the others have enough to do.
  void set_compress_on_caller(bool is_inline) { inline_ = is_inline; }

 private:
  class Deflater;
  enum class State { kOpen, kFinish, kAbandon };

  absl::Status CompressHere();
  absl::Status Push();
  void Stop(State state);
  void Work();

  const std::unique_ptr<Output> to_;
  const std::unique_ptr<Deflater> deflater_;
  std::string chunk_;  // being filled by the caller
  bool inline_ = false;
  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::deque<std::string> waiting_;
  std::vector<std::string> spare_;
  State state_ = State::kOpen;
  bool busy_ = false;  // the worker, with deflater_ and to_
  absl::Status status_;
  std::thread worker_;  // started when there is something for it
};

}  // namespace perf2x

#endif  // PERF2X_BASE_GZIP_OUTPUT_H_
