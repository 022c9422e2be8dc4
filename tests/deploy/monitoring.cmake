# Tests of the chart's alerts and dashboards: one ctest per test of monitoring_test.py.
find_package(Python3 3.11 REQUIRED COMPONENTS Interpreter)
foreach(promise
    the_rules_are_valid
    every_alert_fires_when_it_must_and_not_otherwise
    alerts_of_a_release_are_of_this_release_alone
    dashboards_look_at_the_chosen_releases_alone
    every_alert_says_what_must_hold_and_where_to_read_on
    every_section_of_the_runbook_says_three_things
    every_expression_names_only_what_is_exported
    every_metric_of_ours_is_on_a_dashboard
    the_reader_of_expressions_finds_mistakes
    dashboards_are_whole
    dashboards_are_as_their_tables_say
    the_pictures_in_the_docs_show_every_panel
    a_real_prometheus_answers_what_dashboards_ask)
  add_test(NAME deploy.monitoring.${promise}
    COMMAND Python3::Interpreter -B -m unittest "monitoring_test.MonitoringTest.test_${promise}"
    WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
  # The first test builds promtool, and a Prometheus if there is none.
  set_tests_properties(deploy.monitoring.${promise} PROPERTIES LABELS deploy TIMEOUT 1800
    ENVIRONMENT "DYNAMO_WEBHOOK_BINARY=$<TARGET_FILE:dynamo-webhook>")
endforeach()
