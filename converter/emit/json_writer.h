// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_JSON_WRITER_H_
#define PERF2X_EMIT_JSON_WRITER_H_

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <cstdint>
#include <cstring>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "converter/base/json_allocator.h"
#include "converter/base/output.h"

namespace perf2x {

// The room that PutMicros and PutMillis need, in bytes.
inline constexpr size_t kMicrosSize = 24, kMillisSize = 27;
// Writes `ns` nanoseconds as microseconds with three decimals to `text`. Writes
// no null byte. Returns the end of the number.
char* PutMicros(uint64_t ns, char* text);
// As PutMicros, but writes milliseconds with up to six decimals.
char* PutMillis(uint64_t ns, char* text);

// Writes one JSON document to an Output, through a buffer. Strings may hold any
// bytes; the document is valid UTF-8. In objects, the caller alternates keys
// and values. Not thread-safe.
class JsonWriter {
 public:
  // `out` must outlive this. The destructor drops buffered text.
  explicit JsonWriter(Output& out) : out_(out), writer_(buffer_) {}
  JsonWriter(const JsonWriter&) = delete;
  JsonWriter& operator=(const JsonWriter&) = delete;

  void BeginObject() { writer_.StartObject(); }
  void EndObject() { writer_.EndObject(); }
  void BeginArray() { writer_.StartArray(); }
  void EndArray() { writer_.EndArray(); }

  void Key(absl::string_view key) { Text(key); }
  void String(absl::string_view value) { Text(value); }
  void Int(int64_t value) { writer_.Int64(value); }
  // Writes a number or, from 2^63 on, a string "0x…": some readers have only
  // signed numbers.
  void Uint(uint64_t value);
  // Writes a number or, if the value is not finite, a string: "nan", "inf" or
  // "-inf".
  void Double(double value);
  void Bool(bool value) { writer_.Bool(value); }
  void Null() { writer_.Null(); }
  void Hex(uint64_t value);  // writes a string "0x…"
  // Writes `ns` nanoseconds as microseconds with three decimals.
  void Micros(uint64_t ns);
  // Writes `ns` nanoseconds as milliseconds with up to six decimals.
  void Millis(uint64_t ns);

  // The following are for callers that write commas and colons themselves, with
  // Raw.

  // Appends `json` as it is.
  void Raw(absl::string_view json) {
    std::memcpy(buffer_.Push(json.size()), json.data(), json.size());
  }
  // Append a value without a comma.
  void RawInt(int64_t value);
  void RawMicros(uint64_t ns);
  void RawString(absl::string_view value) {
    OmitNextComma();
    String(value);
  }
  // Makes the writer ready for a value without a comma before it. The caller
  // then writes one string or number, or one whole object or array.
  void OmitNextComma() { writer_.Reset(buffer_); }

  // Flushes if at least 256 KiB are buffered. Returns the output's error.
  absl::Status MaybeFlush() {
    return buffer_.GetSize() < kFlushSize ? absl::OkStatus() : Flush();
  }
  // Writes all buffered text to the output. Returns the output's error; the
  // buffer is empty even then.
  absl::Status Flush();

 private:
  static constexpr size_t kFlushSize = 256 << 10;

  using Buffer =
      rapidjson::GenericStringBuffer<rapidjson::UTF8<>, JsonAllocator>;
  using BaseWriter = rapidjson::Writer<Buffer, rapidjson::UTF8<>,
                                       rapidjson::UTF8<>, JsonAllocator>;
  // Avoids RapidJSON's check of every byte of a string.
  class Writer : public BaseWriter {
   public:
    using BaseWriter::BaseWriter;
    // Writes a key or value that has nothing to escape.
    void PlainString(absl::string_view text);
  };

  void Text(absl::string_view text);

  Output& out_;
  Buffer buffer_;
  Writer writer_;
  std::string scratch_;
};

// Returns the text of the JSON value that `write` writes.
std::string JsonText(absl::FunctionRef<void(JsonWriter&)> write);

}  // namespace perf2x

#endif  // PERF2X_EMIT_JSON_WRITER_H_
