// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PROFILE_SOURCE_PROFILE_THREADS_H_
#define PERF2X_PROFILE_SOURCE_PROFILE_THREADS_H_

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "converter/model/emitter.h"
#include "converter/model/trace_tables.h"
#include "converter/profile_source/profile.h"

namespace perf2x {

// Translates the labels of a profile's samples: to threads and to what else a
// sample of a trace has. Labels are those of docs/pprof.md; others have no
// meaning for a trace. Not thread-safe.
class ProfileThreads {
 public:
  // Both must outlive this. New threads are added to `tables`. Samples without
  // labels of a thread are those of a thread that is called like the main
  // program.
  ProfileThreads(const Profile& profile, TraceTables& tables);

  ThreadId ThreadOf(const ProfileSample& sample);
  // Sets CPU, mode, time and fields of `*to`. The fields are valid until the
  // next call.
  void SetLabels(const ProfileSample& sample, Sample* to);

 private:
  enum Key { kProcess, kPid, kThread, kTid, kCpu, kCpuMode, kTime, kKeys };
  StringId NameOf(StringIndex s);

  const Profile& profile_;
  TraceTables& tables_;
  StringIndex keys_[kKeys];  // indexes of the labels' keys; kNoId: none has it
  StringId main_name_;
  absl::flat_hash_map<std::tuple<int32_t, int32_t, StringId, StringId>,
                      ThreadId>
      threads_;
  std::vector<StringId> names_;  // by StringIndex; kNoId: not interned yet
  std::vector<Field> fields_;
};

}  // namespace perf2x

#endif  // PERF2X_PROFILE_SOURCE_PROFILE_THREADS_H_
