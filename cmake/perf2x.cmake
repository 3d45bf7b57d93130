# SPDX-License-Identifier: Apache-2.0
#
# What every target of the project shares, and one helper a kind of target.

add_library(perf2x_options INTERFACE)
target_include_directories(perf2x_options INTERFACE ${PROJECT_SOURCE_DIR})
# -Wsign-compare is in gcc's -Wall and in clang's -Wextra.
target_compile_options(perf2x_options INTERFACE -Wall -Wextra
  "$<$<COMPILE_LANGUAGE:CXX>:-Wextra-semi>"
  "$<$<AND:$<COMPILE_LANGUAGE:CXX>,$<NOT:$<BOOL:$<TARGET_PROPERTY:PERF2X_MAY_SHADOW>>>>:-Wshadow>")
target_compile_definitions(perf2x_options INTERFACE
  PERF2X_VERSION="${PROJECT_VERSION}" _FILE_OFFSET_BITS=64)
if(PERF2X_WERROR)
  target_compile_options(perf2x_options INTERFACE -Werror)
endif()
if(PERF2X_SANITIZE)
  target_compile_definitions(perf2x_options INTERFACE PERF2X_SANITIZED)
  # Not position-independent: what the sanitizers know of each variable would be relocated
  # whenever one of some thousand test processes starts.
  target_compile_options(perf2x_options INTERFACE -fno-pie
    -fsanitize=${PERF2X_SANITIZE} -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  target_link_options(perf2x_options INTERFACE -no-pie -fsanitize=${PERF2X_SANITIZE})
endif()
if(PERF2X_FUZZ)
  target_compile_options(perf2x_options INTERFACE -fsanitize=fuzzer-no-link)
endif()
target_link_libraries(perf2x_options INTERFACE Threads::Threads)

# perf2x_library(<folder> [libraries...]): the *.cc of the folder, and of the folders
# in it, as one static library perf2x_<folder>; of perf/records perf2x_perf_records.
function(perf2x_library folder)
  string(REPLACE "/" "_" name perf2x_${folder})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${folder}/*.cc)
  list(FILTER sources EXCLUDE REGEX "/(main|operator_new)\\.cc$")
  if(NOT sources)
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE perf2x_options ${ARGN})
    return()
  endif()
  add_library(${name} STATIC ${sources})
  target_link_libraries(${name} PUBLIC perf2x_options ${ARGN})
  perf2x_precompile(${name} libraries)
  set_target_properties(${name} PROPERTIES
    UNITY_BUILD ${PERF2X_PRECOMPILE} UNITY_BUILD_BATCH_SIZE 12)
endfunction()

# Under sanitizers, the start of a process and the look for leaks at its end take longer than
# most tests do. So a process runs one of so many parts of the program's tests, and reports
# on each for scripts/check-skips.
function(perf2x_tests_in_parts program parts)
  foreach(part RANGE 1 ${parts})
    math(EXPR index "${part} - 1")
    set(name ${program}.${part})
    add_test(NAME ${name} COMMAND ${program} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set_tests_properties(${name} PROPERTIES TIMEOUT 1200 COST 100 ENVIRONMENT
      "GTEST_TOTAL_SHARDS=${parts};GTEST_SHARD_INDEX=${index};GTEST_OUTPUT=xml:${CMAKE_CURRENT_BINARY_DIR}/${name}.xml")
  endforeach()
endfunction()

# perf2x_test(<folder> [PARTS <n>] [libraries...]): the *_test.cc of the folder, and of the
# folders in it, as one GoogleTest program <folder>_test; under sanitizers, n tests of ctest
# run it, which may be beside each other. Not optimized: the compiler would take
# longer than the tests. (_FORTIFY_SOURCE requires optimization.) Those of fuzz/ are, as
# they measure the program, which shares inline functions with them.
function(perf2x_test folder)
  cmake_parse_arguments(PARSE_ARGV 1 TEST "" PARTS "")
  if(NOT TEST_PARTS)
    set(TEST_PARTS 1)
  endif()
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${folder}/*_test.cc)
  if(NOT sources)
    return()
  endif()
  add_executable(${folder}_test ${sources})
  target_link_libraries(${folder}_test PRIVATE perf2x_options ${TEST_UNPARSED_ARGUMENTS}
    GTest::gmock GTest::gtest_main)
  set(level -O0)
  if(folder STREQUAL "fuzz")
    set(level -O1)
  endif()
  if(NOT PERF2X_HARDEN)
    target_compile_options(${folder}_test PRIVATE ${level})
  endif()
  perf2x_precompile(${folder}_test tests${level} <gmock/gmock.h> <gtest/gtest.h>)
  set_target_properties(${folder}_test PROPERTIES
    UNITY_BUILD ${PERF2X_PRECOMPILE} UNITY_BUILD_BATCH_SIZE 8)
  if(PERF2X_PRECOMPILE AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    # clang warns of members and arguments in headers that have the name of something in the
    # source before. gcc's -Wshadow looks at the same tests.
    set_target_properties(${folder}_test PROPERTIES PERF2X_MAY_SHADOW ON)
  endif()
  if(PERF2X_SANITIZE)
    perf2x_tests_in_parts(${folder}_test ${TEST_PARTS})
    return()
  endif()
  set(timeout 300)
  if(CMAKE_CROSSCOMPILING)
    set(timeout 1500)  # by emulation
  endif()
  gtest_discover_tests(${folder}_test
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    PROPERTIES TIMEOUT ${timeout}
    DISCOVERY_TIMEOUT 60)
endfunction()
