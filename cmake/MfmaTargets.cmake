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

# mfma_library(NAME SOURCES ... DEPENDS ... PRIVATE_DEPENDS ...): one static library per folder.
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
  gtest_discover_tests(${name} TEST_PREFIX ${name}. DISCOVERY_TIMEOUT 60
                       PROPERTIES TIMEOUT ${ARG_TIMEOUT})
endfunction()
