#include "converter/base/gzip_output.h"

#include <isa-l/igzip_lib.h>

#include <algorithm>
#include <utility>

#include "converter/base/status_macros.h"
#include "converter/base/try_thread.h"

namespace perf2x {
namespace {

// Where the chunks end decides about the compressed bytes, so they do not
// depend on how the caller cut his writes.
constexpr size_t kChunk = 256 << 10;
// Neither side should wait for the other at every chunk.
constexpr size_t kMaxWaiting = 4;
constexpr uint32_t kLevel = 1;

}  // namespace

// The stream of one gzip member, driven chunk by chunk.
class GzipOutput::Deflater {
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

GzipOutput::GzipOutput(std::unique_ptr<Output> to)
    : to_(std::move(to)), deflater_(std::make_unique<Deflater>()) {}

GzipOutput::~GzipOutput() { Stop(State::kAbandon); }

absl::Status GzipOutput::Write(absl::string_view bytes) {
  while (!bytes.empty()) {
    if (chunk_.capacity() < kChunk) chunk_.reserve(kChunk);
    const size_t n = std::min(bytes.size(), kChunk - chunk_.size());
    chunk_.append(bytes.data(), n);
    bytes.remove_prefix(n);
    if (chunk_.size() == kChunk) {
      RETURN_IF_ERROR(inline_ ? CompressHere() : Push());
    }
  }
  return absl::OkStatus();
}

absl::Status GzipOutput::Close() {
  if (worker_.joinable()) {
    Stop(State::kFinish);
  } else if (status_.ok()) {
    status_ = deflater_->Compress(chunk_, /*last=*/true, *to_);
  }
  RETURN_IF_ERROR(status_);
  return to_->Close();
}

absl::Status GzipOutput::CompressHere() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return waiting_.empty() && !busy_; });
  if (status_.ok()) {
    status_ = deflater_->Compress(chunk_, /*last=*/false, *to_);
  }
  chunk_.clear();
  return status_;
}

absl::Status GzipOutput::Push() {
  if (!worker_.joinable()) {
    RETURN_IF_ERROR(status_);
    worker_ = TryThread([this] { Work(); });
    if (!worker_.joinable()) {
      inline_ = true;
      return CompressHere();
    }
  }
  std::unique_lock lock(mutex_);
  changed_.wait(
      lock, [this] { return waiting_.size() < kMaxWaiting || !status_.ok(); });
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

void GzipOutput::Stop(State state) {
  if (!worker_.joinable()) return;
  {
    std::lock_guard lock(mutex_);
    state_ = state;
    changed_.notify_all();
  }
  worker_.join();
}

void GzipOutput::Work() {
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
    busy_ = true;
    lock.unlock();
    absl::Status status = deflater_->Compress(chunk, last, *to_);
    chunk.clear();
    lock.lock();
    busy_ = false;
    status_ = std::move(status);
    spare_.push_back(std::move(chunk));
    changed_.notify_all();
    if (last) return;
  }
  // No one is to wait for what will not be written.
  waiting_.clear();
  changed_.notify_all();
}

}  // namespace perf2x
