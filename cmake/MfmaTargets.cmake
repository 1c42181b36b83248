# Flags that every target of ours gets, and the two functions that make targets.
add_library(mfma_flags INTERFACE)
target_compile_options(mfma_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast
  -Wnon-virtual-dtor -Woverloaded-virtual -Wnull-dereference -Wdouble-promotion -Wimplicit-fallthrough
  $<$<BOOL:${MFMA_WERROR}>:-Werror>)
target_include_directories(mfma_flags INTERFACE "${PROJECT_SOURCE_DIR}")
if(MFMA_SANITIZE)
  target_compile_options(mfma_flags INTERFACE -fsanitize=${MFMA_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(mfma_flags INTERFACE -fsanitize=${MFMA_SANITIZE})
endif()
if(MFMA_COVERAGE)
  target_compile_options(mfma_flags INTERFACE -fprofile-instr-generate -fcoverage-mapping)
  target_link_options(mfma_flags INTERFACE -fprofile-instr-generate)
endif()

# Headers that cost more than most sources that include them, compiled once. By g++ only, so that the presets of clang find
# an include that a source has forgotten.
function(mfma_headers name optimisation)
  cmake_parse_arguments(ARG "" "" "DEPENDS;HEADERS" ${ARGN})
  file(GENERATE OUTPUT "${CMAKE_BINARY_DIR}/generated/${name}.cc" CONTENT "")
  add_library(${name} OBJECT "${CMAKE_BINARY_DIR}/generated/${name}.cc")
  target_link_libraries(${name} PRIVATE mfma_flags ${ARG_DEPENDS})
  target_compile_options(${name} PRIVATE ${optimisation})
  target_precompile_headers(${name} PRIVATE ${ARG_HEADERS})
endfunction()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(standard <algorithm> <array> <filesystem> <fstream> <functional> <map> <memory> <optional> <set> <span> <sstream> <string> <vector>)
  mfma_headers(mfma_headers_fmt "" DEPENDS fmt::fmt HEADERS <fmt/format.h> ${standard})
  mfma_headers(mfma_headers_json $<$<CONFIG:Release>:-O1> DEPENDS fmt::fmt nlohmann_json::nlohmann_json HEADERS <fmt/format.h> <nlohmann/json.hpp> ${standard})
  if(MFMA_BUILD_TESTS)
    set(gtest DEPENDS GTest::gtest GTest::gmock HEADERS <gmock/gmock.h> <gtest/gtest.h> ${standard})
    mfma_headers(mfma_headers_gtest_o0 $<$<CONFIG:Release>:-O0> ${gtest})
    mfma_headers(mfma_headers_gtest_o1 $<$<CONFIG:Release>:-O1> ${gtest})
  endif()
endif()

# mfma_folder(SOURCES ... [LIBRARIES ...] [HEADERS ...] [HOT|COLD]): the static library of the folder it is called in, which links
# the libraries of the folders that cmake/floors.txt lets it know, HEADERS for whoever includes its headers, and LIBRARIES for
# itself. COLD: takes longer to compile than it ever runs, and is optimised less in the release build.
function(mfma_folder)
  cmake_parse_arguments(ARG "COLD" "" "SOURCES;LIBRARIES;HEADERS" ${ARGN})
  file(RELATIVE_PATH folder "${PROJECT_SOURCE_DIR}" "${CMAKE_CURRENT_SOURCE_DIR}")
  if(NOT folder IN_LIST MFMA_FOLDERS)
    message(FATAL_ERROR "${folder} is not in cmake/floors.txt")
  endif()
  mfma_target_of(name "${folder}")
  add_library(${name} STATIC ${ARG_SOURCES})
  set(uses "")
  foreach(use IN LISTS MFMA_USES_${folder})
    mfma_target_of(target "${use}")
    list(APPEND uses ${target})
  endforeach()
  target_link_libraries(${name} PUBLIC mfma_flags ${uses} ${ARG_HEADERS} PRIVATE ${ARG_LIBRARIES})
  if(ARG_COLD)
    target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
  if(TARGET mfma_headers_json AND ARG_COLD)
    target_precompile_headers(${name} REUSE_FROM mfma_headers_json)
  elseif(TARGET mfma_headers_fmt AND "fmt::fmt" IN_LIST ARG_LIBRARIES)
    target_precompile_headers(${name} REUSE_FROM mfma_headers_fmt)
  endif()
endfunction()

# mfma_library(NAME SOURCES ... DEPENDS ... PRIVATE_DEPENDS ...): a library of the tests or the fuzz targets.
function(mfma_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS;PRIVATE_DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC mfma_flags ${ARG_DEPENDS} PRIVATE ${ARG_PRIVATE_DEPENDS})
endfunction()

# mfma_test(NAME SOURCES ... DEPENDS ... [TIMEOUT seconds] [COMPUTES]): a GoogleTest program, one ctest entry per test.
# MFMA_SOURCE_DIR is defined for tests that read corpus/ or tests/ data. What is tested is compiled as ever; the test's own
# sources, which take longer to compile than to run, are optimised little in the release build, and where they COMPUTE some.
function(mfma_test name)
  cmake_parse_arguments(ARG "COMPUTES" "TIMEOUT" "SOURCES;DEPENDS" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE mfma_flags ${ARG_DEPENDS} GTest::gtest GTest::gmock GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE MFMA_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:$<IF:$<BOOL:${ARG_COMPUTES}>,-O1,-O0>>)
  if(TARGET mfma_headers_gtest_o0)
    if(ARG_COMPUTES)
      target_precompile_headers(${name} REUSE_FROM mfma_headers_gtest_o1)
    else()
      target_precompile_headers(${name} REUSE_FROM mfma_headers_gtest_o0)
    endif()
  endif()
  gtest_discover_tests(${name} TEST_PREFIX ${name}. DISCOVERY_TIMEOUT 60
                       PROPERTIES TIMEOUT ${ARG_TIMEOUT})
endfunction()
