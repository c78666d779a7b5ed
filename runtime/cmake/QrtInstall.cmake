#===- QrtInstall.cmake - what `cmake --install` puts where ----------------===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#===------------------------------------------------------------------------===#
#
#   qrt_install(Package target…)                programs and libraries
#   qrt_install_headers(folder… [EXCEPT name])  the headers below these folders
#   qrt_install_package(Package template)       what find_package(Package) reads
#
# A target is Package::target to who uses the package. Folders are fixed, since programs
# find libraries in ../lib, and everything is found relative to where the prefix is.

include_guard(GLOBAL)
include(CMakePackageConfigHelpers)

function(qrt_install package)
  foreach(target IN LISTS ARGN)
    get_target_property(kind ${target} TYPE)
    if(NOT kind STREQUAL "STATIC_LIBRARY")
      # The same for the build, where CMake would pad a shorter one with colons, which mean
      # the current folder.
      set_target_properties(${target} PROPERTIES
        BUILD_WITH_INSTALL_RPATH ON
        INSTALL_RPATH "$ORIGIN/../lib"
        INSTALL_RPATH_USE_LINK_PATH ON)
    endif()
  endforeach()
  install(TARGETS ${ARGN} EXPORT ${package}
    RUNTIME DESTINATION bin LIBRARY DESTINATION lib ARCHIVE DESTINATION lib)
endfunction()

function(qrt_install_headers)
  cmake_parse_arguments(arg "" "EXCEPT" "" ${ARGN})
  foreach(folder IN LISTS arg_UNPARSED_ARGUMENTS)
    install(DIRECTORY ${folder} DESTINATION include
      FILES_MATCHING PATTERN "*.h" PATTERN "*.td" PATTERN "*.inc"
      PATTERN "CMakeFiles" EXCLUDE PATTERN "${arg_EXCEPT}" EXCLUDE)
  endforeach()
endfunction()

function(qrt_install_package package template)
  set(folder lib/cmake/${package})
  install(EXPORT ${package} NAMESPACE ${package}:: FILE ${package}Targets.cmake DESTINATION ${folder})
  configure_package_config_file(${template} ${CMAKE_CURRENT_BINARY_DIR}/${package}Config.cmake
    INSTALL_DESTINATION ${folder})
  # Before 1.0 a minor version may change anything.
  write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/${package}ConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
  install(FILES
    ${CMAKE_CURRENT_BINARY_DIR}/${package}Config.cmake
    ${CMAKE_CURRENT_BINARY_DIR}/${package}ConfigVersion.cmake
    DESTINATION ${folder})
endfunction()
