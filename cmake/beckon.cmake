# SPDX-License-Identifier: MIT
# One precompiled header of the standard library and fmt for all; tests have one with doctest in front.
# Files still include what they use: the asan preset builds without it and finds what is forgotten.
set(standard_headers <fmt/core.h> <algorithm> <array> <chrono> <cmath> <deque> <functional> <map> <memory> <optional>
                     <set> <span> <string> <string_view> <variant> <vector>)
function(beckon_headers name)
  add_library(${name} OBJECT ${CMAKE_SOURCE_DIR}/cmake/headers.cpp)
  target_link_libraries(${name} PRIVATE warnings fmt::fmt)
  target_precompile_headers(${name} PRIVATE ${ARGN} ${standard_headers})
endfunction()
beckon_headers(headers)

# beckon_library(NAME SOURCES... DEPENDS...): one static library per room, sources listed by hand.
function(beckon_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC warnings ${ARG_DEPENDS})
  target_precompile_headers(${name} REUSE_FROM headers)
endfunction()

# beckon_test(NAME SOURCES... DEPENDS...): one doctest program; every case becomes a ctest test.
function(beckon_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  if(NOT TARGET test_main)  # doctest's own code, compiled once; an object, so that none of it gets lost
    add_library(test_main OBJECT ${CMAKE_SOURCE_DIR}/tests/main.cpp)
    target_link_libraries(test_main PRIVATE doctest::doctest)
  endif()
  add_executable(${name} $<TARGET_OBJECTS:test_main> ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_DEPENDS} doctest::doctest)
  target_precompile_headers(${name} REUSE_FROM test_headers)
  doctest_discover_tests(${name} TEST_PREFIX "${name}: " PROPERTIES TIMEOUT 300)
endfunction()

# beckon_fuzz(NAME SOURCES... DEPENDS... [RUNS N]): a program around LLVMFuzzerTestOneInput. Ordinarily
# it carries our small seeded mutator and N runs are a ctest test; with BECKON_LIBFUZZER (preset fuzz,
# clang) libFuzzer drives it and nothing is added to ctest.
option(BECKON_LIBFUZZER "Drive fuzz targets by libFuzzer; needs clang" OFF)
function(beckon_fuzz name)
  cmake_parse_arguments(ARG "" "RUNS" "SOURCES;DEPENDS" ${ARGN})
  if(NOT ARG_RUNS)
    set(ARG_RUNS 20000)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE base ${ARG_DEPENDS})
  target_precompile_headers(${name} REUSE_FROM headers)
  if(BECKON_LIBFUZZER)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  else()
    target_sources(${name} PRIVATE ${CMAKE_SOURCE_DIR}/tests/fuzz/driver.cpp)
    add_test(NAME "${name}: ${ARG_RUNS} mutated inputs break nothing" COMMAND ${name} --runs ${ARG_RUNS})
    set_tests_properties("${name}: ${ARG_RUNS} mutated inputs break nothing" PROPERTIES TIMEOUT 300)
  endif()
endfunction()
