#include "tests/validators/pod_rows.hpp"
#include "tests/validators/rule_table.hpp"

namespace dynamo::test {

// One row per line if it fits.
// clang-format off

using enum api::ErrorType;
using enum api::Kind;

namespace {

using api::Fact;

const api::ClusterFacts kThroughApiServer{.kubernetes_discovery = Fact::kYes};
const api::ClusterFacts kThroughEtcd{.kubernetes_discovery = Fact::kNo};

#define FRONTEND(fields) "{services: {F: {componentType: frontend, " fields "}}}"
#define OF_FRONTEND(fields) FRONTEND("extraPodSpec: {mainContainer: {" fields "}}")

std::string in_frontend(std::string_view field) { return "spec.services[F]." + std::string(field); }
std::string in_frontend_main(std::string_view field) {
  return in_frontend("extraPodSpec.mainContainer." + std::string(field));
}

#define NIXL "{name: nixl, containerPort: 19090}"
#define OWN_PROBE(port) "{httpGet: {path: /live, port: " port "}}"

RuleTable named_port_lost() {
  const std::vector<Place> lost{{in_main("ports"), ""}};
  const std::vector<Place> lost_to_frontend{{in_frontend_main("ports"), ""}};
  return with_updates({"net.port.named-lost", kGraphDeployment, {
      {.name = "default_ports", .spec = MAIN("image: i")},
      {.name = "no_ports", .spec = MAIN("ports: []")},
      {.name = "beside_others", .spec = MAIN("ports: [" NIXL ", {name: system, containerPort: 9090}]")},
      {.name = "lost", .spec = MAIN("ports: [" NIXL "]"), .warnings = lost},
      {.name = "without_a_name", .spec = MAIN("ports: [{containerPort: 9090}]"), .warnings = lost},
      {.name = "by_the_case_of_its_name", .spec = MAIN("ports: [{name: System, containerPort: 9090}]")},
      {.name = "a_decode_worker", .spec = "{services: {W: {componentType: decode, extraPodSpec: {mainContainer: {ports: [" NIXL "]}}}}}", .warnings = lost},
      {.name = "one_default_probe_stays",
       .spec = SERVICE("livenessProbe: " OWN_PROBE("19090") ", readinessProbe: " OWN_PROBE("19090") ", extraPodSpec: {mainContainer: {ports: [" NIXL "]}}"),
       .warnings = lost},
      {.name = "no_default_probe_stays",
       .spec = SERVICE("livenessProbe: " OWN_PROBE("19090") ", readinessProbe: " OWN_PROBE("19090") ", extraPodSpec: {mainContainer: {ports: [" NIXL "], startupProbe: " OWN_PROBE("19090") "}}")},
      {.name = "a_probe_of_the_users_names_the_port_itself",
       .spec = SERVICE("livenessProbe: " OWN_PROBE("system") ", readinessProbe: " OWN_PROBE("19090") ", extraPodSpec: {mainContainer: {ports: [" NIXL "], startupProbe: " OWN_PROBE("19090") "}}")},
      {.name = "a_sidecar_does_not_help_the_probes",
       .spec = POD("containers: [{name: s, image: i, ports: [{name: system, containerPort: 9090}]}], mainContainer: {ports: [" NIXL "]}"), .warnings = lost},
      {.name = "a_frontend", .spec = OF_FRONTEND("ports: [{name: web, containerPort: 8000}]"), .warnings = lost_to_frontend},
      {.name = "a_frontend_with_probes_of_its_own_has_a_service",
       .spec = FRONTEND("livenessProbe: " OWN_PROBE("8000") ", readinessProbe: " OWN_PROBE("8000") ", extraPodSpec: {mainContainer: {ports: [{name: web, containerPort: 8000}]}}"),
       .warnings = lost_to_frontend},
      {.name = "a_frontend_behind_a_sidecar",
       .spec = FRONTEND("livenessProbe: " OWN_PROBE("8000") ", readinessProbe: " OWN_PROBE("8000") ", extraPodSpec: {containers: [{name: s, image: i, ports: [{name: http, containerPort: 80}]}], mainContainer: {ports: [{name: web, containerPort: 8000}]}}")},
      {.name = "a_planner_is_not_called", .spec = "{services: {P: {componentType: planner, extraPodSpec: {mainContainer: {ports: [" NIXL "]}}}}}"},
      {.name = "an_endpoint_picker_is_called_by_number",
       .spec = "{services: {E: {componentType: epp, eppConfig: {configMapRef: {name: c}}, extraPodSpec: {mainContainer: {ports: [" NIXL "]}}}}}"},
      {.name = "any_other_component", .spec = "{services: {X: {componentType: main, extraPodSpec: {mainContainer: {ports: [" NIXL "]}}}}}"},
      {.name = "a_component", .spec = "{dynamoNamespace: x, componentType: worker, extraPodSpec: {mainContainer: {ports: [" NIXL "]}}}",
       .warnings = {{"spec.extraPodSpec.mainContainer.ports", ""}}, .kind = kComponentDeployment},
  }}, MAIN("ports: [" NIXL "]"), MAIN("ports: [{name: system, containerPort: 9090}]"), {}, lost);
}

RuleTable port_moved() {
#define SYSTEM_PORT(value) "env: [{name: DYN_SYSTEM_PORT, value: '" value "'}]"
#define HTTP_PORT(value) "env: [{name: DYN_HTTP_PORT, value: '" value "'}]"
#define SYSTEM(number) "ports: [" NIXL ", {name: system, containerPort: " number "}]"
#define HTTP(number) "ports: [{name: http, containerPort: " number "}]"
#define RUNS_VLLM "command: [python3, -m, dynamo.vllm]"
#define RUNS_FRONTEND "command: [python3, -m, dynamo.frontend]"
  const std::vector<Place> variable{{in_main("env[0]"), ""}};
  const std::vector<Place> port{{in_main("ports[1].containerPort"), ""}};
  const std::vector<Place> flag{{in_frontend_main("args"), ""}};
  const std::vector<Place> frontends_port{{in_frontend_main("ports[0].containerPort"), ""}};
  return with_updates({"net.port.moved", kGraphDeployment, {
      {.name = "by_default", .spec = MAIN("image: i")},
      {.name = "to_where_it_is", .spec = MAIN(SYSTEM_PORT("9090"))},
      {.name = "away", .spec = MAIN(SYSTEM_PORT("8081")), .warnings = variable},
      {.name = "away_by_the_service", .spec = SERVICE("envs: [{name: A, value: b}, {name: DYN_SYSTEM_PORT, value: '8081'}]"),
       .warnings = {{in_service("envs[1]"), ""}}},
      {.name = "away_by_the_graph",
       .spec = "{envs: [{name: DYN_SYSTEM_PORT, value: '8081'}], services: {V: {componentType: prefill}, W: {componentType: decode}}}",
       .warnings = {{"spec.envs[0]", ""}}},
      {.name = "away_and_back", .spec = SERVICE("envs: [{name: DYN_SYSTEM_PORT, value: '9090'}], extraPodSpec: {mainContainer: {" SYSTEM_PORT("8081") "}}")},
      {.name = "with_the_port", .spec = MAIN(SYSTEM_PORT("8081") ", " SYSTEM("8081"))},
      {.name = "with_another_port", .spec = MAIN(SYSTEM_PORT("8081") ", " SYSTEM("8082")), .warnings = variable},
      {.name = "with_a_port_that_has_lost_its_name", .spec = MAIN(SYSTEM_PORT("8081") ", ports: [" NIXL "]")},
      {.name = "with_probes_of_its_own",
       .spec = SERVICE("livenessProbe: " OWN_PROBE("8081") ", readinessProbe: " OWN_PROBE("8081") ", extraPodSpec: {mainContainer: {" SYSTEM_PORT("8081") ", startupProbe: " OWN_PROBE("8081") "}}")},
      {.name = "with_some_probes_of_its_own",
       .spec = SERVICE("livenessProbe: " OWN_PROBE("8081") ", readinessProbe: " OWN_PROBE("8081") ", extraPodSpec: {mainContainer: {" SYSTEM_PORT("8081") "}}"),
       .warnings = variable},
      {.name = "to_what_the_kubelet_knows", .spec = MAIN("env: [{name: DYN_SYSTEM_PORT, value: $(PORT)}]")},
      {.name = "to_what_a_config_map_knows",
       .spec = MAIN("env: [{name: DYN_SYSTEM_PORT, valueFrom: {configMapKeyRef: {name: c, key: k}}}]")},
      {.name = "to_nowhere", .spec = MAIN("env: [{name: DYN_SYSTEM_PORT, value: '-1'}]")},
      {.name = "switched_off", .spec = MAIN("env: [{name: DYN_SYSTEM_ENABLED, value: 'False'}]"), .warnings = variable},
      {.name = "switched_off_by_a_number", .spec = MAIN("env: [{name: DYN_SYSTEM_ENABLED, value: '0'}]"), .warnings = variable},
      {.name = "switched_on", .spec = MAIN("env: [{name: DYN_SYSTEM_ENABLED, value: 'true'}]")},
      {.name = "switched_off_without_default_probes",
       .spec = SERVICE("livenessProbe: " OWN_PROBE("1") ", readinessProbe: " OWN_PROBE("1") ", extraPodSpec: {mainContainer: {env: [{name: DYN_SYSTEM_ENABLED, value: 'false'}], startupProbe: " OWN_PROBE("1") "}}")},
      {.name = "the_port_alone", .spec = MAIN(SYSTEM("8081") ", " RUNS_VLLM), .warnings = port},
      {.name = "the_port_alone_to_no_port", .spec = MAIN(SYSTEM("70000") ", " RUNS_VLLM)},
      {.name = "the_port_alone_where_it_is", .spec = MAIN(SYSTEM("9090") ", " RUNS_VLLM)},
      {.name = "the_port_alone_of_a_program_that_is_not_known", .spec = MAIN(SYSTEM("8081") ", command: [/serve]")},
      {.name = "the_port_alone_and_a_script_that_sets_it",
       .spec = MAIN(SYSTEM("8081") ", command: [sh, -c], args: ['DYN_SYSTEM_PORT=8081 python3 -m dynamo.vllm']")},
      {.name = "the_port_alone_and_flags_that_are_not_known", .spec = MAIN(SYSTEM("8081") ", " RUNS_VLLM ", args: [$(ARGS)]")},
      {.name = "a_frontend", .spec = OF_FRONTEND(HTTP_PORT("9000")), .warnings = {{in_frontend_main("env[0]"), ""}}},
      {.name = "a_frontend_with_the_port", .spec = OF_FRONTEND(HTTP_PORT("9000") ", " HTTP("9000"))},
      {.name = "a_frontends_flag", .spec = OF_FRONTEND(RUNS_FRONTEND ", args: [--http-port, '9000']"), .warnings = flag},
      {.name = "a_frontends_flag_in_a_script",
       .spec = OF_FRONTEND("command: [sh, -c], args: ['exec python3 -m dynamo.frontend --http-port=9000']"), .warnings = flag},
      {.name = "a_frontends_flag_in_its_command", .spec = OF_FRONTEND("command: [python3, -m, dynamo.frontend, --http-port, '9000']"),
       .warnings = {{in_frontend_main("command"), ""}}},
      {.name = "a_frontends_flag_to_where_it_is", .spec = OF_FRONTEND(RUNS_FRONTEND ", args: [--http-port, '8000']")},
      {.name = "a_frontends_flag_with_the_port", .spec = OF_FRONTEND(RUNS_FRONTEND ", args: [--http-port, '9000'], " HTTP("9000"))},
      {.name = "a_frontends_flag_over_its_variable",
       .spec = OF_FRONTEND(HTTP_PORT("9000") ", " RUNS_FRONTEND ", args: [--http-port, '8000']")},
      {.name = "a_frontends_flag_that_a_shell_knows", .spec = OF_FRONTEND(RUNS_FRONTEND ", args: [--http-port, $(PORT)]")},
      {.name = "a_frontends_port_alone", .spec = OF_FRONTEND(HTTP("8080") ", " RUNS_FRONTEND), .warnings = frontends_port},
      {.name = "a_frontends_port_alone_of_a_program_that_is_not_known", .spec = OF_FRONTEND(HTTP("8080") ", command: [/serve], args: [--all]")},
      {.name = "a_frontend_of_which_only_the_service_is_left",
       .spec = FRONTEND("livenessProbe: " OWN_PROBE("9000") ", readinessProbe: " OWN_PROBE("9000") ", extraPodSpec: {mainContainer: {" HTTP_PORT("9000") "}}"),
       .warnings = {{in_frontend_main("env[0]"), ""}}},
      {.name = "a_frontend_behind_a_sidecar",
       .spec = FRONTEND("livenessProbe: " OWN_PROBE("9000") ", readinessProbe: " OWN_PROBE("9000") ", extraPodSpec: {containers: [{name: s, image: i, ports: [{name: http, containerPort: 8000}]}], mainContainer: {" HTTP_PORT("9000") "}}")},
      {.name = "a_frontends_variable_of_a_worker", .spec = MAIN(HTTP_PORT("9000"))},
      {.name = "a_planner_is_not_called",
       .spec = "{services: {P: {componentType: planner, extraPodSpec: {mainContainer: {" SYSTEM_PORT("8081") "}}}}}"},
      {.name = "a_component", .spec = "{dynamoNamespace: x, componentType: worker, extraPodSpec: {mainContainer: {" SYSTEM_PORT("8081") "}}}",
       .warnings = {{"spec.extraPodSpec.mainContainer.env[0]", ""}}, .kind = kComponentDeployment},
  }}, MAIN(SYSTEM_PORT("8081")), MAIN(SYSTEM_PORT("9090")), {}, variable);
#undef SYSTEM_PORT
#undef HTTP_PORT
#undef SYSTEM
#undef HTTP
#undef RUNS_VLLM
#undef RUNS_FRONTEND
}

// A graph "chat" in namespace "default", or a component of it, whose worker has a variable.
#define CHAT(annotations, more, variable) \
  "{metadata: {name: chat, namespace: default, annotations: {" annotations "}}, spec: {services: {W: {componentType: worker, " more "envs: [{name: " variable "}]}}}}"
#define COMPONENT(owners, variable) \
  "{metadata: {name: chat-w, namespace: default, ownerReferences: [" owners "]}, spec: {componentType: worker, envs: [{name: " variable "}]}}"

RuleTable reserved_variable() {
#define OWNED "{apiVersion: nvidia.com/v1alpha1, kind: DynamoGraphDeployment, name: chat}"
  const std::vector<Place> warned{{in_service("envs[0]"), ""}};
  const std::vector<Place> of_component{{"spec.envs[0]", ""}};
  return {"net.env.reserved", kGraphDeployment, {
      {.name = "another_variable", .warnings = {}, .object = CHAT("", "", "DYN_LOG, value: debug")},
      {.name = "the_namespace", .warnings = warned, .object = CHAT("", "", "DYN_NAMESPACE, value: shared")},
      {.name = "the_namespace_emptied", .warnings = warned, .object = CHAT("", "", "DYN_NAMESPACE, value: ''")},
      {.name = "the_namespace_as_it_is", .object = CHAT("", "", "DYN_NAMESPACE, value: default-chat")},
      {.name = "the_global_namespace", .object = CHAT("", "globalDynamoNamespace: true, ", "DYN_NAMESPACE, value: dynamo")},
      {.name = "not_the_global_namespace", .warnings = warned,
       .object = CHAT("", "globalDynamoNamespace: true, ", "DYN_NAMESPACE, value: default-chat")},
      {.name = "a_namespace_that_the_kubelet_knows", .object = CHAT("", "", "DYN_NAMESPACE, value: $(POD_NAMESPACE)-x")},
      {.name = "a_namespace_that_a_config_map_knows", .object = CHAT("", "", "DYN_NAMESPACE, valueFrom: {configMapKeyRef: {name: c, key: k}}")},
      {.name = "a_graph_without_a_name", .object = "{metadata: {generateName: chat-, namespace: default}, spec: {services: {W: {componentType: worker, envs: [{name: DYN_NAMESPACE, value: x}, {name: DYN_PARENT_DGD_K8S_NAME, value: x}]}}}}"},
      {.name = "a_graph_in_a_namespace_that_is_not_known",
       .object = "{metadata: {name: chat}, spec: " SERVICE("envs: [{name: DYN_NAMESPACE, value: x}, {name: POD_NAMESPACE, value: x}]") "}"},
      {.name = "the_component", .warnings = warned, .object = CHAT("", "", "DYN_COMPONENT, value: backend")},
      {.name = "the_component_as_it_is", .object = CHAT("", "", "DYN_COMPONENT, value: worker")},
      {.name = "the_graph", .warnings = warned, .object = CHAT("", "", "DYN_PARENT_DGD_K8S_NAME, value: search")},
      {.name = "the_graph_as_it_is", .object = CHAT("", "", "DYN_PARENT_DGD_K8S_NAME, value: chat")},
      {.name = "the_graphs_namespace", .warnings = warned, .object = CHAT("", "", "DYN_PARENT_DGD_K8S_NAMESPACE, value: prod")},
      {.name = "the_graphs_namespace_as_it_is", .object = CHAT("", "", "DYN_PARENT_DGD_K8S_NAMESPACE, value: default")},
      {.name = "the_graphs_namespace_by_a_field",
       .object = CHAT("", "", "DYN_PARENT_DGD_K8S_NAMESPACE, valueFrom: {fieldRef: {fieldPath: metadata.namespace}}")},
      {.name = "the_pods_name", .warnings = warned, .object = CHAT("", "", "POD_NAME, value: pod-1")},
      {.name = "the_pods_name_by_a_field", .object = CHAT("", "", "POD_NAME, valueFrom: {fieldRef: {fieldPath: metadata.name}}")},
      {.name = "the_pods_name_by_another_field", .warnings = warned,
       .object = CHAT("", "", "POD_NAME, valueFrom: {fieldRef: {fieldPath: spec.nodeName}}")},
      {.name = "the_pods_uid", .warnings = warned, .object = CHAT("", "", "POD_UID, value: x")},
      {.name = "the_pods_namespace", .warnings = warned, .object = CHAT("", "", "POD_NAMESPACE, value: prod")},
      {.name = "the_pods_namespace_as_it_is", .object = CHAT("", "", "POD_NAMESPACE, value: default")},
      {.name = "etcd_perhaps", .object = CHAT("", "", "DYN_DISCOVERY_BACKEND, value: etcd")},
      {.name = "etcd_where_it_is_not", .warnings = warned, .object = CHAT("", "", "DYN_DISCOVERY_BACKEND, value: etcd"),
       .facts = kThroughApiServer},
      {.name = "etcd_where_it_is", .object = CHAT("", "", "DYN_DISCOVERY_BACKEND, value: etcd"), .facts = kThroughEtcd},
      {.name = "the_api_server_where_it_is", .object = CHAT("", "", "DYN_DISCOVERY_BACKEND, value: kubernetes"),
       .facts = kThroughApiServer},
      {.name = "the_api_server_where_it_is_not", .warnings = warned,
       .object = CHAT("", "", "DYN_DISCOVERY_BACKEND, value: kubernetes"), .facts = kThroughEtcd},
      {.name = "etcd_as_the_graph_says",
       .object = CHAT("nvidia.com/dynamo-discovery-backend: etcd", "", "DYN_DISCOVERY_BACKEND, value: etcd"), .facts = kThroughApiServer},
      {.name = "not_as_the_graph_says", .warnings = warned,
       .object = CHAT("nvidia.com/dynamo-discovery-backend: kubernetes", "", "DYN_DISCOVERY_BACKEND, value: etcd")},
      {.name = "of_the_main_container", .spec = MAIN("env: [{name: A, value: b}, {name: POD_NAME, value: x}]"),
       .warnings = {{in_main("env[1]"), ""}}},
      {.name = "of_the_graph", .spec = "{envs: [{name: POD_UID, value: x}], services: {V: {componentType: worker}, W: {componentType: worker}}}",
       .warnings = {{"spec.envs[0]", ""}}},
      {.name = "of_a_sidecar", .spec = POD("containers: [{name: s, image: i, env: [{name: POD_NAME, value: x}]}]")},
      {.name = "of_a_component", .warnings = of_component, .object = COMPONENT(OWNED, "DYN_NAMESPACE, value: shared"), .kind = kComponentDeployment},
      {.name = "of_a_component_as_it_is", .object = COMPONENT(OWNED, "DYN_NAMESPACE, value: default-chat"), .kind = kComponentDeployment},
      {.name = "a_component_without_a_graph_brings_names", .object = COMPONENT("", "DYN_NAMESPACE, value: shared"), .kind = kComponentDeployment},
      {.name = "a_component_without_a_graph_has_pods", .warnings = of_component, .object = COMPONENT("", "POD_UID, value: x"),
       .kind = kComponentDeployment},
      {.name = "an_old_fault_stays", .object = CHAT("", "", "POD_UID, value: x"), .old_object = CHAT("", "", "POD_UID, value: y")},
      {.name = "a_new_fault", .warnings = warned, .object = CHAT("", "", "POD_UID, value: x"),
       .old_object = CHAT("", "", "POD_UID, valueFrom: {fieldRef: {fieldPath: metadata.uid}}")},
  }};
#undef OWNED
}

#define INGRESS(fields) FRONTEND("ingress: {enabled: true, " fields "}")
#define BY_CLASS "ingressControllerClassName: nginx, "
#define BY_GATEWAY "useVirtualService: true, virtualServiceGateway: mesh/gate, "

RuleTable ingress_host() {
  static const std::string longest(63, 'a');
  // 253 bytes with ".x".
  static const std::string host_251 = longest + "." + longest + "." + longest + "." + std::string(59, 'a');
  static const auto with_host = [](const std::string& host) {
    return "{services: {F: {componentType: frontend, ingress: {enabled: true, ingressControllerClassName: nginx, hostSuffix: x, host: " + host + "}}}}";
  };
  static const std::string longest_host = with_host(host_251);
  static const std::string too_long_host = with_host(host_251 + "a");
  const std::vector<Finding> denied{{kInvalid, in_frontend("ingress.host")}};
  const std::vector<Place> warned{{in_frontend("ingress.host"), ""}};
  return with_updates({"net.ingress.host", kGraphDeployment, {
      {.name = "a_name", .spec = INGRESS(BY_CLASS "host: chat")},
      {.name = "a_name_with_a_suffix", .spec = INGRESS(BY_CLASS "host: chat, hostPrefix: 'eu-', hostSuffix: example.com")},
      {.name = "any_name_of_a_domain", .spec = INGRESS(BY_CLASS "host: '*', hostSuffix: example.com")},
      {.name = "upper_case", .spec = INGRESS(BY_CLASS "host: Chat"), .errors = denied},
      {.name = "upper_case_in_front", .spec = INGRESS(BY_CLASS "host: chat, hostPrefix: EU-"),
       .errors = {{kInvalid, in_frontend("ingress.hostPrefix")}}},
      {.name = "upper_case_behind", .spec = INGRESS(BY_CLASS "host: chat, hostSuffix: Example.com"),
       .errors = {{kInvalid, in_frontend("ingress.hostSuffix")}}},
      {.name = "an_empty_suffix", .spec = INGRESS(BY_CLASS "host: chat.example.com, hostSuffix: ''"),
       .errors = {{kInvalid, in_frontend("ingress.hostSuffix")}}},
      {.name = "a_dash_in_front", .spec = INGRESS(BY_CLASS "host: chat, hostPrefix: '-'"), .errors = denied},
      {.name = "a_star_inside", .spec = INGRESS(BY_CLASS "host: 'a.*', hostSuffix: example.com"), .errors = denied},
      {.name = "an_address", .spec = INGRESS(BY_CLASS "host: '10.0.0', hostSuffix: '1'"), .errors = denied},
      {.name = "a_port", .spec = INGRESS(BY_CLASS "host: 'chat:80'"), .errors = denied},
      {.name = "the_longest", .spec = longest_host},
      {.name = "too_long", .spec = too_long_host, .errors = denied},
      {.name = "dots_without_a_suffix", .spec = INGRESS(BY_CLASS "host: chat.example.com"), .warnings = warned},
      {.name = "dots_with_a_suffix", .spec = INGRESS(BY_CLASS "host: chat.eu, hostSuffix: example.com")},
      {.name = "switched_off", .spec = FRONTEND("ingress: {enabled: false, " BY_CLASS "host: Chat}")},
      {.name = "nothing_is_made", .spec = INGRESS("host: Chat")},
      {.name = "a_virtual_service", .spec = INGRESS(BY_GATEWAY "host: Chat"), .warnings = warned},
      {.name = "both", .spec = INGRESS(BY_CLASS BY_GATEWAY "host: Chat"), .errors = denied},
      {.name = "no_host_is_another_rules", .spec = INGRESS(BY_CLASS "host: ''"),
       .errors = {{kRequired, in_frontend("ingress.host"), "service.ingress.host"}}},
      {.name = "of_a_worker_perhaps", .spec = SERVICE("ingress: {enabled: true, " BY_CLASS "host: Chat}"),
       .warnings = {{in_service("ingress.host"), ""}}},
      {.name = "of_a_worker_on_grove", .spec = SERVICE("ingress: {enabled: true, " BY_CLASS "host: Chat}"),
       .facts = {.grove_served = Fact::kYes}},
      {.name = "of_a_worker_without_grove", .spec = SERVICE("ingress: {enabled: true, " BY_CLASS "host: Chat}"),
       .errors = {{kInvalid, in_service("ingress.host")}}, .facts = {.grove_served = Fact::kNo}},
      {.name = "of_a_component", .spec = "{dynamoNamespace: x, componentType: worker, ingress: {enabled: true, " BY_CLASS "host: Chat}}",
       .errors = {{kInvalid, "spec.ingress.host"}}, .kind = kComponentDeployment},
      {.name = "of_a_component_that_the_operator_wrote",
       .warnings = {{"spec.ingress.hostSuffix", ""}},
       .object = "{metadata: {name: chat-f, ownerReferences: [{apiVersion: nvidia.com/v1alpha1, kind: DynamoGraphDeployment, name: chat}]}, spec: {componentType: frontend, ingress: {enabled: true, " BY_CLASS "host: chat, hostSuffix: ''}}}",
       .kind = kComponentDeployment},
      {.name = "another_old_fault_stays", .spec = INGRESS(BY_CLASS "host: chat.example.com"), .old_spec = INGRESS(BY_CLASS "host: chat.example.com")},
  }}, INGRESS(BY_CLASS "host: Chat"), INGRESS(BY_CLASS "host: chat"), denied);
}

RuleTable ingress_no_effect() {
  const std::vector<Place> warned{{in_frontend("ingress"), ""}};
  return with_updates({"net.ingress.no-effect", kGraphDeployment, {
      {.name = "by_a_class", .spec = INGRESS(BY_CLASS "host: chat")},
      {.name = "by_a_gateway", .spec = INGRESS(BY_GATEWAY "host: chat")},
      {.name = "by_nothing", .spec = INGRESS("host: chat"), .warnings = warned},
      {.name = "by_a_gateway_that_is_not_used", .spec = INGRESS("virtualServiceGateway: mesh/gate, host: chat"), .warnings = warned},
      {.name = "by_no_gateway", .spec = INGRESS("useVirtualService: true, host: chat"), .warnings = warned},
      {.name = "switched_off", .spec = FRONTEND("ingress: {enabled: false, host: chat, annotations: {a: b}}")},
      {.name = "annotations_and_labels", .spec = INGRESS(BY_CLASS "host: chat, annotations: {a: b}, labels: {a: b}"),
       .warnings = {{in_frontend("ingress.annotations"), ""}, {in_frontend("ingress.labels"), ""}}},
      {.name = "empty_annotations_and_labels", .spec = INGRESS(BY_CLASS "host: chat, annotations: {}, labels: {}")},
      {.name = "a_certificate", .spec = INGRESS(BY_CLASS "host: chat, tls: {secretName: s}")},
      {.name = "no_certificate", .spec = INGRESS(BY_CLASS "host: chat, tls: {}"),
       .warnings = {{in_frontend("ingress.tls.secretName"), ""}}},
      {.name = "an_empty_certificate", .spec = INGRESS(BY_CLASS "host: chat, tls: {secretName: ''}"),
       .warnings = {{in_frontend("ingress.tls.secretName"), ""}}},
      {.name = "of_a_worker", .spec = SERVICE("ingress: {enabled: true, " BY_CLASS "host: chat}"),
       .warnings = {{in_service("ingress"), ""}}},
      {.name = "of_a_component", .spec = "{dynamoNamespace: x, componentType: frontend, ingress: {enabled: true, host: chat}}",
       .warnings = {{"spec.ingress", ""}}, .kind = kComponentDeployment},
  }}, INGRESS("host: chat"), INGRESS(BY_CLASS "host: chat"), {}, warned);
}

#define ON_HOST(fields) POD("hostNetwork: true, " fields)
#define RESOLVING "dnsPolicy: ClusterFirstWithHostNet"

RuleTable host_network() {
  const std::vector<Finding> denied{{kInvalid, in_main("ports[0].hostPort")}};
  const std::vector<Place> unresolved{{in_pod("dnsPolicy"), ""}};
  return with_updates({"net.host-network", kGraphDeployment, {
      {.name = "of_the_pod", .spec = POD("hostNetwork: false, mainContainer: {ports: [{containerPort: 9090, hostPort: 80}]}")},
      {.name = "of_the_node", .spec = ON_HOST(RESOLVING)},
      {.name = "another_host_port", .spec = ON_HOST(RESOLVING ", mainContainer: {ports: [{containerPort: 9090, hostPort: 80}]}"), .errors = denied},
      {.name = "the_same_host_port", .spec = ON_HOST(RESOLVING ", mainContainer: {ports: [{containerPort: 9090, hostPort: 9090}]}")},
      {.name = "no_host_port", .spec = ON_HOST(RESOLVING ", mainContainer: {ports: [{containerPort: 9090}, {containerPort: 80, hostPort: 0}]}")},
      {.name = "a_sidecars_host_port", .spec = ON_HOST(RESOLVING ", containers: [{name: s, image: i, ports: [{containerPort: 1}, {containerPort: 2, hostPort: 3}]}]"),
       .errors = {{kInvalid, in_pod("containers[0].ports[1].hostPort")}}},
      {.name = "an_init_containers_host_port",
       .spec = ON_HOST(RESOLVING ", initContainers: [{name: s, image: i, ports: [{containerPort: 2, hostPort: 3}]}]")},
      {.name = "no_policy", .spec = ON_HOST("mainContainer: {image: i}"), .warnings = unresolved},
      {.name = "the_policy_of_other_pods", .spec = ON_HOST("dnsPolicy: ClusterFirst"), .warnings = unresolved},
      {.name = "the_policy_of_the_node", .spec = ON_HOST("dnsPolicy: Default")},
      {.name = "servers_of_its_own", .spec = ON_HOST("dnsPolicy: None, dnsConfig: {nameservers: [10.0.0.1]}")},
      {.name = "two_replicas", .spec = SERVICE("replicas: 2, extraPodSpec: {hostNetwork: true, " RESOLVING "}"),
       .warnings = {{in_pod("hostNetwork"), ""}}},
      {.name = "one_replica", .spec = SERVICE("replicas: 1, extraPodSpec: {hostNetwork: true, " RESOLVING "}")},
      {.name = "two_replicas_without_ports",
       .spec = "{services: {W: {componentType: main, replicas: 2, extraPodSpec: {hostNetwork: true, " RESOLVING "}}}}"},
      {.name = "everything", .spec = SERVICE("replicas: 2, extraPodSpec: {hostNetwork: true, mainContainer: {ports: [{containerPort: 9090, hostPort: 80}]}}"),
       .errors = denied, .warnings = {{in_pod("dnsPolicy"), ""}, {in_pod("hostNetwork"), ""}}},
      {.name = "a_component", .spec = "{dynamoNamespace: x, componentType: worker, extraPodSpec: {hostNetwork: true}}",
       .warnings = {{"spec.extraPodSpec.dnsPolicy", ""}}, .kind = kComponentDeployment},
      {.name = "the_job_of_a_checkpoint",
       .spec = JOB("hostNetwork: true, containers: [{name: c, image: i, ports: [{containerPort: 1, hostPort: 2}]}]"),
       .errors = {{kInvalid, in_job("containers[0].ports[0].hostPort")}}, .warnings = {{in_job("dnsPolicy"), ""}}, .kind = kCheckpoint},
      {.name = "an_old_warning_stays", .spec = ON_HOST("mainContainer: {image: i}"), .old_spec = ON_HOST("mainContainer: {image: j}")},
  }}, ON_HOST(RESOLVING ", mainContainer: {ports: [{containerPort: 9090, hostPort: 80}]}"), ON_HOST(RESOLVING), denied);
}

RuleTable service_account() {
#define ACCOUNT(annotations, type, name) \
  "{metadata: {name: chat, annotations: {" annotations "}}, spec: {services: {W: {componentType: " type ", extraPodSpec: {serviceAccountName: " name "}}}}}"
  const std::vector<Place> warned{{in_pod("serviceAccountName"), ""}};
  return {"net.service-account", kGraphDeployment, {
      {.name = "none", .spec = POD("mainContainer: {image: i}"), .facts = kThroughApiServer},
      {.name = "one_of_the_users", .warnings = warned, .object = ACCOUNT("", "worker", "mine"), .facts = kThroughApiServer},
      {.name = "one_of_the_users_of_a_frontend", .warnings = warned, .object = ACCOUNT("", "frontend", "mine"), .facts = kThroughApiServer},
      {.name = "one_of_the_users_with_etcd", .object = ACCOUNT("", "worker", "mine"), .facts = kThroughEtcd},
      {.name = "one_of_the_users_with_who_knows", .object = ACCOUNT("", "worker", "mine")},
      {.name = "the_graph_says_etcd", .object = ACCOUNT("nvidia.com/dynamo-discovery-backend: etcd", "worker", "mine"), .facts = kThroughApiServer},
      {.name = "the_graph_says_kubernetes", .warnings = warned,
       .object = ACCOUNT("nvidia.com/dynamo-discovery-backend: kubernetes", "worker", "mine")},
      {.name = "the_operators_own", .object = ACCOUNT("", "worker", "chat-k8s-service-discovery"), .facts = kThroughApiServer},
      {.name = "the_planners_own", .object = ACCOUNT("", "planner", "planner-serviceaccount"), .facts = kThroughApiServer},
      {.name = "a_planner_with_another", .warnings = warned, .object = ACCOUNT("", "planner", "mine"), .facts = kThroughApiServer},
      {.name = "a_planner_with_another_that_is_overwritten", .object = ACCOUNT("", "planner", "mine"),
       .facts = {.grove_served = Fact::kNo, .kubernetes_discovery = Fact::kYes}},
      {.name = "a_component", .spec = "{dynamoNamespace: x, componentType: worker, extraPodSpec: {serviceAccountName: mine}}",
       .warnings = {{"spec.extraPodSpec.serviceAccountName", ""}}, .kind = kComponentDeployment, .facts = kThroughApiServer},
      {.name = "an_old_fault_stays", .object = ACCOUNT("", "worker", "mine"), .old_object = ACCOUNT("", "worker", "mine"), .facts = kThroughApiServer},
      {.name = "a_new_fault", .warnings = warned, .object = ACCOUNT("", "worker", "mine"), .old_object = ACCOUNT("", "worker", ""),
       .facts = kThroughApiServer},
  }};
#undef ACCOUNT
}

}  // namespace

std::vector<RuleTable> network_tables() {
  return {named_port_lost(), port_moved(),        reserved_variable(), ingress_host(),
          ingress_no_effect(), host_network(), service_account()};
}

// clang-format on

}  // namespace dynamo::test

#undef FRONTEND
#undef OF_FRONTEND
#undef NIXL
#undef OWN_PROBE
#undef CHAT
#undef COMPONENT
#undef INGRESS
#undef BY_CLASS
#undef BY_GATEWAY
#undef ON_HOST
#undef RESOLVING
