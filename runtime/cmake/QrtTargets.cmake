#===- QrtTargets.cmake - how runtime libraries and tests are declared -----===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#===------------------------------------------------------------------------===#
#
#   qrt_add_library(QrtX SOURCES A.cpp B.cpp DEPS QrtY absl::status)
#   qrt_add_test(QrtXTests ATest.cpp BTest.cpp DEPS QrtX)
#   qrt_add_executable(tool main.cpp DEPS QrtX)
#   qrt_add_fuzzer(fuzz-x XFuzzer.cpp DEPS QrtX)
#
# A library QrtX lives in lib/X, its headers in include/quench-rt/X and its tests
# in test/Runtime/X.

include_guard(GLOBAL)

set(QRT_SOURCE_DIR ${CMAKE_CURRENT_LIST_DIR}/..)
cmake_path(NORMAL_PATH QRT_SOURCE_DIR)

if(NOT CMAKE_RUNTIME_OUTPUT_DIRECTORY)
  set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
endif()
if(NOT CMAKE_LIBRARY_OUTPUT_DIRECTORY)
  set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
endif()
if(NOT CMAKE_ARCHIVE_OUTPUT_DIRECTORY)
  set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
endif()

# What every target of the runtime is compiled with.
function(qrt_target_defaults name)
  set_target_properties(${name} PROPERTIES
    CXX_STANDARD 17
    CXX_STANDARD_REQUIRED ON
    CXX_EXTENSIONS OFF
    POSITION_INDEPENDENT_CODE ON
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON)
  # No contraction: whether a product and a sum are fused is part of a result's
  # definition here, and must not depend on the host's instruction set.
  target_compile_options(${name} PRIVATE -Wall -Wextra -ffp-contract=off)
  if(QUENCH_WERROR)
    target_compile_options(${name} PRIVATE -Werror)
  endif()
  if(QUENCH_SANITIZE)
    # -O1: sanitized code is there to be tested, and compiles in half the time.
    target_compile_options(${name} PRIVATE -O1
      -fsanitize=${QUENCH_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -gline-tables-only)
    target_link_options(${name} PUBLIC -fsanitize=${QUENCH_SANITIZE})
  endif()
  if(QUENCH_FUZZ)
    target_compile_options(${name} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
endfunction()

# A static library whose objects can also go into a shared one.
function(qrt_add_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES} ${ARG_UNPARSED_ARGUMENTS})
  qrt_target_defaults(${name})
  target_include_directories(${name} PUBLIC
    $<BUILD_INTERFACE:${QRT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>)
  target_compile_features(${name} PUBLIC cxx_std_17)
  target_link_libraries(${name} PUBLIC ${ARG_DEPS})
endfunction()

function(qrt_add_executable name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES} ${ARG_UNPARSED_ARGUMENTS})
  qrt_target_defaults(${name})
  target_link_libraries(${name} PRIVATE ${ARG_DEPS})
endfunction()

# A program that calls its LLVMFuzzerTestOneInput with inputs that libFuzzer makes up.
function(qrt_add_fuzzer name)
  qrt_add_executable(${name} ${ARGN})
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
endfunction()

# One GoogleTest binary per library; each of its tests is a ctest entry that
# carries the label `runtime` and is named <Library>/<Suite>.<Test>.
function(qrt_add_test name)
  qrt_add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE GTest::gtest_main)
  # Tests share helpers as "<Library>/Helper.h".
  target_include_directories(${name} PRIVATE ${QRT_SOURCE_DIR}/../test/Runtime)
  string(REGEX REPLACE "^Qrt(.*)Tests$" "\\1" prefix ${name})
  include(GoogleTest)
  gtest_discover_tests(${name}
    TEST_PREFIX ${prefix}/
    PROPERTIES LABELS runtime TIMEOUT 300
    DISCOVERY_MODE PRE_TEST)
endfunction()
