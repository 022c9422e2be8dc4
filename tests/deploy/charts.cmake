# Tests of the charts with helm: one ctest per class, because a class renders its charts once.
if(NOT DYNAMO_DEPLOY_TESTS)
  return()
endif()
find_package(Python3 3.11 REQUIRED COMPONENTS Interpreter)
foreach(unit charts_test.RenderedObjects values_test.Values platform_test.Names platform_test.Platform dependencies_test.Dependencies dependencies_test.Matrix pair_test.Pair platform_test.Versions platform_test.Definitions
    reconciler_chart_test.Reconciler reconciler_chart_test.Rights lookups_test.Lookups result_cache_test.ResultCache)
  string(REGEX REPLACE "^.*\\." "" name ${unit})
  string(TOLOWER ${name} name)
  add_test(NAME deploy.charts.${name}
    COMMAND Python3::Interpreter -B -m unittest ${unit}
    WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
  # The first one builds helm unless it is cached.
  set_tests_properties(deploy.charts.${name} PROPERTIES LABELS deploy TIMEOUT 1800
    ENVIRONMENT "DYNAMO_WEBHOOK_BINARY=$<TARGET_FILE:dynamo-webhook>;DYNAMO_CHECKER_BINARY=$<TARGET_FILE:kubectl-dynamo>;DYNAMO_RECONCILER_BINARY=$<TARGET_FILE:dynamo-reconciler>")
endforeach()
# All combinations of modes and dependencies; deploy.charts.matrix renders a sample.
add_test(NAME deploy.charts.matrix_long
  COMMAND Python3::Interpreter -B -m unittest dependencies_test.MatrixLong dependencies_test.Findings
  WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
set_tests_properties(deploy.charts.matrix_long PROPERTIES LABELS deploy-long TIMEOUT 1800)
add_test(NAME deploy.charts.flags
  COMMAND Python3::Interpreter -B -m unittest flags_test
  WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
set_tests_properties(deploy.charts.flags PROPERTIES LABELS deploy TIMEOUT 1800
  ENVIRONMENT "DYNAMO_WEBHOOK_BINARY=$<TARGET_FILE:dynamo-webhook>")
foreach(promise
    every_command_renders_and_creates_its_namespace
    pages_end_in_a_ready_graph
    text_names_only_values_of_the_charts)
  add_test(NAME deploy.install.${promise}
    COMMAND Python3::Interpreter -B -m unittest "install_test.InstallTest.test_${promise}"
    WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
  set_tests_properties(deploy.install.${promise} PROPERTIES LABELS deploy TIMEOUT 1800)
endforeach()
foreach(promise
    renders_match_kubernetes_schemas
    definitions_match_kubernetes_schemas
    samples_match_our_definitions
    mistake_is_found)
  add_test(NAME deploy.schemas.${promise}
    COMMAND Python3::Interpreter -B -m unittest "schemas_test.SchemasTest.test_${promise}"
    WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
  set_tests_properties(deploy.schemas.${promise} PROPERTIES LABELS deploy TIMEOUT 1800)
endforeach()
