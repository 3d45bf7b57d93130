# SPDX-License-Identifier: Apache-2.0
#
# At install time: beside the libraries that the archive carries, the terms under
# which Debian distributes them. Needs PERF2X_ARCHITECTURE, as in
# /usr/lib/ARCHITECTURE.
set(root "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}")
file(GLOB libraries RELATIVE "${root}/lib/perf2x" "${root}/lib/perf2x/*")
foreach(library IN LISTS libraries)
  execute_process(COMMAND dpkg-query -S "*/${PERF2X_ARCHITECTURE}/${library}"
    OUTPUT_VARIABLE owner ERROR_QUIET)
  string(REGEX MATCH "^[^:]+" package "${owner}")
  if(package)
    configure_file("/usr/share/doc/${package}/copyright"
      "${root}/share/doc/perf2x/licenses/${package}" COPYONLY)
  endif()
endforeach()
