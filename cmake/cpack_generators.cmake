# SPDX-License-Identifier: Apache-2.0
#
# Read by cpack once a generator: only the archive carries libraries, which the static
# program does not need, and has all in one folder.
set(CPACK_COMPONENTS_ALL perf2x)
if(CPACK_GENERATOR STREQUAL "TGZ")
  if(NOT CPACK_PERF2X_STATIC)
    list(APPEND CPACK_COMPONENTS_ALL libraries)
  endif()
  set(CPACK_COMPONENT_INCLUDE_TOPLEVEL_DIRECTORY ON)
endif()
