# SPDX-License-Identifier: Apache-2.0
#
# Read by cpack once a generator: only the archive carries libraries.
set(CPACK_COMPONENTS_ALL perf2x)
if(CPACK_GENERATOR STREQUAL "TGZ")
  list(APPEND CPACK_COMPONENTS_ALL libraries)
  set(CPACK_COMPONENT_INCLUDE_TOPLEVEL_DIRECTORY ON)
endif()
