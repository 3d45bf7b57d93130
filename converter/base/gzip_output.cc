#include <isa-l/igzip_lib.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "converter/base/output.h"
#include "converter/base/status_macros.h"

namespace perf2x {
namespace {

// Where the chunks end decides about the compressed bytes, so they do not
// depend on how the caller cut his writes.
constexpr size_t kChunk = 256 << 10;
// Neither side should wait for the other at every chunk.
constexpr size_t kMaxWaiting = 4;
constexpr uint32_t kLevel = 1;

// The stream of one gzip member, driven chunk by chunk.
class Deflater {
 public:
  Deflater() : level_buffer_(ISAL_DEF_LVL1_DEFAULT), out_(kChunk / 4) {
    isal_deflate_init(&stream_);
    stream_.gzip_flag = IGZIP_GZIP;  // its default header has mtime 0
    stream_.level = kLevel;
    stream_.level_buf = level_buffer_.data();
    stream_.level_buf_size = static_cast<uint32_t>(level_buffer_.size());
  }

  absl::Status Compress(absl::string_view chunk, bool last, Output& to) {
    // The library does not write to its input.
    stream_.next_in =
        reinterpret_cast<uint8_t*>(const_cast<char*>(chunk.data()));
    stream_.avail_in = static_cast<uint32_t>(chunk.size());
    stream_.end_of_stream = last;
    do {
      stream_.next_out = out_.data();
      stream_.avail_out = static_cast<uint32_t>(out_.size());
      if (isal_deflate(&stream_) != COMP_OK) {
        return absl::InternalError("cannot compress the output");
      }
      RETURN_IF_ERROR(to.Write({reinterpret_cast<const char*>(out_.data()),
                                out_.size() - stream_.avail_out}));
    } while (stream_.avail_out == 0);
    return absl::OkStatus();
  }

 private:
  std::vector<uint8_t> level_buffer_;
  std::vector<uint8_t> out_;
  isal_zstream stream_;
};

class CompressingOutput final : public Output {
 public:
  explicit CompressingOutput(std::unique_ptr<Output> to)
      : to_(std::move(to)), worker_([this] { Work(); }) {}
  ~CompressingOutput() override { Stop(/*finish=*/false); }

  absl::Status Write(absl::string_view bytes) override {
    while (!bytes.empty()) {
      if (chunk_.capacity() < kChunk) chunk_.reserve(kChunk);
      const size_t n = std::min(bytes.size(), kChunk - chunk_.size());
      chunk_.append(bytes.data(), n);
      bytes.remove_prefix(n);
      if (chunk_.size() == kChunk) RETURN_IF_ERROR(Push());
    }
    return absl::OkStatus();
  }

  absl::Status Close() override {
    Stop(/*finish=*/true);
    RETURN_IF_ERROR(status_);
    return to_->Close();
  }

 private:
  absl::Status Push() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] {
      return waiting_.size() < kMaxWaiting || !status_.ok();
    });
    RETURN_IF_ERROR(status_);
    waiting_.push_back(std::move(chunk_));
    if (spare_.empty()) {
      chunk_ = std::string();
    } else {
      chunk_ = std::move(spare_.back());
      spare_.pop_back();
    }
    changed_.notify_all();
    return absl::OkStatus();
  }

  void Stop(bool finish) {
    if (!worker_.joinable()) return;
    {
      std::lock_guard lock(mutex_);
      state_ = finish ? State::kFinish : State::kAbandon;
      changed_.notify_all();
    }
    worker_.join();
  }

  // Runs on the worker.
  void Work() {
    Deflater deflater;
    std::unique_lock lock(mutex_);
    while (status_.ok()) {
      changed_.wait(
          lock, [this] { return !waiting_.empty() || state_ != State::kOpen; });
      if (state_ == State::kAbandon) return;
      const bool last = waiting_.empty();
      std::string chunk;
      if (last) {
        chunk = std::move(chunk_);  // no one writes after Close
      } else {
        chunk = std::move(waiting_.front());
        waiting_.pop_front();
      }
      lock.unlock();
      absl::Status status = deflater.Compress(chunk, last, *to_);
      chunk.clear();
      lock.lock();
      status_ = std::move(status);
      spare_.push_back(std::move(chunk));
      changed_.notify_all();
      if (last) return;
    }
  }

  enum class State { kOpen, kFinish, kAbandon };

  const std::unique_ptr<Output> to_;  // the worker's until it ends
  std::string chunk_;                 // being filled by the caller
  std::mutex mutex_;                  // guards what follows
  std::condition_variable changed_;
  std::deque<std::string> waiting_;
  std::vector<std::string> spare_;
  State state_ = State::kOpen;
  absl::Status status_;
  std::thread worker_;
};

}  // namespace

std::unique_ptr<Output> GzipOutput(std::unique_ptr<Output> to) {
  return std::make_unique<CompressingOutput>(std::move(to));
}

}  // namespace perf2x
