// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TESTS_EMIT_FIREFOX_FIREFOX_FIXTURE_H_
#define PERF2X_TESTS_EMIT_FIREFOX_FIREFOX_FIXTURE_H_

#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "converter/emit/emitters.h"
#include "tests/emit/times.h"
#include "tests/support/small_trace.h"

namespace perf2x {

// A SmallTrace as a profile. Looks at it as the profiler does.
class FirefoxTest : public SmallTrace {
 protected:
  using Json = rapidjson::Value;

  absl::Status Start(const char* weights = "samples") {
    return Begin(FirefoxEmitterInfo(), {{"weights", weights}});
  }
  // Ends the trace and reads the profile.
  void End() {
    ASSERT_TRUE(Finish().ok());
    profile_.Parse(output().c_str());
    ASSERT_FALSE(profile_.HasParseError()) << output();
    CheckTables();
  }

  std::string Text(const Json& index) const {
    const Json& strings = profile_["shared"]["stringArray"];
    return strings[static_cast<rapidjson::SizeType>(index.GetInt())]
        .GetString();
  }
  // Returns the thread that is shown under this name.
  const Json& ThreadNamed(const std::string& name) const {
    for (const Json& thread : profile_["threads"].GetArray()) {
      if (thread["name"].GetString() == name) return thread;
    }
    static const Json kNone(rapidjson::kObjectType);
    ADD_FAILURE() << "no thread " << name << " in " << Names();
    return kNone;
  }
  std::string Names() const {
    std::vector<std::string> names;
    for (const Json& thread : profile_["threads"].GetArray()) {
      names.push_back(thread["name"].GetString());
    }
    return absl::StrJoin(names, ", ");
  }
  // Returns "main;sort" for a row of the stack table, outermost first.
  std::string StackText(const Json& row) const {
    if (row.IsNull()) return "null";
    const Json& shared = profile_["shared"];
    std::vector<std::string> names;
    for (int at = row.GetInt();;) {
      const int frame = Int(shared["stackTable"]["frame"], at);
      const int function = Int(shared["frameTable"]["func"], frame);
      names.insert(names.begin(),
                   Text(At(shared["funcTable"]["name"], function)));
      const int up = Int(shared["stackTable"]["prefixOffset"], at);
      if (up == 0) break;
      at -= up;
    }
    return absl::StrJoin(names, ";");
  }
  // "0 main;sort" for each sample: its time in ms and its stack.
  std::vector<std::string> SamplesOf(const Json& thread) const {
    std::vector<std::string> out;
    double time = 0;
    const Json& samples = thread["samples"];
    for (int i = 0; i < samples["length"].GetInt(); ++i) {
      time += At(samples["timeDeltas"], i).GetDouble();
      out.push_back(
          absl::StrCat(time, " ", StackText(At(samples["stack"], i))));
    }
    return out;
  }
  // "NAME start-end {fields} stack" for each marker.
  std::vector<std::string> MarkersOf(const Json& thread) const;

  static const Json& At(const Json& array, int i) {
    return array[static_cast<rapidjson::SizeType>(i)];
  }
  static int Int(const Json& array, int i) { return At(array, i).GetInt(); }
  static std::vector<int> Ints(const Json& array) {
    std::vector<int> out;
    for (const Json& item : array.GetArray()) {
      out.push_back(item.IsNull() ? -1 : item.GetInt());
    }
    return out;
  }

  // The threadCPUDelta of a thread's samples, in ns.
  std::vector<int> CpuTimes(const Json& thread) const {
    const Json& unit = profile_["meta"]["sampleUnits"]["threadCPUDelta"];
    std::vector<int> out = Ints(thread["samples"]["threadCPUDelta"]);
    for (int& time : out) time *= unit == "µs" ? 1000 : 1;
    return out;
  }

  // All columns of a table have its length.
  static void CheckLength(const Json& table, const char* name) {
    for (const auto& column : table.GetObject()) {
      if (!column.value.IsArray()) continue;
      EXPECT_EQ(column.value.Size(), table["length"].GetUint())
          << name << "." << column.name.GetString();
    }
  }
  void CheckTables() const {
    for (const auto& table : profile_["shared"].GetObject()) {
      if (table.value.IsObject()) {
        CheckLength(table.value, table.name.GetString());
      }
    }
    for (const Json& thread : profile_["threads"].GetArray()) {
      CheckLength(thread["samples"], "samples");
      CheckLength(thread["markers"], "markers");
    }
    for (const Json& counter : profile_["counters"].GetArray()) {
      CheckLength(counter["samples"], "counter");
    }
  }

  rapidjson::Document profile_;
};

inline std::vector<std::string> FirefoxTest::MarkersOf(
    const Json& thread) const {
  std::map<std::string, std::map<std::string, std::string>> formats;
  for (const Json& schema : profile_["meta"]["markerSchema"].GetArray()) {
    for (const Json& field : schema["fields"].GetArray()) {
      formats[schema["name"].GetString()][field["key"].GetString()] =
          field["format"].GetString();
    }
  }
  std::vector<std::string> out;
  const Json& markers = thread["markers"];
  for (int i = 0; i < markers["length"].GetInt(); ++i) {
    const Json& data = At(markers["data"], i);
    const std::string type = data["type"].GetString();
    EXPECT_EQ(Text(At(markers["name"], i)), type);
    std::string line =
        absl::StrCat(type, " ", At(markers["startTime"], i).GetDouble());
    const Json& end = At(markers["endTime"], i);
    EXPECT_EQ(Int(markers["phase"], i), end.IsNull() ? 0 : 1);
    if (!end.IsNull()) absl::StrAppend(&line, "-", end.GetDouble());
    for (const auto& field : data.GetObject()) {
      const std::string key = field.name.GetString();
      if (key == "type") continue;
      if (key == "cause") {
        absl::StrAppend(&line, " in ", StackText(field.value["stack"]));
        continue;
      }
      const std::string format = formats[type][key];
      absl::StrAppend(&line, " ", key, "=");
      if (format == "unique-string") {
        absl::StrAppend(&line, Text(field.value));
      } else if (format == "string") {
        absl::StrAppend(&line, "'", field.value.GetString(), "'");
      } else if (format == "hexadecimal") {
        absl::StrAppend(&line, "0x", absl::Hex(field.value.GetInt64()));
      } else {
        EXPECT_TRUE(format == "integer" || format == "decimal") << format;
        absl::StrAppend(&line, field.value.GetDouble());
      }
    }
    out.push_back(line);
  }
  return out;
}

}  // namespace perf2x

#endif  // PERF2X_TESTS_EMIT_FIREFOX_FIREFOX_FIXTURE_H_
