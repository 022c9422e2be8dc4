# Protections of the files that are shipped, read with readelf: one ctest per test of
# hardening_test.py. Only release builds have them.
if(NOT CMAKE_BUILD_TYPE STREQUAL "Release" OR DYNAMO_SANITIZE OR DYNAMO_COVERAGE)
  return()
endif()
find_package(Python3 3.11 REQUIRED COMPONENTS Interpreter)
set(hardened "")
foreach(target dynamo-webhook dynamo-reconciler kubectl-dynamo dynamo_admission_shared)
  list(APPEND hardened "$<TARGET_FILE:${target}>")
endforeach()
list(JOIN hardened ":" hardened)
foreach(promise
    code_has_random_addresses
    loader_tables_are_read_only
    no_memory_is_writable_and_executable
    programs_name_no_folder_of_libraries
    stack_and_buffers_are_checked)
  add_test(NAME deploy.hardening.${promise}
    COMMAND Python3::Interpreter -B -m unittest "hardening_test.HardeningTest.test_${promise}"
    WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
  set_tests_properties(deploy.hardening.${promise} PROPERTIES LABELS unit TIMEOUT 60 ENVIRONMENT "DYNAMO_HARDENED=${hardened}")
endforeach()
