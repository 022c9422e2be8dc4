# dynamo_library(NAME SOURCES … [ALONE …] [PUBLIC_LINKS …] [PRIVATE_LINKS …])   one folder, one library
# dynamo_test(NAME LABEL label SOURCES … [LINKS …])                    one binary, one ctest entry per behaviour
# dynamo_fuzzer(NAME SOURCE file [LINKS …])                            libFuzzer target, or a corpus replayer
# dynamo_executable(NAME SOURCES … [LINKS …])                          placed in bin/

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CCACHE_PROGRAM}")
endif()

# Uses a faster linker if available. Shipped programs of release builds use the default one.
find_program(MOLD_PROGRAM mold)
if(MOLD_PROGRAM AND NOT CMAKE_BUILD_TYPE STREQUAL "Release")
  add_link_options(-fuse-ld=mold)
endif()

# Most of a program's size is debug information, and there is a program per folder of tests.
add_link_options(LINKER:--compress-debug-sections=zlib)

# One interface target carries the compile options of all our targets.
add_library(dynamo_options INTERFACE)
target_compile_options(dynamo_options INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wnon-virtual-dtor -Werror
  -fdiagnostics-color=always)
if(NOT CMAKE_BUILD_TYPE STREQUAL "Release")
  # For sanitizers and profilers. Release builds use unwind tables and keep the register.
  target_compile_options(dynamo_options INTERFACE -fno-omit-frame-pointer)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # Asio includes libstdc++'s coroutine header only with these definitions.
  target_compile_definitions(dynamo_options INTERFACE BOOST_ASIO_HAS_CO_AWAIT BOOST_ASIO_HAS_STD_COROUTINE)
endif()
target_include_directories(dynamo_options INTERFACE "${CMAKE_SOURCE_DIR}" "${CMAKE_SOURCE_DIR}/src")
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  target_compile_options(dynamo_options INTERFACE -fstack-protector-strong)
  target_compile_definitions(dynamo_options INTERFACE _FORTIFY_SOURCE=2)
  # Makes release builds independent of the build folder, whose path would otherwise be in file
  # names and debug information, and so in the build id. ccache passes some paths relative to the
  # build folder.
  target_compile_options(dynamo_options INTERFACE
    "-ffile-prefix-map=${CMAKE_SOURCE_DIR}/=" "-ffile-prefix-map=../../=" "-ffile-prefix-map=${CMAKE_BINARY_DIR}/=")
endif()
if(DYNAMO_SANITIZE)
  target_compile_options(dynamo_options INTERFACE "-fsanitize=${DYNAMO_SANITIZE}" -fno-sanitize-recover=all)
  target_link_options(dynamo_options INTERFACE "-fsanitize=${DYNAMO_SANITIZE}")
  if(DYNAMO_SANITIZE MATCHES "undefined")
    # Relative to the build folder, in which the compiler runs: the compiler cache works in any clone.
    cmake_path(RELATIVE_PATH CMAKE_SOURCE_DIR BASE_DIRECTORY "${CMAKE_BINARY_DIR}" OUTPUT_VARIABLE source_dir)
    target_compile_options(dynamo_options INTERFACE "-fsanitize-ignorelist=${source_dir}/cmake/sanitizers.ignore")
  endif()
endif()
if(DYNAMO_COVERAGE)
  target_compile_options(dynamo_options INTERFACE --coverage)
  target_link_options(dynamo_options INTERFACE --coverage)
endif()

# Compiles several sources of a library as one, because most compile time is spent on headers that
# related sources share. Names in unnamed namespaces must then be unique within the batch; list a
# source with conflicting names as ALONE. The core of release builds is compiled source by source:
# inlining differs in a batch, and a review of 13 KB takes 10% longer.
# CMake's own unity builds name the sources by absolute paths. Ours use paths relative to the root,
# so that the compiler cache works in any clone.
set(DYNAMO_BATCH_SIZE 10)
# Both warnings mistake the batch for a header; lint checks each source alone.
set(DYNAMO_BATCH_OPTIONS -Wno-shadow $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)

