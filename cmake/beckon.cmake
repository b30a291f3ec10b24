include(doctest)

# beckon_library(NAME SOURCES... DEPENDS...): one static library per folder, sources listed by hand.
function(beckon_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC warnings ${ARG_DEPENDS})
endfunction()

# beckon_test(NAME SOURCES... DEPENDS...): one doctest program; every case becomes a ctest test.
function(beckon_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_executable(${name} ${CMAKE_SOURCE_DIR}/tests/main.cpp ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_DEPENDS} doctest::doctest)
  doctest_discover_tests(${name} TEST_PREFIX "${name}: " PROPERTIES TIMEOUT 300)
endfunction()
