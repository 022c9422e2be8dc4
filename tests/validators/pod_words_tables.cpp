#include "tests/validators/pod_rows.hpp"

namespace dynamo::test {

// One row per line if it fits.
// clang-format off

using enum api::ErrorType;
using enum api::Kind;

namespace {

#define REQUIRED "requiredDuringSchedulingIgnoredDuringExecution"
#define PREFERRED "preferredDuringSchedulingIgnoredDuringExecution"
#define SELECTOR(op) "{matchExpressions: [{key: a, operator: " op ", values: [b]}]}"
#define CLAIM(fields) POD("volumes: [{name: v, ephemeral: {volumeClaimTemplate: {spec: {resources: {requests: {storage: 1Gi}}, " fields "}}}}]")
#define PROJECTED(source) POD("volumes: [{name: v, projected: {sources: [{" source "}]}}]")
#define SPREAD(fields) POD("topologySpreadConstraints: [{maxSkew: 1, topologyKey: a, " fields "}]")

api::ClusterFacts kubernetes(int minor) {
  return {.kubernetes_minor = minor};
}

RuleTable vocabulary() {
  const auto term = [](std::string_view below) { return in_pod("affinity." + std::string(below)); };
  return with_updates({"pod.vocabulary", kGraphDeployment, {
      {.name = "a_pull_policy", .spec = MAIN("imagePullPolicy: IfNotPresent")},
      {.name = "no_pull_policy", .spec = MAIN("imagePullPolicy: ''")},
      {.name = "a_misspelt_pull_policy", .spec = MAIN("imagePullPolicy: Allways"), .errors = {{kNotSupported, in_main("imagePullPolicy")}}},
      {.name = "a_pull_policy_in_lower_case", .spec = MAIN("imagePullPolicy: always"), .errors = {{kNotSupported, in_main("imagePullPolicy")}}},
      {.name = "a_sidecar", .spec = POD("containers: [{name: a, image: b, imagePullPolicy: Sometimes}]"), .errors = {{kNotSupported, in_pod("containers[0].imagePullPolicy")}}},
      {.name = "an_init_container", .spec = POD("initContainers: [{name: a, image: b, imagePullPolicy: Sometimes}]"), .errors = {{kNotSupported, in_pod("initContainers[0].imagePullPolicy")}}},
      {.name = "another_restart_policy_of_an_init_container", .spec = POD("initContainers: [{name: a, image: b, restartPolicy: Sometimes}]")},
      {.name = "a_restart_policy", .spec = MAIN("restartPolicy: Often"), .errors = {{kNotSupported, in_main("restartPolicy")}}},
      {.name = "where_the_last_words_go", .spec = MAIN("terminationMessagePolicy: Log"), .errors = {{kNotSupported, in_main("terminationMessagePolicy")}}},
      {.name = "a_protocol", .spec = MAIN("ports: [{containerPort: 1, protocol: SCTP}, {containerPort: 2, protocol: QUIC}]"), .errors = {{kNotSupported, in_main("ports[1].protocol")}}},
      {.name = "a_protocol_in_lower_case_is_told_by_another", .spec = MAIN("ports: [{containerPort: 1, protocol: tcp}]")},
      {.name = "a_propagation", .spec = MAIN("volumeMounts: [{name: a, mountPath: /a, mountPropagation: Both}]"), .errors = {{kNotSupported, in_main("volumeMounts[0].mountPropagation")}}},
      {.name = "a_handler", .spec = MAIN("lifecycle: {preStop: {httpGet: {port: 1, scheme: FTP}}}"), .errors = {{kNotSupported, in_main("lifecycle.preStop.httpGet.scheme")}}},
      {.name = "a_probe", .spec = MAIN("livenessProbe: {httpGet: {port: 1, scheme: FTP}}"), .errors = {{kNotSupported, in_main("livenessProbe.httpGet.scheme")}}},
      {.name = "a_probe_of_the_service", .spec = SERVICE("readinessProbe: {httpGet: {port: 1, scheme: FTP}}"), .errors = {{kNotSupported, in_service("readinessProbe.httpGet.scheme")}}},
      {.name = "a_profile", .spec = MAIN("securityContext: {seccompProfile: {type: Free}, appArmorProfile: {type: Free}}"),
       .errors = {{kNotSupported, in_main("securityContext.appArmorProfile.type")}, {kNotSupported, in_main("securityContext.seccompProfile.type")}}},
      {.name = "a_proc_mount_that_may_not_be_read", .spec = MAIN("securityContext: {procMount: Masked}"), .warnings = {{in_main("securityContext.procMount")}}},
      {.name = "a_proc_mount", .spec = MAIN("securityContext: {procMount: Masked}"), .errors = {{kNotSupported, in_main("securityContext.procMount")}}, .facts = kubernetes(33)},
      {.name = "a_proc_mount_that_is_dropped", .spec = MAIN("securityContext: {procMount: Masked}"), .warnings = {{in_main("securityContext.procMount")}}, .facts = kubernetes(32)},
      {.name = "a_resize_policy", .spec = MAIN("resizePolicy: [{resourceName: cpu, restartPolicy: Restart}]"), .errors = {{kNotSupported, in_main("resizePolicy[0].restartPolicy")}}, .facts = kubernetes(35)},
      {.name = "a_newer_kubernetes", .spec = MAIN("imagePullPolicy: Sometimes"), .warnings = {{in_main("imagePullPolicy")}}, .facts = kubernetes(36)},
      {.name = "the_newest_that_is_known", .spec = MAIN("imagePullPolicy: Sometimes"), .errors = {{kNotSupported, in_main("imagePullPolicy")}}, .facts = kubernetes(35)},
      {.name = "a_dns_policy", .spec = POD("dnsPolicy: Foo"), .errors = {{kNotSupported, in_pod("dnsPolicy")}}},
      {.name = "a_system", .spec = POD("os: {name: bsd}"), .errors = {{kNotSupported, in_pod("os.name")}}},
      {.name = "who_gives_way", .spec = POD("preemptionPolicy: Maybe"), .errors = {{kNotSupported, in_pod("preemptionPolicy")}}},
      {.name = "an_operator_of_a_toleration", .spec = POD("tolerations: [{key: a, operator: Exist}]"), .errors = {{kNotSupported, in_pod("tolerations[0].operator")}}},
      {.name = "an_announced_operator", .spec = POD("tolerations: [{key: a, operator: Lt, value: '5'}]"), .warnings = {{in_pod("tolerations[0].operator")}}, .facts = kubernetes(35)},
      {.name = "an_announced_operator_of_an_unknown_kubernetes", .spec = POD("tolerations: [{key: a, operator: Gt, value: '5'}]"), .warnings = {{in_pod("tolerations[0].operator")}}},
      {.name = "an_announced_operator_without_a_key", .spec = POD("tolerations: [{operator: Gt, value: '5'}]")},
      {.name = "an_announced_operator_in_lower_case_is_told_by_another", .spec = POD("tolerations: [{key: a, operator: gt, value: '5'}]")},
      {.name = "an_effect", .spec = POD("tolerations: [{key: a, operator: Exists}, {key: b, effect: NoSchedul}]"), .errors = {{kNotSupported, in_pod("tolerations[1].effect")}}},
      {.name = "an_effect_in_lower_case_is_told_by_another", .spec = POD("tolerations: [{key: b, effect: noschedule}]")},
      {.name = "spreading", .spec = SPREAD("whenUnsatisfiable: Schedule"), .errors = {{kNotSupported, in_pod("topologySpreadConstraints[0].whenUnsatisfiable")}}},
      {.name = "spreading_over_taints", .spec = SPREAD("whenUnsatisfiable: DoNotSchedule, nodeTaintsPolicy: Use"), .errors = {{kNotSupported, in_pod("topologySpreadConstraints[0].nodeTaintsPolicy")}}},
      {.name = "spreading_by_labels", .spec = SPREAD("whenUnsatisfiable: DoNotSchedule, labelSelector: " SELECTOR("Is")),
       .errors = {{kNotSupported, in_pod("topologySpreadConstraints[0].labelSelector.matchExpressions[0].operator")}}},
      {.name = "nodes", .spec = POD("affinity: {nodeAffinity: {" REQUIRED ": {nodeSelectorTerms: [" SELECTOR("Near") "]}}}"),
       .errors = {{kNotSupported, term("nodeAffinity." REQUIRED ".nodeSelectorTerms[0].matchExpressions[0].operator")}}},
      {.name = "nodes_that_are_preferred", .spec = POD("affinity: {nodeAffinity: {" PREFERRED ": [{weight: 1, preference: " SELECTOR("Near") "}]}}"),
       .errors = {{kNotSupported, term("nodeAffinity." PREFERRED "[0].preference.matchExpressions[0].operator")}}},
      {.name = "pods", .spec = POD("affinity: {podAffinity: {" REQUIRED ": [{topologyKey: a, labelSelector: " SELECTOR("Gt") "}]}}"),
       .errors = {{kNotSupported, term("podAffinity." REQUIRED "[0].labelSelector.matchExpressions[0].operator")}}},
      {.name = "pods_to_avoid", .spec = POD("affinity: {podAntiAffinity: {" PREFERRED ": [{weight: 1, podAffinityTerm: {topologyKey: a, namespaceSelector: " SELECTOR("Inn") "}}]}}"),
       .errors = {{kNotSupported, term("podAntiAffinity." PREFERRED "[0].podAffinityTerm.namespaceSelector.matchExpressions[0].operator")}}},
      {.name = "groups", .spec = POD("securityContext: {fsGroupChangePolicy: Sometimes, supplementalGroupsPolicy: Mix, seLinuxChangePolicy: Mount}"),
       .errors = {{kNotSupported, in_pod("securityContext.fsGroupChangePolicy")}},
       .warnings = {{in_pod("securityContext.seLinuxChangePolicy")}, {in_pod("securityContext.supplementalGroupsPolicy")}}},
      {.name = "a_path_of_the_host", .spec = POD("volumes: [{name: v, hostPath: {path: /a, type: Folder}}]"), .errors = {{kNotSupported, in_pod("volumes[0].hostPath.type")}}},
      {.name = "memory", .spec = POD("volumes: [{name: v, emptyDir: {medium: HugePages-2Mi}}, {name: w, emptyDir: {medium: Memory}}, {name: x, emptyDir: {medium: HugePages}}, {name: u, emptyDir: {medium: ''}}]")},
      {.name = "more_than_a_medium", .spec = POD("volumes: [{name: v, emptyDir: {medium: Memory2}}, {name: w, emptyDir: {medium: HugePages-}}, {name: x, emptyDir: {medium: HugePagesX}}, {name: u, emptyDir: {medium: HugePages-big}}]"),
       .warnings = {{in_pod("volumes[0].emptyDir.medium")}, {in_pod("volumes[1].emptyDir.medium")}, {in_pod("volumes[2].emptyDir.medium")}, {in_pod("volumes[3].emptyDir.medium")}}},
      {.name = "a_medium_that_no_kubelet_has", .spec = POD("volumes: [{name: v, emptyDir: {medium: RAM}}]"), .warnings = {{in_pod("volumes[0].emptyDir.medium")}}},
      {.name = "the_access_of_a_claim", .spec = CLAIM("accessModes: [ReadWriteOnce, ReadWrite]"), .errors = {{kNotSupported, in_pod("volumes[0].ephemeral.volumeClaimTemplate.spec.accessModes[1]")}}},
      {.name = "the_mode_of_a_claim", .spec = CLAIM("accessModes: [ReadWriteOnce], volumeMode: File"), .errors = {{kNotSupported, in_pod("volumes[0].ephemeral.volumeClaimTemplate.spec.volumeMode")}}},
      {.name = "the_selector_of_a_claim", .spec = CLAIM("accessModes: [ReadWriteOnce], selector: " SELECTOR("Inn")),
       .errors = {{kNotSupported, in_pod("volumes[0].ephemeral.volumeClaimTemplate.spec.selector.matchExpressions[0].operator")}}},
      {.name = "the_selector_of_a_claim_in_lower_case", .spec = CLAIM("accessModes: [ReadWriteOnce], selector: " SELECTOR("in")),
       .errors = {{kNotSupported, in_pod("volumes[0].ephemeral.volumeClaimTemplate.spec.selector.matchExpressions[0].operator")}}},
      {.name = "the_selector_of_bundles", .spec = PROJECTED("clusterTrustBundle: {signerName: a.b/c, path: p, labelSelector: " SELECTOR("Is") "}"),
       .warnings = {{in_pod("volumes[0].projected.sources[0].clusterTrustBundle.labelSelector.matchExpressions[0].operator")}}},
      {.name = "the_key_of_a_certificate", .spec = PROJECTED("podCertificate: {signerName: a.b/c, keyType: RSA, credentialBundlePath: p}"),
       .warnings = {{in_pod("volumes[0].projected.sources[0].podCertificate.keyType")}}},
      {.name = "a_volume_that_nobody_checks", .spec = POD("volumes: [{name: v, scaleIO: {gateway: g, system: s, volumeName: v, secretRef: {name: a}, storageMode: Thin}}]"),
       .warnings = {{in_pod("volumes[0].scaleIO.storageMode")}}},
      {.name = "what_a_restart_does", .spec = MAIN("restartPolicy: Never, restartPolicyRules: [{action: Restart, exitCodes: {operator: In, values: [1]}}, {action: Stop, exitCodes: {operator: Is, values: [1]}}]"),
       .errors = {{kNotSupported, in_main("restartPolicyRules[1].action")}, {kNotSupported, in_main("restartPolicyRules[1].exitCodes.operator")}}, .facts = kubernetes(35)},
      {.name = "what_a_restart_does_where_it_may_not_be_read", .spec = MAIN("restartPolicy: Never, restartPolicyRules: [{action: Stop, exitCodes: {operator: In, values: [1]}}]"),
       .warnings = {{in_main("restartPolicyRules[0].action")}}},
      {.name = "an_announced_action", .spec = MAIN("restartPolicy: Never, restartPolicyRules: [{action: RestartAllContainers, exitCodes: {operator: In, values: [1]}}]"),
       .warnings = {{in_main("restartPolicyRules[0].action")}}, .facts = kubernetes(35)},
      {.name = "a_signal", .spec = MAIN("lifecycle: {stopSignal: SIGUSR3}"), .warnings = {{in_main("lifecycle.stopSignal")}}},
      {.name = "a_signal_that_there_is", .spec = MAIN("lifecycle: {stopSignal: SIGRTMIN+3}")},
      {.name = "another_type_is_told_by_another", .spec = POD("dnsPolicy: 5"), .errors = {{kTypeInvalid, in_pod("dnsPolicy"), "type.mismatch"}}},
      {.name = "a_component", .spec = "{componentType: worker, extraPodSpec: {dnsPolicy: Foo}}", .errors = {{kNotSupported, "spec.extraPodSpec.dnsPolicy"}}, .kind = kComponentDeployment},
      {.name = "a_checkpoint", .spec = JOB("dnsPolicy: Foo, containers: [{name: main, image: a, imagePullPolicy: Foo}]"),
       .errors = {{kNotSupported, in_job("containers[0].imagePullPolicy")}, {kNotSupported, in_job("dnsPolicy")}}, .kind = kCheckpoint},
      {.name = "what_a_checkpoints_controller_replaces",
       .spec = JOB("securityContext: {seccompProfile: {type: Free}}, containers: [{name: main, image: a, readinessProbe: {httpGet: {port: 1, scheme: FTP}}}]"), .kind = kCheckpoint},
      {.name = "a_profiling_job", .spec = "{model: m, backend: vllm, profilingConfig: {profilerImage: i, config: {sla: {}}, tolerations: [{key: a, effect: Never}]}}",
       .errors = {{kNotSupported, "spec.profilingConfig.tolerations[0].effect"}}, .kind = kGraphDeploymentRequest}}},
      MAIN("imagePullPolicy: Allways"), MAIN("imagePullPolicy: Always"), {{kNotSupported, in_main("imagePullPolicy")}});
}

}  // namespace

std::vector<RuleTable> pod_words_tables() {
  return {vocabulary()};
}

// clang-format on

}  // namespace dynamo::test

#undef REQUIRED
#undef PREFERRED
#undef SELECTOR
#undef CLAIM
#undef PROJECTED
#undef SPREAD
