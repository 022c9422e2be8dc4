#include "tests/validators/pod_rows.hpp"

namespace dynamo::test {

// One row per line if it fits.
// clang-format off

using enum api::ErrorType;
using enum api::Kind;

namespace {

#define TOLERATION(fields) POD("tolerations: [{" fields "}]")
#define NODE_TERM(fields) \
  POD("affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{" fields "}]}}}")
#define EXPRESSION(fields) NODE_TERM("matchExpressions: [{" fields "}]")
#define APART(fields) \
  POD("affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{" fields "}]}}")
#define SPREAD(fields) POD("topologySpreadConstraints: [{maxSkew: 1, topologyKey: a, " fields "}]")
#define REQUEST(fields) \
  "{model: m, backend: vllm, profilingConfig: {profilerImage: i, config: {sla: {}}, " fields "}}"

RuleTable scheduling() {
  const auto toleration = [](std::string_view field) { return in_pod("tolerations[0]." + std::string(field)); };
  const auto term = [](std::string_view field) {
    return in_pod("affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms" + std::string(field));
  };
  const auto expression = [&](std::string_view field) { return term("[0].matchExpressions[0]." + std::string(field)); };
  const auto apart = [](std::string_view field) {
    return in_pod("affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0]." + std::string(field));
  };
  const auto spread = [](std::string_view field) { return in_pod("topologySpreadConstraints[0]." + std::string(field)); };
  return with_updates({"pod.scheduling", kGraphDeployment, {
      {.name = "a_toleration", .spec = TOLERATION("key: nvidia.com/gpu, operator: Exists, effect: NoSchedule")},
      {.name = "equal_is_the_default", .spec = TOLERATION("key: a, value: b")},
      {.name = "every_taint", .spec = TOLERATION("operator: Exists")},
      {.name = "every_taint_without_the_operator", .spec = TOLERATION("effect: NoSchedule"), .errors = {{kInvalid, toleration("operator")}}},
      {.name = "every_taint_in_lower_case_is_told_once", .spec = TOLERATION("operator: exists"), .errors = {{kNotSupported, toleration("operator")}}},
      {.name = "every_taint_misspelt_is_told_by_another", .spec = TOLERATION("operator: Exist")},
      {.name = "exists_with_a_value", .spec = TOLERATION("key: a, operator: Exists, value: b"), .errors = {{kInvalid, toleration("value")}}},
      {.name = "a_bad_key", .spec = TOLERATION("key: 'a b', operator: Exists"), .errors = {{kInvalid, toleration("key")}}},
      {.name = "a_bad_value", .spec = TOLERATION("key: a, value: 'b c'"), .errors = {{kInvalid, toleration("value")}}},
      {.name = "an_operator_in_lower_case", .spec = TOLERATION("key: a, operator: exists"), .errors = {{kNotSupported, toleration("operator")}}},
      {.name = "a_newer_operator", .spec = TOLERATION("key: a, operator: Lt, value: '5'")},
      {.name = "an_effect_in_lower_case", .spec = TOLERATION("key: a, effect: noschedule"), .errors = {{kNotSupported, toleration("effect")}}},
      {.name = "seconds_for_another_effect", .spec = TOLERATION("key: a, effect: NoSchedule, tolerationSeconds: 9"), .errors = {{kInvalid, toleration("effect")}}},
      {.name = "seconds_without_an_effect", .spec = TOLERATION("key: a, tolerationSeconds: 9"), .errors = {{kInvalid, toleration("effect")}}},
      {.name = "seconds_in_lower_case_are_told_once", .spec = TOLERATION("key: a, effect: noexecute, tolerationSeconds: 9"), .errors = {{kNotSupported, toleration("effect")}}},
      {.name = "seconds_misspelt_are_told_by_another", .spec = TOLERATION("key: a, effect: NoExecut, tolerationSeconds: 9")},
      {.name = "seconds", .spec = TOLERATION("key: a, effect: NoExecute, tolerationSeconds: 9")},
      {.name = "a_node_selector", .spec = POD("nodeSelector: {a.b/c: D}")},
      {.name = "a_node_selector_with_a_bad_value", .spec = POD("nodeSelector: {a: 'b c'}"), .errors = {{kInvalid, in_pod("nodeSelector[a]")}}},
      {.name = "a_node_selector_with_a_bad_key", .spec = POD("nodeSelector: {'a b': c}"), .errors = {{kInvalid, in_pod("nodeSelector[a b]")}}},
      {.name = "no_terms", .spec = POD("affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: []}}}"), .errors = {{kRequired, term("")}}},
      {.name = "in", .spec = EXPRESSION("key: a, operator: In, values: [b]")},
      {.name = "in_nothing", .spec = EXPRESSION("key: a, operator: In"), .errors = {{kRequired, expression("values")}}},
      {.name = "exists_here", .spec = EXPRESSION("key: a, operator: Exists")},
      {.name = "exists_with_values", .spec = EXPRESSION("key: a, operator: DoesNotExist, values: [b]"), .errors = {{kForbidden, expression("values")}}},
      {.name = "greater_than_two_values", .spec = EXPRESSION("key: a, operator: Gt, values: ['1', '2']"), .errors = {{kRequired, expression("values")}}},
      {.name = "no_operator", .spec = EXPRESSION("key: a"), .errors = {{kRequired, expression("operator")}}},
      {.name = "a_newer_node_operator", .spec = EXPRESSION("key: a, operator: Near, values: [b]")},
      {.name = "a_bad_value_in_a_term", .spec = EXPRESSION("key: a, operator: In, values: ['b c']"), .errors = {{kInvalid, expression("values[0]")}}},
      {.name = "a_field", .spec = NODE_TERM("matchFields: [{key: metadata.name, operator: In, values: [node]}]")},
      {.name = "a_field_that_is_not_there", .spec = NODE_TERM("matchFields: [{key: metadata.uid, operator: In, values: [node]}]"),
       .errors = {{kInvalid, term("[0].matchFields[0].key")}}},
      {.name = "greatest_weight", .spec = POD("affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 100, preference: {}}]}}")},
      {.name = "too_great_a_weight", .spec = POD("affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 101, preference: {}}]}}"),
       .errors = {{kInvalid, in_pod("affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight")}}},
      {.name = "no_weight", .spec = POD("affinity: {podAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 0, podAffinityTerm: {topologyKey: a}}]}}"),
       .errors = {{kInvalid, in_pod("affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight")}}},
      {.name = "apart", .spec = APART("topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {a: b}}")},
      {.name = "apart_from_what", .spec = APART("labelSelector: {}"), .errors = {{kRequired, apart("topologyKey")}}},
      {.name = "apart_by_a_bad_key", .spec = APART("topologyKey: 'a b'"), .errors = {{kInvalid, apart("topologyKey")}}},
      {.name = "pods_cannot_be_greater", .spec = APART("topologyKey: a, labelSelector: {matchExpressions: [{key: b, operator: gt, values: ['1']}]}")},
      {.name = "a_bad_label", .spec = APART("topologyKey: a, labelSelector: {matchLabels: {a: 'b c'}}"), .errors = {{kInvalid, apart("labelSelector.matchLabels[a]")}}},
      {.name = "a_bad_namespace", .spec = APART("topologyKey: a, namespaces: [A]"), .errors = {{kInvalid, apart("namespaces[0]")}}},
      {.name = "spread", .spec = SPREAD("whenUnsatisfiable: DoNotSchedule, minDomains: 2")},
      {.name = "no_skew", .spec = POD("topologySpreadConstraints: [{maxSkew: 0, topologyKey: a, whenUnsatisfiable: DoNotSchedule}]"), .errors = {{kInvalid, spread("maxSkew")}}},
      {.name = "spread_by_what", .spec = POD("topologySpreadConstraints: [{maxSkew: 1, whenUnsatisfiable: DoNotSchedule}]"), .errors = {{kRequired, spread("topologyKey")}}},
      {.name = "an_action_in_lower_case", .spec = SPREAD("whenUnsatisfiable: doNotSchedule"), .errors = {{kNotSupported, spread("whenUnsatisfiable")}}},
      {.name = "domains_anyway", .spec = SPREAD("whenUnsatisfiable: ScheduleAnyway, minDomains: 2"), .errors = {{kInvalid, spread("minDomains")}}},
      {.name = "keys_without_a_selector", .spec = SPREAD("whenUnsatisfiable: DoNotSchedule, matchLabelKeys: [a]"), .errors = {{kForbidden, spread("matchLabelKeys")}}},
      {.name = "one_constraint_twice", .spec = POD("topologySpreadConstraints: [{maxSkew: 1, topologyKey: a, whenUnsatisfiable: DoNotSchedule}, {maxSkew: 2, topologyKey: a, whenUnsatisfiable: DoNotSchedule}]"),
       .errors = {{kDuplicate, in_pod("topologySpreadConstraints[1]")}}},
      {.name = "gates", .spec = POD("schedulingGates: [{name: a}]"), .warnings = {{in_pod("schedulingGates"), ""}}},
      {.name = "a_component", .spec = "{extraPodSpec: {tolerations: [{key: a, operator: Exists, value: b}]}}", .errors = {{kInvalid, "spec.extraPodSpec.tolerations[0].value"}}, .kind = kComponentDeployment},
      {.name = "a_profiling_job", .spec = REQUEST("tolerations: [{key: a, operator: Exists}]"), .kind = kGraphDeploymentRequest},
      {.name = "a_profiling_job_with_a_fault", .spec = REQUEST("tolerations: [{key: a, operator: Exists, value: b}]"),
       .errors = {{kInvalid, "spec.profilingConfig.tolerations[0].value"}}, .kind = kGraphDeploymentRequest},
      {.name = "the_job_of_a_checkpoint", .spec = JOB("containers: [{name: a}], nodeSelector: {a: 'b c'}"), .errors = {{kInvalid, in_job("nodeSelector[a]")}}, .kind = kCheckpoint},
  }}, TOLERATION("effect: NoSchedule"), TOLERATION("operator: Exists"), {{kInvalid, toleration("operator")}});
}

#define SCHEDULERS(one, other) \
  "{services: {V: {extraPodSpec: {" one "}}, W: {extraPodSpec: {" other "}}}}"
#define BY(name) "schedulerName: " name

RuleTable scheduler_mixed() {
  using enum api::Fact;
  const api::ClusterFacts grove{.grove_served = kYes, .kai_scheduler_served = kNo};
  const api::ClusterFacts grove_and_kai{.grove_served = kYes, .kai_scheduler_served = kYes};
  const api::ClusterFacts deployments{.grove_served = kNo, .leader_worker_set_served = kNo};
  const api::ClusterFacts lws{.grove_served = kNo, .leader_worker_set_served = kYes};
  const std::vector<Finding> second{{kInvalid, in_pod("schedulerName")}};
  const std::vector<Place> maybe{{in_pod("schedulerName"), ""}};
  return with_updates({"pod.scheduler.mixed", kGraphDeployment, {
      {.name = "none", .spec = SCHEDULERS("", ""), .facts = grove},
      {.name = "one", .spec = SCHEDULERS(BY("a"), BY("a")), .facts = grove},
      {.name = "two", .spec = SCHEDULERS(BY("a"), BY("b")), .errors = second, .facts = grove},
      {.name = "two_where_the_pathway_is_not_known", .spec = SCHEDULERS(BY("a"), BY("b")), .warnings = maybe},
      {.name = "two_in_deployments", .spec = SCHEDULERS(BY("a"), BY("b")), .facts = deployments},
      {.name = "one_and_none", .spec = SCHEDULERS("", BY("b")), .errors = second, .facts = grove},
      {.name = "none_and_one", .spec = SCHEDULERS(BY("b"), ""), .errors = {{kInvalid, "spec.services[V].extraPodSpec.schedulerName"}}, .facts = grove},
      {.name = "none_is_the_default", .spec = SCHEDULERS("", BY("default-scheduler")), .facts = grove},
      {.name = "none_is_kai", .spec = SCHEDULERS("", BY("kai-scheduler")), .facts = grove_and_kai},
      {.name = "none_is_not_the_default_with_kai", .spec = SCHEDULERS("", BY("default-scheduler")), .errors = second, .facts = grove_and_kai},
      {.name = "what_none_is_is_not_known", .spec = SCHEDULERS("", BY("default-scheduler")), .facts = {.grove_served = kYes}},
      {.name = "two_others", .spec = "{services: {U: {}, V: {extraPodSpec: {schedulerName: a}}, W: {extraPodSpec: {schedulerName: b}}}}",
       .errors = {{kInvalid, "spec.services[V].extraPodSpec.schedulerName"}, {kInvalid, in_pod("schedulerName")}}, .facts = grove},
      {.name = "one_and_twice_none", .spec = "{services: {U: {extraPodSpec: {schedulerName: a}}, V: {}, W: {}}}",
       .errors = {{kInvalid, "spec.services[U].extraPodSpec.schedulerName"}}, .facts = grove},
      {.name = "an_update_is_validated_as_a_whole", .spec = SCHEDULERS(BY("a"), BY("b")), .old_spec = SCHEDULERS("", ""),
       .errors = {{kInvalid, "spec.services"}}, .facts = grove},
      {.name = "lws_has_its_own", .spec = SERVICE("multinode: {nodeCount: 2}, extraPodSpec: {schedulerName: a}"), .warnings = maybe, .facts = lws},
      {.name = "lws_by_its_name", .spec = SERVICE("multinode: {nodeCount: 2}, extraPodSpec: {schedulerName: volcano}"), .facts = lws},
  }}, SCHEDULERS(BY("a"), BY("b")), SCHEDULERS(BY("a"), BY("a")), {}, {{"spec.services", ""}});
}

#define SECURITY(fields) POD("securityContext: {" fields "}")
#define MAIN_SECURITY(fields) MAIN("securityContext: {" fields "}")

#define RESTORES(fields) SERVICE("checkpoint: {enabled: true}, extraPodSpec: {" fields "}")

// A service with or without a debug twin that takes its traffic.
#define STOLEN(stolen, fields) SERVICE("annotations: {nvidia.com/enable-stealing-traffic-debug-mode: '" stolen "'}, extraPodSpec: {" fields "}")

RuleTable security() {
  const api::ClusterFacts deployments{.grove_served = api::Fact::kNo, .leader_worker_set_served = api::Fact::kNo};
  const api::ClusterFacts first{.operator_generation = api::OperatorGeneration::kFirst};
  const api::ClusterFacts later{.operator_generation = api::OperatorGeneration::kLater};
  const auto pod = [](std::string_view field) { return in_pod("securityContext." + std::string(field)); };
  const auto main = [](std::string_view field) { return in_main("securityContext." + std::string(field)); };
  return with_updates({"pod.security", kGraphDeployment, {
      {.name = "good", .spec = SECURITY("runAsUser: 2147483647, fsGroup: 0, seccompProfile: {type: RuntimeDefault}")},
      {.name = "a_negative_user", .spec = SECURITY("runAsUser: -1"), .errors = {{kInvalid, pod("runAsUser")}}},
      {.name = "too_great_a_group", .spec = SECURITY("fsGroup: 2147483648"), .errors = {{kInvalid, pod("fsGroup")}}},
      {.name = "a_negative_further_group", .spec = SECURITY("supplementalGroups: [1, -1]"), .errors = {{kInvalid, pod("supplementalGroups[1]")}}},
      {.name = "a_negative_user_of_a_container", .spec = MAIN_SECURITY("runAsUser: -1"), .errors = {{kInvalid, main("runAsUser")}}},
      {.name = "a_profile_without_its_type", .spec = SECURITY("seccompProfile: {}"), .errors = {{kRequired, pod("seccompProfile.type")}}},
      {.name = "a_profile_in_lower_case", .spec = SECURITY("seccompProfile: {type: runtimeDefault}"), .errors = {{kNotSupported, pod("seccompProfile.type")}}},
      {.name = "a_local_profile", .spec = MAIN_SECURITY("seccompProfile: {type: Localhost, localhostProfile: a/b.json}")},
      {.name = "a_local_profile_without_its_name", .spec = MAIN_SECURITY("appArmorProfile: {type: Localhost}"), .errors = {{kRequired, main("appArmorProfile.localhostProfile")}}},
      {.name = "a_local_profile_with_an_absolute_path", .spec = MAIN_SECURITY("seccompProfile: {type: Localhost, localhostProfile: /a}"),
       .errors = {{kInvalid, main("seccompProfile.localhostProfile")}}},
      {.name = "another_profile_with_a_name", .spec = MAIN_SECURITY("seccompProfile: {type: Unconfined, localhostProfile: a}"),
       .errors = {{kInvalid, main("seccompProfile.localhostProfile")}}},
      {.name = "a_sysctl", .spec = SECURITY("sysctls: [{name: net.core.somaxconn, value: '1'}]")},
      {.name = "a_sysctl_that_is_none", .spec = SECURITY("sysctls: [{name: net..core, value: '1'}]"), .errors = {{kInvalid, pod("sysctls[0].name")}}},
      {.name = "a_sysctl_of_the_hosts_network", .spec = POD("hostNetwork: true, securityContext: {sysctls: [{name: net.core.somaxconn, value: '1'}]}"),
       .errors = {{kInvalid, pod("sysctls[0].name")}}},
      {.name = "a_sysctl_of_the_hosts_ipc", .spec = POD("hostIPC: true, securityContext: {sysctls: [{name: kernel.shmmax, value: '1'}]}"),
       .errors = {{kInvalid, pod("sysctls[0].name")}}},
      {.name = "processes_of_host_and_pod", .spec = POD("hostPID: true, shareProcessNamespace: true"), .errors = {{kInvalid, in_pod("hostPID")}}},
      {.name = "processes_of_the_host_and_of_a_twin", .spec = STOLEN("true", "hostPID: true"), .errors = {{kInvalid, in_pod("hostPID")}}, .facts = deployments},
      {.name = "processes_of_the_host_of_pod_and_of_a_twin", .spec = STOLEN("true", "hostPID: true, shareProcessNamespace: true"),
       .errors = {{kInvalid, in_pod("hostPID")}}, .facts = deployments},
      {.name = "processes_of_the_host_without_a_twin", .spec = STOLEN("True", "hostPID: true"), .facts = deployments},
      {.name = "processes_of_the_host_where_no_twin_is_certain", .spec = STOLEN("true", "hostPID: true")},
      {.name = "processes_of_the_host_of_a_component_and_of_its_twin",
       .spec = "{annotations: {nvidia.com/enable-stealing-traffic-debug-mode: 'true'}, extraPodSpec: {hostPID: true}}",
       .errors = {{kInvalid, "spec.extraPodSpec.hostPID"}}, .kind = kComponentDeployment},
      {.name = "users_of_its_own", .spec = POD("hostUsers: false")},
      {.name = "users_of_its_own_and_the_hosts_processes", .spec = POD("hostUsers: false, hostPID: true"), .errors = {{kForbidden, in_pod("hostUsers")}}, .facts = {.kubernetes_minor = 33}},
      {.name = "users_of_its_own_and_the_hosts_network", .spec = POD("hostUsers: false, hostNetwork: true"), .warnings = {{in_pod("hostUsers"), ""}}},
      {.name = "users_of_its_own_and_the_hosts_network_before", .spec = POD("hostUsers: false, hostNetwork: true"),
       .errors = {{kForbidden, in_pod("hostUsers")}}, .facts = {.kubernetes_minor = 35}},
      {.name = "users_of_its_own_for_a_checkpoint", .spec = RESTORES("hostUsers: false"),
       .errors = {{kForbidden, in_pod("hostUsers")}}, .facts = {.operator_generation = api::OperatorGeneration::kFirst, .kubernetes_minor = 33}},
      {.name = "users_of_its_own_before_they_are_read", .spec = POD("hostUsers: false, hostPID: true, hostIPC: true"),
       .warnings = {{in_pod("hostUsers"), ""}, {in_pod("hostUsers"), ""}}, .facts = {.kubernetes_minor = 32}},
      {.name = "unmasked_where_it_is_not_known_to_be_read", .spec = MAIN_SECURITY("procMount: Unmasked"), .warnings = {{main("procMount"), ""}}},
      {.name = "users_of_its_own_for_a_checkpoint_perhaps", .spec = RESTORES("hostUsers: false"),
       .warnings = {{in_pod("hostUsers"), ""}}},
      {.name = "users_of_its_own_for_a_checkpoint_with_a_later_operator", .spec = RESTORES("hostUsers: false"),
       .facts = later},
      {.name = "a_sysctl_of_ipc_for_a_checkpoint", .spec = RESTORES("securityContext: {sysctls: [{name: kernel.shmmax, value: '1'}]}"),
       .errors = {{kInvalid, pod("sysctls[0].name")}}, .facts = first},
      {.name = "a_sysctl_of_ipc_for_a_checkpoint_perhaps", .spec = RESTORES("securityContext: {sysctls: [{name: kernel.shmmax, value: '1'}]}"),
       .warnings = {{pod("sysctls[0].name"), ""}}},
      {.name = "a_sysctl_of_ipc_for_a_checkpoint_with_a_later_operator", .spec = RESTORES("securityContext: {sysctls: [{name: kernel.shmmax, value: '1'}]}"),
       .facts = later},
      {.name = "users_of_its_own_and_the_hosts_ipc_by_the_user", .spec = RESTORES("hostUsers: false, hostIPC: true"),
       .errors = {{kForbidden, in_pod("hostUsers")}}, .facts = {.operator_generation = api::OperatorGeneration::kLater, .kubernetes_minor = 33}},
      {.name = "privileged", .spec = MAIN_SECURITY("privileged: true, allowPrivilegeEscalation: true")},
      {.name = "privileged_and_not", .spec = MAIN_SECURITY("privileged: true, allowPrivilegeEscalation: false"), .errors = {{kInvalid, main("allowPrivilegeEscalation")}}},
      {.name = "privileged_by_the_operator", .spec = RESTORES("mainContainer: {securityContext: {allowPrivilegeEscalation: false}}"),
       .errors = {{kInvalid, main("allowPrivilegeEscalation")}}, .facts = first},
      {.name = "privileged_by_the_operator_perhaps", .spec = RESTORES("mainContainer: {securityContext: {allowPrivilegeEscalation: false}}"),
       .warnings = {{main("allowPrivilegeEscalation"), ""}}},
      {.name = "privileged_by_the_operator_with_a_later_operator", .spec = RESTORES("mainContainer: {securityContext: {allowPrivilegeEscalation: false}}"),
       .facts = later},
      {.name = "privileged_by_the_user_for_a_checkpoint", .spec = RESTORES("mainContainer: {securityContext: {privileged: true, allowPrivilegeEscalation: false}}"),
       .errors = {{kInvalid, main("allowPrivilegeEscalation")}}, .warnings = {{main("allowPrivilegeEscalation"), ""}}},
      {.name = "sys_admin_and_not", .spec = MAIN_SECURITY("allowPrivilegeEscalation: false, capabilities: {add: [CAP_SYS_ADMIN]}"),
       .errors = {{kInvalid, main("capabilities.add[0]")}}},
      {.name = "a_capability", .spec = MAIN_SECURITY("capabilities: {add: [IPC_LOCK], drop: [ALL]}")},
      {.name = "a_capability_with_cap", .spec = MAIN_SECURITY("capabilities: {add: [CAP_IPC_LOCK]}"), .warnings = {{main("capabilities.add[0]"), ""}}},
      {.name = "unmasked", .spec = MAIN_SECURITY("procMount: Unmasked"), .errors = {{kInvalid, main("procMount")}}, .facts = {.kubernetes_minor = 33}},
      {.name = "unmasked_with_users_of_its_own", .spec = POD("hostUsers: false, mainContainer: {securityContext: {procMount: Unmasked}}")},
      {.name = "root_and_not", .spec = MAIN_SECURITY("runAsNonRoot: true, runAsUser: 0"), .warnings = {{in_main("securityContext"), ""}}},
      {.name = "root_of_the_pod_and_not", .spec = POD("securityContext: {runAsUser: 0}, mainContainer: {securityContext: {runAsNonRoot: true}}"), .warnings = {{in_pod("securityContext"), ""}}},
      {.name = "the_checkpoints_pod_context_is_replaced", .spec = JOB("containers: [{name: a}], securityContext: {runAsUser: -1}"), .kind = kCheckpoint},
      {.name = "the_checkpoints_container", .spec = JOB("containers: [{name: a, securityContext: {runAsUser: -1}}]"),
       .errors = {{kInvalid, in_job("containers[0].securityContext.runAsUser")}}, .kind = kCheckpoint},
  }}, SECURITY("runAsUser: -1"), SECURITY("runAsUser: 1"), {{kInvalid, pod("runAsUser")}});
}

}  // namespace

std::vector<RuleTable> pod_scheduling_tables() {
  return {scheduling(), scheduler_mixed(), security()};
}

}  // namespace dynamo::test

#undef TOLERATION
#undef NODE_TERM
#undef EXPRESSION
#undef APART
#undef SPREAD
#undef REQUEST
#undef SCHEDULERS
#undef BY
#undef SECURITY
#undef MAIN_SECURITY
#undef RESTORES
#undef STOLEN
