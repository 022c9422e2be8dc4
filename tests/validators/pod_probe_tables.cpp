#include "tests/validators/pod_rows.hpp"

namespace dynamo::test {

// One row per line if it fits.
// clang-format off

using enum api::ErrorType;
using enum api::Kind;

namespace {

#define LIVENESS(fields) SERVICE("livenessProbe: {" fields "}")
#define READINESS(fields) SERVICE("readinessProbe: {" fields "}")
#define PRE_STOP(fields) "lifecycle: {preStop: {" fields "}}"

RuleTable merged() {
  const std::vector<Finding> liveness{{kForbidden, in_main("livenessProbe")}};
  return with_updates({"pod.probe.two-handlers", kGraphDeployment, {
      {.name = "the_default", .spec = MAIN("image: a")},
      {.name = "another_handler", .spec = MAIN("livenessProbe: {exec: {command: [a]}}"), .errors = liveness, .facts = {.operator_generation = api::OperatorGeneration::kFirst}},
      {.name = "another_handler_for_readiness", .spec = MAIN("readinessProbe: {tcpSocket: {port: 1}}"),
       .errors = {{kForbidden, in_main("readinessProbe")}}, .facts = {.operator_generation = api::OperatorGeneration::kFirst}},
      {.name = "the_same_handler", .spec = MAIN("livenessProbe: {httpGet: {path: /x, port: system}}")},
      {.name = "a_startup_probe_replaces_the_default", .spec = MAIN("startupProbe: {exec: {command: [a]}}")},
      {.name = "beside_extra_pod_spec_it_replaces_the_default", .spec = LIVENESS("exec: {command: [a]}")},
      {.name = "there_is_no_default", .spec = "{services: {W: {componentType: planner, extraPodSpec: {mainContainer: {livenessProbe: {exec: {command: [a]}}}}}}}"},
      {.name = "an_endpoint_picker_asks_over_grpc",
       .spec = "{services: {W: {componentType: epp, eppConfig: {configMapRef: {name: a}}, extraPodSpec: {mainContainer: {livenessProbe: {httpGet: {port: 1}}}}}}}",
       .errors = liveness, .facts = {.operator_generation = api::OperatorGeneration::kFirst}},
      {.name = "the_same_port_by_number", .spec = MAIN("livenessProbe: {httpGet: {path: /x, port: 9090}}")},
      {.name = "another_port_by_number", .spec = MAIN("livenessProbe: {httpGet: {path: /x, port: 9091}}"), .warnings = {{in_main("livenessProbe"), ""}}},
      {.name = "yet_another_port_by_number_after_an_update", .spec = MAIN("livenessProbe: {httpGet: {path: /x, port: 9092}}"),
       .old_spec = MAIN("livenessProbe: {httpGet: {path: /x, port: 9091}}"), .warnings = {{in_main("livenessProbe"), ""}}},
      {.name = "the_port_that_was_wrong_before_the_update", .spec = MAIN("livenessProbe: {httpGet: {path: /y, port: 9091}}"),
       .old_spec = MAIN("livenessProbe: {httpGet: {path: /x, port: 9091}}")},
      {.name = "another_port_by_name", .spec = MAIN("ports: [{name: other, containerPort: 9091}], livenessProbe: {httpGet: {port: other}}")},
      {.name = "a_zero_that_cannot_be_set", .spec = MAIN("livenessProbe: {periodSeconds: 0}"), .warnings = {{in_main("livenessProbe.periodSeconds"), ""}}, .facts = {.operator_generation = api::OperatorGeneration::kFirst}},
      {.name = "a_zero_beside_none", .spec = MAIN("livenessProbe: {initialDelaySeconds: 0}"), .facts = {.operator_generation = api::OperatorGeneration::kFirst}},
      {.name = "in_a_component", .spec = "{componentType: worker, extraPodSpec: {mainContainer: {livenessProbe: {exec: {command: [a]}}}}}",
       .errors = {{kForbidden, "spec.extraPodSpec.mainContainer.livenessProbe"}}, .kind = kComponentDeployment, .facts = {.operator_generation = api::OperatorGeneration::kFirst}},
  }}, MAIN("livenessProbe: {exec: {command: [a]}}"), MAIN("image: a"), liveness, {}, {.operator_generation = api::OperatorGeneration::kFirst});
}

RuleTable probes() {
  const auto at = [](std::string_view field) { return in_service("livenessProbe" + std::string(field)); };
  return with_updates({"pod.probe", kGraphDeployment, {
      {.name = "none", .spec = MAIN("image: a")},
      {.name = "good", .spec = LIVENESS("httpGet: {path: /live, port: system, scheme: HTTP, httpHeaders: [{name: X-A, value: b}]}, timeoutSeconds: 0")},
      {.name = "no_handler", .spec = LIVENESS("timeoutSeconds: 1"), .errors = {{kRequired, at("")}}},
      {.name = "two_handlers", .spec = LIVENESS("exec: {command: [a]}, tcpSocket: {port: 1}"), .errors = {{kForbidden, at("")}}},
      {.name = "a_handler_of_a_later_kubernetes", .spec = LIVENESS("carrier: {pigeon: 1}")},
      {.name = "no_handler_over_the_default", .spec = MAIN("livenessProbe: {timeoutSeconds: 9}")},
      {.name = "no_program", .spec = LIVENESS("exec: {}"), .errors = {{kRequired, at(".exec.command")}}},
      {.name = "port_zero", .spec = LIVENESS("tcpSocket: {port: 0}"), .errors = {{kInvalid, at(".tcpSocket.port")}}},
      {.name = "highest_port", .spec = LIVENESS("tcpSocket: {port: 65535}")},
      {.name = "too_high_a_port", .spec = LIVENESS("grpc: {port: 65536}"), .errors = {{kInvalid, at(".grpc.port")}}},
      {.name = "a_name_that_no_port_has", .spec = LIVENESS("httpGet: {port: Live_Port}"),
       .errors = {{kInvalid, at(".httpGet.port")}}, .warnings = {{at(""), ""}}},
      {.name = "a_port_that_is_not_there", .spec = LIVENESS("httpGet: {port: other}"), .warnings = {{at(""), ""}}},
      {.name = "a_port_that_is_there", .spec = SERVICE("livenessProbe: {httpGet: {port: other}}, extraPodSpec: {mainContainer: {ports: [{name: other, containerPort: 1}]}}")},
      {.name = "a_scheme_in_lower_case", .spec = LIVENESS("httpGet: {port: 1, scheme: http}"), .errors = {{kNotSupported, at(".httpGet.scheme")}}},
      {.name = "a_header_with_a_colon", .spec = LIVENESS("httpGet: {port: 1, httpHeaders: [{name: 'X:', value: b}]}"), .errors = {{kInvalid, at(".httpGet.httpHeaders[0].name")}}},
      {.name = "a_negative_number", .spec = LIVENESS("tcpSocket: {port: 1}, periodSeconds: -1"), .errors = {{kInvalid, at(".periodSeconds")}}},
      {.name = "two_successes_for_liveness", .spec = LIVENESS("tcpSocket: {port: 1}, successThreshold: 2"), .errors = {{kInvalid, at(".successThreshold")}}},
      {.name = "two_successes_for_readiness", .spec = READINESS("tcpSocket: {port: 1}, successThreshold: 2")},
      {.name = "two_successes_for_startup", .spec = MAIN("startupProbe: {tcpSocket: {port: 1}, successThreshold: 2}"), .errors = {{kInvalid, in_main("startupProbe.successThreshold")}}},
      {.name = "a_grace_period_for_readiness", .spec = READINESS("tcpSocket: {port: 1}, terminationGracePeriodSeconds: 9"),
       .errors = {{kForbidden, in_service("readinessProbe.terminationGracePeriodSeconds")}}},
      {.name = "no_grace_period", .spec = LIVENESS("tcpSocket: {port: 1}, terminationGracePeriodSeconds: 0"), .errors = {{kInvalid, at(".terminationGracePeriodSeconds")}}},
      {.name = "a_grace_period", .spec = LIVENESS("tcpSocket: {port: 1}, terminationGracePeriodSeconds: 1")},
      {.name = "in_a_sidecar", .spec = POD("containers: [{name: s, readinessProbe: {}}]"), .errors = {{kRequired, in_pod("containers[0].readinessProbe")}}},
      {.name = "an_init_container_may_not_have_it_at_all", .spec = POD("initContainers: [{name: s, readinessProbe: {}}]")},
      {.name = "in_an_init_container_that_stays", .spec = POD("initContainers: [{name: s, restartPolicy: Always, readinessProbe: {}}]"),
       .errors = {{kRequired, in_pod("initContainers[0].readinessProbe")}}},
      {.name = "the_checkpoints_first_container_gets_another", .spec = JOB("containers: [{name: a, readinessProbe: {}}]"), .kind = kCheckpoint},
      {.name = "the_checkpoints_second_container", .spec = JOB("containers: [{name: a}, {name: b, readinessProbe: {}}]"),
       .errors = {{kRequired, in_job("containers[1].readinessProbe")}}, .kind = kCheckpoint},
  }}, LIVENESS("exec: {}"), LIVENESS("exec: {command: [a]}"), {{kRequired, at(".exec.command")}});
}

RuleTable lifecycle() {
  const auto at = [](std::string_view field) { return in_main("lifecycle.preStop" + std::string(field)); };
  return with_updates({"pod.lifecycle", kGraphDeployment, {
      {.name = "good", .spec = MAIN("lifecycle: {postStart: {exec: {command: [a]}}, preStop: {httpGet: {port: 1}}}")},
      {.name = "no_handler", .spec = MAIN(PRE_STOP("")), .errors = {{kRequired, at("")}}},
      {.name = "two_handlers", .spec = MAIN(PRE_STOP("exec: {command: [a]}, sleep: {seconds: 1}")), .errors = {{kForbidden, at("")}}},
      {.name = "a_handler_of_a_later_kubernetes", .spec = MAIN(PRE_STOP("carrier: {pigeon: 1}"))},
      {.name = "a_signal_is_not_validated", .spec = MAIN("lifecycle: {stopSignal: SIGUSR1}")},
      {.name = "a_bad_port", .spec = MAIN(PRE_STOP("httpGet: {port: 0}")), .errors = {{kInvalid, at(".httpGet.port")}}},
      {.name = "a_sleep_as_long_as_the_grace_period", .spec = MAIN(PRE_STOP("sleep: {seconds: 60}"))},
      {.name = "a_longer_sleep", .spec = MAIN(PRE_STOP("sleep: {seconds: 61}")), .errors = {{kInvalid, at(".sleep.seconds")}}},
      {.name = "a_longer_sleep_and_grace_period", .spec = POD("terminationGracePeriodSeconds: 61, mainContainer: {" PRE_STOP("sleep: {seconds: 61}") "}")},
      {.name = "a_negative_sleep", .spec = MAIN(PRE_STOP("sleep: {seconds: -1}")), .errors = {{kInvalid, at(".sleep.seconds")}}},
      {.name = "an_init_container_may_not_have_it_at_all", .spec = POD("initContainers: [{name: s, lifecycle: {preStop: {}}}]")},
      {.name = "no_grace_period", .spec = POD("terminationGracePeriodSeconds: 0"), .warnings = {{in_pod("terminationGracePeriodSeconds"), ""}}},
      {.name = "a_negative_grace_period", .spec = POD("terminationGracePeriodSeconds: -1"), .warnings = {{in_pod("terminationGracePeriodSeconds"), ""}}},
      {.name = "the_shortest_grace_period", .spec = POD("terminationGracePeriodSeconds: 1")},
      {.name = "a_job_may_have_none", .spec = JOB("containers: [{name: a}], terminationGracePeriodSeconds: 0"), .kind = kCheckpoint},
  }}, MAIN(PRE_STOP("")), MAIN("image: a"), {{kRequired, at("")}});
}

}  // namespace

std::vector<RuleTable> pod_probe_tables() {
  return {merged(), probes(), lifecycle()};
}

}  // namespace dynamo::test

#undef LIVENESS
#undef READINESS
#undef PRE_STOP
