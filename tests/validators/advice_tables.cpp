#include "tests/validators/pod_rows.hpp"
#include "tests/validators/rule_table.hpp"

namespace dynamo::test {

// One row per line if it fits.
// clang-format off

using enum api::ErrorType;
using enum api::Kind;

namespace {

using api::Fact;

RuleTable frontend_missing() {
  const std::vector<Place> warned{{"spec.services", ""}};
  return with_updates({"dgd.frontend.missing", kGraphDeployment, {
      {.name = "a_frontend", .spec = "{services: {F: {componentType: frontend}, W: {componentType: worker}}}"},
      {.name = "an_endpoint_picker", .spec = "{services: {E: {componentType: epp, eppConfig: {config: {}}}, W: {componentType: worker}}}"},
      {.name = "workers_only", .spec = "{services: {W: {componentType: worker}}}", .warnings = warned},
      {.name = "another_type", .spec = "{services: {F: {componentType: Frontend}}}", .warnings = warned},
      {.name = "no_services_are_another_rules", .spec = "{services: {}}", .errors = {{kRequired, "spec.services", "dgd.services.required"}}},
  }}, "{services: {W: {componentType: worker}}}", "{services: {W: {componentType: frontend}}}", {}, warned);
}

RuleTable unused_claim() {
#define CLAIM(services) "{pvcs: [{name: a}], services: {W: {" services "}}}"
  const std::vector<Place> warned{{"spec.pvcs[0].name", ""}};
  return with_updates({"storage.pvc.unused", kGraphDeployment, {
      {.name = "mounted", .spec = CLAIM("volumeMounts: [{name: a, mountPoint: /a}]")},
      {.name = "mounted_through_a_volume", .spec = CLAIM("extraPodSpec: {volumes: [{name: v, persistentVolumeClaim: {claimName: a}}]}")},
      {.name = "not_mounted", .spec = CLAIM(""), .warnings = warned},
      {.name = "another_is_mounted", .spec = CLAIM("volumeMounts: [{name: b, mountPoint: /a}]"), .warnings = warned},
      {.name = "a_volume_of_that_name_is_no_claim", .spec = CLAIM("extraPodSpec: {volumes: [{name: a, emptyDir: {}}]}"), .warnings = warned},
      {.name = "mounted_by_the_second_service",
       .spec = "{pvcs: [{name: a}], services: {V: {}, W: {volumeMounts: [{name: a, mountPoint: /a}]}}}"},
      {.name = "the_second_of_two",
       .spec = "{pvcs: [{name: a}, {name: b}], services: {W: {volumeMounts: [{name: a, mountPoint: /a}]}}}", .warnings = {{"spec.pvcs[1].name", ""}}},
      {.name = "none", .spec = "{services: {W: {}}}"},
  }}, CLAIM(""), "{services: {W: {}}}", {}, warned);
#undef CLAIM
}

RuleTable implicit_shared_memory() {
#define LIMIT(memory, more) SERVICE("resources: {limits: {memory: " memory "}}" more)
  const std::vector<Place> warned{{in_service("sharedMemory"), ""}};
  return with_updates({"storage.shm.implicit", kGraphDeployment, {
      {.name = "less", .spec = LIMIT("8191Mi", ""), .warnings = warned},
      {.name = "as_much", .spec = LIMIT("8Gi", "")},
      {.name = "more", .spec = LIMIT("16Gi", "")},
      {.name = "no_limit", .spec = SERVICE("replicas: 1")},
      {.name = "a_request_is_no_limit", .spec = SERVICE("resources: {requests: {memory: 1Gi}}")},
      {.name = "a_size", .spec = LIMIT("1Gi", ", sharedMemory: {size: 256Mi}")},
      {.name = "disabled", .spec = LIMIT("1Gi", ", sharedMemory: {disabled: true}")},
      {.name = "of_the_main_container", .spec = MAIN("resources: {limits: {memory: 1Gi}}"), .warnings = warned},
  }}, LIMIT("1Gi", ""), LIMIT("16Gi", ""), {}, warned);
#undef LIMIT
}

RuleTable dropped_labels() {
  const std::vector<Place> warned{{in_service("labels"), ""}};
  const api::ClusterFacts grove{.grove_served = Fact::kYes};
  const api::ClusterFacts deployments{.grove_served = Fact::kNo, .leader_worker_set_served = Fact::kNo};
  const std::string_view labels = SERVICE("labels: {a: b}");
  return with_updates({"pod.labels.dropped", kGraphDeployment, {
      {.name = "in_deployments", .spec = labels, .warnings = warned, .facts = deployments},
      {.name = "through_grove", .spec = labels, .facts = grove},
      {.name = "without_grove",
       .warnings = warned,
       .object = "{apiVersion: nvidia.com/v1alpha1, kind: DynamoGraphDeployment, metadata: {name: example, annotations: {nvidia.com/enable-grove: 'false'}}, "
                 "spec: {services: {W: {componentType: worker, labels: {a: b}}}}}",
       .facts = grove},
      {.name = "not_known_which", .spec = labels, .warnings = warned},
      {.name = "no_labels", .spec = SERVICE("labels: {}"), .facts = deployments},
      {.name = "labels_of_pods", .spec = SERVICE("extraPodMetadata: {labels: {a: b}}"), .facts = deployments},
  }}, labels, SERVICE("labels: {}"), {}, warned);
}

RuleTable floating_tag() {
#define IMAGE(image) MAIN("image: '" image "'")
  const std::vector<Place> warned{{in_main("image"), ""}};
  return with_updates({"pod.image.floating-tag", kGraphDeployment, {
      {.name = "a_version", .spec = IMAGE("nvcr.io/a/b:1.0")},
      {.name = "latest", .spec = IMAGE("nvcr.io/a/b:latest"), .warnings = warned},
      {.name = "no_tag", .spec = IMAGE("nvcr.io/a/b"), .warnings = warned},
      {.name = "no_tag_and_a_port", .spec = IMAGE("localhost:5000/a"), .warnings = warned},
      {.name = "a_version_and_a_port", .spec = IMAGE("localhost:5000/a:1")},
      {.name = "a_digest", .spec = IMAGE("a@sha256:0123456789abcdef0123456789abcdef")},
      {.name = "latest_and_a_digest", .spec = IMAGE("a:latest@sha256:0123456789abcdef0123456789abcdef")},
      {.name = "something_like_latest", .spec = IMAGE("a:latest-2025")},
      {.name = "no_image_is_another_rules", .spec = IMAGE("")},
      {.name = "a_sidecar", .spec = POD("mainContainer: {image: 'a:1'}, containers: [{name: s, image: s}]"),
       .warnings = {{in_pod("containers[0].image"), ""}}},
      {.name = "a_checkpoint", .spec = JOB("containers: [{name: main, image: a}]"), .warnings = {{in_job("containers[0].image"), ""}}, .kind = kCheckpoint},
  }}, IMAGE("a"), IMAGE("a:1"), {}, warned);
#undef IMAGE
}

RuleTable placeholder() {
  const std::vector<Place> warned{{in_main("args[1]"), ""}};
  return with_updates({"pod.placeholder", kGraphDeployment, {
      {.name = "values", .spec = MAIN("command: [a], args: [--model, m], env: [{name: A, value: b}]")},
      {.name = "brackets", .spec = MAIN("args: [--model, <model>]"), .warnings = warned},
      {.name = "braces", .spec = MAIN("args: [--model, '{{ model }}']"), .warnings = warned},
      {.name = "a_shell_variable", .spec = MAIN("args: [--model, '${MODEL}']"), .warnings = warned},
      {.name = "in_the_command", .spec = MAIN("command: ['<command>']"), .warnings = {{in_main("command[0]"), ""}}},
      {.name = "a_redirection", .spec = MAIN("args: [-c, 'a < b > c']")},
      {.name = "a_reference_of_the_kubelet", .spec = MAIN("args: [--model, $(MODEL)], env: [{name: MODEL, value: m}]")},
      {.name = "json", .spec = MAIN("args: [--options, '{\"a\": {\"b\": 1}}']")},
      {.name = "a_variable_of_mainContainer", .spec = MAIN("env: [{name: A, value: <secret>}]"), .warnings = {{in_main("env[0]"), ""}}},
      {.name = "a_variable_of_the_service", .spec = SERVICE("envs: [{name: A, value: <secret>}]"), .warnings = {{in_service("envs[0]"), ""}}},
      {.name = "a_checkpoint", .spec = JOB("containers: [{name: main, image: a, args: ['<model>']}]"), .warnings = {{in_job("containers[0].args[0]"), ""}}, .kind = kCheckpoint},
  }}, MAIN("args: [--model, <model>]"), MAIN("args: [--model, m]"), {}, warned);
}

RuleTable component_label() {
#define USUAL "{app.kubernetes.io/component: W}"
#define SPREAD(selector) POD("topologySpreadConstraints: [{maxSkew: 1, topologyKey: k, whenUnsatisfiable: ScheduleAnyway, labelSelector: " selector "}]")
  const std::string spread = in_pod("topologySpreadConstraints[0].labelSelector.");
  const std::vector<Place> warned{{spread + "matchLabels[app.kubernetes.io/component]", ""}};
  return with_updates({"pod.scheduling.component-label", kGraphDeployment, {
      {.name = "the_operators", .spec = SPREAD("{matchLabels: {nvidia.com/dynamo-component: W}}")},
      {.name = "the_usual", .spec = SPREAD("{matchLabels: " USUAL "}"), .warnings = warned},
      {.name = "in_an_expression", .spec = SPREAD("{matchExpressions: [{key: a, operator: Exists}, {key: app.kubernetes.io/component, operator: Exists}]}"),
       .warnings = {{spread + "matchExpressions[1].key", ""}}},
      {.name = "for_affinity", .spec = POD("affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: k, labelSelector: {matchLabels: " USUAL "}}]}}"),
       .warnings = {{in_pod("affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector.matchLabels[app.kubernetes.io/component]"), ""}}},
      {.name = "for_a_preference",
       .spec = POD("affinity: {podAntiAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, podAffinityTerm: {topologyKey: k, labelSelector: {matchLabels: " USUAL "}}}]}}"),
       .warnings = {{in_pod("affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm.labelSelector.matchLabels[app.kubernetes.io/component]"), ""}}},
      {.name = "of_nodes_it_is_anybodys", .spec = POD("affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: app.kubernetes.io/component, operator: Exists}]}]}}}")},
      {.name = "pods_that_have_it",
       .spec = SERVICE("extraPodMetadata: {labels: " USUAL "}, extraPodSpec: {topologySpreadConstraints: [{maxSkew: 1, topologyKey: k, whenUnsatisfiable: ScheduleAnyway, labelSelector: {matchLabels: " USUAL "}}]}")},
  }}, SPREAD("{matchLabels: " USUAL "}"), SPREAD("{matchLabels: {nvidia.com/dynamo-component: W}}"), {}, warned);
#undef USUAL
#undef SPREAD
}

}  // namespace

std::vector<RuleTable> advice_tables() {
  return {frontend_missing(), unused_claim(), implicit_shared_memory(), dropped_labels(),
          floating_tag(), placeholder(), component_label()};
}

// clang-format on

}  // namespace dynamo::test
