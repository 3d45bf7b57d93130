# SPDX-License-Identifier: Apache-2.0
#
# The library perf2x::convert for other programs: one archive of all that a conversion
# needs, its header, and how CMake and pkg-config find them. Installed by
#   cmake --install build --component development --prefix DIR
# Packages have the program alone.

set(parts base input perf_records perf_header perf_stream model tracepoint symbolize
  unwind hwtrace session stages profile_source branch_lists emit compare convert)
list(TRANSFORM parts PREPEND perf2x_)
add_library(perf2x_archive STATIC)
foreach(part IN LISTS parts ITEMS perf2x_proto)
  get_target_property(type ${part} TYPE)
  if(type STREQUAL STATIC_LIBRARY)
    target_sources(perf2x_archive PRIVATE $<TARGET_OBJECTS:${part}>)
  endif()
endforeach()
set_target_properties(perf2x_archive PROPERTIES
  OUTPUT_NAME perf2x EXPORT_NAME convert LINKER_LANGUAGE CXX)
target_compile_features(perf2x_archive INTERFACE cxx_std_17)
target_include_directories(perf2x_archive INTERFACE
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
# By the names that perf2xConfig.cmake finds them under.
target_link_libraries(perf2x_archive INTERFACE
  absl::status absl::statusor absl::strings absl::str_format absl::flat_hash_map
  absl::flat_hash_set absl::span protobuf::libprotobuf ZLIB::ZLIB LibLZMA::LibLZMA
  BZip2::BZip2 PkgConfig::ZSTD PkgConfig::ISAL PkgConfig::TRACEEVENT
  Zydis::Zydis Threads::Threads iberty thrift ${CMAKE_DL_LIBS})
if(PERF2X_OPENCSD)
  set(PERF2X_OPENCSD_LIBS "-lopencsd_c_api -lopencsd")
  target_link_libraries(perf2x_archive INTERFACE opencsd_c_api opencsd)
endif()
if(PERF2X_INTEL_PT)
  target_link_libraries(perf2x_archive INTERFACE ipt)
  set(PERF2X_PC_IPT " -lipt")
endif()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/perf2x)
include(CMakePackageConfigHelpers)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/perf2xConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/perf2xConfig.cmake.in
  ${PROJECT_BINARY_DIR}/perf2xConfig.cmake INSTALL_DESTINATION ${package_dir})
file(RELATIVE_PATH pc_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${CMAKE_CURRENT_LIST_DIR}/perf2x.pc.in ${PROJECT_BINARY_DIR}/perf2x.pc @ONLY)

install(TARGETS perf2x_archive EXPORT perf2xTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development EXCLUDE_FROM_ALL)
install(FILES ${PROJECT_SOURCE_DIR}/include/perf2x/convert.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/perf2x COMPONENT development EXCLUDE_FROM_ALL)
install(EXPORT perf2xTargets NAMESPACE perf2x:: DESTINATION ${package_dir}
  COMPONENT development EXCLUDE_FROM_ALL)
install(FILES ${PROJECT_BINARY_DIR}/perf2xConfig.cmake
    ${PROJECT_BINARY_DIR}/perf2xConfigVersion.cmake
  DESTINATION ${package_dir} COMPONENT development EXCLUDE_FROM_ALL)
install(FILES ${PROJECT_BINARY_DIR}/perf2x.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development EXCLUDE_FROM_ALL)
