# SPDX-License-Identifier: Apache-2.0
#
# Every dependency is a Debian package; a missing one is named with the command
# that installs it. docs/dependencies.md says what each is for.

find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)

set(PERF2X_MISSING "")

# A CMake package that must be there.
macro(perf2x_need_package name debian)
  find_package(${name} QUIET ${ARGN})
  if(NOT ${name}_FOUND)
    list(APPEND PERF2X_MISSING ${debian})
  endif()
endmacro()

# A pkg-config module, as the imported target PkgConfig::<prefix>.
macro(perf2x_need_module prefix module debian)
  pkg_check_modules(${prefix} QUIET IMPORTED_TARGET ${module})
  if(NOT ${prefix}_FOUND)
    list(APPEND PERF2X_MISSING ${debian})
  endif()
endmacro()

perf2x_need_package(absl libabsl-dev)
set(Protobuf_USE_STATIC_LIBS ON)
perf2x_need_package(Protobuf "libprotobuf-dev protobuf-compiler")
perf2x_need_package(ZLIB zlib1g-dev)
perf2x_need_package(LibLZMA liblzma-dev)
perf2x_need_package(BZip2 libbz2-dev)
perf2x_need_package(CLI11 libcli11-dev)
perf2x_need_package(RapidJSON rapidjson-dev)
perf2x_need_package(zydis libzydis-dev)
perf2x_need_module(ZSTD libzstd libzstd-dev)
perf2x_need_module(ISAL libisal libisal-dev)
perf2x_need_module(XXHASH libxxhash libxxhash-dev)
perf2x_need_module(ELF libelf libelf-dev)
perf2x_need_module(DW libdw libdw-dev)
perf2x_need_module(DEBUGINFOD libdebuginfod libdebuginfod-dev)
perf2x_need_module(TRACEEVENT libtraceevent libtraceevent-dev)
find_library(IBERTY_LIBRARY iberty)
find_path(IBERTY_INCLUDE libiberty/demangle.h)
if(NOT IBERTY_LIBRARY OR NOT IBERTY_INCLUDE)
  list(APPEND PERF2X_MISSING libiberty-dev)
endif()
# Without it, CoreSight traces are not decoded. Its archives, as programs need it so seldom
# that they should not load it.
find_library(OPENCSD_C_LIBRARY libopencsd_c_api.a)
find_library(OPENCSD_LIBRARY libopencsd.a)
find_path(OPENCSD_INCLUDE opencsd/c_api/opencsd_c_api.h)
if(OPENCSD_C_LIBRARY AND OPENCSD_LIBRARY AND OPENCSD_INCLUDE)
  set(PERF2X_OPENCSD ${OPENCSD_C_LIBRARY} ${OPENCSD_LIBRARY})
else()
  message(STATUS "CoreSight traces will not be decoded: libopencsd-dev is not installed")
endif()
find_program(THRIFT_COMPILER thrift)
find_library(THRIFT_LIBRARY libthrift.a)
find_path(THRIFT_INCLUDE thrift/TBase.h)
# Thrift's headers use it.
find_path(BOOST_INCLUDE boost/numeric/conversion/cast.hpp)
if(NOT THRIFT_COMPILER)
  list(APPEND PERF2X_MISSING thrift-compiler)
endif()
if(NOT THRIFT_LIBRARY OR NOT THRIFT_INCLUDE)
  list(APPEND PERF2X_MISSING libthrift-dev)
endif()
if(NOT BOOST_INCLUDE)
  list(APPEND PERF2X_MISSING libboost-dev)
endif()
# Optional: Debian has it for x86 alone. Without it, traces of Intel PT are not decoded.
find_library(IPT_LIBRARY ipt)
find_path(IPT_INCLUDE intel-pt.h)
if(IPT_LIBRARY AND IPT_INCLUDE)
  set(PERF2X_INTEL_PT ON)
else()
  set(PERF2X_INTEL_PT OFF)
  message(STATUS "Without Intel PT: libipt (libipt-dev) was not found")
endif()
if(PERF2X_TESTS)
  perf2x_need_package(GTest "libgtest-dev libgmock-dev")
endif()
if(PERF2X_BENCH)
  perf2x_need_package(benchmark libbenchmark-dev)
endif()

# Abseil is thirty shared libraries in Debian, and loading them took most of the
# time of a small conversion. Their archives lie beside them.
get_property(imported DIRECTORY PROPERTY IMPORTED_TARGETS)
list(FILTER imported INCLUDE REGEX "^absl::")
if(PERF2X_STATIC)
  perf2x_use_own_archive(Zydis::Zydis)
endif()
foreach(target IN LISTS imported)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL SHARED_LIBRARY)
    get_target_property(shared ${target} LOCATION)
    string(REGEX REPLACE "\\.so[.0-9]*$" ".a" archive "${shared}")
    if(PERF2X_STATIC)
      set(archive ${PERF2X_STATIC_LIBRARIES}/libabsl_base.a)  # all of them
    endif()
    if(EXISTS "${archive}")
      set_target_properties(${target} PROPERTIES IMPORTED_LOCATION_NONE "${archive}")
    endif()
  endif()
endforeach()

if(PERF2X_MISSING)
  string(REPLACE ";" " " PERF2X_MISSING "${PERF2X_MISSING}")
  message(FATAL_ERROR
    "Missing packages. Install them and run cmake again:\n"
    "  apt-get install ${PERF2X_MISSING}\n"
    "or let scripts/install-deps do it.")
endif()
