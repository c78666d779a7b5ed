# Functions that every folder of the compiler uses.

# Only the shared MLIR and LLVM are ever linked: the component targets are
# static copies of what is in them, and two copies in one process misbehave.
# Headers of LLVM and generated files do not survive -Wextra: SYSTEM.
function(quench_compile_settings target)
  target_include_directories(${target} SYSTEM PRIVATE
    ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS} ${CMAKE_BINARY_DIR}/include)
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>)
  target_compile_features(${target} PUBLIC cxx_std_17)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wno-unused-parameter
    $<$<BOOL:${QUENCH_WERROR}>:-Werror>)
  separate_arguments(definitions NATIVE_COMMAND "${LLVM_DEFINITIONS}")
  target_compile_definitions(${target} PRIVATE ${definitions})
  if(NOT LLVM_ENABLE_RTTI)
    target_compile_options(${target} PRIVATE -fno-rtti)
  endif()
endfunction()

# quench_add_library(Name SOURCES a.cpp … [LINK lib …])
function(quench_add_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINK" ${ARGN})
  add_library(${name} STATIC ${arg_SOURCES})
  quench_compile_settings(${name})
  add_dependencies(${name} QuenchGenerated)
  target_link_libraries(${name} PUBLIC ${arg_LINK})
endfunction()

# quench_add_tool(name SOURCES a.cpp … [LINK lib …])
function(quench_add_tool name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  quench_compile_settings(${name})
  add_dependencies(${name} QuenchGenerated)
  target_link_libraries(${name} PRIVATE ${arg_LINK})
endfunction()
