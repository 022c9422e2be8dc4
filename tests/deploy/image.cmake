# Tests of the dynamo-webhook image: one ctest per test of image_test.py. Builds with a sanitizer or
# with coverage are not shipped.
if(DYNAMO_SANITIZE OR DYNAMO_COVERAGE)
  return()
endif()
find_package(Python3 3.11 REQUIRED COMPONENTS Interpreter)
set(of_what_is_shipped)
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  set(of_what_is_shipped image_does_not_contain_build_folder compilation_does_not_depend_on_folder linking_does_not_depend_on_folder)
endif()
foreach(promise
    ${of_what_is_shipped}
    two_builds_have_one_digest
    runs_in_its_bare_root
    is_small_and_contains_no_shell
    files_belong_to_root_and_are_read_only
    configuration_sets_user_and_entrypoint
    libraries_match_the_loader
    sbom_lists_every_package_with_licence
    unpackable_programs_are_refused
    two_architectures_become_one_image
    cross_build_has_same_libraries
    dockerfile_packs_the_same_tree
    buildah_builds_the_same_from_dockerfile
    reconciler_has_its_own_image
    checker_image_validates_a_folder)
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
add_test(NAME deploy.documents.list_the_libraries_of_each_program
  COMMAND Python3::Interpreter -B -m unittest documents_test
  WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
set_tests_properties(deploy.documents.list_the_libraries_of_each_program PROPERTIES LABELS deploy TIMEOUT 60
  ENVIRONMENT "DYNAMO_WEBHOOK_BINARY=$<TARGET_FILE:dynamo-webhook>;DYNAMO_RECONCILER_BINARY=$<TARGET_FILE:dynamo-reconciler>;DYNAMO_CHECKER_BINARY=$<TARGET_FILE:kubectl-dynamo>")
