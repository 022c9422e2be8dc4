# Tests of the dynamo-webhook image: one ctest per test of image_test.py. Builds with a sanitizer or
# with coverage are not shipped.
if(DYNAMO_SANITIZE OR DYNAMO_COVERAGE)
  return()
endif()
find_package(Python3 3.11 REQUIRED COMPONENTS Interpreter)
set(of_what_is_shipped)
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  set(of_what_is_shipped the_folder_of_the_build_is_not_in_it two_folders_compile_the_same two_folders_link_the_same)
endif()
foreach(promise
    ${of_what_is_shipped}
    two_builds_have_one_digest
    it_runs_in_its_bare_root
    it_is_small_and_holds_no_shell
    everything_belongs_to_root_and_nothing_may_be_written
    the_configuration_says_who_runs_what
    the_libraries_are_those_that_the_loader_wants
    the_bill_names_every_package_with_its_licence
    what_cannot_be_packed_is_refused
    images_of_two_architectures_become_one
    the_cross_build_has_the_libraries_of_the_build
    the_dockerfile_packs_the_same_tree
    a_builder_makes_the_same_of_the_dockerfile
    the_reconciler_has_one_of_its_own
    the_plugin_judges_a_folder_in_one_of_its_own)
  add_test(NAME deploy.image.${promise}
    COMMAND Python3::Interpreter -B -m unittest "image_test.ImageTest.test_${promise}"
    WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
  set_tests_properties(deploy.image.${promise} PROPERTIES LABELS deploy-long TIMEOUT 1500 RESOURCE_LOCK dynamo_packing COST ${DYNAMO_LONG_CHAIN}
    ENVIRONMENT "DYNAMO_WEBHOOK_BINARY=$<TARGET_FILE:dynamo-webhook>;DYNAMO_RECONCILER_BINARY=$<TARGET_FILE:dynamo-reconciler>;DYNAMO_CHECKER_BINARY=$<TARGET_FILE:kubectl-dynamo>;DYNAMO_CMAKE=${CMAKE_COMMAND}")
endforeach()
add_test(NAME deploy.release
  COMMAND Python3::Interpreter -B -m unittest release_test
  WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
set_tests_properties(deploy.release PROPERTIES LABELS deploy TIMEOUT 120)
add_test(NAME deploy.documents.name_the_libraries_that_each_program_loads
  COMMAND Python3::Interpreter -B -m unittest documents_test
  WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
set_tests_properties(deploy.documents.name_the_libraries_that_each_program_loads PROPERTIES LABELS deploy TIMEOUT 60
  ENVIRONMENT "DYNAMO_WEBHOOK_BINARY=$<TARGET_FILE:dynamo-webhook>;DYNAMO_RECONCILER_BINARY=$<TARGET_FILE:dynamo-reconciler>;DYNAMO_CHECKER_BINARY=$<TARGET_FILE:kubectl-dynamo>")
