// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TESTS_PROFILE_SOURCE_PROFILE_MAKER_H_
#define PERF2X_TESTS_PROFILE_SOURCE_PROFILE_MAKER_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "converter/profile_source/profile_reader.h"
#include "profile.pb.h"

namespace perf2x {

namespace pb = perftools::profiles;

// Makes a profile by means of protobuf itself. Names are interned.
class ProfileMaker {
 public:
  ProfileMaker() { String(""); }

  int64_t String(const std::string& s) {
    const auto [it, inserted] =
        strings_.try_emplace(s, static_cast<int64_t>(strings_.size()));
    if (inserted) profile_.add_string_table(s);
    return it->second;
  }
  ProfileMaker& Type(const std::string& type, const std::string& unit) {
    pb::ValueType* out = profile_.add_sample_type();
    out->set_type(String(type));
    out->set_unit(String(unit));
    return *this;
  }
  uint64_t Mapping(const std::string& file, uint64_t start, uint64_t size,
                   uint64_t offset = 0, const std::string& build_id = "") {
    pb::Mapping* out = profile_.add_mapping();
    out->set_id(static_cast<uint64_t>(profile_.mapping_size()));
    out->set_memory_start(start);
    out->set_memory_limit(start + size);
    out->set_file_offset(offset);
    out->set_filename(String(file));
    out->set_build_id(String(build_id));
    return out->id();
  }
  uint64_t Function(const std::string& name, const std::string& file = "") {
    pb::Function* out = profile_.add_function();
    out->set_id(static_cast<uint64_t>(profile_.function_size()));
    out->set_name(String(name));
    out->set_system_name(String(name));
    out->set_filename(String(file));
    return out->id();
  }
  // `functions` has names, innermost inlined one first.
  uint64_t Location(uint64_t mapping, uint64_t address,
                    const std::vector<std::string>& functions,
                    int64_t line = 0) {
    pb::Location* out = profile_.add_location();
    out->set_id(static_cast<uint64_t>(profile_.location_size()));
    out->set_mapping_id(mapping);
    out->set_address(address);
    for (const std::string& name : functions) {
      pb::Line* of = out->add_line();
      of->set_function_id(Function(name));
      of->set_line(line);
    }
    return out->id();
  }
  pb::Sample* Sample(const std::vector<uint64_t>& locations,
                     const std::vector<int64_t>& values) {
    pb::Sample* out = profile_.add_sample();
    for (const uint64_t id : locations) out->add_location_id(id);
    for (const int64_t value : values) out->add_value(value);
    return out;
  }
  void Label(pb::Sample* sample, const std::string& key,
             const std::string& text) {
    pb::Label* out = sample->add_label();
    out->set_key(String(key));
    out->set_str(String(text));
  }
  void Number(pb::Sample* sample, const std::string& key, int64_t number,
              const std::string& unit) {
    pb::Label* out = sample->add_label();
    out->set_key(String(key));
    out->set_num(number);
    out->set_num_unit(String(unit));
  }
  void Comment(const std::string& text) { profile_.add_comment(String(text)); }

  pb::Profile& profile() { return profile_; }
  std::string Bytes() const { return profile_.SerializeAsString(); }

 private:
  pb::Profile profile_;
  std::map<std::string, int64_t> strings_;
};

inline absl::StatusOr<Profile> ReadBytes(const std::string& bytes,
                                         Budget& budget = Budget::Unlimited()) {
  uint64_t size = 0;
  const auto source = SourceOfBytes(
      {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
  return ReadProfile(*source, budget, &size);
}

}  // namespace perf2x

#endif  // PERF2X_TESTS_PROFILE_SOURCE_PROFILE_MAKER_H_
