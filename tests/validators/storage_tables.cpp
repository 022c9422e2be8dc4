#include "tests/validators/pod_rows.hpp"
#include "tests/validators/rule_table.hpp"

namespace dynamo::test {

// One row per line if it fits.
// clang-format off

using enum api::ErrorType;
using enum api::Kind;

namespace {

using api::Fact;
using api::OperatorGeneration;

const api::ClusterFacts kFirst{.operator_generation = OperatorGeneration::kFirst};
const api::ClusterFacts kLater{.operator_generation = OperatorGeneration::kLater};

#define MOUNTS(fields) SERVICE("volumeMounts: [" fields "]")

RuleTable duplicate_volume() {
  const std::vector<Finding> second{{kDuplicate, in_service("volumeMounts[1].name")}};
  return with_updates({"storage.mount.duplicate-volume", kGraphDeployment, {
      {.name = "different", .spec = MOUNTS("{name: a, mountPoint: /a}, {name: b, mountPoint: /b}")},
      {.name = "twice_with_the_first_operator", .spec = MOUNTS("{name: a, mountPoint: /a}, {name: a, mountPoint: /b}"), .errors = second,
       .facts = kFirst},
      {.name = "twice", .spec = MOUNTS("{name: a, mountPoint: /a}, {name: a, mountPoint: /b}"),
       .warnings = {{in_service("volumeMounts[1].name"), ""}}},
      {.name = "twice_with_a_later_operator", .spec = MOUNTS("{name: a, mountPoint: /a}, {name: a, mountPoint: /b}"), .facts = kLater},
      {.name = "a_volume_of_the_pod",
       .spec = SERVICE("volumeMounts: [{name: a, mountPoint: /a}], extraPodSpec: {volumes: [{name: a, emptyDir: {}}]}"),
       .errors = {{kDuplicate, in_service("volumeMounts[0].name")}}, .facts = {.operator_generation = api::OperatorGeneration::kFirst}},
      {.name = "two_volumes_of_the_pod_are_another_rules", .spec = POD("volumes: [{name: a, emptyDir: {}}, {name: a, emptyDir: {}}]")},
      {.name = "shared_memory_as_a_claim", .spec = MOUNTS("{name: shared-memory, mountPoint: /a}"),
       .errors = {{kDuplicate, in_service("volumeMounts[0].name")}}, .facts = {.operator_generation = api::OperatorGeneration::kFirst}},
      {.name = "shared_memory_as_a_volume", .spec = POD("volumes: [{name: shared-memory, emptyDir: {}}]"),
       .errors = {{kDuplicate, in_pod("volumes[0].name")}}, .facts = {.operator_generation = api::OperatorGeneration::kFirst}},
      {.name = "shared_memory_that_is_disabled",
       .spec = SERVICE("sharedMemory: {disabled: true}, extraPodSpec: {volumes: [{name: shared-memory, emptyDir: {}}]}")},
      {.name = "the_configuration_of_an_endpoint_picker",
       .spec = "{services: {E: {componentType: epp, eppConfig: {configMapRef: {name: c}}, volumeMounts: [{name: epp-config, mountPoint: /a}]}}}",
       .errors = {{kDuplicate, "spec.services[E].volumeMounts[0].name"}}, .facts = {.operator_generation = api::OperatorGeneration::kFirst}},
      {.name = "an_endpoint_picker_with_its_own_volumes",
       .spec = "{services: {E: {componentType: epp, eppConfig: {configMapRef: {name: c}}, extraPodSpec: {volumes: [{name: epp-config, emptyDir: {}}, {name: hf-cache, emptyDir: {}}]}}}}",
       .facts = kFirst},
      {.name = "a_volume_of_the_checkpoint",
       .spec = SERVICE("checkpoint: {enabled: true, checkpointRef: c}, extraPodSpec: {volumes: [{name: checkpoint-signal, emptyDir: {}}]}"),
       .errors = {{kDuplicate, in_pod("volumes[0].name")}}, .facts = {.operator_generation = api::OperatorGeneration::kFirst}},
      {.name = "a_volume_of_the_checkpoint_of_some_operators",
       .spec = SERVICE("checkpoint: {enabled: true, checkpointRef: c}, extraPodSpec: {volumes: [{name: checkpoint-signal, emptyDir: {}}]}"),
       .warnings = {{in_pod("volumes[0].name"), ""}}},
      {.name = "a_volume_of_the_checkpoint_that_first_operators_leave_out",
       .spec = SERVICE("checkpoint: {enabled: true, checkpointRef: c}, extraPodSpec: {volumes: [{name: podinfo, emptyDir: {}}]}"),
       .facts = {.operator_generation = api::OperatorGeneration::kFirst}},
      {.name = "a_volume_of_the_checkpoint_that_a_later_operator_lacks",
       .spec = SERVICE("checkpoint: {enabled: true, checkpointRef: c}, extraPodSpec: {volumes: [{name: podinfo, emptyDir: {}}]}"),
       .facts = {.operator_generation = api::OperatorGeneration::kLater}},
      {.name = "a_volume_of_the_checkpoint_perhaps",
       .spec = SERVICE("checkpoint: {enabled: true, checkpointRef: c}, extraPodSpec: {volumes: [{name: checkpoint-storage, emptyDir: {}}]}"),
       .warnings = {{in_pod("volumes[0].name"), ""}}},
      {.name = "a_component", .spec = "{dynamoNamespace: x, volumeMounts: [{name: shared-memory, mountPoint: /a}]}",
       .errors = {{kDuplicate, "spec.volumeMounts[0].name"}}, .kind = kComponentDeployment, .facts = {.operator_generation = api::OperatorGeneration::kFirst}},
  }}, MOUNTS("{name: shared-memory, mountPoint: /a}"), MOUNTS("{name: b, mountPoint: /a}"), {{kDuplicate, in_service("volumeMounts[0].name")}}, {}, {.operator_generation = api::OperatorGeneration::kFirst});
}

RuleTable mount_path() {
// Mounts of the main container, from volumes a and b.
#define OF_MAIN(mounts) POD("volumes: [{name: a, emptyDir: {}}, {name: b, emptyDir: {}}], mainContainer: {volumeMounts: [" mounts "]}")
#define OF_SIDECAR(mounts, more) POD("volumes: [{name: a, emptyDir: {}}, {name: b, emptyDir: {}}], containers: [{name: s, image: i, volumeMounts: [" mounts "]" more "}]")
  const auto main = [](std::string_view field) { return in_main("volumeMounts[" + std::string(field)); };
  return with_updates({"storage.mount.path", kGraphDeployment, {
      {.name = "different", .spec = OF_MAIN("{name: a, mountPath: /a}, {name: b, mountPath: /b}, {name: a, mountPath: /a/b}")},
      {.name = "twice", .spec = OF_MAIN("{name: a, mountPath: /a}, {name: b, mountPath: /a}"),
       .errors = {{kDuplicate, main("1].mountPath")}}},
      {.name = "with_a_slash_more", .spec = OF_MAIN("{name: a, mountPath: /a}, {name: b, mountPath: /a/}"),
       .warnings = {{main("1].mountPath"), ""}}},
      {.name = "shared_memory", .spec = OF_MAIN("{name: a, mountPath: /dev/shm}"), .errors = {{kDuplicate, main("0].mountPath")}}, .facts = {.operator_generation = api::OperatorGeneration::kFirst}},
      {.name = "shared_memory_that_is_disabled",
       .spec = SERVICE("sharedMemory: {disabled: true}, extraPodSpec: {volumes: [{name: a, emptyDir: {}}], mainContainer: {volumeMounts: [{name: a, mountPath: /dev/shm}]}}")},
      {.name = "shared_memory_of_a_sidecar", .spec = OF_SIDECAR("{name: a, mountPath: /dev/shm}", "")},
      {.name = "a_claim_at_shared_memory", .spec = MOUNTS("{name: a, mountPoint: /dev/shm}"),
       .errors = {{kDuplicate, in_service("volumeMounts[0].mountPoint")}}, .facts = {.operator_generation = api::OperatorGeneration::kFirst}},
      {.name = "two_claims", .spec = MOUNTS("{name: a, mountPoint: /m}, {name: b, mountPoint: /m}"),
       .errors = {{kDuplicate, in_service("volumeMounts[1].mountPoint")}}},
      {.name = "a_claim_and_a_mount",
       .spec = SERVICE("volumeMounts: [{name: a, mountPoint: /m}], extraPodSpec: {volumes: [{name: b, emptyDir: {}}], mainContainer: {volumeMounts: [{name: b, mountPath: /m}]}}"),
       .errors = {{kDuplicate, in_service("volumeMounts[0].mountPoint")}}},
      {.name = "the_default_place_of_a_cache",
       .spec = SERVICE("volumeMounts: [{name: a, useAsCompilationCache: true}, {name: b, mountPoint: /root" "/.cache/vllm}], extraPodSpec: {mainContainer: {command: [python3, -m, dynamo.vllm]}}"),
       .errors = {{kDuplicate, in_service("volumeMounts[1].mountPoint")}}},
      {.name = "the_cache_of_an_endpoint_picker",
       .spec = "{services: {E: {componentType: epp, eppConfig: {configMapRef: {name: c}}, volumeMounts: [{name: a, mountPoint: /home/" "nonroot/.cache}]}}}",
       .errors = {{kDuplicate, "spec.services[E].volumeMounts[0].mountPoint"}}},
      {.name = "the_keys_of_mpi_perhaps",
       .spec = SERVICE("multinode: {nodeCount: 2}, volumeMounts: [{name: a, mountPoint: /ssh-pk}], extraPodSpec: {mainContainer: {command: [python3, -m, dynamo.trtllm]}}"),
       .warnings = {{in_service("volumeMounts[0].mountPoint"), ""}}},
      {.name = "the_signals_of_a_checkpoint",
       .spec = SERVICE("checkpoint: {enabled: true, checkpointRef: c}, volumeMounts: [{name: a, mountPoint: /checkpoint-signal}]"),
       .errors = {{kDuplicate, in_service("volumeMounts[0].mountPoint")}}, .facts = {.operator_generation = api::OperatorGeneration::kFirst}},
      {.name = "the_signals_of_a_checkpoint_of_some_operators",
       .spec = SERVICE("checkpoint: {enabled: true, checkpointRef: c}, volumeMounts: [{name: a, mountPoint: /checkpoint-signal}]"),
       .warnings = {{in_service("volumeMounts[0].mountPoint"), ""}}},
      {.name = "the_signals_of_a_checkpoint_that_a_later_operator_lacks",
       .spec = SERVICE("checkpoint: {enabled: true, checkpointRef: c}, volumeMounts: [{name: a, mountPoint: /checkpoint-signal}]"),
       .facts = {.operator_generation = api::OperatorGeneration::kLater}},
      {.name = "no_path", .spec = OF_MAIN("{name: a}, {name: b, mountPath: ''}"),
       .errors = {{kRequired, main("0].mountPath")}, {kRequired, main("1].mountPath")}}},
      {.name = "a_colon", .spec = OF_MAIN("{name: a, mountPath: 'c:/a'}"), .warnings = {{main("0].mountPath"), ""}}},
      {.name = "a_colon_of_a_claim", .spec = MOUNTS("{name: a, mountPoint: '/a:b'}"),
       .warnings = {{in_service("volumeMounts[0].mountPoint"), ""}}},
      {.name = "below_the_volume",
       .spec = OF_MAIN("{name: a, mountPath: /a, subPath: b/..c}, {name: b, mountPath: /b, subPathExpr: $(X)/c}")},
      {.name = "an_absolute_sub_path", .spec = OF_MAIN("{name: a, mountPath: /a, subPath: /b}"),
       .errors = {{kInvalid, main("0].subPath")}}},
      {.name = "a_sub_path_that_climbs", .spec = OF_MAIN("{name: a, mountPath: /a, subPathExpr: b/../c}"),
       .errors = {{kInvalid, main("0].subPathExpr")}}},
      {.name = "two_sub_paths", .spec = OF_MAIN("{name: a, mountPath: /a, subPath: b, subPathExpr: c}"),
       .errors = {{kInvalid, main("0].subPathExpr")}}},
      {.name = "propagation_without_privilege", .spec = OF_SIDECAR("{name: a, mountPath: /a, mountPropagation: Bidirectional}", ""),
       .errors = {{kForbidden, in_pod("containers[0].volumeMounts[0].mountPropagation")}}},
      {.name = "propagation_with_privilege",
       .spec = OF_SIDECAR("{name: a, mountPath: /a, mountPropagation: Bidirectional}", ", securityContext: {privileged: true}")},
      {.name = "recursively_read_only", .spec = OF_SIDECAR("{name: a, mountPath: /a, readOnly: true, recursiveReadOnly: Enabled}", "")},
      {.name = "recursively_read_only_and_writable", .spec = OF_SIDECAR("{name: a, mountPath: /a, recursiveReadOnly: Enabled}", ""),
       .errors = {{kForbidden, in_pod("containers[0].volumeMounts[0].recursiveReadOnly")}}},
      {.name = "an_init_container",
       .spec = POD("initContainers: [{name: i, image: i, volumeMounts: [{name: a, mountPath: /a}, {name: a, mountPath: /a}]}], volumes: [{name: a, emptyDir: {}}]"),
       .errors = {{kDuplicate, in_pod("initContainers[0].volumeMounts[1].mountPath")}}},
      {.name = "the_job_of_a_checkpoint",
       .spec = JOB("containers: [{name: c, image: i, volumeMounts: [{name: a, mountPath: /a}, {name: a, mountPath: /a}]}], volumes: [{name: a, emptyDir: {}}]"),
       .errors = {{kDuplicate, in_job("containers[0].volumeMounts[1].mountPath")}}, .kind = kCheckpoint},
  }}, OF_MAIN("{name: a, mountPath: /a}, {name: b, mountPath: /a}"), OF_MAIN("{name: a, mountPath: /a}, {name: b, mountPath: /b}"), {{kDuplicate, main("1].mountPath")}});
#undef OF_MAIN
#undef OF_SIDECAR
}

RuleTable unknown_volume() {
#define OF_MAIN(mounts) MAIN("volumeMounts: [" mounts "]")
#define PICKER(fields) "{services: {E: {componentType: epp, eppConfig: {configMapRef: {name: c}}, " fields "}}}"
#define PICKERS_POD(fields) PICKER("extraPodSpec: {" fields "}")
#define BOTH "volumes: [{name: epp-config, configMap: {name: c}}, {name: hf-cache, persistentVolumeClaim: {claimName: models}}]"
#define PICKERS_MAIN(fields) PICKERS_POD("mainContainer: {" fields "}")
  const std::string of_picker = "spec.services[E].extraPodSpec.volumes";
  const std::vector<Finding> lacks_one{{kNotFound, of_picker}};
  const std::vector<Finding> lacks_both{{kNotFound, of_picker}, {kNotFound, of_picker}};
  const std::vector<Place> no_configuration{{"spec.services[E].extraPodSpec.mainContainer.volumeMounts", ""}};
  const std::vector<Finding> denied{{kNotFound, in_main("volumeMounts[0].name")}};
  std::string many = "volumes: [";
  for (int i = 0; i < 40; ++i) many += "{name: v" + std::to_string(i) + ", emptyDir: {}}, ";
  static const std::string many_volumes = "{services: {W: {componentType: worker, extraPodSpec: {" + many + "], mainContainer: {volumeMounts: [{name: v7, mountPath: /a}, {name: v40, mountPath: /b}]}}}}}";
  return with_updates({"storage.mount.unknown-volume", kGraphDeployment, {
      {.name = "a_volume_of_the_pod",
       .spec = POD("volumes: [{name: a, emptyDir: {}}], mainContainer: {volumeMounts: [{name: a, mountPath: /a}]}")},
      {.name = "a_claim_of_the_service",
       .spec = SERVICE("volumeMounts: [{name: a, mountPoint: /a}], extraPodSpec: {mainContainer: {volumeMounts: [{name: a, mountPath: /b, subPath: b}]}}")},
      {.name = "shared_memory",
       .spec = POD("containers: [{name: s, image: i, volumeMounts: [{name: shared-memory, mountPath: /dev/shm}]}]")},
      {.name = "no_volume", .spec = OF_MAIN("{name: a, mountPath: /a}"), .errors = denied, .facts = {.operator_generation = api::OperatorGeneration::kFirst}},
      {.name = "no_name", .spec = OF_MAIN("{mountPath: /a}"), .errors = {{kRequired, in_main("volumeMounts[0].name")}}},
      {.name = "among_many", .spec = many_volumes, .errors = {{kNotFound, in_main("volumeMounts[1].name")}}, .facts = {.operator_generation = api::OperatorGeneration::kFirst}},
      {.name = "of_a_sidecar", .spec = POD("containers: [{name: s, image: i, volumeMounts: [{name: a, mountPath: /a}]}]"),
       .errors = {{kNotFound, in_pod("containers[0].volumeMounts[0].name")}}},
      {.name = "the_secret_of_mpi_perhaps",
       .spec = SERVICE("multinode: {nodeCount: 2}, extraPodSpec: {mainContainer: {command: [python3, -m, dynamo.trtllm], volumeMounts: [{name: mpi-keys, mountPath: /a}]}}"),
       .warnings = {{in_main("volumeMounts[0].name"), ""}}},
      {.name = "of_the_checkpoint", .spec = SERVICE("checkpoint: {enabled: true, checkpointRef: c}, extraPodSpec: {mainContainer: {volumeMounts: [{name: podinfo, mountPath: /a}]}}")},
      {.name = "of_the_checkpoint_with_a_later_operator", .spec = SERVICE("checkpoint: {enabled: true, checkpointRef: c}, extraPodSpec: {mainContainer: {volumeMounts: [{name: podinfo, mountPath: /a}]}}"),
       .warnings = {{in_main("volumeMounts[0].name"), ""}}, .facts = {.operator_generation = api::OperatorGeneration::kLater}},
      {.name = "the_job_of_a_checkpoint",
       .spec = JOB("containers: [{name: c, image: i, volumeMounts: [{name: podinfo, mountPath: /a}, {name: b, mountPath: /b}]}]"),
       .errors = {{kNotFound, in_job("containers[0].volumeMounts[1].name")}}, .kind = kCheckpoint},
      {.name = "volumes_of_a_picker_that_replace_both_that_it_mounts", .spec = PICKERS_POD("volumes: [{name: mine, emptyDir: {}}]"),
       .errors = lacks_both, .facts = kFirst},
      {.name = "volumes_of_a_picker_without_that_of_its_configuration", .spec = PICKERS_POD("volumes: [{name: hf-cache, emptyDir: {}}]"),
       .errors = lacks_one, .facts = kFirst},
      {.name = "volumes_of_a_picker_without_that_of_its_cache", .spec = PICKERS_POD("volumes: [{name: epp-config, configMap: {name: c}}]"),
       .errors = lacks_one, .facts = kFirst},
      {.name = "volumes_of_a_picker_with_some_operator", .spec = PICKERS_POD("volumes: [{name: hf-cache, emptyDir: {}}]"),
       .warnings = {{of_picker, ""}}},
      {.name = "volumes_of_a_picker_with_a_later_operator", .spec = PICKERS_POD("volumes: [{name: hf-cache, emptyDir: {}}]"), .facts = kLater},
      {.name = "volumes_of_a_picker_that_is_a_component",
       .spec = "{dynamoNamespace: x, componentType: epp, eppConfig: {configMapRef: {name: c}}, extraPodSpec: {volumes: [{name: hf-cache, emptyDir: {}}]}}",
       .errors = {{kNotFound, "spec.extraPodSpec.volumes"}}, .kind = kComponentDeployment, .facts = kFirst},
      {.name = "volumes_of_a_picker_with_both_that_it_mounts", .spec = PICKERS_POD(BOTH), .facts = kFirst},
      {.name = "volumes_of_a_picker_and_its_cache_as_a_claim",
       .spec = PICKER("volumeMounts: [{name: hf-cache, mountPoint: /cache}], extraPodSpec: {volumes: [{name: epp-config, configMap: {name: c}}]}"),
       .facts = kFirst},
      {.name = "volumes_of_a_picker_with_mounts_of_its_own",
       .spec = PICKERS_POD("volumes: [{name: hf-cache, emptyDir: {}}, {name: mine, configMap: {name: c}}], mainContainer: {volumeMounts: [{name: hf-cache, mountPath: /cache}, {name: mine, mountPath: /etc/epp/}]}"),
       .facts = kFirst},
      {.name = "a_volume_called_hf_cache_of_a_worker", .spec = POD("volumes: [{name: hf-cache, emptyDir: {}}]"), .facts = kFirst},
      {.name = "mounts_of_a_picker_without_its_configuration",
       .spec = PICKERS_MAIN("volumeMounts: [{name: hf-cache, mountPath: /cache}, {name: epp-config, mountPath: /etc/ep}]"),
       .warnings = no_configuration, .facts = kFirst},
      {.name = "mounts_of_a_picker_with_its_configuration",
       .spec = PICKERS_MAIN("volumeMounts: [{name: epp-config, mountPath: /etc}]"), .facts = kFirst},
      {.name = "mounts_of_a_picker_with_the_file_alone",
       .spec = PICKERS_MAIN("volumeMounts: [{name: epp-config, mountPath: /etc/epp/epp-config-dynamo.yaml, subPath: epp-config-dynamo.yaml}]"),
       .facts = kFirst},
      {.name = "mounts_of_a_picker_with_arguments_of_its_own",
       .spec = PICKERS_MAIN("args: [-config-file, /mine/c.yaml], volumeMounts: [{name: epp-config, mountPath: /mine}]"), .facts = kFirst},
      {.name = "mounts_of_a_picker_without_its_configuration_with_a_later_operator",
       .spec = PICKERS_MAIN("volumeMounts: [{name: hf-cache, mountPath: /cache}]"), .facts = kLater},
      {.name = "a_volume_of_a_picker_that_was_not_there", .spec = PICKERS_POD("volumes: [{name: mine, emptyDir: {}}]"),
       .old_spec = PICKERS_POD("volumes: [{name: hf-cache, emptyDir: {}}]"), .errors = lacks_one, .facts = kFirst},
  }}, OF_MAIN("{name: a, mountPath: /a}"), OF_MAIN("{name: shared-memory, mountPath: /a}"), denied, {}, {.operator_generation = api::OperatorGeneration::kFirst});
#undef OF_MAIN
#undef PICKERS_MAIN
#undef BOTH
#undef PICKERS_POD
#undef PICKER
}

RuleTable access_mode() {
#define CLAIM(mode) "pvcs: [{name: c, create: true, size: 1Gi, storageClass: s, volumeAccessMode: " mode "}]"
#define USED(mode, fields) "{" CLAIM(mode) ", services: {W: {" fields "volumeMounts: [{name: c, mountPoint: /c}]}}}"
  const std::vector<Place> warned{{"spec.pvcs[0].volumeAccessMode", ""}};
  return with_updates({"storage.pvc.access-mode", kGraphDeployment, {
      {.name = "once_for_one_pod", .spec = USED("ReadWriteOnce", "")},
      {.name = "once_for_two_replicas", .spec = USED("ReadWriteOnce", "replicas: 2, "), .warnings = warned},
      {.name = "once_for_two_nodes", .spec = USED("ReadWriteOnce", "multinode: {nodeCount: 2}, "), .warnings = warned},
      {.name = "once_for_two_services",
       .spec = "{" CLAIM("ReadWriteOnce") ", services: {V: {extraPodSpec: {volumes: [{name: v, persistentVolumeClaim: {claimName: c}}]}}, W: {volumeMounts: [{name: c, mountPoint: /c}]}}}",
       .warnings = warned},
      {.name = "once_for_a_service_that_is_parked",
       .spec = "{" CLAIM("ReadWriteOnce") ", services: {V: {replicas: 0, volumeMounts: [{name: c, mountPoint: /c}]}, W: {volumeMounts: [{name: c, mountPoint: /c}]}}}"},
      {.name = "once_for_one_pod_among_others",
       .spec = "{" CLAIM("ReadWriteOnce") ", services: {V: {replicas: 4, volumeMounts: [{name: d, mountPoint: /c}]}, W: {volumeMounts: [{name: c, mountPoint: /c}]}}}"},
      {.name = "one_pod_for_two_replicas", .spec = USED("ReadWriteOncePod", "replicas: 2, "), .warnings = warned},
      {.name = "one_pod_for_one", .spec = USED("ReadWriteOncePod", "")},
      {.name = "many", .spec = USED("ReadWriteMany", "replicas: 8, ")},
      {.name = "read_only", .spec = USED("ReadOnlyMany", "replicas: 8, ")},
      {.name = "a_cache_that_is_read_only",
       .spec = "{" CLAIM("ReadOnlyMany") ", services: {W: {volumeMounts: [{name: c, mountPoint: /c, useAsCompilationCache: true}]}}}",
       .warnings = warned},
      {.name = "a_claim_that_is_there",
       .spec = "{pvcs: [{name: c, create: false, volumeAccessMode: ReadWriteOnce}], services: {W: {replicas: 2, volumeMounts: [{name: c, mountPoint: /c}]}}}"},
  }}, USED("ReadWriteOnce", "replicas: 2, "), USED("ReadWriteOnce", ""), {}, warned);
#undef CLAIM
#undef USED
}

RuleTable claim_spec() {
#define CLAIMS(fields) "{pvcs: [" fields "], services: {W: {}}}"
#define NEW(fields) "{create: true, " fields "}"
#define MODE "volumeAccessMode: ReadWriteMany"
  return with_updates({"storage.pvc.spec", kGraphDeployment, {
      {.name = "good", .spec = CLAIMS(NEW("name: a.b, size: 1Gi, storageClass: s.t, " MODE) ", {name: c}")},
      {.name = "an_upper_case_name", .spec = CLAIMS("{name: Models}"), .warnings = {{"spec.pvcs[0].name", ""}}},
      {.name = "an_upper_case_name_that_is_created", .spec = CLAIMS("{name: Models, create: true, size: 1Gi, storageClass: s, volumeAccessMode: ReadWriteMany}"),
       .errors = {{kInvalid, "spec.pvcs[0].name"}}},
      {.name = "an_upper_case_class", .spec = CLAIMS(NEW("name: a, size: 1Gi, storageClass: Fast, " MODE)),
       .errors = {{kInvalid, "spec.pvcs[0].storageClass"}}},
      {.name = "the_class_of_a_claim_that_is_there", .spec = CLAIMS("{name: a, storageClass: Fast, size: '-1', volumeAccessMode: RWX}")},
      {.name = "a_short_mode", .spec = CLAIMS(NEW("name: a, size: 1Gi, storageClass: s, volumeAccessMode: RWX")),
       .errors = {{kNotSupported, "spec.pvcs[0].volumeAccessMode"}}},
      {.name = "a_negative_size", .spec = CLAIMS(NEW("name: a, size: -1Gi, storageClass: s, " MODE)),
       .errors = {{kInvalid, "spec.pvcs[0].size"}}},
      {.name = "a_negative_number", .spec = CLAIMS(NEW("name: a, size: -1, storageClass: s, " MODE)),
       .errors = {{kInvalid, "spec.pvcs[0].size"}}},
      {.name = "a_name_twice", .spec = CLAIMS("{name: a}, {name: b}, {name: a}"), .warnings = {{"spec.pvcs[2].name", ""}}},
      {.name = "a_volume_of_63", .spec = MOUNTS("{name: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa, mountPoint: /a}")},
      {.name = "a_volume_of_64",
       .spec = MOUNTS("{name: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa, mountPoint: /a}"),
       .errors = {{kInvalid, in_service("volumeMounts[0].name")}}},
      {.name = "a_volume_with_a_dot", .spec = MOUNTS("{name: a.b, mountPoint: /a}"),
       .errors = {{kInvalid, in_service("volumeMounts[0].name")}}},
      {.name = "a_volume_without_a_name", .spec = MOUNTS("{mountPoint: /a}"), .errors = {{kRequired, in_service("volumeMounts[0].name")}}},
      {.name = "a_component", .spec = "{dynamoNamespace: x, volumeMounts: [{name: a_b, mountPoint: /a}]}",
       .errors = {{kInvalid, "spec.volumeMounts[0].name"}}, .kind = kComponentDeployment},
  }}, CLAIMS("{name: Models}"), CLAIMS("{name: models}"), {}, {{"spec.pvcs[0].name", ""}});
#undef CLAIMS
#undef NEW
#undef MODE
}

RuleTable cache_backend() {
#define CACHED(engine, mounts) SERVICE("volumeMounts: [" mounts "], extraPodSpec: {mainContainer: {command: [python3, -m, dynamo." engine "]}}")
#define CACHE(name, path) "{name: " name path ", useAsCompilationCache: true}"
  const auto flag = [](int index) { return in_service("volumeMounts[" + std::to_string(index) + "].useAsCompilationCache"); };
  const std::vector<Finding> denied{{kRequired, in_service("volumeMounts[0].mountPoint")}};
  return with_updates({"storage.cache.backend", kGraphDeployment, {
      {.name = "vllm", .spec = CACHED("vllm", CACHE("a", ""))},
      {.name = "vllm_at_a_path", .spec = CACHED("vllm", CACHE("a", ", mountPoint: /a"))},
      {.name = "no_path_for_sglang", .spec = CACHED("sglang", CACHE("a", "")), .errors = denied},
      {.name = "no_path_for_an_engine_that_is_not_detected",
       .spec = SERVICE("volumeMounts: [" CACHE("a", "") "], extraPodSpec: {mainContainer: {command: [/start.sh]}}"), .errors = denied},
      {.name = "vllm_as_declared",
       .spec = "{backendFramework: vllm, services: {W: {componentType: worker, volumeMounts: [" CACHE("a", "") "], extraPodSpec: {mainContainer: {command: [/start.sh]}}}}}"},
      {.name = "a_frontend_of_vllm",
       .spec = "{backendFramework: vllm, services: {W: {componentType: frontend, volumeMounts: [" CACHE("a", "") "]}}}", .errors = denied},
      {.name = "a_path_for_trtllm", .spec = CACHED("trtllm", CACHE("a", ", mountPoint: /a")), .warnings = {{flag(0), ""}}},
      {.name = "a_path_for_what_is_not_detected",
       .spec = SERVICE("volumeMounts: [" CACHE("a", ", mountPoint: /a") "], extraPodSpec: {mainContainer: {command: [/start.sh]}}")},
      {.name = "two_caches", .spec = CACHED("vllm", CACHE("a", "") ", {name: b, mountPoint: /b}, " CACHE("c", ", mountPoint: /c")),
       .warnings = {{flag(2), ""}}},
      {.name = "the_variable_too",
       .spec = SERVICE("volumeMounts: [" CACHE("a", ", mountPoint: /a") "], envs: [{name: VLLM_CACHE_ROOT, value: /b}], extraPodSpec: {mainContainer: {command: [python3, -m, dynamo.vllm]}}"),
       .warnings = {{in_service("envs[0]"), ""}}},
      {.name = "the_variable_without_a_path",
       .spec = SERVICE("volumeMounts: [" CACHE("a", "") "], envs: [{name: VLLM_CACHE_ROOT, value: /b}], extraPodSpec: {mainContainer: {command: [python3, -m, dynamo.vllm]}}")},
      {.name = "no_cache", .spec = CACHED("sglang", "{name: a, mountPoint: /a, useAsCompilationCache: false}")},
  }}, CACHED("sglang", CACHE("a", "")), CACHED("sglang", "{name: a, mountPoint: /a}"), denied);
#undef CACHED
#undef CACHE
}

RuleTable shared_memory() {
#define SHARED(size, more) SERVICE("sharedMemory: {size: " size more "}, resources: {limits: {memory: 8Gi}}")
  const std::vector<Place> warned{{in_service("sharedMemory.size"), ""}};
  const std::vector<Finding> denied{{kInvalid, in_service("sharedMemory.size")}};
  return with_updates({"storage.shm.size", kGraphDeployment, {
      {.name = "as_large_as_the_limit", .spec = SHARED("8192Mi", "")},
      {.name = "larger_than_the_limit", .spec = SHARED("8193Mi", ""), .warnings = warned},
      {.name = "a_number_larger_than_the_limit", .spec = SHARED("8589934593", ""), .warnings = warned},
      {.name = "no_limit", .spec = SERVICE("sharedMemory: {size: 8Ti}")},
      {.name = "a_limit_of_the_container",
       .spec = SERVICE("sharedMemory: {size: 2Gi}, extraPodSpec: {mainContainer: {resources: {limits: {memory: 1Gi}}}}"),
       .warnings = warned},
      {.name = "the_default_size", .spec = SERVICE("resources: {limits: {memory: 1Gi}}")},
      {.name = "negative", .spec = SHARED("-1Gi", ""), .errors = denied},
      {.name = "a_size_while_disabled", .spec = SHARED("1Gi", ", disabled: true"), .warnings = warned},
      {.name = "no_size_while_disabled", .spec = SHARED("'0'", ", disabled: true")},
      {.name = "a_component", .spec = "{dynamoNamespace: x, sharedMemory: {size: -1}}", .errors = {{kInvalid, "spec.sharedMemory.size"}},
       .kind = kComponentDeployment},
  }}, SHARED("-1Gi", ""), SHARED("1Gi", ""), denied);
#undef SHARED
}

RuleTable ignored_fields() {
#define CLAIM(fields) "{pvcs: [{name: c, " fields "}], services: {W: {}}}"
#define MADE "create: true, size: 1Gi, storageClass: s, volumeAccessMode: ReadWriteMany"
#define NODES(count) "{services: {W: {multinode: {nodeCount: " count "}}}}"
  const auto of_claim = [](std::string_view field) { return std::vector<Place>{{"spec.pvcs[0]." + std::string(field), ""}}; };
  const std::vector<Place> nodes{{"spec.services[W].multinode.nodeCount", ""}};
  return {"update.ignored-fields", kGraphDeployment, {
      {.name = "unchanged", .spec = CLAIM(MADE),
       .old_spec = CLAIM("create: true, size: 1024Mi, storageClass: s, volumeAccessMode: ReadWriteMany")},
      {.name = "on_create", .spec = CLAIM(MADE)},
      {.name = "a_size", .spec = CLAIM("create: true, size: 2Gi, storageClass: s, volumeAccessMode: ReadWriteMany"),
       .old_spec = CLAIM(MADE), .warnings = of_claim("size")},
      {.name = "a_class", .spec = CLAIM("create: true, size: 1Gi, storageClass: t, volumeAccessMode: ReadWriteMany"),
       .old_spec = CLAIM(MADE), .warnings = of_claim("storageClass")},
      {.name = "a_mode", .spec = CLAIM("create: true, size: 1Gi, storageClass: s, volumeAccessMode: ReadWriteOnce"),
       .old_spec = CLAIM(MADE), .warnings = of_claim("volumeAccessMode")},
      {.name = "no_longer_created", .spec = CLAIM("create: false, size: 1Gi, storageClass: s, volumeAccessMode: ReadWriteMany"),
       .old_spec = CLAIM(MADE), .warnings = of_claim("create")},
      {.name = "now_created", .spec = CLAIM(MADE), .old_spec = CLAIM("create: false, size: 2Gi")},
      {.name = "another_claim",
       .spec = "{pvcs: [{name: d, create: true, size: 2Gi, storageClass: s, volumeAccessMode: ReadWriteMany}], services: {W: {}}}",
       .old_spec = CLAIM(MADE)},
      {.name = "nodes", .spec = NODES("3"), .old_spec = NODES("2"), .warnings = nodes},
      {.name = "nodes_on_grove", .spec = NODES("3"), .old_spec = NODES("2"), .warnings = nodes, .facts = {.grove_served = Fact::kYes}},
      {.name = "nodes_without_grove", .spec = NODES("3"), .old_spec = NODES("2"), .facts = {.grove_served = Fact::kNo}},
      {.name = "nodes_of_a_graph_that_wants_no_grove",
       .object = "{metadata: {name: g, annotations: {nvidia.com/enable-grove: 'false'}}, spec: " NODES("3") "}",
       .old_object = "{metadata: {name: g, annotations: {nvidia.com/enable-grove: 'false'}}, spec: " NODES("2") "}"},
      {.name = "another_class_of_nodes_is_refused", .spec = NODES("2"), .old_spec = "{services: {W: {}}}",
       .errors = {{kForbidden, "spec.services[W].multinode", "dgd.topology.node-class"}}},
  }};
#undef CLAIM
#undef MADE
#undef NODES
}

}  // namespace

std::vector<RuleTable> storage_tables() {
  return {duplicate_volume(), mount_path(), unknown_volume(), access_mode(),
          claim_spec(), cache_backend(), shared_memory(), ignored_fields()};
}

// clang-format on

}  // namespace dynamo::test

#undef MOUNTS
