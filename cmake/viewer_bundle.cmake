# SPDX-License-Identifier: Apache-2.0
#
# Run as a script: makes OUTPUT, the C++ source of
# converter/emit/html/viewer_bundle.h, of the files SCRIPT and STYLE. Fails if a file
# has what would end its element in the page, or what a browser reads otherwise than it
# is hashed.

function(perf2x_viewer_file function path)
  file(READ ${path} hex HEX)
  file(SHA256 ${path} sha256)
  string(TOLOWER "${hex}" hex)
  # Pairs of digits, so that no match begins in the middle of a byte.
  string(REGEX REPLACE "(..)" "\\1 " bytes "${hex}")
  # "<!--", "</s" with either case of the letter; NUL and CR.
  foreach(forbidden "3c 21 2d 2d" "3c 2f 73" "3c 2f 53" " 00 " "0d ")
    string(FIND " ${bytes}" "${forbidden}" at)
    if(NOT at EQUAL -1)
      message(FATAL_ERROR "${path} has the bytes ${forbidden}, which a page cannot hold")
    endif()
  endforeach()
  string(REGEX REPLACE "(..) " "'\\\\x\\1'," array "${bytes}")
  file(APPEND ${OUTPUT} "
ViewerFile ${function}() {
  static constexpr char kText[] = {${array}'\\0'};
  return {{kText, sizeof(kText) - 1}, \"${sha256}\"};
}
")
endfunction()

file(WRITE ${OUTPUT} "#include \"converter/emit/html/viewer_bundle.h\"

namespace perf2x {
")
perf2x_viewer_file(ViewerScript ${SCRIPT})
perf2x_viewer_file(ViewerStyle ${STYLE})
file(APPEND ${OUTPUT} "
}  // namespace perf2x
")
