#include "tests/validators/pod_rows.hpp"

namespace dynamo::test {

// One row per line if it fits.
// clang-format off

using enum api::ErrorType;
using enum api::Kind;

namespace {

#define FRONTEND(fields) \
  "{services: {W: {componentType: frontend, extraPodSpec: {mainContainer: {" fields "}}}}}"
#define SIDECAR(fields) POD("containers: [{name: s, " fields "}]")

RuleTable default_shell() {
  const std::vector<Place> args{{in_main("args"), ""}};
  return with_updates({"pod.command.default-shell", kGraphDeployment, {
      {.name = "no_arguments", .spec = MAIN("image: i")},
      {.name = "a_script", .spec = MAIN("args: ['python3 -m dynamo.vllm --model m']")},
      {.name = "a_script_that_uses_its_arguments", .spec = MAIN("args: ['exec \"$0\"', python3]")},
      {.name = "several_arguments", .spec = MAIN("args: [python3, -m]"), .warnings = args},
      {.name = "one_switch", .spec = MAIN("args: [--model=m]"), .warnings = args},
      {.name = "with_a_command", .spec = MAIN("command: [python3], args: [-m, dynamo.vllm]")},
      {.name = "an_empty_command_counts_as_none", .spec = MAIN("command: [], args: [a, b]"), .warnings = args},
      {.name = "a_frontend_has_another_default", .spec = FRONTEND("args: [-m, dynamo.frontend]")},
      {.name = "of_an_unknown_type", .spec = "{services: {W: {componentType: other, extraPodSpec: {mainContainer: {args: [a, b]}}}}}", .warnings = args},
      {.name = "in_a_component", .spec = "{componentType: worker, extraPodSpec: {mainContainer: {args: [a, b]}}}",
       .warnings = {{"spec.extraPodSpec.mainContainer.args", ""}}, .kind = kComponentDeployment},
  }}, MAIN("args: [a, b]"), MAIN("args: [a]"), {}, args);
}

RuleTable shell_arguments() {
  return with_updates({"pod.command.shell-multiarg", kGraphDeployment, {
      {.name = "one_script", .spec = MAIN("command: [sh, -c], args: ['a b']")},
      {.name = "one_script_in_the_command", .spec = MAIN("command: [sh, -c, 'a b']")},
      {.name = "two_words", .spec = MAIN("command: [sh, -c], args: [a, b]"), .warnings = {{in_main("args[1]"), ""}}},
      {.name = "two_words_in_the_command", .spec = MAIN("command: [/bin/bash, -ec, a, b]"), .warnings = {{in_main("command[3]"), ""}}},
      {.name = "options_before_the_script", .spec = MAIN("command: [bash, -o, pipefail, -c, a, b]"), .warnings = {{in_main("command[5]"), ""}}},
      {.name = "the_script_uses_its_arguments", .spec = MAIN("command: [sh, -c, 'exec \"$@\"', --, a]")},
      {.name = "the_script_shifts", .spec = MAIN("command: [sh, -c, 'shift; a', --, a]")},
      {.name = "no_script", .spec = MAIN("command: [sh, -c]"), .warnings = {{in_main("command[1]"), ""}}},
      {.name = "a_script_in_a_file", .spec = MAIN("command: [bash, /run.sh, a, b]")},
      {.name = "a_long_option_is_not_understood", .spec = MAIN("command: [bash, --norc, -c, a, b]")},
      {.name = "another_program", .spec = MAIN("command: [python3, -c, a, b]")},
      {.name = "behind_env", .spec = MAIN("command: [env, sh, -c, a, b]"), .warnings = {{in_main("command[4]"), ""}}},
      {.name = "behind_env_by_its_path", .spec = MAIN("command: [/usr/bin/env, sh, -c, a, b]"), .warnings = {{in_main("command[4]"), ""}}},
      {.name = "behind_env_with_assignments", .spec = MAIN("command: [env, A=1, B_2=, sh, -c, a, b]"), .warnings = {{in_main("command[6]"), ""}}},
      {.name = "behind_env_without_variables", .spec = MAIN("command: [env, -i, sh, -c, a, b]"), .warnings = {{in_main("command[5]"), ""}}},
      {.name = "behind_env_with_a_single_dash", .spec = MAIN("command: [env, '-', A=1, sh, -c, a, b]"), .warnings = {{in_main("command[6]"), ""}}},
      {.name = "behind_env_with_options", .spec = MAIN("command: [env, -u, A, -C, /tmp, --unset=B, --, sh, -c, a, b]"), .warnings = {{in_main("command[10]"), ""}}},
      {.name = "behind_env_that_splits", .spec = MAIN("command: [env, -S, 'A=1 bash -c', a, b]"), .warnings = {{in_main("command[4]"), ""}}},
      {.name = "behind_tini", .spec = MAIN("command: [tini, --, sh, -c, a, b]"), .warnings = {{in_main("command[5]"), ""}}},
      {.name = "behind_tini_with_options", .spec = MAIN("command: [/sbin/tini, -g, -v, -p, SIGTERM, -e143, --, sh, -c, a, b]"), .warnings = {{in_main("command[10]"), ""}}},
      {.name = "behind_tini_without_dashes", .spec = MAIN("command: [tini, -s, sh, -c, a, b]"), .warnings = {{in_main("command[5]"), ""}}},
      {.name = "behind_dumb_init", .spec = MAIN("command: [dumb-init, sh, -c, a, b]"), .warnings = {{in_main("command[4]"), ""}}},
      {.name = "behind_dumb_init_with_options", .spec = MAIN("command: [dumb-init, -c, --rewrite, '15:3', --, sh, -c, a, b]"), .warnings = {{in_main("command[8]"), ""}}},
      {.name = "behind_catatonit", .spec = MAIN("command: [catatonit, --, sh, -c, a, b]"), .warnings = {{in_main("command[5]"), ""}}},
      {.name = "behind_busybox", .spec = MAIN("command: [busybox, sh, -c, a, b]"), .warnings = {{in_main("command[4]"), ""}}},
      {.name = "behind_nice", .spec = MAIN("command: [nice, sh, -c, a, b]"), .warnings = {{in_main("command[4]"), ""}}},
      {.name = "behind_nice_with_a_number", .spec = MAIN("command: [nice, -n, '5', sh, -c, a, b]"), .warnings = {{in_main("command[6]"), ""}}},
      {.name = "behind_nice_in_one_word", .spec = MAIN("command: [nice, -n5, sh, -c, a, b]"), .warnings = {{in_main("command[5]"), ""}}},
      {.name = "behind_nice_as_a_digit", .spec = MAIN("command: [nice, '-5', sh, -c, a, b]"), .warnings = {{in_main("command[5]"), ""}}},
      {.name = "behind_nice_by_name", .spec = MAIN("command: [nice, --adjustment=5, sh, -c, a, b]"), .warnings = {{in_main("command[5]"), ""}}},
      {.name = "behind_ionice", .spec = MAIN("command: [ionice, -c2, -n, '7', sh, -c, a, b]"), .warnings = {{in_main("command[7]"), ""}}},
      {.name = "behind_exec", .spec = MAIN("command: [exec, -a, name, sh, -c, a, b]"), .warnings = {{in_main("command[6]"), ""}}},
      {.name = "behind_nohup", .spec = MAIN("command: [nohup, sh, -c, a, b]"), .warnings = {{in_main("command[4]"), ""}}},
      {.name = "behind_timeout", .spec = MAIN("command: [timeout, '10', sh, -c, a, b]"), .warnings = {{in_main("command[5]"), ""}}},
      {.name = "behind_timeout_with_a_signal", .spec = MAIN("command: [timeout, --foreground, -k, 5s, --signal=KILL, '10', sh, -c, a, b]"), .warnings = {{in_main("command[9]"), ""}}},
      {.name = "behind_stdbuf", .spec = MAIN("command: [stdbuf, -oL, -e, L, sh, -c, a, b]"), .warnings = {{in_main("command[7]"), ""}}},
      {.name = "behind_setsid", .spec = MAIN("command: [setsid, -w, sh, -c, a, b]"), .warnings = {{in_main("command[5]"), ""}}},
      {.name = "behind_time", .spec = MAIN("command: [/usr/bin/time, -v, -o, /tmp/t, sh, -c, a, b]"), .warnings = {{in_main("command[7]"), ""}}},
      {.name = "behind_taskset", .spec = MAIN("command: [taskset, -c, 0-3, sh, -c, a, b]"), .warnings = {{in_main("command[6]"), ""}}},
      {.name = "behind_numactl", .spec = MAIN("command: [numactl, --cpunodebind=0, -m, '0', sh, -c, a, b]"), .warnings = {{in_main("command[7]"), ""}}},
      {.name = "behind_gosu", .spec = MAIN("command: [gosu, user, sh, -c, a, b]"), .warnings = {{in_main("command[5]"), ""}}},
      {.name = "behind_su_exec", .spec = MAIN("command: [su-exec, user, sh, -c, a, b]"), .warnings = {{in_main("command[5]"), ""}}},
      {.name = "behind_several", .spec = MAIN("command: [tini, --, env, A=1, nice, -n, '5', sh, -c, a, b]"), .warnings = {{in_main("command[10]"), ""}}},
      {.name = "behind_a_wrapper_with_one_script", .spec = MAIN("command: [env, A=1, sh, -c, a]")},
      {.name = "behind_a_wrapper_with_an_unknown_option", .spec = MAIN("command: [env, -z, sh, -c, a, b]")},
      {.name = "behind_a_wrapper_with_an_unknown_long_option", .spec = MAIN("command: [timeout, --x, '10', sh, -c, a, b]")},
      {.name = "behind_another_program", .spec = MAIN("command: [run, sh, -c, a, b]")},
      {.name = "behind_a_wrapper_of_another_program", .spec = MAIN("command: [env, run, -c, a, b]")},
      {.name = "a_wrapper_alone", .spec = MAIN("command: [env, A=1]")},
      {.name = "a_wrapper_without_its_operand", .spec = MAIN("command: [timeout]")},
      {.name = "an_option_without_its_value", .spec = MAIN("command: [env, -u]")},
      {.name = "a_script_within_a_split_text", .spec = MAIN("command: [env, -S, 'sh -c a', b]")},
      {.name = "a_split_text_with_quotes", .spec = MAIN("command: [env, -S, 'sh -c \"a b\"', c]")},
      {.name = "a_shell_as_the_value_of_an_option", .spec = MAIN("command: [env, -u, sh, -c, a, b]")},
      {.name = "a_shell_as_an_operand", .spec = MAIN("command: [timeout, sh, -c, a, b]")},
      {.name = "no_script_behind_a_wrapper", .spec = MAIN("command: [tini, --, sh, -c]"), .warnings = {{in_main("command[3]"), ""}}},
      {.name = "behind_a_wrapper_with_arguments", .spec = MAIN("command: [env, bash, -c], args: [a, b]"), .warnings = {{in_main("args[1]"), ""}}},
      {.name = "the_default_shell_has_a_rule_of_its_own", .spec = MAIN("args: [a, b]")},
      {.name = "the_default_arguments_of_a_frontend", .spec = FRONTEND("command: [sh, -c, a]")},
      {.name = "in_a_sidecar", .spec = SIDECAR("command: [sh, -c], args: [a, b]"), .warnings = {{in_pod("containers[0].args[1]"), ""}}},
      {.name = "in_an_init_container", .spec = POD("initContainers: [{name: i, command: [sh, -c]}]"),
       .warnings = {{in_pod("initContainers[0].command[1]"), ""}}},
      {.name = "in_the_job_of_a_checkpoint", .spec = JOB("containers: [{name: a, command: [sh, -c, a, b]}]"),
       .warnings = {{in_job("containers[0].command[3]"), ""}}, .kind = kCheckpoint},
  }}, MAIN("command: [sh, -c, a, b]"), MAIN("command: [sh, -c, a]"), {}, {{in_main("command[3]"), ""}});
}

RuleTable frontend_merge() {
  const std::vector<Place> command{{in_main("command"), ""}};
  const std::vector<Place> args{{in_main("args"), ""}};
  return with_updates({"pod.command.frontend-merge", kGraphDeployment, {
      {.name = "neither", .spec = FRONTEND("image: i")},
      {.name = "both", .spec = FRONTEND("command: [python3, -m], args: [dynamo.frontend]")},
      {.name = "switches", .spec = FRONTEND("args: [-m, dynamo.frontend, --router-mode, kv]")},
      {.name = "a_script_of_python", .spec = FRONTEND("args: [/app/frontend.py]")},
      {.name = "a_whole_command_line_as_arguments", .spec = FRONTEND("args: [python3, -m, dynamo.frontend]"), .warnings = args},
      {.name = "a_whole_command_line_as_command", .spec = FRONTEND("command: [python3, -m, dynamo.frontend]"), .warnings = command},
      {.name = "another_program", .spec = FRONTEND("command: [/start]"), .warnings = command},
      {.name = "an_interpreter_alone", .spec = FRONTEND("command: [/usr/bin/python3.11, -u]")},
      {.name = "a_wrapper_before_the_interpreter", .spec = FRONTEND("command: [tini, --, python3]")},
      {.name = "a_shell_with_its_script", .spec = FRONTEND("command: [sh, -c, 'python3 -m dynamo.frontend']")},
      {.name = "a_shell_behind_a_wrapper", .spec = FRONTEND("command: [tini, --, sh, -c, 'python3 -m dynamo.frontend']")},
      {.name = "a_wrapper_with_an_unknown_option", .spec = FRONTEND("command: [tini, -x, sh, -c, 'python3 -m dynamo.frontend']")},
      {.name = "a_wrapper_before_another_program", .spec = FRONTEND("command: [tini, --, /start]"), .warnings = command},
      {.name = "a_wrapper_that_would_run_the_default_arguments", .spec = FRONTEND("command: [env]"), .warnings = command},
      {.name = "a_worker_has_no_default_arguments", .spec = MAIN("command: [python3, -m, dynamo.vllm]")},
  }}, FRONTEND("command: [/start]"), FRONTEND("command: [/start], args: [now]"), {}, command);
}

RuleTable unexpanded_variable() {
  const std::vector<Place> second{{in_main("args[1]"), ""}};
  return with_updates({"pod.command.unexpanded-var", kGraphDeployment, {
      {.name = "none", .spec = MAIN("command: [python3], args: [-m, dynamo.vllm]")},
      {.name = "a_variable", .spec = MAIN("command: [python3], args: [--model, $MODEL]"), .warnings = second},
      {.name = "within_a_word", .spec = MAIN("command: [python3], args: [a, '/models/$MODEL_2/x']"), .warnings = second},
      {.name = "in_braces", .spec = MAIN("command: [python3], args: [a, '${model}']"), .warnings = second},
      {.name = "in_braces_with_a_default", .spec = MAIN("command: [python3], args: [a, '${MODEL:-m}']"), .warnings = second},
      {.name = "the_kubelets_form", .spec = MAIN("command: [python3], args: [--model, $(MODEL)]")},
      {.name = "in_a_shell", .spec = MAIN("command: [sh, -c], args: ['run $MODEL']")},
      {.name = "in_a_shell_behind_a_wrapper", .spec = MAIN("command: [/usr/bin/env, bash, -c], args: ['run $MODEL']")},
      {.name = "in_a_shell_behind_an_option_that_is_not_understood", .spec = MAIN("command: [tini, -x, --, sh, -c], args: ['run $MODEL']")},
      {.name = "in_a_shell_behind_an_unknown_program", .spec = MAIN("command: [/run, /bin/bash, -c], args: ['run $MODEL']")},
      {.name = "in_a_shell_of_a_split_text", .spec = MAIN("command: [env, -S, 'bash -ec'], args: ['run $MODEL']")},
      {.name = "in_a_program_behind_a_wrapper", .spec = MAIN("command: [tini, --, python3], args: [--model, $MODEL]"), .warnings = second},
      {.name = "in_a_wrapped_program_named_like_no_shell", .spec = MAIN("command: [nice, -n, '5', /bin/bashful], args: [--model, $MODEL]"), .warnings = second},
      {.name = "lower_case_may_be_anything", .spec = MAIN("command: [python3], args: [a, '{\"$ref\": 1}']")},
      {.name = "a_dollar_and_a_number", .spec = MAIN("command: [python3], args: [a, '$5']")},
      {.name = "the_end_of_a_pattern", .spec = MAIN("command: [python3], args: [a, '^x$']")},
      {.name = "in_the_command", .spec = MAIN("command: [python3, $MODEL]"), .warnings = {{in_main("command[1]"), ""}}},
      {.name = "several_nodes_get_a_shell", .spec = SERVICE("multinode: {nodeCount: 2}, extraPodSpec: {mainContainer: {command: [python3], args: [a, $MODEL]}}")},
      {.name = "the_image_decides_what_runs", .spec = SIDECAR("args: [a, $MODEL]")},
      {.name = "in_a_sidecar", .spec = SIDECAR("command: [run], args: [a, $MODEL]"), .warnings = {{in_pod("containers[0].args[1]"), ""}}},
  }}, MAIN("command: [python3], args: [a, $MODEL]"), MAIN("command: [python3], args: [a, b]"), {}, second);
}

RuleTable undefined_reference() {
  const std::vector<Place> arg{{in_main("args[0]"), ""}};
  return with_updates({"pod.command.undefined-ref", kGraphDeployment, {
      {.name = "defined", .spec = MAIN("command: [run], args: [$(A)], env: [{name: A, value: b}]")},
      {.name = "of_the_operator", .spec = MAIN("command: [run], args: [$(DYN_NAMESPACE)]")},
      {.name = "of_the_service", .spec = SERVICE("envs: [{name: A, value: b}], extraPodSpec: {mainContainer: {command: [run], args: [$(A)]}}")},
      {.name = "undefined", .spec = MAIN("command: [run], args: [$(A)]"), .warnings = arg},
      {.name = "two_in_one_word", .spec = MAIN("command: [run], args: ['$(DYN_NAMESPACE)/$(B)']"), .warnings = arg},
      {.name = "may_come_from_a_secret", .spec = MAIN("command: [run], args: [$(A)], envFrom: [{secretRef: {name: s}}]")},
      {.name = "may_come_from_the_services_secret", .spec = SERVICE("envFromSecret: s, extraPodSpec: {mainContainer: {command: [run], args: [$(A)]}}")},
      {.name = "a_dollar_is_doubled", .spec = MAIN("command: [run], args: [$$(A)]")},
      {.name = "lower_case_is_a_program", .spec = MAIN("command: [run], args: [$(hostname)]")},
      {.name = "in_a_shell", .spec = MAIN("command: [sh, -c], args: ['run $(A)']")},
      {.name = "in_a_shell_behind_a_wrapper", .spec = MAIN("command: [timeout, '10', sh, -c], args: ['run $(A)']")},
      {.name = "in_a_shell_behind_an_unknown_program", .spec = MAIN("command: [run, sh, -c], args: ['run $(A)']")},
      {.name = "in_a_program_behind_a_wrapper", .spec = MAIN("command: [timeout, '10', run], args: [$(A)]"), .warnings = arg},
      {.name = "of_grove", .spec = MAIN("command: [run], args: [$(GROVE_PCLQ_POD_INDEX)]")},
      {.name = "of_a_service_of_kubernetes", .spec = MAIN("command: [run], args: [$(KUBERNETES_SERVICE_HOST)]")},
      {.name = "never_closed", .spec = MAIN("command: [run], args: ['$(A']")},
      {.name = "a_value_that_refers_back", .spec = MAIN("env: [{name: B, value: $(A)}, {name: A, value: x}]")},
      {.name = "a_value_that_refers_forward", .spec = MAIN("env: [{name: A, value: $(B)}, {name: B, value: x}]"),
       .warnings = {{in_main("env[0].value"), ""}}},
      {.name = "sidecars_keep_their_order", .spec = SIDECAR("env: [{name: A, value: $(B)}, {name: B, value: x}]"),
       .warnings = {{in_pod("containers[0].env[0].value"), ""}}},
      {.name = "sidecars_do_not_see_the_operators", .spec = SIDECAR("command: [run], args: [$(DYN_NAMESPACE)]"),
       .warnings = {{in_pod("containers[0].args[0]"), ""}}},
  }}, MAIN("command: [run], args: [$(A)]"), MAIN("command: [run], args: [a]"), {}, arg);
}

}  // namespace

std::vector<RuleTable> pod_command_tables() {
  return {default_shell(), shell_arguments(), frontend_merge(), unexpanded_variable(),
          undefined_reference()};
}

}  // namespace dynamo::test

#undef FRONTEND
#undef SIDECAR
