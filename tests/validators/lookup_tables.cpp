// The rules for names that are looked up in the cluster.
#include <initializer_list>

#include "tests/validators/pod_rows.hpp"
#include "tests/validators/rule_table.hpp"

namespace dynamo::test {

// One row per line if it fits.
// clang-format off

using enum api::ErrorType;
using enum api::Kind;
using api::Fact;
using api::LookupKind;

namespace {

// A cluster of which it is only known that these objects do not exist.
std::vector<KnownObject> without(LookupKind kind, std::initializer_list<std::string_view> names) {
  std::vector<KnownObject> known;
  for (const std::string_view name : names) known.push_back({.there = Fact::kNo, .kind = kind, .name = name});
  return known;
}
std::vector<KnownObject> with(LookupKind kind, std::string_view name, std::string_view namespace_name = "default") {
  return {{.there = Fact::kYes, .kind = kind, .name = name, .namespace_name = namespace_name}};
}
std::vector<KnownObject> elsewhere(LookupKind kind, std::string_view name) {
  return {{.there = Fact::kNo, .kind = kind, .name = name, .namespace_name = "other"}};
}

std::vector<Place> at(std::initializer_list<std::string> fields) {
  std::vector<Place> places;
  for (const std::string& field : fields) places.push_back({field, ""});
  return places;
}

#define REQUEST(profiling, rest) \
  "{model: m, backend: vllm, profilingConfig: {profilerImage: i, " profiling "}" rest "}"
#define OWNED(kind, spec) \
  "{metadata: {name: c, namespace: default, ownerReferences: [{apiVersion: nvidia.com/v1alpha1, kind: " kind ", name: g, uid: u}]}, spec: " spec "}"

RuleTable adapters() {
#define TARGET(name) "{dgdRef: {name: " name ", serviceName: s}}"
  const std::vector<KnownObject> none = without(LookupKind::kGraphDeployment, {"g", "h", "G_h"});
  return {"dgdsa.ref.exists", kScalingAdapter, {
      {.name = "nobody_looks", .spec = TARGET("g")},
      {.name = "missing", .spec = TARGET("g"), .warnings = at({"spec.dgdRef.name"}), .known = none},
      {.name = "there", .spec = TARGET("g"), .known = with(LookupKind::kGraphDeployment, "g")},
      {.name = "not_known", .spec = TARGET("i"), .known = none},
      {.name = "missing_in_another_namespace", .spec = TARGET("g"), .known = elsewhere(LookupKind::kGraphDeployment, "g")},
      {.name = "another_kind_of_that_name", .spec = TARGET("g"), .known = without(LookupKind::kSecret, {"g"})},
      {.name = "no_name_is_another_rules", .spec = "{dgdRef: {serviceName: s}}",
       .errors = {{kRequired, "spec.dgdRef.name", "dgdsa.ref.name"}}, .known = none},
      {.name = "no_name_that_an_object_can_have", .spec = TARGET("G_h"), .known = none},
      {.name = "made_by_the_operator_for_a_graph", .object = OWNED("DynamoGraphDeployment", TARGET("g")), .known = none},
      {.name = "made_by_something_else", .warnings = at({"spec.dgdRef.name"}), .object = OWNED("ConfigMap", TARGET("g")), .known = none},
      {.name = "still_missing", .spec = "{replicas: 2, dgdRef: {name: g, serviceName: s}}", .old_spec = TARGET("g"), .known = none},
      {.name = "another_that_is_missing", .spec = TARGET("h"), .old_spec = TARGET("g"),
       .warnings = {{"spec.dgdRef", "dgdsa.ref.immutable"}, {"spec.dgdRef.name", ""}}, .known = none},
  }};
#undef TARGET
}

RuleTable claims() {
#define GRAPH(pvcs, services) "{pvcs: [" pvcs "], services: {" services "}}"
#define MOUNTING(name) "componentType: worker, volumeMounts: [{name: " name ", mountPoint: /m}]"
#define MADE(name) "{name: " name ", create: true, size: 1Gi, storageClass: s, volumeAccessMode: ReadWriteMany}"
  const std::vector<KnownObject> none = without(LookupKind::kPersistentVolumeClaim, {"a", "b", "A_b"});
  const std::vector<Place> listed = at({"spec.pvcs[0].name"});
  const std::vector<Place> mounted = at({in_service("volumeMounts[0].name")});
  const std::string cache = "spec.profilingConfig.config.deployment.modelCache.pvcName";
  return {"cross.pvc-missing", kGraphDeployment, {
      {.name = "nobody_looks", .spec = GRAPH("{name: a}", "W: {" MOUNTING("a") "}")},
      {.name = "listed", .spec = GRAPH("{name: a}", "W: {componentType: worker}"), .warnings = listed, .known = none},
      {.name = "listed_and_mounted_is_said_once", .spec = GRAPH("{name: a, create: false}", "W: {" MOUNTING("a") "}"), .warnings = listed, .known = none},
      {.name = "listed_and_there", .spec = GRAPH("{name: a}", "W: {" MOUNTING("a") "}"), .known = with(LookupKind::kPersistentVolumeClaim, "a")},
      {.name = "listed_and_not_known", .spec = GRAPH("{name: c}", "W: {" MOUNTING("c") "}"), .known = none},
      {.name = "missing_in_another_namespace", .spec = GRAPH("{name: a}", "W: {" MOUNTING("a") "}"),
       .known = elsewhere(LookupKind::kPersistentVolumeClaim, "a")},
      {.name = "created_by_the_graph", .spec = GRAPH(MADE("a"), "W: {" MOUNTING("a") "}"), .known = none},
      {.name = "created_by_the_graph_and_mounted_by_hand",
       .spec = GRAPH(MADE("a"), "W: {componentType: worker, extraPodSpec: {volumes: [{name: v, persistentVolumeClaim: {claimName: a}}]}}"), .known = none},
      {.name = "created_before_it_is_expected", .spec = GRAPH(MADE("a") ", {name: a}", "W: {componentType: worker}"), .known = none},
      {.name = "expected_before_it_is_created", .spec = GRAPH("{name: a}, " MADE("a"), "W: {componentType: worker}"), .warnings = listed, .known = none},
      {.name = "beside_one_that_is_created", .spec = GRAPH(MADE("a") ", {name: b}", "W: {componentType: worker}"),
       .warnings = at({"spec.pvcs[1].name"}), .known = none},
      {.name = "mounted_and_not_listed", .spec = SERVICE("volumeMounts: [{name: a, mountPoint: /m}]"), .warnings = mounted, .known = none},
      {.name = "mounted_by_several_services_is_said_at_the_first", .spec = GRAPH("", "Z: {" MOUNTING("a") "}, W: {" MOUNTING("a") "}, X: {" MOUNTING("a") "}"),
       .warnings = mounted, .known = none},
      {.name = "each_of_several", .spec = SERVICE("volumeMounts: [{name: a, mountPoint: /m}, {name: b, mountPoint: /n}]"),
       .warnings = at({in_service("volumeMounts[0].name"), in_service("volumeMounts[1].name")}), .known = none},
      {.name = "a_volume", .spec = POD("volumes: [{name: v, emptyDir: {}}, {name: w, persistentVolumeClaim: {claimName: a}}]"),
       .warnings = at({in_pod("volumes[1].persistentVolumeClaim.claimName")}), .known = none},
      {.name = "a_claim_that_is_made_for_the_pod",
       .spec = POD("volumes: [{name: a, ephemeral: {volumeClaimTemplate: {spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}}}]"), .known = none},
      {.name = "no_name_that_an_object_can_have", .spec = POD("volumes: [{name: w, persistentVolumeClaim: {claimName: A_b}}]"), .known = none},
      {.name = "no_name_is_another_rules", .spec = POD("volumes: [{name: w, persistentVolumeClaim: {}}]"), .known = none},
      {.name = "no_claim", .spec = SERVICE("volumeMounts: []"), .known = none},
      {.name = "a_component", .spec = "{dynamoNamespace: x, volumeMounts: [{name: a, mountPoint: /m}]}", .warnings = at({"spec.volumeMounts[0].name"}),
       .kind = kComponentDeployment, .known = none},
      {.name = "a_component_has_no_list", .spec = "{dynamoNamespace: x, pvcs: [{name: a}]}", .kind = kComponentDeployment, .known = none},
      {.name = "a_component_that_the_operator_makes_of_a_graph",
       .object = OWNED("DynamoGraphDeployment", "{volumeMounts: [{name: a, mountPoint: /m}]}"), .kind = kComponentDeployment, .known = none},
      {.name = "the_job_of_a_checkpoint", .spec = JOB("containers: [{name: main, image: i}], volumes: [{name: v, persistentVolumeClaim: {claimName: a}}]"),
       .warnings = at({in_job("volumes[0].persistentVolumeClaim.claimName")}), .kind = kCheckpoint, .known = none},
      {.name = "the_output_of_a_request", .spec = REQUEST("outputPVC: a, config: {}", ""), .warnings = at({"spec.profilingConfig.outputPVC"}),
       .kind = kGraphDeploymentRequest, .known = none},
      {.name = "the_model_cache_of_a_request", .spec = REQUEST("config: {deployment: {modelCache: {pvcName: a, pvcPath: p}}}", ""), .warnings = at({cache}),
       .kind = kGraphDeploymentRequest, .known = none},
      {.name = "both_of_a_request", .spec = REQUEST("outputPVC: b, config: {deployment: {modelCache: {pvcName: a, pvcPath: p}}}", ""),
       .warnings = at({cache, "spec.profilingConfig.outputPVC"}), .kind = kGraphDeploymentRequest, .known = none},
      {.name = "one_claim_for_both_of_a_request", .spec = REQUEST("outputPVC: a, config: {deployment: {modelCache: {pvcName: a, pvcPath: p}}}", ""),
       .warnings = at({cache}), .kind = kGraphDeploymentRequest, .known = none},
      {.name = "a_model_cache_that_the_operator_does_not_read", .spec = REQUEST("config: {deployment: {model_cache: {pvc_name: a, pvc_path: p}}}", ""),
       .kind = kGraphDeploymentRequest, .known = none},
      {.name = "of_a_request_and_there", .spec = REQUEST("outputPVC: a, config: {}", ""), .kind = kGraphDeploymentRequest,
       .known = with(LookupKind::kPersistentVolumeClaim, "a")},
      {.name = "an_old_one_stays", .spec = GRAPH("{name: a}", "W: {componentType: worker, replicas: 2}"),
       .old_spec = GRAPH("{name: a}", "W: {componentType: worker, replicas: 1}"), .known = none},
      {.name = "an_old_one_moves_in_its_list", .spec = GRAPH("{name: c}, {name: a}", "W: {componentType: worker}"),
       .old_spec = GRAPH("{name: a}", "W: {componentType: worker}"), .known = none},
      {.name = "a_second_one", .spec = GRAPH("{name: a}, {name: b}", "W: {componentType: worker}"),
       .old_spec = GRAPH("{name: a}", "W: {componentType: worker}"), .warnings = at({"spec.pvcs[1].name"}), .known = none},
      {.name = "no_longer_created", .spec = GRAPH("{name: a}", "W: {componentType: worker}"),
       .old_spec = GRAPH(MADE("a"), "W: {componentType: worker}"), .warnings = listed, .known = none},
  }};
#undef GRAPH
#undef MOUNTING
#undef MADE
}

RuleTable secrets() {
#define ENV(name) "env: [{name: A, valueFrom: {secretKeyRef: {name: " name ", key: k}}}]"
  const std::vector<KnownObject> none = without(LookupKind::kSecret, {"a", "b", "c", "d", "A_b", "hf-token-secret"});
  return {"cross.secret-missing", kGraphDeployment, {
      {.name = "nobody_looks", .spec = SERVICE("envFromSecret: a")},
      {.name = "of_the_service", .spec = SERVICE("envFromSecret: a"), .warnings = at({in_service("envFromSecret")}), .known = none},
      {.name = "there", .spec = SERVICE("envFromSecret: a"), .known = with(LookupKind::kSecret, "a")},
      {.name = "not_known", .spec = SERVICE("envFromSecret: x"), .known = none},
      {.name = "missing_in_another_namespace", .spec = SERVICE("envFromSecret: a"), .known = elsewhere(LookupKind::kSecret, "a")},
      {.name = "a_variable", .spec = MAIN(ENV("a")), .warnings = at({in_main("env[0].valueFrom.secretKeyRef.name")}), .known = none},
      {.name = "a_variable_of_the_service", .spec = SERVICE("envs: [{name: A, valueFrom: {secretKeyRef: {name: a, key: k}}}]"),
       .warnings = at({in_service("envs[0].valueFrom.secretKeyRef.name")}), .known = none},
      {.name = "a_variable_of_the_graph_is_said_once",
       .spec = "{envs: [{name: A, valueFrom: {secretKeyRef: {name: a, key: k}}}], services: {V: {componentType: worker}, W: {componentType: worker}}}",
       .warnings = at({"spec.envs[0].valueFrom.secretKeyRef.name"}), .known = none},
      {.name = "a_variable_that_the_service_replaces", .spec = SERVICE("envs: [{name: A, value: x}], extraPodSpec: {mainContainer: {" ENV("a") "}}"), .known = none},
      {.name = "an_optional_variable", .spec = MAIN("env: [{name: A, valueFrom: {secretKeyRef: {name: a, key: k, optional: true}}}]"), .known = none},
      {.name = "a_variable_that_is_not_optional", .spec = MAIN("env: [{name: A, valueFrom: {secretKeyRef: {name: a, key: k, optional: false}}}]"),
       .warnings = at({in_main("env[0].valueFrom.secretKeyRef.name")}), .known = none},
      {.name = "optional_in_one_place_only",
       .spec = MAIN("env: [{name: A, valueFrom: {secretKeyRef: {name: a, key: k, optional: true}}}, {name: B, valueFrom: {secretKeyRef: {name: a, key: k}}}]"),
       .warnings = at({in_main("env[1].valueFrom.secretKeyRef.name")}), .known = none},
      {.name = "all_of_its_keys", .spec = MAIN("envFrom: [{configMapRef: {name: x}}, {secretRef: {name: a}}]"),
       .warnings = at({in_main("envFrom[1].secretRef.name")}), .known = none},
      {.name = "optionally_all_of_its_keys", .spec = MAIN("envFrom: [{secretRef: {name: a, optional: true}}]"), .known = none},
      {.name = "a_config_map_of_that_name", .spec = MAIN("envFrom: [{configMapRef: {name: a}}]"), .known = none},
      {.name = "the_config_map_of_an_endpoint_picker",
       .spec = "{services: {E: {componentType: epp, replicas: 1, eppConfig: {configMapRef: {name: a, key: k}}}, F: {componentType: frontend}}}", .known = none},
      {.name = "other_containers",
       .spec = POD("mainContainer: {image: i}, initContainers: [{name: i, image: i, " ENV("a") "}], containers: [{name: s, image: i, envFrom: [{secretRef: {name: b}}]}]"),
       .warnings = at({in_pod("containers[0].envFrom[0].secretRef.name"), in_pod("initContainers[0].env[0].valueFrom.secretKeyRef.name")}), .known = none},
      {.name = "volumes",
       .spec = POD("volumes: [{name: v, secret: {secretName: a}}, {name: w, projected: {sources: [{configMap: {name: d}}, {secret: {name: b}}]}}, "
                   "{name: x, csi: {driver: d, nodePublishSecretRef: {name: c}}}]"),
       .warnings = at({in_pod("volumes[0].secret.secretName"), in_pod("volumes[1].projected.sources[1].secret.name"),
                       in_pod("volumes[2].csi.nodePublishSecretRef.name")}), .known = none},
      {.name = "optional_volumes",
       .spec = POD("volumes: [{name: v, secret: {secretName: a, optional: true}}, {name: w, projected: {sources: [{secret: {name: b, optional: true}}]}}]"), .known = none},
      {.name = "for_pulling_images", .spec = POD("imagePullSecrets: [{name: x}, {name: a}]"), .warnings = at({in_pod("imagePullSecrets[1].name")}), .known = none},
      {.name = "one_in_many_places_is_said_at_the_first",
       .spec = "{services: {Z: {componentType: worker, envFromSecret: a}, W: {componentType: worker, envFromSecret: a, extraPodSpec: {imagePullSecrets: [{name: a}]}}}}",
       .warnings = at({in_service("envFromSecret")}), .known = none},
      {.name = "no_name_that_an_object_can_have", .spec = SERVICE("envFromSecret: A_b"), .known = none},
      {.name = "no_name", .spec = SERVICE("envFromSecret: ''"), .known = none},
      {.name = "what_the_operator_mounts_itself",
       .spec = SERVICE("multinode: {nodeCount: 2}, resources: {limits: {gpu: '1'}}, extraPodSpec: {mainContainer: {command: [python3, -m, dynamo.trtllm]}}"), .known = none},
      {.name = "a_component", .spec = "{dynamoNamespace: x, envFromSecret: a}", .warnings = at({"spec.envFromSecret"}), .kind = kComponentDeployment, .known = none},
      {.name = "a_component_that_the_operator_makes_of_a_graph", .object = OWNED("DynamoGraphDeployment", "{envFromSecret: a}"),
       .kind = kComponentDeployment, .known = none},
      {.name = "the_job_of_a_checkpoint", .spec = JOB("containers: [{name: main, image: i, " ENV("a") "}], imagePullSecrets: [{name: b}]"),
       .warnings = at({in_job("containers[0].env[0].valueFrom.secretKeyRef.name"), in_job("imagePullSecrets[0].name")}), .kind = kCheckpoint, .known = none},
      {.name = "the_token_of_a_request", .spec = REQUEST("config: {}", ""), .warnings = at({"spec.profilingConfig"}),
       .kind = kGraphDeploymentRequest, .known = none},
      {.name = "the_token_of_a_request_is_there", .spec = REQUEST("config: {}", ""), .kind = kGraphDeploymentRequest,
       .known = with(LookupKind::kSecret, "hf-token-secret")},
      {.name = "a_request_without_a_job", .spec = "{model: m, backend: vllm}",
       .errors = {{kRequired, "spec.profilingConfig.config", "dgdr.config.required"}, {kRequired, "spec.profilingConfig.profilerImage", "dgdr.profiler-image"}},
       .kind = kGraphDeploymentRequest, .known = none},
      {.name = "a_request_that_waits_for_its_token", .spec = REQUEST("config: {sla: {isl: 3}}", ""), .old_spec = REQUEST("config: {}", ""),
       .kind = kGraphDeploymentRequest, .known = none},
      {.name = "an_old_one_stays", .spec = SERVICE("replicas: 2, envFromSecret: a"), .old_spec = SERVICE("replicas: 1, envFromSecret: a"), .known = none},
      {.name = "a_new_one", .spec = SERVICE("envFromSecret: b"), .old_spec = SERVICE("envFromSecret: a"), .warnings = at({in_service("envFromSecret")}), .known = none},
      {.name = "no_longer_optional", .spec = MAIN("envFrom: [{secretRef: {name: a}}]"), .old_spec = MAIN("envFrom: [{secretRef: {name: a, optional: true}}]"),
       .warnings = at({in_main("envFrom[0].secretRef.name")}), .known = none},
  }};
#undef ENV
}

RuleTable config_maps() {
#define ENV(name) "env: [{name: A, valueFrom: {configMapKeyRef: {name: " name ", key: k}}}]"
#define PICKER(fields) "E: {componentType: epp, replicas: 1, " fields "}, F: {componentType: frontend}"
#define OWN_CONFIG "eppConfig: {config: {plugins: []}}"
  const std::vector<KnownObject> none = without(LookupKind::kConfigMap, {"a", "b", "A_b", "kube-root-ca.crt", "example-epp-config"});
  return {"cross.configmap-missing", kGraphDeployment, {
      {.name = "nobody_looks", .spec = MAIN(ENV("a"))},
      {.name = "a_variable", .spec = MAIN(ENV("a")), .warnings = at({in_main("env[0].valueFrom.configMapKeyRef.name")}), .known = none},
      {.name = "there", .spec = MAIN(ENV("a")), .known = with(LookupKind::kConfigMap, "a")},
      {.name = "not_known", .spec = MAIN(ENV("x")), .known = none},
      {.name = "missing_in_another_namespace", .spec = MAIN(ENV("a")), .known = elsewhere(LookupKind::kConfigMap, "a")},
      {.name = "an_optional_variable", .spec = MAIN("env: [{name: A, valueFrom: {configMapKeyRef: {name: a, key: k, optional: true}}}]"), .known = none},
      {.name = "all_of_its_keys", .spec = MAIN("envFrom: [{configMapRef: {name: a}}]"), .warnings = at({in_main("envFrom[0].configMapRef.name")}), .known = none},
      {.name = "a_secret_of_that_name", .spec = MAIN("envFrom: [{secretRef: {name: a}}]"), .known = none},
      {.name = "the_secret_of_the_service", .spec = SERVICE("envFromSecret: a"), .known = none},
      {.name = "volumes", .spec = POD("volumes: [{name: v, configMap: {name: a}}, {name: w, projected: {sources: [{secret: {name: x}}, {configMap: {name: b}}]}}]"),
       .warnings = at({in_pod("volumes[0].configMap.name"), in_pod("volumes[1].projected.sources[1].configMap.name")}), .known = none},
      {.name = "optional_volumes",
       .spec = POD("volumes: [{name: v, configMap: {name: a, optional: true}}, {name: w, projected: {sources: [{configMap: {name: b, optional: true}}]}}]"), .known = none},
      {.name = "one_in_many_places_is_said_at_the_first", .spec = POD("volumes: [{name: v, configMap: {name: a}}], mainContainer: {" ENV("a") "}"),
       .warnings = at({in_main("env[0].valueFrom.configMapKeyRef.name")}), .known = none},
      {.name = "what_every_namespace_has", .spec = POD("volumes: [{name: v, configMap: {name: kube-root-ca.crt}}]"), .known = none},
      {.name = "no_name_that_an_object_can_have", .spec = POD("volumes: [{name: v, configMap: {name: A_b}}]"), .known = none},
      {.name = "of_an_endpoint_picker", .spec = "{services: {" PICKER("eppConfig: {configMapRef: {name: a, key: k}}") "}}",
       .warnings = at({"spec.services[E].eppConfig.configMapRef.name"}), .known = none},
      {.name = "of_an_endpoint_picker_optionally", .spec = "{services: {" PICKER("eppConfig: {configMapRef: {name: a, key: k, optional: true}}") "}}", .known = none},
      {.name = "of_an_endpoint_picker_with_volumes_of_its_own",
       .spec = "{services: {" PICKER("eppConfig: {configMapRef: {name: a, key: k}}, extraPodSpec: {volumes: [{name: v, emptyDir: {}}]}") "}}", .known = none},
      {.name = "what_the_operator_makes_for_an_endpoint_picker", .spec = "{services: {" PICKER(OWN_CONFIG) "}}", .known = none},
      {.name = "what_the_operator_makes_for_an_endpoint_picker_mounted_by_hand",
       .spec = "{services: {" PICKER(OWN_CONFIG ", extraPodSpec: {volumes: [{name: v, configMap: {name: example-epp-config}}]}") "}}", .known = none},
      {.name = "what_the_operator_would_make_for_an_endpoint_picker", .spec = POD("volumes: [{name: v, configMap: {name: example-epp-config}}]"),
       .warnings = at({in_pod("volumes[0].configMap.name")}), .known = none},
      {.name = "a_component", .spec = "{dynamoNamespace: x, extraPodSpec: {volumes: [{name: v, configMap: {name: a}}]}}",
       .warnings = at({"spec.extraPodSpec.volumes[0].configMap.name"}), .kind = kComponentDeployment, .known = none},
      {.name = "a_component_that_the_operator_makes_of_a_graph",
       .object = OWNED("DynamoGraphDeployment", "{extraPodSpec: {volumes: [{name: v, configMap: {name: a}}]}}"), .kind = kComponentDeployment, .known = none},
      {.name = "the_job_of_a_checkpoint", .spec = JOB("containers: [{name: main, image: i, " ENV("a") "}]"),
       .warnings = at({in_job("containers[0].env[0].valueFrom.configMapKeyRef.name")}), .kind = kCheckpoint, .known = none},
      {.name = "the_base_of_a_request", .spec = REQUEST("config: {}, configMapRef: {name: a}", ""),
       .warnings = at({"spec.profilingConfig.configMapRef.name"}), .kind = kGraphDeploymentRequest, .known = none},
      {.name = "the_base_of_a_request_is_there", .spec = REQUEST("config: {}, configMapRef: {name: a}", ""), .kind = kGraphDeploymentRequest,
       .known = with(LookupKind::kConfigMap, "a")},
      {.name = "a_request_without_a_base", .spec = REQUEST("config: {}", ""), .kind = kGraphDeploymentRequest, .known = none},
      {.name = "an_old_one_stays", .spec = MAIN("image: i, " ENV("a")), .old_spec = MAIN(ENV("a")), .known = none},
      {.name = "a_new_one", .spec = MAIN(ENV("b")), .old_spec = MAIN(ENV("a")), .warnings = at({in_main("env[0].valueFrom.configMapKeyRef.name")}), .known = none},
  }};
#undef ENV
#undef PICKER
#undef OWN_CONFIG
}

RuleTable graphs_of_requests() {
#define APPLIED(overrides) REQUEST("config: {}", ", autoApply: true, deploymentOverrides: {" overrides "}")
#define CREATED(created) \
  "{metadata: {name: r, namespace: default}, status: {state: Pending, deployment: {created: " created "}}, spec: " APPLIED("name: g") "}"
  const std::vector<KnownObject> there = with(LookupKind::kGraphDeployment, "g");
  const std::vector<KnownObject> there_in_other = with(LookupKind::kGraphDeployment, "g", "other");
  const std::vector<Place> warned = at({"spec.deploymentOverrides.name"});
  return {"cross.dgdr-dgd-exists", kGraphDeploymentRequest, {
      {.name = "nobody_looks", .spec = APPLIED("name: g")},
      {.name = "there", .spec = APPLIED("name: g"), .warnings = warned, .known = there},
      {.name = "not_there", .spec = APPLIED("name: g"), .known = without(LookupKind::kGraphDeployment, {"g"})},
      {.name = "not_known", .spec = APPLIED("name: h"), .known = there},
      {.name = "there_in_another_namespace", .spec = APPLIED("name: g"), .known = there_in_other},
      {.name = "there_in_the_namespace_that_is_asked_for", .spec = APPLIED("name: g, namespace: other"), .warnings = warned, .known = there_in_other},
      {.name = "there_in_the_namespace_of_the_request_only", .spec = APPLIED("name: g, namespace: other"), .known = there},
      {.name = "an_empty_namespace_is_that_of_the_request", .spec = APPLIED("name: g, namespace: ''"), .warnings = warned, .known = there},
      {.name = "not_applied", .spec = REQUEST("config: {}", ", deploymentOverrides: {name: g}"), .known = there},
      {.name = "not_applied_on_purpose", .spec = REQUEST("config: {}", ", autoApply: false, deploymentOverrides: {name: g}"), .known = there},
      {.name = "a_name_that_the_profiler_chooses", .spec = APPLIED("workersImage: i"), .known = there},
      {.name = "made_by_the_request_itself", .object = CREATED("true"), .known = there},
      {.name = "not_yet_made_by_the_request", .warnings = warned, .object = CREATED("false"), .known = there},
      {.name = "still_the_same", .spec = REQUEST("config: {sla: {isl: 3}}", ", autoApply: true, deploymentOverrides: {name: g}"), .old_spec = APPLIED("name: g"), .known = there},
      {.name = "applied_from_now_on", .spec = APPLIED("name: g"), .old_spec = REQUEST("config: {}", ", deploymentOverrides: {name: g}"), .warnings = warned, .known = there},
      {.name = "another_name", .spec = APPLIED("name: g"), .old_spec = APPLIED("name: h"), .warnings = warned, .known = there},
  }};
#undef APPLIED
#undef CREATED
}

}  // namespace

std::vector<RuleTable> lookup_tables() {
  return {adapters(), claims(), secrets(), config_maps(), graphs_of_requests()};
}

// clang-format on

}  // namespace dynamo::test

#undef REQUEST
#undef OWNED
