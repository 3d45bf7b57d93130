#ifndef PERF2X_EMIT_JSON_WRITER_H_
#define PERF2X_EMIT_JSON_WRITER_H_

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "converter/base/output.h"

namespace perf2x {

// `text` itself when it is valid UTF-8; else a copy in `*scratch` in which
// U+FFFD stands for each byte that belongs to no character.
absl::string_view AsUtf8(absl::string_view text, std::string* scratch);

// Writes one JSON document into an Output, piece by piece. Strings may hold any
// bytes; the document is valid UTF-8 all the same. Keys and values must
// alternate as JSON wants it.
class JsonWriter {
 public:
  explicit JsonWriter(Output& out) : out_(out), writer_(buffer_) {}
  JsonWriter(const JsonWriter&) = delete;
  JsonWriter& operator=(const JsonWriter&) = delete;

  void BeginObject() { writer_.StartObject(); }
  void EndObject() { writer_.EndObject(); }
  void BeginArray() { writer_.StartArray(); }
  void EndArray() { writer_.EndArray(); }
  void NewLine() { buffer_.Put('\n'); }

  void Key(absl::string_view key) { Text(key, /*is_key=*/true); }
  void String(absl::string_view value) { Text(value, /*is_key=*/false); }
  void Int(int64_t value) { writer_.Int64(value); }
  // As a number; beyond 2^63, where readers differ, as a string "0x…".
  void Uint(uint64_t value);
  void Double(double value);
  void Hex(uint64_t value);  // "0x…"
  // `ns` nanoseconds as microseconds with three decimals, exactly.
  void Micros(uint64_t ns);

  // Hands what was written so far to the output once it is enough to be worth
  // it. Gives the output's first error, if there was one.
  absl::Status MaybeFlush() {
    return buffer_.GetSize() < kFlushSize ? absl::OkStatus() : Flush();
  }
  absl::Status Flush();

 private:
  static constexpr size_t kFlushSize = 256 << 10;

  void Text(absl::string_view text, bool is_key);

  Output& out_;
  rapidjson::StringBuffer buffer_;
  rapidjson::Writer<rapidjson::StringBuffer> writer_;
  std::string scratch_;
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_JSON_WRITER_H_
