// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/chrome/chrome_sink.h"

#include <cstring>

#include "absl/strings/str_cat.h"
#include "converter/base/prefetch.h"
#include "converter/base/status_macros.h"
#include "converter/emit/json_writer.h"

namespace perf2x {
namespace {

char* Put(absl::string_view text, char* to) {
  std::memcpy(to, text.data(), text.size());
  return to + text.size();
}

}  // namespace

ChromeSink::ChromeSink(Output& out, HelperPool* helpers)
    : out_(out), pieces_(helpers, [this](Piece& piece) {
        RETURN_IF_ERROR(out_.Write(piece.json));
        return out_.WriteBuffer(piece.text);
      }) {}

const SliceText* ChromeSink::AddSliceText(absl::string_view name,
                                          absl::string_view more) {
  texts_.push_back(
      {absl::StrCat(",\n{\"name\":", name), absl::StrCat(more, "\",\"ts\":")});
  return &texts_.back();
}

const SliceRow* ChromeSink::AddSliceRow(absl::string_view category, int32_t pid,
                                        int32_t tid) {
  category.remove_suffix(1);  // the closing quote
  return &rows_.emplace_back(absl::StrCat(
      ",\"ph\":\"X\",\"pid\":", pid, ",\"tid\":", tid, ",\"cat\":", category));
}

absl::Status ChromeSink::Write(absl::string_view bytes) {
  if (bytes.empty()) return absl::OkStatus();
  pieces_.chunk().json.assign(bytes.data(), bytes.size());
  return pieces_.Push();
}

absl::Status ChromeSink::WriteSlices() {
  if (slices_.empty()) return absl::OkStatus();
  row_bytes_ = 0;
  pieces_.chunk().slices.swap(slices_);
  return pieces_.Push();
}

absl::Status ChromeSink::Close() { return pieces_.Finish(); }

void ChromeSink::Piece::Clear() {
  json.clear();
  slices.clear();
  text.Clear(kMaxKeptText);
}

// The texts are scattered in memory, so they are prefetched some slices ahead.
void ChromeSink::Piece::Work() {
  constexpr absl::string_view kDuration = ",\"dur\":";
  constexpr size_t kAhead = 8;
  for (size_t i = 0; i < slices.size(); ++i) {
    if (i + 2 * kAhead < slices.size()) {
      Prefetch(slices[i + 2 * kAhead].text);
    }
    if (i + kAhead < slices.size()) {
      const SliceText& later = *slices[i + kAhead].text;
      Prefetch(later.head.data());
      Prefetch(later.head.data() + 64);
      Prefetch(later.tail.data());
    }
    const Slice& slice = slices[i];
    const size_t most = slice.text->head.size() + slice.row->size() +
                        slice.text->tail.size() + 2 * kMicrosSize +
                        kDuration.size() + 1;
    char* to = text.Reserve(most);
    to = Put(slice.text->head, to);
    to = Put(*slice.row, to);
    to = Put(slice.text->tail, to);
    to = PutMicros(slice.begin, to);
    to = Put(kDuration, to);
    to = PutMicros(slice.duration, to);
    *to++ = '}';
    text.SetEnd(to);
  }
}

}  // namespace perf2x