# Sets OUT to the compiled sources of a target: the sources themselves, or batches of them.
function(dynamo_batches out name)
  set(${out} ${ARGN} PARENT_SCOPE)
  list(LENGTH ARGN count)
  if(NOT DYNAMO_UNITY OR (DYNAMO_CORE AND CMAKE_BUILD_TYPE STREQUAL "Release") OR count LESS 2)
    return()
  endif()
  set(batches "")
  math(EXPR last "${count} - 1")
  foreach(first RANGE 0 ${last} ${DYNAMO_BATCH_SIZE})
    list(SUBLIST ARGN ${first} ${DYNAMO_BATCH_SIZE} sources)
    set(content "")
    foreach(source IN LISTS sources)
      cmake_path(ABSOLUTE_PATH source NORMALIZE)
      cmake_path(RELATIVE_PATH source BASE_DIRECTORY "${CMAKE_SOURCE_DIR}")
      string(APPEND content "#include \"${source}\"\n")
    endforeach()
    list(LENGTH batches number)
    set(batch "${CMAKE_CURRENT_BINARY_DIR}/batches/${name}_${number}.cpp")
    file(CONFIGURE OUTPUT "${batch}" CONTENT "${content}" @ONLY)
    set_source_files_properties("${batch}" PROPERTIES COMPILE_OPTIONS "${DYNAMO_BATCH_OPTIONS}")
    list(APPEND batches "${batch}")
  endforeach()
  set(${out} ${batches} PARENT_SCOPE)
endfunction()

# Under a sanitizer only the core is optimised, because tests spend their time there. Optimising
# sources that include Asio and Beast would triple their compile time.
function(dynamo_optimise_core_alone name)
  if(DYNAMO_SANITIZE AND NOT DYNAMO_FUZZ AND NOT DYNAMO_CORE)
    target_compile_options(${name} PRIVATE -O0)
  endif()
endfunction()

# For code that is neither shipped nor measured: most of its compile time is optimisation.
function(dynamo_compile_quickly name level)
  if(CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT DYNAMO_SANITIZE)
    target_compile_options(${name} PRIVATE ${level})
    get_target_property(type ${name} TYPE)
    if(MOLD_PROGRAM AND type STREQUAL "EXECUTABLE")
      target_link_options(${name} PRIVATE -fuse-ld=mold)
    endif()
  endif()
endfunction()

# Links for shipping: addresses are random, tables of the loader are read-only once the program
# runs, and the stack is not executable. tests/deploy/hardening_test.py checks the result.
function(dynamo_harden name)
  if(NOT CMAKE_BUILD_TYPE STREQUAL "Release")
    return()
  endif()
  target_link_options(${name} PRIVATE LINKER:-z,relro,-z,now LINKER:-z,noexecstack)
  get_target_property(type ${name} TYPE)
  if(type STREQUAL "EXECUTABLE")
    target_link_options(${name} PRIVATE $<IF:$<BOOL:${DYNAMO_STATIC}>,-static-pie,-pie>)
  endif()
endfunction()

