# Tests of the installation documents: one ctest per test of docs_test.py.
find_package(Python3 3.11 REQUIRED COMPONENTS Interpreter)
foreach(promise
    every_link_leads_somewhere
    operations_is_an_index_of_pages_by_task
    every_value_that_operations_names_is_one_of_the_chart
    breaking_the_glass_finds_all_that_calls_the_webhook
    every_name_in_a_command_is_one_of_the_release
    every_command_that_sets_values_makes_a_release
    the_manifest_of_the_proof_is_refused_by_the_webhook_alone)
  add_test(NAME deploy.docs.${promise}
    COMMAND Python3::Interpreter -B -m unittest "docs_test.DocsTest.test_${promise}"
    WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
  set_tests_properties(deploy.docs.${promise} PROPERTIES LABELS deploy TIMEOUT 1800
    ENVIRONMENT "DYNAMO_CHECKER_BINARY=$<TARGET_FILE:kubectl-dynamo>")
endforeach()
