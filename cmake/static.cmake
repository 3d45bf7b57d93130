# SPDX-License-Identifier: Apache-2.0
#
# A program that needs nothing of the system but its kernel: all libraries are linked from
# archives. Debian's packages have these, but for ISA-L and Zydis, of which
# scripts/static-libraries makes them. docs/releasing.md says what such a program lacks.

set(PERF2X_STATIC_LIBRARIES ${PROJECT_BINARY_DIR}/libraries CACHE PATH
  "Where scripts/static-libraries put its archives")
if(NOT PERF2X_HARDEN OR PERF2X_TESTS)
  message(FATAL_ERROR "PERF2X_STATIC is for the preset static: PERF2X_HARDEN, no PERF2X_TESTS")
endif()
if(NOT EXISTS ${PERF2X_STATIC_LIBRARIES}/libisal.a)
  message(FATAL_ERROR "Archives of ISA-L and Zydis are missing. Make them and run cmake again:\n"
    "  scripts/static-libraries ${PERF2X_STATIC_LIBRARIES}")
endif()
set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
list(PREPEND CMAKE_LIBRARY_PATH ${PERF2X_STATIC_LIBRARIES})

# perf2x_use_own_archive(<target>): an imported library of Debian as an archive of ours. What
# it depends on is not linked: of Zydis, perf2x calls the decoder alone.
function(perf2x_use_own_archive target)
  string(REGEX REPLACE ".*::" "" name ${target})
  set_target_properties(${target} PROPERTIES INTERFACE_LINK_LIBRARIES ""
    IMPORTED_LOCATION_NONE ${PERF2X_STATIC_LIBRARIES}/lib${name}.a)
endfunction()
