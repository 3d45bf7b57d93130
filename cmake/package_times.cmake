# SPDX-License-Identifier: Apache-2.0
#
# Read by cpack before it makes a package: files have the time of SOURCE_DATE_EPOCH. rpm itself
# changes later times only, and sources may be older than their commit.
if(DEFINED ENV{SOURCE_DATE_EPOCH})
  execute_process(COMMAND find "${CPACK_TEMPORARY_INSTALL_DIRECTORY}"
    -exec touch -hd "@$ENV{SOURCE_DATE_EPOCH}" {} + COMMAND_ERROR_IS_FATAL ANY)
endif()
