# Tests of the chart's alerts and dashboards: one ctest per test of monitoring_test.py.
find_package(Python3 3.11 REQUIRED COMPONENTS Interpreter)
foreach(promise
    rules_are_valid
    alerts_fire_only_when_they_must
    alerts_match_only_their_release
    dashboards_show_only_selected_releases
    alerts_have_condition_and_runbook_link
    runbook_sections_have_three_parts
    expressions_use_only_exported_metrics
    every_own_metric_is_on_a_dashboard
    expression_parser_detects_mistakes
    workload_dashboards_use_only_listed_metrics
    workload_queries_show_listed_metrics
    workload_dashboards_cover_what_operators_watch
    promtool_accepts_dashboard_queries
    dashboards_are_complete
    dashboards_match_their_tables
    docs_have_an_image_of_every_panel
    prometheus_answers_dashboard_queries)
  add_test(NAME deploy.monitoring.${promise}
    COMMAND Python3::Interpreter -B -m unittest "monitoring_test.MonitoringTest.test_${promise}"
    WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
  # The first test builds promtool, and a Prometheus if there is none.
  set_tests_properties(deploy.monitoring.${promise} PROPERTIES LABELS deploy TIMEOUT 1800
    ENVIRONMENT "DYNAMO_WEBHOOK_BINARY=$<TARGET_FILE:dynamo-webhook>")
endforeach()
