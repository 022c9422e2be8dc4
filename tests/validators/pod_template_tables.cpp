#include "tests/validators/pod_rows.hpp"

namespace dynamo::test {

// One row per line if it fits.
// clang-format off

using enum api::ErrorType;
using enum api::Kind;

namespace {

#define VOLUME(fields) POD("volumes: [{name: v, " fields "}]")
#define LETTERS_63 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define SERVERS(list) POD("dnsConfig: {nameservers: [" list "]}")

const api::ClusterFacts kDeployments{.grove_served = api::Fact::kNo, .leader_worker_set_served = api::Fact::kNo};
const api::ClusterFacts kGrove{.grove_served = api::Fact::kYes};

api::ClusterFacts kubernetes(int minor) { return {.kubernetes_minor = minor}; }

RuleTable volumes() {
  const auto at = [](std::string_view field) { return in_pod("volumes[0]" + std::string(field)); };
  return with_updates({"pod.volumes", kGraphDeployment, {
      {.name = "one_source", .spec = VOLUME("emptyDir: {sizeLimit: 1Gi}")},
      {.name = "no_source_is_an_empty_directory", .spec = POD("volumes: [{name: v}]")},
      {.name = "a_source_of_a_later_kubernetes", .spec = VOLUME("emptyDir: {}, cloud: {}")},
      {.name = "two_sources", .spec = VOLUME("emptyDir: {}, hostPath: {path: /a}"), .errors = {{kForbidden, at("")}}},
      {.name = "a_source_that_is_null", .spec = VOLUME("emptyDir: {}, hostPath: null")},
      {.name = "no_name", .spec = POD("volumes: [{emptyDir: {}}]"), .errors = {{kRequired, at(".name")}}},
      {.name = "longest_name", .spec = POD("volumes: [{name: " LETTERS_63 "}]")},
      {.name = "too_long_a_name", .spec = POD("volumes: [{name: a" LETTERS_63 "}]"), .errors = {{kInvalid, at(".name")}}},
      {.name = "a_dot_in_the_name", .spec = POD("volumes: [{name: a.b}]"), .errors = {{kInvalid, at(".name")}}},
      {.name = "a_name_twice", .spec = POD("volumes: [{name: v}, {name: v}]"), .errors = {{kDuplicate, in_pod("volumes[1].name")}}},
      {.name = "a_negative_size", .spec = VOLUME("emptyDir: {sizeLimit: -1Gi}"), .errors = {{kInvalid, at(".emptyDir.sizeLimit")}}},
      {.name = "a_size_of_minus_zero", .spec = VOLUME("emptyDir: {sizeLimit: '-0'}")},
      {.name = "no_path_on_the_host", .spec = VOLUME("hostPath: {path: ''}"), .errors = {{kRequired, at(".hostPath.path")}}},
      {.name = "a_path_that_climbs", .spec = VOLUME("hostPath: {path: /a/../b}"), .errors = {{kInvalid, at(".hostPath.path")}}},
      {.name = "dots_in_a_name", .spec = VOLUME("hostPath: {path: /a..b}")},
      {.name = "a_type_in_lower_case", .spec = VOLUME("hostPath: {path: /a, type: directory}"), .errors = {{kNotSupported, at(".hostPath.type")}}},
      {.name = "no_secret", .spec = VOLUME("secret: {}"), .errors = {{kRequired, at(".secret.secretName")}}},
      {.name = "greatest_mode", .spec = VOLUME("secret: {secretName: s, defaultMode: 511}")},
      {.name = "too_great_a_mode", .spec = VOLUME("secret: {secretName: s, defaultMode: 512}"), .errors = {{kInvalid, at(".secret.defaultMode")}}},
      {.name = "an_item_without_a_key", .spec = VOLUME("configMap: {name: c, items: [{key: '', path: p}]}"), .errors = {{kRequired, at(".configMap.items[0].key")}}},
      {.name = "an_item_with_an_absolute_path", .spec = VOLUME("configMap: {name: c, items: [{key: k, path: /p}]}"), .errors = {{kInvalid, at(".configMap.items[0].path")}}},
      {.name = "an_item_that_begins_with_dots", .spec = VOLUME("configMap: {name: c, items: [{key: k, path: ..p}]}"), .errors = {{kInvalid, at(".configMap.items[0].path")}}},
      {.name = "no_config_map", .spec = VOLUME("configMap: {}"), .errors = {{kRequired, at(".configMap.name")}}},
      {.name = "no_claim", .spec = VOLUME("persistentVolumeClaim: {claimName: ''}"), .errors = {{kRequired, at(".persistentVolumeClaim.claimName")}}},
      {.name = "a_relative_path_over_nfs", .spec = VOLUME("nfs: {server: s, path: p}"), .errors = {{kInvalid, at(".nfs.path")}}},
      {.name = "no_driver", .spec = VOLUME("csi: {driver: ''}"), .errors = {{kRequired, at(".csi.driver")}}},
      {.name = "what_the_pod_knows", .spec = VOLUME("downwardAPI: {items: [{path: p, fieldRef: {fieldPath: metadata.labels}}]}")},
      {.name = "what_only_a_variable_may_know", .spec = VOLUME("downwardAPI: {items: [{path: p, fieldRef: {fieldPath: status.podIP}}]}"),
       .errors = {{kNotSupported, at(".downwardAPI.items[0].fieldRef.fieldPath")}}},
      {.name = "a_file_of_nothing", .spec = VOLUME("downwardAPI: {items: [{path: p}]}"), .errors = {{kRequired, at(".downwardAPI.items[0]")}}},
      {.name = "a_file_of_two", .spec = VOLUME("downwardAPI: {items: [{path: p, fieldRef: {fieldPath: metadata.name}, resourceFieldRef: {containerName: main, resource: limits.cpu}}]}"),
       .errors = {{kInvalid, at(".downwardAPI.items[0]")}}},
      {.name = "a_resource_of_no_container", .spec = VOLUME("downwardAPI: {items: [{path: p, resourceFieldRef: {resource: limits.cpu}}]}"),
       .errors = {{kRequired, at(".downwardAPI.items[0].resourceFieldRef.containerName")}}},
      {.name = "two_projections_in_one", .spec = VOLUME("projected: {sources: [{secret: {name: s}, configMap: {name: c}}]}"), .errors = {{kForbidden, at(".projected.sources[0]")}}},
      {.name = "a_projection_without_a_name", .spec = VOLUME("projected: {sources: [{secret: {}}]}"), .errors = {{kRequired, at(".projected.sources[0].secret.name")}}},
      {.name = "shortest_token", .spec = VOLUME("projected: {sources: [{serviceAccountToken: {path: t, expirationSeconds: 600}}]}")},
      {.name = "too_short_a_token", .spec = VOLUME("projected: {sources: [{serviceAccountToken: {path: t, expirationSeconds: 599}}]}"),
       .errors = {{kInvalid, at(".projected.sources[0].serviceAccountToken.expirationSeconds")}}},
      {.name = "a_claim_of_the_pod", .spec = VOLUME("ephemeral: {volumeClaimTemplate: {spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}}")},
      {.name = "a_claim_of_the_pod_without_a_mode", .spec = VOLUME("ephemeral: {volumeClaimTemplate: {spec: {resources: {requests: {storage: 1Gi}}}}}"),
       .errors = {{kRequired, at(".ephemeral.volumeClaimTemplate.spec.accessModes")}}},
      {.name = "a_claim_of_the_pod_without_a_size", .spec = VOLUME("ephemeral: {volumeClaimTemplate: {spec: {accessModes: [ReadWriteOnce]}}}"),
       .errors = {{kRequired, at(".ephemeral.volumeClaimTemplate.spec.resources.requests[storage]")}}},
      {.name = "a_claim_of_the_pod_without_a_template", .spec = VOLUME("ephemeral: {}"), .errors = {{kRequired, at(".ephemeral.volumeClaimTemplate")}}},
      {.name = "in_the_job_of_a_checkpoint", .spec = JOB("containers: [{name: a}], volumes: [{name: a.b}]"), .errors = {{kInvalid, in_job("volumes[0].name")}}, .kind = kCheckpoint},
  }}, VOLUME("secret: {}"), VOLUME("emptyDir: {}"), {{kRequired, at(".secret.secretName")}});
}

#define EXTRA(fields) SERVICE("extraPodMetadata: {" fields "}")

RuleTable labels() {
  const auto at = [](std::string_view key) { return in_service("extraPodMetadata.labels[" + std::string(key) + "]"); };
  constexpr std::string_view kSelector = EXTRA("labels: {nvidia.com/selector: mine}");
  return with_updates({"pod.labels", kGraphDeployment, {
      {.name = "good", .spec = EXTRA("labels: {a.b/c_d: E-f.1, g: ''}, annotations: {A.b/c: 'any text at all'}")},
      {.name = "a_key_with_a_blank", .spec = EXTRA("labels: {'a b': c}"), .errors = {{kInvalid, at("a b")}}},
      {.name = "a_value_with_a_blank", .spec = EXTRA("labels: {a: 'b c'}"), .errors = {{kInvalid, at("a")}}},
      {.name = "longest_value", .spec = EXTRA("labels: {a: " LETTERS_63 "}")},
      {.name = "too_long_a_value", .spec = EXTRA("labels: {a: a" LETTERS_63 "}"), .errors = {{kInvalid, at("a")}}},
      {.name = "an_annotation_with_a_bad_key", .spec = EXTRA("annotations: {'a b': c}"), .errors = {{kInvalid, in_service("extraPodMetadata.annotations[a b]")}}},
      {.name = "annotations_of_the_service", .spec = SERVICE("annotations: {'a b': c}"), .errors = {{kInvalid, in_service("annotations[a b]")}}},
      {.name = "labels_of_the_service_may_be_dropped", .spec = SERVICE("labels: {a: 'b c'}"), .warnings = {{in_service("labels[a]"), ""}}},
      {.name = "labels_of_the_service_are_dropped", .spec = SERVICE("labels: {a: 'b c'}"), .facts = {.grove_served = api::Fact::kNo, .leader_worker_set_served = api::Fact::kNo, .operator_generation = api::OperatorGeneration::kFirst}},
      {.name = "labels_of_the_service_are_kept", .spec = SERVICE("labels: {a: 'b c'}"), .errors = {{kInvalid, in_service("labels[a]")}}, .facts = {.grove_served = api::Fact::kNo, .leader_worker_set_served = api::Fact::kNo, .operator_generation = api::OperatorGeneration::kLater}},
      {.name = "labels_of_the_service_are_kept_in_the_operators_place", .spec = SERVICE("labels: {a: 'b c'}"), .errors = {{kInvalid, in_service("labels[a]")}}, .facts = {.grove_served = api::Fact::kNo, .leader_worker_set_served = api::Fact::kNo, .operator_generation = api::OperatorGeneration::kFirst, .operator_replaced = true}},
      {.name = "labels_of_the_service_are_kept_wherever_it_runs", .spec = SERVICE("labels: {a: 'b c'}"), .errors = {{kInvalid, in_service("labels[a]")}}, .facts = {.operator_replaced = true}},
      {.name = "labels_of_the_service_are_kept_perhaps", .spec = SERVICE("labels: {a: 'b c'}"), .warnings = {{in_service("labels[a]"), ""}}, .facts = kDeployments},
      {.name = "labels_of_the_service_in_grove", .spec = SERVICE("labels: {a: 'b c'}"), .errors = {{kInvalid, in_service("labels[a]")}}, .facts = kGrove},
      {.name = "labels_of_a_component", .spec = "{labels: {a: 'b c'}}", .errors = {{kInvalid, "spec.labels[a]"}}, .kind = kComponentDeployment},
      {.name = "the_selector_where_the_pathway_is_not_known", .spec = kSelector, .warnings = {{at("nvidia.com/selector"), ""}}},
      {.name = "the_selector_of_a_deployment", .spec = kSelector, .errors = {{kForbidden, at("nvidia.com/selector")}}, .facts = {.grove_served = api::Fact::kNo, .leader_worker_set_served = api::Fact::kNo, .operator_generation = api::OperatorGeneration::kFirst}},
      {.name = "the_selector_as_it_is_set", .spec = EXTRA("labels: {nvidia.com/selector: example-w}"), .facts = kDeployments},
      {.name = "the_selector_beside_a_twin_that_has_another",
       .spec = SERVICE("annotations: {nvidia.com/enable-stealing-traffic-debug-mode: 'true'}, extraPodMetadata: {labels: {nvidia.com/selector: example-w}}"),
       .errors = {{kForbidden, at("nvidia.com/selector")}}, .facts = {.grove_served = api::Fact::kNo, .leader_worker_set_served = api::Fact::kNo, .operator_generation = api::OperatorGeneration::kFirst}},
      {.name = "the_selector_of_the_twin",
       .spec = SERVICE("annotations: {nvidia.com/enable-stealing-traffic-debug-mode: 'true'}, extraPodMetadata: {labels: {nvidia.com/selector: example-w-d}}"),
       .warnings = {{at("nvidia.com/selector"), ""}}, .facts = kDeployments},
      {.name = "the_operators_type", .spec = EXTRA("labels: {nvidia.com/dynamo-component-type: planner}"), .warnings = {{at("nvidia.com/dynamo-component-type"), ""}}},
      {.name = "the_operators_type_as_it_is_set", .spec = EXTRA("labels: {nvidia.com/dynamo-component-type: worker}")},
      {.name = "the_operators_namespace", .spec = EXTRA("labels: {nvidia.com/dynamo-namespace: mine}"), .warnings = {{at("nvidia.com/dynamo-namespace"), ""}}},
      {.name = "the_operators_namespace_as_it_is_set", .spec = EXTRA("labels: {nvidia.com/dynamo-namespace: default-example}")},
      {.name = "the_operators_model", .spec = EXTRA("labels: {nvidia.com/dynamo-base-model-hash: abcd}"), .warnings = {{at("nvidia.com/dynamo-base-model-hash"), ""}}},
      {.name = "the_operators_model_as_it_is_set", .spec = SERVICE("modelRef: {name: Qwen/Qwen3-0.6B}, extraPodMetadata: {labels: {nvidia.com/dynamo-base-model-hash: fb68f5a6}}")},
      {.name = "the_operators_type_in_labels_of_a_service_in_grove", .spec = SERVICE("labels: {nvidia.com/dynamo-component-type: planner}"),
       .warnings = {{in_service("labels[nvidia.com/dynamo-component-type]"), ""}}, .facts = kGrove},
      {.name = "the_operators_type_in_labels_of_a_service_as_it_is_set", .spec = SERVICE("labels: {nvidia.com/dynamo-component-type: worker}"), .facts = kGrove},
      {.name = "the_operators_type_in_labels_of_a_service_perhaps_in_grove", .spec = SERVICE("labels: {nvidia.com/dynamo-component-type: planner}"),
       .warnings = {{in_service("labels[nvidia.com/dynamo-component-type]"), ""}}},
      {.name = "the_operators_type_in_labels_of_a_service_that_are_dropped", .spec = SERVICE("labels: {nvidia.com/dynamo-component-type: planner}"), .facts = kDeployments},
      {.name = "the_operators_type_in_labels_of_a_component", .spec = "{componentType: worker, labels: {nvidia.com/dynamo-component-type: planner}}", .kind = kComponentDeployment},
      {.name = "a_role_of_several_nodes_in_labels_of_a_service", .spec = SERVICE("multinode: {nodeCount: 2}, labels: {role: mine}"), .facts = kGrove},
      {.name = "a_role_of_several_nodes", .spec = SERVICE("multinode: {nodeCount: 2}, extraPodMetadata: {labels: {role: mine}}"), .warnings = {{at("role"), ""}}},
      {.name = "a_role_of_one_node", .spec = EXTRA("labels: {role: mine}")},
  }}, EXTRA("labels: {a: 'b c'}"), EXTRA("labels: {a: b}"), {{kInvalid, at("a")}});
}

RuleTable forbidden() {
  constexpr std::string_view kNever = POD("restartPolicy: Never");
  constexpr std::string_view kDeadline = POD("activeDeadlineSeconds: 60");
  constexpr std::string_view kNode = POD("nodeName: node");
  constexpr std::string_view kSpread = POD("topologySpreadConstraints: [{maxSkew: 1, topologyKey: a, whenUnsatisfiable: DoNotSchedule}]");
  const std::vector<Finding> never{{kForbidden, in_pod("restartPolicy")}};
  const std::vector<Place> maybe_never{{in_pod("restartPolicy"), ""}};
  const std::vector<Place> maybe_spread{{in_pod("topologySpreadConstraints"), ""}};
  return with_updates({"pod.forbidden-in-template", kGraphDeployment, {
      {.name = "always", .spec = POD("restartPolicy: Always")},
      {.name = "never_where_the_pathway_is_not_known", .spec = kNever, .warnings = maybe_never},
      {.name = "never_in_a_deployment", .spec = kNever, .errors = never, .facts = kDeployments},
      {.name = "never_in_grove", .spec = kNever, .warnings = maybe_never, .facts = kGrove},
      {.name = "no_such_policy", .spec = POD("restartPolicy: never"), .errors = never},
      {.name = "a_policy_that_none_has", .spec = POD("restartPolicy: Sometimes"), .errors = never},
      {.name = "a_component_is_a_deployment", .spec = "{extraPodSpec: {restartPolicy: Never}}", .errors = {{kForbidden, "spec.extraPodSpec.restartPolicy"}}, .kind = kComponentDeployment},
      {.name = "a_job_is_made_never", .spec = JOB("restartPolicy: Always, containers: [{name: a}]"), .warnings = {{in_job("restartPolicy"), ""}}, .kind = kCheckpoint},
      {.name = "a_job_says_never", .spec = JOB("restartPolicy: Never, containers: [{name: a}]"), .kind = kCheckpoint},
      {.name = "a_deadline", .spec = kDeadline, .warnings = {{in_pod("activeDeadlineSeconds"), ""}}},
      {.name = "a_deadline_in_a_deployment", .spec = kDeadline, .errors = {{kForbidden, in_pod("activeDeadlineSeconds")}}, .facts = kDeployments},
      {.name = "a_deadline_of_a_job", .spec = JOB("activeDeadlineSeconds: 60, containers: [{name: a}]"), .kind = kCheckpoint},
      {.name = "ephemeral_containers", .spec = POD("ephemeralContainers: [{name: a}]"), .errors = {{kForbidden, in_pod("ephemeralContainers")}}},
      {.name = "a_node", .spec = kNode, .warnings = {{in_pod("nodeName"), ""}}},
      {.name = "a_node_in_grove", .spec = kNode, .errors = {{kForbidden, in_pod("nodeName")}}, .facts = kGrove},
      {.name = "spreading_where_the_pathway_is_not_known", .spec = kSpread},
      {.name = "spreading_in_a_deployment", .spec = kSpread, .facts = kDeployments},
      {.name = "spreading_in_grove", .spec = kSpread, .errors = {{kForbidden, in_pod("topologySpreadConstraints")}}, .facts = kGrove},
      {.name = "spreading_added_in_grove", .spec = kSpread, .old_spec = POD(""), .warnings = maybe_spread, .facts = kGrove},
      {.name = "spreading_without_grove", .object = "{metadata: {name: a, annotations: {nvidia.com/enable-grove: 'false'}}, spec: "
       "{services: {W: {extraPodSpec: {topologySpreadConstraints: [{maxSkew: 1, topologyKey: a, whenUnsatisfiable: DoNotSchedule}]}}}}}", .facts = kGrove},
      {.name = "a_probe_of_an_init_container", .spec = POD("initContainers: [{name: i, startupProbe: {exec: {command: [a]}}}]"),
       .errors = {{kForbidden, in_pod("initContainers[0].startupProbe")}}},
      {.name = "a_hook_of_an_init_container", .spec = POD("initContainers: [{name: i, lifecycle: {}}]"), .errors = {{kForbidden, in_pod("initContainers[0].lifecycle")}}},
      {.name = "a_probe_of_an_init_container_that_stays", .spec = POD("initContainers: [{name: i, restartPolicy: Always, startupProbe: {exec: {command: [a]}}}]")},
      {.name = "an_init_container_restarts_on_failure", .spec = POD("initContainers: [{name: i, restartPolicy: OnFailure}]")},
      {.name = "an_init_container_restarts_on_failure_in_an_old_kubernetes", .spec = POD("initContainers: [{name: i, restartPolicy: OnFailure}]"),
       .errors = {{kNotSupported, in_pod("initContainers[0].restartPolicy")}}, .facts = kubernetes(33)},
      {.name = "an_init_container_restarts_on_failure_in_a_new_kubernetes", .spec = POD("initContainers: [{name: i, restartPolicy: OnFailure}]"), .facts = kubernetes(34)},
      {.name = "an_init_container_restarts_as_none_can", .spec = POD("initContainers: [{name: i, restartPolicy: Sometimes}]"),
       .errors = {{kNotSupported, in_pod("initContainers[0].restartPolicy")}}},
      {.name = "an_init_container_restarts_in_lower_case", .spec = POD("initContainers: [{name: i, restartPolicy: always}]"),
       .errors = {{kNotSupported, in_pod("initContainers[0].restartPolicy")}}},
  }}, POD("ephemeralContainers: [{name: a}]"), POD(""), {{kForbidden, in_pod("ephemeralContainers")}});
}

RuleTable dns() {
  const auto server = [](std::string_view index) { return in_pod("dnsConfig.nameservers" + std::string(index)); };
  const auto search = [](std::string_view index) { return in_pod("dnsConfig.searches" + std::string(index)); };
  return with_updates({"pod.dns", kGraphDeployment, {
      {.name = "a_policy", .spec = POD("dnsPolicy: ClusterFirstWithHostNet")},
      {.name = "a_policy_in_lower_case", .spec = POD("dnsPolicy: clusterfirst"), .errors = {{kNotSupported, in_pod("dnsPolicy")}}},
      {.name = "no_server", .spec = POD("dnsPolicy: None"), .errors = {{kRequired, server("")}}},
      {.name = "one_server", .spec = POD("dnsPolicy: None, dnsConfig: {nameservers: [10.0.0.1]}")},
      {.name = "three_servers", .spec = SERVERS("10.0.0.1, '::1', '2001:db8::10.0.0.1'")},
      {.name = "four_servers", .spec = SERVERS("10.0.0.1, 10.0.0.2, 10.0.0.3, 10.0.0.4"), .errors = {{kInvalid, server("")}}},
      {.name = "a_server_by_name", .spec = SERVERS("dns.example.com"), .errors = {{kInvalid, server("[0]")}}},
      {.name = "searches", .spec = POD("dnsConfig: {searches: [example.com., '.', a-b.c]}")},
      {.name = "an_underscore_where_the_version_is_not_known", .spec = POD("dnsConfig: {searches: [_tcp.a]}"), .warnings = {{search("[0]"), ""}}},
      {.name = "an_underscore_in_a_new_kubernetes", .spec = POD("dnsConfig: {searches: [_tcp.a]}"), .facts = kubernetes(33)},
      {.name = "an_upper_case_search", .spec = POD("dnsConfig: {searches: [A.b]}"), .errors = {{kInvalid, search("[0]")}}},
      {.name = "most_searches", .spec = POD("dnsConfig: {searches: [a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a]}")},
      {.name = "too_many_searches", .spec = POD("dnsConfig: {searches: [a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a]}"),
       .errors = {{kInvalid, search("")}}},
      {.name = "an_option_without_a_name", .spec = POD("dnsConfig: {options: [{value: '2'}]}"), .errors = {{kRequired, in_pod("dnsConfig.options[0].name")}}},
      {.name = "an_alias", .spec = POD("hostAliases: [{ip: 10.0.0.1, hostnames: [a.b]}]")},
      {.name = "an_alias_of_no_address", .spec = POD("hostAliases: [{ip: 10.0.0.256}]"), .errors = {{kInvalid, in_pod("hostAliases[0].ip")}}},
      {.name = "an_alias_that_is_no_name", .spec = POD("hostAliases: [{ip: 10.0.0.1, hostnames: [a_b]}]"), .errors = {{kInvalid, in_pod("hostAliases[0].hostnames[0]")}}},
      {.name = "a_host_name", .spec = POD("hostname: a, subdomain: b")},
      {.name = "a_host_name_with_a_dot", .spec = POD("hostname: a.b"), .errors = {{kInvalid, in_pod("hostname")}}, .facts = kDeployments},
      {.name = "a_host_name_with_a_dot_on_grove", .spec = POD("hostname: a.b, subdomain: c.d"), .warnings = {{in_pod("hostname"), ""}, {in_pod("subdomain"), ""}},
       .facts = kGrove},
      {.name = "a_host_name_with_a_dot_perhaps_on_grove", .spec = POD("hostname: a.b"), .warnings = {{in_pod("hostname"), ""}}},
  }}, POD("dnsPolicy: None"), POD(""), {{kRequired, server("")}});
}

#define PLANNER "{services: {W: {componentType: planner, extraPodSpec: {serviceAccountName: Account}}}}"

RuleTable references() {
  return with_updates({"pod.references", kGraphDeployment, {
      {.name = "names", .spec = POD("serviceAccountName: a.b, priorityClassName: c, runtimeClassName: d")},
      {.name = "an_account_in_upper_case", .spec = POD("serviceAccountName: Account"), .errors = {{kInvalid, in_pod("serviceAccountName")}}},
      {.name = "an_account_of_a_planner_in_grove", .spec = PLANNER, .errors = {{kInvalid, in_pod("serviceAccountName")}}, .facts = kGrove},
      {.name = "an_account_of_a_planner_that_is_replaced", .spec = PLANNER, .facts = kDeployments},
      {.name = "an_account_of_a_planner_that_is_replaced_perhaps", .spec = PLANNER, .warnings = {{in_pod("serviceAccountName"), ""}}},
      {.name = "an_account_of_a_planner_that_is_a_component", .spec = "{componentType: planner, extraPodSpec: {serviceAccountName: Account}}",
       .errors = {{kInvalid, "spec.extraPodSpec.serviceAccountName"}}, .kind = kComponentDeployment},
      {.name = "an_account_of_a_job", .spec = JOB("containers: [{name: a}], serviceAccountName: Account"),
       .errors = {{kInvalid, in_job("serviceAccountName")}}, .kind = kCheckpoint},
      {.name = "a_class_with_an_underscore", .spec = POD("runtimeClassName: a_b"), .errors = {{kInvalid, in_pod("runtimeClassName")}}},
      {.name = "a_pull_secret", .spec = POD("imagePullSecrets: [{name: a}]")},
      {.name = "a_pull_secret_without_a_name", .spec = POD("imagePullSecrets: [{name: a}, {}]"), .warnings = {{in_pod("imagePullSecrets[1]"), ""}}},
      {.name = "an_overhead_without_a_class", .spec = POD("overhead: {cpu: 1}"), .errors = {{kForbidden, in_pod("overhead")}}},
      {.name = "an_overhead_with_a_class", .spec = POD("overhead: {cpu: 1}, runtimeClassName: a")},
      {.name = "a_priority_without_a_class", .spec = POD("priority: 1"), .warnings = {{in_pod("priority"), ""}}},
      {.name = "a_priority_with_a_class", .spec = POD("priority: 1, priorityClassName: a")},
      {.name = "no_priority", .spec = POD("priority: 0")},
  }}, POD("serviceAccountName: A"), POD("serviceAccountName: a"), {{kInvalid, in_pod("serviceAccountName")}});
}

RuleTable checkpoint_template() {
  const std::vector<Place> first{{in_job("containers[0]"), ""}};
  constexpr std::string_view kGood = JOB("containers: [{name: main, resources: {limits: {nvidia.com/gpu: 1}}}, {name: b}]");
  constexpr std::string_view kBad = JOB("containers: [{name: b}, {name: main, resources: {limits: {nvidia.com/gpu: 1}}}]");
  return with_updates({"ckpt.pod-template", kCheckpoint, {
      {.name = "the_worker_first", .spec = kGood},
      {.name = "the_worker_second", .spec = kBad, .warnings = first},
      {.name = "the_gpu_second", .spec = JOB("containers: [{name: a}, {name: b, resources: {limits: {nvidia.com/gpu: 1}}}]"), .warnings = first},
      {.name = "a_gpu_by_claim", .spec = JOB("containers: [{name: a, resources: {claims: [{name: g}]}}]")},
      {.name = "no_gpu", .spec = JOB("containers: [{name: a, resources: {limits: {cpu: 1}}}]"), .warnings = {{in_job("containers[0].resources"), ""}}},
  }}, kBad, kGood, {}, first);
}

}  // namespace

std::vector<RuleTable> pod_template_tables() {
  return {volumes(), labels(), forbidden(), dns(), references(), checkpoint_template()};
}

}  // namespace dynamo::test

#undef VOLUME
#undef LETTERS_63
#undef SERVERS
#undef EXTRA
#undef PLANNER
