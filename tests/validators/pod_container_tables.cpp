#include "tests/validators/pod_rows.hpp"

namespace dynamo::test {

// One row per line if it fits.
// clang-format off

using enum api::ErrorType;
using enum api::Kind;

namespace {

#define SIDECAR(fields) POD("containers: [{name: s, " fields "}]")
#define INIT(fields) POD("initContainers: [{name: i, " fields "}]")
// Names of 63 and 64 characters.
#define LETTERS_63 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define LETTERS_64 "a" LETTERS_63

api::ClusterFacts kubernetes(int minor) {
  return {.grove_served = api::Fact::kNo, .leader_worker_set_served = api::Fact::kNo, .kubernetes_minor = minor};
}

const api::ClusterFacts kDeployments{.grove_served = api::Fact::kNo, .leader_worker_set_served = api::Fact::kNo};

RuleTable image() {
  const std::vector<Place> warned{{in_main("image"), ""}};
  return with_updates({"pod.image", kGraphDeployment, {
      {.name = "a_reference", .spec = MAIN("image: 'nvcr.io/nvidia/a_b/c:0.8.1'")},
      {.name = "with_a_port", .spec = MAIN("image: 'localhost:5000/a/b'")},
      {.name = "by_digest", .spec = MAIN("image: 'a@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef'")},
      {.name = "none", .spec = MAIN("command: [a]"), .errors = {{kRequired, in_main("image")}}},
      {.name = "no_container", .spec = "{services: {W: {}}}", .errors = {{kRequired, in_main("image")}}},
      {.name = "empty", .spec = MAIN("image: ''"), .errors = {{kRequired, in_main("image")}}},
      {.name = "a_blank_in_front", .spec = MAIN("image: ' a:1'"), .errors = {{kInvalid, in_main("image")}}},
      {.name = "a_line_break_at_the_end", .spec = MAIN("image: \"a:1\\n\""), .errors = {{kInvalid, in_main("image")}}},
      {.name = "a_placeholder_is_another_rules", .spec = MAIN("image: 'a/b:my-tag'")},
      {.name = "upper_case", .spec = MAIN("image: 'a/B:1'"), .warnings = warned},
      {.name = "upper_case_in_the_tag", .spec = MAIN("image: 'a/b:V1'")},
      {.name = "two_tags", .spec = MAIN("image: 'a:1:2'"), .warnings = warned},
      {.name = "a_sidecar_without", .spec = POD("mainContainer: {image: a}, containers: [{name: s}]"),
       .errors = {{kRequired, in_pod("containers[0].image")}}},
      {.name = "in_the_job_of_a_checkpoint", .spec = JOB("containers: [{name: a}]"),
       .errors = {{kRequired, in_job("containers[0].image")}}, .kind = kCheckpoint},
  }}, MAIN("command: [a]"), MAIN("image: a"), {{kRequired, in_main("image")}});
}

RuleTable image_placeholder() {
  const std::vector<Place> warned{{in_main("image"), ""}};
  return with_updates({"pod.image.placeholder", kGraphDeployment, {
      {.name = "a_reference", .spec = MAIN("image: 'nvcr.io/nvidia/a_b/c:0.8.1'")},
      {.name = "none_is_another_rules", .spec = MAIN("command: [a]")},
      {.name = "a_tag", .spec = MAIN("image: 'a/b:my-tag'"), .warnings = warned},
      {.name = "something_like_the_tag", .spec = MAIN("image: 'a/b:my-tagged'"), .warnings = warned},
      {.name = "a_registry", .spec = MAIN("image: 'your-registry/b:1'"), .warnings = warned},
      {.name = "an_unset_variable", .spec = MAIN("image: '${IMAGE}'"), .warnings = warned},
      {.name = "brackets", .spec = MAIN("image: '<image>'"), .warnings = warned},
      {.name = "a_sidecar", .spec = POD("mainContainer: {image: 'a:1'}, containers: [{name: s, image: 'a:my-tag'}]"),
       .warnings = {{in_pod("containers[0].image"), ""}}},
      {.name = "in_the_job_of_a_checkpoint", .spec = JOB("containers: [{name: main, image: 'a:my-tag'}]"),
       .warnings = {{in_job("containers[0].image"), ""}}, .kind = kCheckpoint},
  }}, MAIN("image: 'a:my-tag'"), MAIN("image: a"), {}, warned);
}

#define STEALING "nvidia.com/enable-stealing-traffic-debug-mode"
// A service whose debug twin takes its traffic.
#define STOLEN(fields) SERVICE("annotations: {" STEALING ": 'true'}, extraPodSpec: {" fields "}")

RuleTable names() {
  return with_updates({"pod.container.names", kGraphDeployment, {
      {.name = "different", .spec = POD("containers: [{name: a}], initContainers: [{name: b}]")},
      {.name = "longest", .spec = POD("containers: [{name: " LETTERS_63 "}]")},
      {.name = "too_long", .spec = POD("containers: [{name: " LETTERS_64 "}]"), .errors = {{kInvalid, in_pod("containers[0].name")}}},
      {.name = "upper_case", .spec = POD("containers: [{name: Log}]"), .errors = {{kInvalid, in_pod("containers[0].name")}}},
      {.name = "none", .spec = POD("containers: [{image: a}]"), .errors = {{kRequired, in_pod("containers[0].name")}}},
      {.name = "twice", .spec = POD("containers: [{name: a}, {name: a}]"), .errors = {{kDuplicate, in_pod("containers[1].name")}}},
      {.name = "twice_with_an_init_container", .spec = POD("containers: [{name: a}], initContainers: [{name: a}]"),
       .errors = {{kDuplicate, in_pod("initContainers[0].name")}}},
      {.name = "the_name_of_the_main_container", .spec = POD("containers: [{name: main}]"),
       .errors = {{kDuplicate, in_pod("containers[0].name")}}, .facts = {.operator_generation = api::OperatorGeneration::kFirst}},
      {.name = "an_init_container_of_that_name", .spec = POD("initContainers: [{name: main}]"),
       .errors = {{kDuplicate, in_pod("initContainers[0].name")}}},
      {.name = "main_is_called_main", .spec = MAIN("name: main")},
      {.name = "main_is_called_otherwise", .spec = MAIN("name: engine"), .warnings = {{in_main("name"), ""}}},
      {.name = "main_is_called_otherwise_in_lws", .spec = SERVICE("multinode: {nodeCount: 2}, extraPodSpec: {mainContainer: {name: engine}}"),
       .errors = {{kInvalid, in_main("name")}}, .facts = {.grove_served = api::Fact::kNo, .leader_worker_set_served = api::Fact::kYes, .operator_generation = api::OperatorGeneration::kFirst}},
      {.name = "debugger_without_one_of_the_operator", .spec = POD("containers: [{name: debugger}]"), .facts = kDeployments},
      {.name = "debugger_beside_that_of_a_twin", .spec = STOLEN("containers: [{name: debugger}]"),
       .errors = {{kDuplicate, in_pod("containers[0].name")}}, .facts = kDeployments},
      {.name = "an_init_container_called_as_that_of_a_twin", .spec = STOLEN("initContainers: [{name: debugger}]"),
       .errors = {{kDuplicate, in_pod("initContainers[0].name")}}, .facts = kDeployments},
      {.name = "debugger_where_no_twin_is_certain", .spec = STOLEN("containers: [{name: debugger}]")},
      {.name = "debugger_in_grove_which_makes_no_twin", .spec = STOLEN("containers: [{name: debugger}]"), .facts = {.grove_served = api::Fact::kYes}},
      {.name = "debugger_beside_that_of_debug_mode_and_of_a_twin",
       .spec = SERVICE("annotations: {nvidia.com/enable-debug-mode: 'true', " STEALING ": 'true'}, extraPodSpec: {containers: [{name: debugger}]}"),
       .errors = {{kDuplicate, in_pod("containers[0].name")}}, .facts = kDeployments},
      {.name = "another_name_beside_a_twin", .spec = STOLEN("containers: [{name: debug}]"), .facts = kDeployments},
      {.name = "debugger_of_a_component_with_a_twin",
       .spec = "{annotations: {" STEALING ": 'true'}, extraPodSpec: {containers: [{name: debugger}]}}",
       .errors = {{kDuplicate, "spec.extraPodSpec.containers[0].name"}}, .kind = kComponentDeployment},
      {.name = "in_the_job_of_a_checkpoint", .spec = JOB("containers: [{name: worker}, {name: worker}]"),
       .errors = {{kDuplicate, in_job("containers[1].name")}}, .kind = kCheckpoint},
  }}, POD("containers: [{name: Log}]"), POD("containers: [{name: log}]"), {{kInvalid, in_pod("containers[0].name")}});
}

RuleTable variables() {
  const auto at = [](std::string_view field) { return in_main("env[0]" + std::string(field)); };
  return with_updates({"pod.env", kGraphDeployment, {
      {.name = "a_value", .spec = MAIN("env: [{name: A_b-c.d, value: x}]")},
      {.name = "an_empty_name", .spec = MAIN("env: [{name: '', value: x}]"), .errors = {{kRequired, at(".name")}}},
      {.name = "an_equals_sign", .spec = MAIN("env: [{name: A=B}]"), .errors = {{kInvalid, at(".name")}}},
      {.name = "not_ascii", .spec = MAIN("env: [{name: Ä}]"), .errors = {{kInvalid, at(".name")}}},
      {.name = "a_digit_in_front", .spec = MAIN("env: [{name: 2A}]"), .warnings = {{at(".name"), ""}}},
      {.name = "a_blank", .spec = MAIN("env: [{name: A B}]"), .warnings = {{at(".name"), ""}}},
      {.name = "a_blank_in_an_old_kubernetes", .spec = MAIN("env: [{name: A B}]"), .warnings = {{at(".name"), ""}}, .facts = kubernetes(31)},
      {.name = "a_blank_in_a_new_kubernetes", .spec = MAIN("env: [{name: A B}]"), .facts = kubernetes(32)},
      {.name = "of_a_secret", .spec = MAIN("env: [{name: A, valueFrom: {secretKeyRef: {name: s, key: k}}}]")},
      {.name = "both_value_and_source", .spec = MAIN("env: [{name: A, value: x, valueFrom: {secretKeyRef: {name: s, key: k}}}]"),
       .errors = {{kInvalid, at(".valueFrom")}}},
      {.name = "an_empty_value_and_a_source", .spec = MAIN("env: [{name: A, value: '', valueFrom: {secretKeyRef: {name: s, key: k}}}]")},
      {.name = "no_source", .spec = MAIN("env: [{name: A, valueFrom: {}}]"), .errors = {{kRequired, at(".valueFrom")}}},
      {.name = "two_sources", .spec = MAIN("env: [{name: A, valueFrom: {fieldRef: {fieldPath: metadata.name}, secretKeyRef: {name: s, key: k}}}]"),
       .errors = {{kInvalid, at(".valueFrom")}}},
      {.name = "a_source_of_a_later_kubernetes", .spec = MAIN("env: [{name: A, valueFrom: {otherRef: {}}}]")},
      {.name = "a_file", .spec = POD("volumes: [{name: v, emptyDir: {}}], mainContainer: {env: [{name: A, valueFrom: {fileKeyRef: {volumeName: v, path: p, key: K}}}]}")},
      {.name = "a_file_before_kubernetes_1_34", .spec = POD("volumes: [{name: v, emptyDir: {}}], mainContainer: {env: [{name: A, valueFrom: {fileKeyRef: {volumeName: v, path: p, key: K}}}]}"),
       .errors = {{kNotSupported, in_main("env[0].valueFrom.fileKeyRef")}}, .facts = {.kubernetes_minor = 33}},
      {.name = "a_file_of_kubernetes_1_34", .spec = POD("volumes: [{name: v, emptyDir: {}}], mainContainer: {env: [{name: A, valueFrom: {fileKeyRef: {volumeName: v, path: p, key: K}}}]}"),
       .facts = {.kubernetes_minor = 34}},
      {.name = "a_file_in_no_volume", .spec = MAIN("env: [{name: A, valueFrom: {fileKeyRef: {volumeName: v, path: p, key: K}}}]"),
       .errors = {{kNotFound, in_main("env[0].valueFrom.fileKeyRef.volumeName")}}},
      {.name = "a_file_in_a_claim_that_later_operators_add",
       .spec = MAIN("volumeMounts: [{name: v, mountPath: /v}], env: [{name: A, valueFrom: {fileKeyRef: {volumeName: v, path: p, key: K}}}]")},
      {.name = "no_name_of_the_secret", .spec = MAIN("env: [{name: A, valueFrom: {secretKeyRef: {key: k}}}]"),
       .errors = {{kRequired, at(".valueFrom.secretKeyRef.name")}}},
      {.name = "a_name_that_no_secret_has", .spec = MAIN("env: [{name: A, valueFrom: {secretKeyRef: {name: S_1, key: k}}}]"),
       .errors = {{kInvalid, at(".valueFrom.secretKeyRef.name")}}},
      {.name = "no_key", .spec = MAIN("env: [{name: A, valueFrom: {configMapKeyRef: {name: c, key: ''}}}]"),
       .errors = {{kRequired, at(".valueFrom.configMapKeyRef.key")}}},
      {.name = "a_key_that_cannot_be", .spec = MAIN("env: [{name: A, valueFrom: {configMapKeyRef: {name: c, key: a/b}}}]"),
       .errors = {{kInvalid, at(".valueFrom.configMapKeyRef.key")}}},
      {.name = "a_label", .spec = MAIN("env: [{name: A, valueFrom: {fieldRef: {fieldPath: \"metadata.labels['a/b']\"}}}]")},
      {.name = "a_field_that_is_not_there", .spec = MAIN("env: [{name: A, valueFrom: {fieldRef: {fieldPath: spec.replicas}}}]"),
       .errors = {{kNotSupported, at(".valueFrom.fieldRef.fieldPath")}}},
      {.name = "all_labels", .spec = MAIN("env: [{name: A, valueFrom: {fieldRef: {fieldPath: metadata.labels}}}]"),
       .errors = {{kNotSupported, at(".valueFrom.fieldRef.fieldPath")}}},
      {.name = "a_version", .spec = MAIN("env: [{name: A, valueFrom: {fieldRef: {apiVersion: v2, fieldPath: metadata.name}}}]"),
       .errors = {{kInvalid, at(".valueFrom.fieldRef.apiVersion")}}},
      {.name = "a_resource", .spec = MAIN("env: [{name: A, valueFrom: {resourceFieldRef: {resource: limits.hugepages-2Mi}}}]")},
      {.name = "a_resource_that_is_not_there", .spec = MAIN("env: [{name: A, valueFrom: {resourceFieldRef: {resource: limits.gpu}}}]"),
       .errors = {{kNotSupported, at(".valueFrom.resourceFieldRef.resource")}}},
      {.name = "twice_in_a_list", .spec = MAIN("env: [{name: A, value: x}, {name: A, value: z}]"), .warnings = {{in_main("env[1].name"), ""}}},
      {.name = "the_services_wins", .spec = SERVICE("envs: [{name: A, value: x}], extraPodSpec: {mainContainer: {env: [{name: A, valueFrom: {}}]}}")},
      {.name = "of_the_service", .spec = SERVICE("envs: [{name: A=B}]"), .errors = {{kInvalid, in_service("envs[0].name")}}},
      {.name = "of_the_graph", .spec = "{envs: [{name: A=B}], services: {V: {}, W: {}}}", .errors = {{kInvalid, "spec.envs[0].name"}}},
      {.name = "of_a_sidecar", .spec = SIDECAR("env: [{name: A=B}]"), .errors = {{kInvalid, in_pod("containers[0].env[0].name")}}},
      {.name = "from_a_config_map", .spec = MAIN("envFrom: [{prefix: A_, configMapRef: {name: c}}]")},
      {.name = "from_nothing", .spec = MAIN("envFrom: [{prefix: A_}]"), .errors = {{kRequired, in_main("envFrom[0]")}}},
      {.name = "from_two", .spec = MAIN("envFrom: [{configMapRef: {name: c}, secretRef: {name: s}}]"), .errors = {{kInvalid, in_main("envFrom[0]")}}},
      {.name = "from_none_by_name", .spec = MAIN("envFrom: [{secretRef: {}}]"), .errors = {{kRequired, in_main("envFrom[0].secretRef.name")}}},
      {.name = "a_prefix_with_an_equals_sign", .spec = MAIN("envFrom: [{prefix: A=, secretRef: {name: s}}]"), .errors = {{kInvalid, in_main("envFrom[0].prefix")}}},
      {.name = "from_the_services_secret", .spec = SERVICE("envFromSecret: S_1"), .errors = {{kInvalid, in_service("envFromSecret")}}},
  }}, MAIN("env: [{name: A=B}]"), MAIN("env: [{name: A}]"), {{kInvalid, at(".name")}});
}

RuleTable ports() {
  const auto at = [](std::string_view field) { return in_main("ports[0]." + std::string(field)); };
  return with_updates({"pod.ports", kGraphDeployment, {
      {.name = "lowest", .spec = MAIN("ports: [{containerPort: 1}]")},
      {.name = "highest", .spec = MAIN("ports: [{containerPort: 65535}]")},
      {.name = "zero", .spec = MAIN("ports: [{containerPort: 0}]"), .errors = {{kInvalid, at("containerPort")}}},
      {.name = "too_high", .spec = MAIN("ports: [{containerPort: 65536}]"), .errors = {{kInvalid, at("containerPort")}}},
      {.name = "no_host_port", .spec = MAIN("ports: [{containerPort: 1, hostPort: 0}]")},
      {.name = "a_negative_host_port", .spec = MAIN("ports: [{containerPort: 1, hostPort: -1}]"), .errors = {{kInvalid, at("hostPort")}}},
      {.name = "longest_name", .spec = MAIN("ports: [{containerPort: 1, name: a23456789012345}]")},
      {.name = "too_long_a_name", .spec = MAIN("ports: [{containerPort: 1, name: a234567890123456}]"), .errors = {{kInvalid, at("name")}}},
      {.name = "no_letter", .spec = MAIN("ports: [{containerPort: 1, name: '80-90'}]"), .errors = {{kInvalid, at("name")}}},
      {.name = "a_doubled_hyphen", .spec = MAIN("ports: [{containerPort: 1, name: a--b}]"), .errors = {{kInvalid, at("name")}}},
      {.name = "a_name_twice", .spec = MAIN("ports: [{containerPort: 1, name: a}, {containerPort: 2, name: a}]"),
       .errors = {{kDuplicate, in_main("ports[1].name")}}},
      {.name = "a_name_in_two_containers", .spec = POD("mainContainer: {ports: [{containerPort: 1, name: a}]}, containers: [{name: s, ports: [{containerPort: 2, name: a}]}]")},
      {.name = "a_host_port_in_two_containers", .spec = POD("mainContainer: {ports: [{containerPort: 1, hostPort: 9}]}, containers: [{name: s, ports: [{containerPort: 2, hostPort: 9}]}]"),
       .errors = {{kDuplicate, in_main("ports[0].hostPort")}}},
      {.name = "one_port_of_two_containers_in_the_network_of_the_node",
       .spec = POD("hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet, mainContainer: {ports: [{containerPort: 9090}]}, containers: [{name: s, ports: [{containerPort: 9090}]}]"),
       .errors = {{kDuplicate, in_main("ports[0].containerPort")}}},
      {.name = "a_port_that_the_operator_gives_too_in_the_network_of_the_node",
       .spec = "{services: {W: {componentType: frontend, extraPodSpec: {hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet, containers: [{name: s, ports: [{containerPort: 8000}]}]}}}}",
       .errors = {{kDuplicate, in_pod("containers[0].ports[0].containerPort")}}},
      {.name = "a_port_that_the_operator_gives_too_in_the_pods_own_network",
       .spec = "{services: {W: {componentType: frontend, extraPodSpec: {containers: [{name: s, ports: [{containerPort: 8000}]}]}}}}"},
      {.name = "another_port_beside_what_the_operator_gives_in_the_network_of_the_node",
       .spec = "{services: {W: {componentType: frontend, extraPodSpec: {hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet, containers: [{name: s, ports: [{containerPort: 8001}]}]}}}}"},
      {.name = "one_port_for_two_protocols_in_the_network_of_the_node",
       .spec = POD("hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet, mainContainer: {ports: [{containerPort: 9090}]}, containers: [{name: s, ports: [{containerPort: 9090, protocol: UDP}]}]")},
      {.name = "one_port_of_two_containers", .spec = POD("mainContainer: {ports: [{containerPort: 9090}]}, containers: [{name: s, ports: [{containerPort: 9090}]}]")},
      {.name = "one_port_of_an_init_container_in_the_network_of_the_node",
       .spec = POD("hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet, mainContainer: {ports: [{containerPort: 9090}]}, initContainers: [{name: s, ports: [{containerPort: 9090}]}]")},
      {.name = "a_host_port_for_two_protocols", .spec = MAIN("ports: [{containerPort: 1, hostPort: 9}, {containerPort: 1, hostPort: 9, protocol: UDP}]")},
      {.name = "a_host_port_on_two_addresses", .spec = MAIN("ports: [{containerPort: 1, hostPort: 9, hostIP: 10.0.0.1}, {containerPort: 1, hostPort: 9, hostIP: 10.0.0.2}]")},
      {.name = "init_containers_run_one_by_one", .spec = POD("initContainers: [{name: a, ports: [{containerPort: 2, hostPort: 9}]}, {name: b, ports: [{containerPort: 2, hostPort: 9}]}]")},
      {.name = "a_protocol", .spec = MAIN("ports: [{containerPort: 1, protocol: SCTP}]")},
      {.name = "a_protocol_in_lower_case", .spec = MAIN("ports: [{containerPort: 1, protocol: tcp}]"), .errors = {{kNotSupported, at("protocol")}}},
      {.name = "a_protocol_of_a_later_kubernetes", .spec = MAIN("ports: [{containerPort: 1, protocol: QUIC}]")},
  }}, MAIN("ports: [{containerPort: 0}]"), MAIN("ports: [{containerPort: 1}]"), {{kInvalid, at("containerPort")}});
}

}  // namespace

std::vector<RuleTable> pod_container_tables() {
  return {image(), image_placeholder(), names(), variables(), ports()};
}

}  // namespace dynamo::test

#undef SIDECAR
#undef INIT
#undef LETTERS_63
#undef LETTERS_64
#undef STEALING
#undef STOLEN
