# SPDX-License-Identifier: Apache-2.0
#
# At install time: beside the terms of packages, the texts that these refer to as files of
# every Debian system.
set(terms "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/share/doc/perf2x/licenses")
set(texts /usr/share/common-licenses)
file(GLOB packages LIST_DIRECTORIES false "${terms}/*")
foreach(package IN LISTS packages)
  file(STRINGS "${package}" lines REGEX "${texts}/")
  string(REGEX MATCHALL "${texts}/[A-Za-z0-9.-]*[A-Za-z0-9]" named "${lines}")
  foreach(text IN LISTS named)
    if(EXISTS "${text}")
      file(REAL_PATH "${text}" path)  # GPL is the latest
      get_filename_component(name "${text}" NAME)
      configure_file("${path}" "${terms}/common-licenses/${name}" COPYONLY)
    endif()
  endforeach()
endforeach()
