# Configures a project in which the emulated device links the oracle, directly and through a third library, and
# expects the guard of cmake/MfmaFloors.cmake to stop it each time; and one in which it does not, to pass.
function(configure name links result message)
  set(dir "${WORK_DIR}/${name}")
  file(REMOVE_RECURSE "${dir}")
  file(WRITE "${dir}/CMakeLists.txt" "
cmake_minimum_required(VERSION 3.25)
project(guard LANGUAGES NONE)
include(${MFMA_SOURCE_DIR}/cmake/MfmaFloors.cmake)
foreach(t oracles gfx950 gfx950_matrix formats arithmetic reference catalogue compilers cases operands kernels reports devices between)
  add_library(mfma_\${t} INTERFACE)
endforeach()
${links}
mfma_check_floors()
")
  execute_process(COMMAND "${CMAKE_COMMAND}" -S "${dir}" -B "${dir}/build" RESULT_VARIABLE code ERROR_VARIABLE text OUTPUT_QUIET)
  if(result STREQUAL "passes" AND NOT code EQUAL 0)
    message(FATAL_ERROR "${name}: expected to configure, but: ${text}")
  endif()
  if(result STREQUAL "refused" AND (code EQUAL 0 OR NOT text MATCHES "${message}"))
    message(FATAL_ERROR "${name}: expected a refusal with '${message}', got ${code}: ${text}")
  endif()
endfunction()

configure(healthy "target_link_libraries(mfma_devices INTERFACE mfma_oracles mfma_gfx950)" passes "")
configure(direct "target_link_libraries(mfma_gfx950 INTERFACE mfma_oracles)" refused "mfma_gfx950 links mfma_oracles")
configure(indirect "target_link_libraries(mfma_between INTERFACE mfma_gfx950_matrix)
target_link_libraries(mfma_oracles INTERFACE mfma_between)" refused "mfma_oracles links mfma_gfx950_matrix")
configure(upward "target_link_libraries(mfma_cases INTERFACE mfma_devices)" refused "mfma_cases links mfma_devices")
