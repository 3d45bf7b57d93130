# SPDX-License-Identifier: Apache-2.0
#
# `cmake --install` and the packages made by cpack: a .deb, and a .tar.gz that
# has the libraries beside the program; of the static program a .tar.gz alone.

# Here the archive has its libraries; elsewhere the folder does not exist. The
# old kind of run path holds for the libraries' own needs too. The program that
# was just built has the same path: cmake else keeps its place free with colons,
# for which the dynamic linker looks in the current folder.
if(PERF2X_STATIC)
  set_target_properties(perf2x PROPERTIES SKIP_BUILD_RPATH ON)
else()
  set_target_properties(perf2x PROPERTIES
    INSTALL_RPATH "$ORIGIN/../lib/perf2x" BUILD_WITH_INSTALL_RPATH ON)
  target_link_options(perf2x PRIVATE -Wl,--disable-new-dtags)
endif()

install(TARGETS perf2x RUNTIME_DEPENDENCY_SET perf2x_libraries)
# pprof runs a program of this name when it is handed a perf.data.
file(CREATE_LINK perf2x ${PROJECT_BINARY_DIR}/perf_to_profile SYMBOLIC)
install(PROGRAMS ${PROJECT_BINARY_DIR}/perf_to_profile
  DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE
  DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)

# The terms of what is part of the program itself, as an archive or as headers.
if(PERF2X_STATIC)
  install(CODE "execute_process(COMMAND \"${PROJECT_SOURCE_DIR}/scripts/linked-packages\"
    \"${PROJECT_BINARY_DIR}\" --licenses
    \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DOCDIR}/licenses\"
    COMMAND_ERROR_IS_FATAL ANY)")
else()
  string(REGEX MATCH "^[0-9]+" gcc "${CMAKE_CXX_COMPILER_VERSION}")
  foreach(package libabsl-dev libboost-dev libcli11-dev libiberty-dev libopencsd-dev
      libprotobuf-dev libstdc++-${gcc}-dev libthrift-dev libxxhash-dev rapidjson-dev)
    install(FILES /usr/share/doc/${package}/copyright
      DESTINATION ${CMAKE_INSTALL_DOCDIR}/licenses RENAME ${package} OPTIONAL)
  endforeach()
endif()

install(SCRIPT ${PROJECT_SOURCE_DIR}/cmake/license_texts.cmake)

# What action.yml and templates/perf2x.yml run.
install(PROGRAMS packaging/ci/report packaging/ci/comment
  DESTINATION ${CMAKE_INSTALL_DATADIR}/perf2x/ci)

# Everything but the C library, whose parts belong to the running system.
install(RUNTIME_DEPENDENCY_SET perf2x_libraries
  POST_EXCLUDE_REGEXES "/(ld-linux.*|lib(c|m|dl|rt|pthread|resolv))\\.so[.0-9]*$"
  LIBRARY DESTINATION lib/perf2x COMPONENT libraries EXCLUDE_FROM_ALL)
install(CODE "set(PERF2X_ARCHITECTURE ${CMAKE_LIBRARY_ARCHITECTURE})"
  COMPONENT libraries EXCLUDE_FROM_ALL)
install(SCRIPT ${PROJECT_SOURCE_DIR}/cmake/licenses.cmake
  COMPONENT libraries EXCLUDE_FROM_ALL)
install(SCRIPT ${PROJECT_SOURCE_DIR}/cmake/license_texts.cmake
  COMPONENT libraries EXCLUDE_FROM_ALL)

set(CPACK_GENERATOR DEB TGZ)
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_SOURCE_DIR}/cmake/cpack_generators.cmake)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_VENDOR perf2x)
set(CPACK_PACKAGE_CONTACT "The perf2x authors <perf2x@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_FILE_NAME
  perf2x-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR})

if(PERF2X_STATIC)
  set(CPACK_GENERATOR TGZ)  # and others, by scripts/release
  set(CPACK_PERF2X_STATIC ON)
  string(APPEND CPACK_PACKAGE_FILE_NAME -static)
endif()

# An .rpm of the static program needs no package of any distribution. Its times are those of
# SOURCE_DATE_EPOCH, and it names no host.
set(CPACK_RPM_FILE_NAME RPM-DEFAULT)
set(CPACK_RPM_PACKAGE_LICENSE Apache-2.0)
set(CPACK_RPM_PACKAGE_AUTOREQPROV OFF)
set(CPACK_RPM_PACKAGE_ARCHITECTURE ${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_RPM_MAIN_COMPONENT perf2x)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/package_times.cmake)
set(CPACK_RPM_PACKAGE_DESCRIPTION "${PROJECT_DESCRIPTION}, and compares builds. One static
program, which needs no libraries. Its documentation is in the manual page perf2x(1).")
set(CPACK_RPM_SPEC_MORE_DEFINE "%define use_source_date_epoch_as_buildtime 1
%define clamp_mtime_to_source_date_epoch 1
%define _buildhost localhost
%define _build_id_links none
%define __os_install_post %{nil}
%define debug_package %{nil}")

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
if(CMAKE_SYSTEM_PROCESSOR STREQUAL aarch64)
  set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE arm64)
endif()
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
if(NOT PERF2X_STATIC)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
  # Loaded only when a server is to be asked for symbols.
  set(CPACK_DEBIAN_PACKAGE_SUGGESTS libdebuginfod1)
endif()
include(CPack)
