# Tests of the installation documents: one ctest per test of docs_test.py.
find_package(Python3 3.11 REQUIRED COMPONENTS Interpreter)
foreach(promise
    every_link_resolves
    operations_is_an_index_of_pages_by_task
    commands_of_moving_to_v1beta1_work
    beta_proof_manifest_is_refused_only_by_webhook
    operations_names_only_values_of_the_chart
    emergency_commands_find_all_webhook_configurations
    commands_use_names_of_the_release
    every_helm_command_renders
    proof_manifest_is_refused_only_by_webhook
    secured_graph_matches_the_production_scenario)
  add_test(NAME deploy.docs.${promise}
    COMMAND Python3::Interpreter -B -m unittest "docs_test.DocsTest.test_${promise}"
    WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
  set_tests_properties(deploy.docs.${promise} PROPERTIES LABELS deploy TIMEOUT 1800
    ENVIRONMENT "DYNAMO_CHECKER_BINARY=$<TARGET_FILE:kubectl-dynamo>")
endforeach()
