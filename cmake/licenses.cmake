# SPDX-License-Identifier: Apache-2.0
#
# At install time: beside the libraries that the archive carries, the terms under
# which Debian distributes them. Needs PERF2X_ARCHITECTURE, as in
# /usr/lib/ARCHITECTURE.
# No variable has the name of a component, which the next `if` would read.
set(root "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}")
file(GLOB carried RELATIVE "${root}/lib/perf2x" "${root}/lib/perf2x/*")
foreach(library IN LISTS carried)
  execute_process(COMMAND dpkg-query -S "*/${PERF2X_ARCHITECTURE}/${library}"
    OUTPUT_VARIABLE owner ERROR_QUIET)
  string(REGEX MATCH "^[^:]+" package "${owner}")
  if(package)
    configure_file("/usr/share/doc/${package}/copyright"
      "${root}/share/doc/perf2x/licenses/${package}" COPYONLY)
  endif()
endforeach()