function(dynamo_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;ALONE;PUBLIC_LINKS;PRIVATE_LINKS" ${ARGN})
  dynamo_batches(compiled ${name} ${ARG_SOURCES})
  add_library(${name} STATIC ${compiled} ${ARG_ALONE})
  target_link_libraries(${name} PUBLIC dynamo_options ${ARG_PUBLIC_LINKS} PRIVATE ${ARG_PRIVATE_LINKS})
  dynamo_optimise_core_alone(${name})
  if(CMAKE_CURRENT_SOURCE_DIR MATCHES "^${CMAKE_SOURCE_DIR}/tests")
    dynamo_compile_quickly(${name} -O1)
  endif()
endfunction()

function(dynamo_executable name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE dynamo_options ${ARG_LINKS})
  dynamo_harden(${name})
  dynamo_optimise_core_alone(${name})
  if(CMAKE_CURRENT_SOURCE_DIR MATCHES "^${CMAKE_SOURCE_DIR}/tests")
    dynamo_compile_quickly(${name} -O1)
  endif()
endfunction()

# Adds a test for each case, so that ctest lists every behaviour, and one for the whole program:
# starting a process per case takes longer than the cases. `./dev test` runs programs, and single
# cases if `-R` selects some. The labels `whole` and `LABEL-case` distinguish the two.
# OPTIMISED is for tests that measure time. The linker keeps one copy of an inline function, and
# without OPTIMISED it is the test's, which is not optimised.
function(dynamo_test name)
  cmake_parse_arguments(ARG "OPTIMISED" "LABEL;TIMEOUT" "SOURCES;ALONE;LINKS" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 60)
  endif()
  dynamo_batches(compiled ${name} ${ARG_SOURCES})
  add_executable(${name} ${compiled} ${ARG_ALONE})
  target_link_libraries(${name} PRIVATE dynamo_options ${ARG_LINKS} GTest::gtest_main GTest::gmock)
  # RE2 needs -pthread, with which the precompiled header would not match.
  if(DYNAMO_PRECOMPILED_TESTS AND NOT ARG_OPTIMISED AND NOT "PkgConfig::RE2" IN_LIST ARG_LINKS)
    target_precompile_headers(${name} REUSE_FROM dynamo_test_precompiled)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      # With a precompiled header, gcc 12 warns about the standard library's own headers.
      target_compile_options(${name} PRIVATE -Wno-array-bounds -Wno-stringop-overflow -Wno-restrict)
    endif()
  endif()
  add_test(NAME ${ARG_LABEL}.${name} COMMAND ${name} --gtest_brief=1)
  set_tests_properties(${ARG_LABEL}.${name} PROPERTIES LABELS ${ARG_LABEL} TIMEOUT 900)
  if(NOT ARG_OPTIMISED AND (NOT CMAKE_BUILD_TYPE STREQUAL "Debug" OR DYNAMO_SANITIZE))
    # Only the code under test is optimised; it runs a hundred times longer than the tests
    # themselves.
    target_compile_options(${name} PRIVATE -O0)
  endif()
  if(DYNAMO_SANITIZE)
    return()
  endif()
  if(MOLD_PROGRAM)
    target_link_options(${name} PRIVATE -fuse-ld=mold)
  endif()
  set_tests_properties(${ARG_LABEL}.${name} PROPERTIES LABELS "${ARG_LABEL};whole")
  gtest_discover_tests(${name} TEST_PREFIX "${ARG_LABEL}." DISCOVERY_TIMEOUT 60
    PROPERTIES LABELS ${ARG_LABEL}-case TIMEOUT ${ARG_TIMEOUT})
endfunction()

# An ordinary target: libFuzzer with -DDYNAMO_FUZZ=ON, else a program that runs every file of the
# corpus once, which keeps the fuzzer working.
function(dynamo_fuzzer name)
  cmake_parse_arguments(ARG "" "SOURCE" "LINKS" ${ARGN})
  if(DYNAMO_FUZZ)
    add_executable(${name} ${ARG_SOURCE})
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  else()
    if(NOT TARGET dynamo_fuzz_replay)
      add_library(dynamo_fuzz_replay OBJECT "${CMAKE_SOURCE_DIR}/fuzz/replay_main.cpp")
      target_link_libraries(dynamo_fuzz_replay PRIVATE dynamo_options)
    endif()
    add_executable(${name} ${ARG_SOURCE} $<TARGET_OBJECTS:dynamo_fuzz_replay>)
    dynamo_compile_quickly(${name} -O0)
  endif()
  target_link_libraries(${name} PRIVATE dynamo_options ${ARG_LINKS})
  if(NOT DYNAMO_FUZZ)
    add_test(NAME fuzz.${name}_replays_its_corpus
             COMMAND ${name} "${CMAKE_SOURCE_DIR}/fuzz/corpus/${name}")
    set_tests_properties(fuzz.${name}_replays_its_corpus PROPERTIES LABELS fuzz TIMEOUT 60)
  endif()
endfunction()
