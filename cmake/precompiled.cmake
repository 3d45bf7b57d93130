# SPDX-License-Identifier: Apache-2.0
#
# Precompiled headers, and libraries and tests that are compiled many sources at a time:
# both together halve the time of a build. Only the builds of .ci/run that are for tests have
# them, because code also compiles with them where an include is missing: the weekly
# workflow compiles each source alone.

set(PERF2X_PRECOMPILED <algorithm> <array> <cstdint> <filesystem> <fstream> <functional>
  <map> <memory> <mutex> <optional> <string> <thread> <utility> <vector>
  <absl/container/flat_hash_map.h> <absl/container/flat_hash_set.h> <absl/status/status.h>
  <absl/status/statusor.h> <absl/strings/match.h> <absl/strings/str_cat.h>
  <absl/strings/str_join.h> <absl/strings/str_split.h> <absl/types/span.h>)

# perf2x_precompile(<target> <for> [headers...]): precompiles the headers above and these
# for the target. Targets of one <for> share what the first of them compiled, so they
# have to have the same options.
function(perf2x_precompile target for)
  if(NOT PERF2X_PRECOMPILE)
    return()
  endif()
  get_property(first GLOBAL PROPERTY PERF2X_PRECOMPILED_${for})
  if(first)
    target_precompile_headers(${target} REUSE_FROM ${first})
  else()
    target_precompile_headers(${target} PRIVATE ${PERF2X_PRECOMPILED} ${ARGN})
    set_property(GLOBAL PROPERTY PERF2X_PRECOMPILED_${for} ${target})
  endif()
endfunction()
