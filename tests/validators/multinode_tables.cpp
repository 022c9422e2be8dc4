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

// A worker with two nodes: resources, then mainContainer.
#define NODES(resources, main) SERVICE("multinode: {nodeCount: 2}, resources: {" resources "}, extraPodSpec: {mainContainer: {" main "}}")
#define EIGHT "limits: {gpu: '8'}"
#define VLLM(args) NODES(EIGHT, "command: [python3, -m, dynamo.vllm], args: [" args "]")
#define SGLANG(args) NODES(EIGHT, "command: [python3, -m, dynamo.sglang], args: [" args "]")
#define TRTLLM(args) NODES(EIGHT, "command: [python3, -m, dynamo.trtllm], args: [" args "]")
#define SCRIPT(text) NODES(EIGHT, "command: [bash, -c], args: ['" text "']")
#define ONE_NODE(args) SERVICE("resources: {" EIGHT "}, extraPodSpec: {mainContainer: {command: [python3, -m, dynamo.vllm], args: [" args "]}}")

std::vector<Place> at_item(int item) { return {{in_main("args[" + std::to_string(item) + "]"), ""}}; }
std::vector<Place> at_args() { return {{in_main("args"), ""}}; }

RuleTable vllm_flag_form() {
  return with_updates({"multinode.vllm.flag-form", kGraphDeployment, {
      {.name = "the_form_that_is_read", .spec = VLLM("--tensor-parallel-size, '16'")},
      {.name = "in_a_script", .spec = SCRIPT("python3 -m dynamo.vllm --tensor-parallel-size 16")},
      {.name = "an_equals_sign", .spec = VLLM("--model, m, --tensor-parallel-size=16"), .warnings = at_item(2)},
      {.name = "short", .spec = VLLM("-tp, '16'"), .warnings = at_item(0)},
      {.name = "quoted_in_a_script", .spec = SCRIPT("python3 -m dynamo.vllm --tensor-parallel-size \"16\""), .warnings = at_item(0)},
      {.name = "in_the_command", .spec = NODES(EIGHT, "command: [python3, -m, dynamo.vllm, --tensor-parallel-size, '16'], args: [--model, m]"),
       .warnings = {{in_main("command[3]"), ""}}},
      {.name = "a_variable", .spec = VLLM("--tensor-parallel-size, $(TP)"), .warnings = at_item(0)},
      {.name = "several", .spec = VLLM("-tp, '8', -pp, '2'"), .warnings = {at_item(0)[0], at_item(2)[0]}},
      {.name = "one_of_two", .spec = VLLM("--tensor-parallel-size, '8', -pp, '2'"), .warnings = at_item(2)},
      {.name = "replicas", .spec = VLLM("-dp, '16'"), .warnings = at_item(0)},
      {.name = "what_fits_on_one_node_is_another_rules", .spec = VLLM("-tp, '8'")},
      {.name = "replicas_that_the_user_spreads", .spec = VLLM("-dp, '16', --data-parallel-size-local, '8'")},
      {.name = "nodes_that_join_by_themselves", .spec = VLLM("-tp, '16', --nnodes, '2'")},
      {.name = "one_node", .spec = ONE_NODE("-tp, '8'")},
      {.name = "another_engine", .spec = SGLANG("--tp, '16'")},
      {.name = "no_gpus_is_another_rules", .spec = NODES("limits: {cpu: '1'}", "command: [python3, -m, dynamo.vllm], args: [-tp, '16']")},
      {.name = "a_component", .spec = "{dynamoNamespace: x, componentType: worker, multinode: {nodeCount: 2}, resources: {" EIGHT "}, extraPodSpec: {mainContainer: {command: [python3, -m, dynamo.vllm], args: [-tp, '16']}}}",
       .warnings = {{"spec.extraPodSpec.mainContainer.args[0]", ""}}, .kind = kComponentDeployment},
      {.name = "a_component_that_runs_on_one_node", .spec = "{dynamoNamespace: x, componentType: worker, multinode: {nodeCount: 2}, resources: {" EIGHT "}, extraPodSpec: {mainContainer: {command: [python3, -m, dynamo.vllm], args: [-tp, '16']}}}",
       .kind = kComponentDeployment, .facts = {.grove_served = Fact::kNo, .leader_worker_set_served = Fact::kNo}},
  }}, VLLM("-tp, '16'"), VLLM("--tensor-parallel-size, '16'"), {}, at_item(0));
}

RuleTable gpu_location() {
#define ON(resources, module) NODES(resources, "command: [python3, -m, " module "], args: [--tensor-parallel-size, '16']")
  const std::vector<Place> custom{{in_service("resources.limits.custom[amd.com/gpu]"), ""}};
  return with_updates({"multinode.gpu-location", kGraphDeployment, {
      {.name = "the_limit_of_the_service", .spec = ON(EIGHT, "dynamo.vllm")},
      {.name = "under_another_name", .spec = ON("limits: {gpu: '8', gpuType: amd.com/gpu}", "dynamo.vllm")},
      {.name = "custom", .spec = ON("limits: {custom: {amd.com/gpu: '8'}}", "dynamo.vllm"), .warnings = custom},
      {.name = "custom_for_mpi", .spec = ON("limits: {custom: {amd.com/gpu: '8'}}", "dynamo.trtllm"), .warnings = custom},
      {.name = "custom_for_sglang", .spec = ON("limits: {custom: {amd.com/gpu: '8'}}", "dynamo.sglang")},
      {.name = "of_main", .spec = NODES("", "command: [python3, -m, dynamo.vllm], resources: {limits: {nvidia.com/gpu: 8}}"),
       .warnings = {{in_main("resources.limits[nvidia.com/gpu]"), ""}}},
      {.name = "a_number_that_is_not_read", .spec = ON("limits: {gpu: 8000m}", "dynamo.vllm"), .warnings = {{in_service("resources.limits.gpu"), ""}}},
      {.name = "a_request_for_mpi", .spec = ON("requests: {gpu: '8'}, limits: {custom: {nvidia.com/gpu: '8'}}", "dynamo.trtllm")},
      {.name = "a_request_for_vllm", .spec = ON("requests: {gpu: '8'}, limits: {custom: {nvidia.com/gpu: '8'}}", "dynamo.vllm"),
       .warnings = {{in_service("resources.limits.custom[nvidia.com/gpu]"), ""}}},
      {.name = "no_gpus_is_another_rules", .spec = ON("limits: {custom: {rdma/ib: '8'}}", "dynamo.vllm")},
      {.name = "a_claim", .spec = ON("claims: [{name: a}]", "dynamo.vllm")},
      {.name = "nodes_that_join_by_themselves", .spec = NODES("limits: {custom: {amd.com/gpu: '8'}}", "command: [bash, -c], args: ['ray start --head; python3 -m dynamo.vllm']")},
      {.name = "one_node", .spec = SERVICE("resources: {limits: {custom: {amd.com/gpu: '8'}}}, extraPodSpec: {mainContainer: {command: [python3, -m, dynamo.vllm]}}")},
  }}, ON("limits: {custom: {amd.com/gpu: '8'}}", "dynamo.vllm"), ON(EIGHT, "dynamo.vllm"), {}, custom);
#undef ON
}

RuleTable no_injection() {
  return with_updates({"multinode.no-injection", kGraphDeployment, {
      {.name = "sglang", .spec = SGLANG("--tp, '16'")},
      {.name = "sglang_in_a_script", .spec = SCRIPT("cd /w && python3 -m dynamo.sglang --tp 16")},
      {.name = "mpi", .spec = TRTLLM("--tensor-parallel-size, '16'")},
      {.name = "mpi_in_a_script_of_the_image", .spec = "{backendFramework: trtllm, services: {W: {componentType: worker, multinode: {nodeCount: 2}, extraPodSpec: {mainContainer: {command: [/run.sh]}}}}}"},
      {.name = "ray", .spec = VLLM("--tensor-parallel-size, '16'")},
      {.name = "a_script_of_the_image", .spec = NODES(EIGHT, "command: [/run.sh], args: [--tp]"), .warnings = at_args()},
      {.name = "a_script_of_the_image_for_sglang", .spec = "{backendFramework: sglang, services: {W: {componentType: worker, multinode: {nodeCount: 2}, extraPodSpec: {mainContainer: {command: [/run.sh]}}}}}",
       .warnings = {{in_main("command"), ""}}},
      {.name = "no_command_line", .spec = NODES(EIGHT, "image: i"), .warnings = {{in_pod("mainContainer"), ""}}},
      {.name = "sglang_split_over_items", .spec = NODES(EIGHT, "command: [env, A=b], args: [python3, -m, dynamo.sglang]"), .warnings = at_args()},
      {.name = "a_script_that_knows_its_node", .spec = NODES(EIGHT, "command: [/run.sh], args: ['$(GROVE_PCLQ_POD_INDEX)']")},
      {.name = "a_launcher", .spec = NODES(EIGHT, "command: [torchrun], args: [run.py]")},
      {.name = "a_leader_in_a_variable", .spec = NODES(EIGHT, "command: [/run.sh], args: [a], env: [{name: MASTER_ADDR, value: b}]")},
      {.name = "vllm_that_fits_on_one_node", .spec = VLLM("--tensor-parallel-size, '8'"), .warnings = at_args()},
      {.name = "vllm_without_sizes", .spec = VLLM("--model, m"), .warnings = at_args()},
      {.name = "vllm_with_sizes_in_a_file", .spec = VLLM("--config, /a.yaml")},
      {.name = "vllm_with_one_gpu_too_many", .spec = VLLM("--tensor-parallel-size, '9'")},
      {.name = "vllm_that_fits_and_joins_by_itself", .spec = VLLM("--tensor-parallel-size, '8', --headless")},
      {.name = "flags_in_another_form_are_another_rules", .spec = VLLM("-tp, '16'")},
      {.name = "replicas_on_all_nodes", .spec = VLLM("--tensor-parallel-size, '4', --data-parallel-size, '4'")},
      {.name = "too_many_replicas", .spec = VLLM("--tensor-parallel-size, '4', --data-parallel-size, '8'"), .warnings = at_item(2)},
      {.name = "too_few_replicas", .spec = VLLM("--tensor-parallel-size, '4', --data-parallel-size, '3'"), .warnings = at_item(2)},
      {.name = "replicas_that_the_user_spreads", .spec = VLLM("--data-parallel-size, '12', --data-parallel-size-local, '6'")},
      {.name = "two_engines_are_another_rules", .spec = SCRIPT("python3 -m dynamo.vllm; python3 -m dynamo.sglang")},
      {.name = "not_a_worker", .spec = "{services: {W: {componentType: tool, multinode: {nodeCount: 2}, extraPodSpec: {mainContainer: {command: [/run.sh]}}}}}"},
      {.name = "one_node", .spec = ONE_NODE("--tensor-parallel-size, '8'")},
  }}, VLLM("--model, m"), VLLM("--tensor-parallel-size, '16'"), {}, at_args());
}

RuleTable unquoted_arguments() {
#define JSON R"('{"a":1}')"
#define BIG "--tensor-parallel-size, '16'"
  return with_updates({"multinode.args.unquoted", kGraphDeployment, {
      {.name = "plain_words", .spec = VLLM(BIG ", --model, Qwen/Qwen3-0.6B, --x=a:b, --y, 'a~b#c!', --z, 'a$'")},
      {.name = "an_empty_word", .spec = VLLM(BIG ", --served-model-name, ''"), .warnings = at_item(3)},
      {.name = "an_empty_word_on_one_node", .spec = ONE_NODE("--served-model-name, ''")},
      {.name = "an_empty_word_of_sglang", .spec = SGLANG("--tp, '16', --x, ''"), .warnings = at_item(3)},
      {.name = "an_empty_word_of_mpi", .spec = TRTLLM("--x, ''"), .warnings = at_item(1)},
      {.name = "an_empty_word_with_a_later_operator", .spec = VLLM(BIG ", --served-model-name, ''"), .facts = kLater},
      {.name = "a_line_break", .spec = VLLM(BIG ", --x, \"a\\nb\""), .warnings = at_item(3)},
      {.name = "a_comment", .spec = VLLM(BIG ", --x, '#1'"), .warnings = at_item(3)},
      {.name = "a_home", .spec = VLLM(BIG ", --x, ~/models"), .warnings = at_item(3)},
      {.name = "a_pattern_of_one_letter", .spec = VLLM(BIG ", --x, 'a?b'"), .warnings = at_item(3)},
      {.name = "a_pattern_of_a_set", .spec = VLLM(BIG ", --x, '[1]'"), .warnings = at_item(3)},
      {.name = "a_bracket_that_stays_open", .spec = VLLM(BIG ", --x, 'a[1'")},
      {.name = "a_parameter_of_the_shell", .spec = VLLM(BIG ", --x, 'a$1'"), .warnings = at_item(3)},
      {.name = "a_dollar_for_the_kubelet_and_brackets", .spec = VLLM(BIG ", --x, '$$(NAME)'"), .warnings = at_item(3)},
      {.name = "a_variable_of_the_shell_over_ray", .spec = VLLM(BIG ", --x, $NAME")},
      {.name = "a_variable_of_the_shell_that_the_leader_does_not_run", .spec = SGLANG("--tp, '16', --x, $NAME"), .warnings = at_item(3)},
      {.name = "a_variable_with_a_blank", .spec = SERVICE("envs: [{name: X, value: a b}], multinode: {nodeCount: 2}, resources: {" EIGHT "}, extraPodSpec: {mainContainer: {command: [python3, -m, dynamo.vllm], args: [" BIG ", --x, $(X)]}}"), .warnings = at_item(3)},
      {.name = "an_empty_variable", .spec = SERVICE("envs: [{name: X, value: ''}], multinode: {nodeCount: 2}, resources: {" EIGHT "}, extraPodSpec: {mainContainer: {command: [python3, -m, dynamo.vllm], args: [" BIG ", --x, $(X)]}}"), .warnings = at_item(3)},
      {.name = "a_variable_with_a_plain_word", .spec = SERVICE("envs: [{name: X, value: a}], multinode: {nodeCount: 2}, resources: {" EIGHT "}, extraPodSpec: {mainContainer: {command: [python3, -m, dynamo.vllm], args: [" BIG ", --x, $(X)]}}")},
      {.name = "a_flag_behind_a_script", .spec = SERVICE("annotations: {nvidia.com/vllm-distributed-executor-backend: ray}, multinode: {nodeCount: 2}, resources: {" EIGHT "}, extraPodSpec: {mainContainer: {command: [bash, -c], args: ['python3 -m dynamo.vllm --tensor-parallel-size 16']}}"),
       .warnings = at_args(), .facts = kLater},
      {.name = "a_script_with_the_flag", .spec = SERVICE("annotations: {nvidia.com/vllm-distributed-executor-backend: ray}, multinode: {nodeCount: 2}, resources: {" EIGHT "}, extraPodSpec: {mainContainer: {command: [bash, -c], args: ['python3 -m dynamo.vllm --tensor-parallel-size 16 --distributed-executor-backend ray']}}"),
       .facts = kLater},
      {.name = "a_script_without_ray", .spec = SERVICE("annotations: {nvidia.com/vllm-distributed-executor-backend: mp}, multinode: {nodeCount: 2}, resources: {" EIGHT "}, extraPodSpec: {mainContainer: {command: [bash, -c], args: ['python3 -m dynamo.vllm --tensor-parallel-size 16']}}"),
       .facts = kLater},
      {.name = "a_flag_behind_a_script_behind_a_wrapper", .spec = SERVICE("annotations: {nvidia.com/vllm-distributed-executor-backend: ray}, multinode: {nodeCount: 2}, resources: {" EIGHT "}, extraPodSpec: {mainContainer: {command: [tini, -g, --, sh, -c], args: ['python3 -m dynamo.vllm --tensor-parallel-size 16']}}"),
       .warnings = at_args(), .facts = kLater},
      {.name = "a_flag_behind_a_wrapper_with_an_unknown_option", .spec = SERVICE("annotations: {nvidia.com/vllm-distributed-executor-backend: ray}, multinode: {nodeCount: 2}, resources: {" EIGHT "}, extraPodSpec: {mainContainer: {command: [tini, -x, --, sh, -c], args: ['python3 -m dynamo.vllm --tensor-parallel-size 16']}}"),
       .facts = kLater},
      {.name = "a_script_of_a_new_graph", .spec = SCRIPT("python3 -m dynamo.vllm --tensor-parallel-size 16"), .facts = kLater},
      {.name = "a_value_of_ray", .spec = VLLM(BIG ", --x, " JSON), .warnings = at_item(3)},
      {.name = "only_the_first_is_reported", .spec = VLLM(BIG ", --x, " JSON ", --y, 'a b'"), .warnings = at_item(3)},
      {.name = "a_blank", .spec = VLLM(BIG ", --x, 'a b'"), .warnings = at_item(3)},
      {.name = "a_word_of_the_command", .spec = NODES(EIGHT, "command: [python3, -m, dynamo.vllm, 'a;b'], args: [" BIG "]"), .warnings = {{in_main("command[3]"), ""}}},
      {.name = "of_the_first_operator", .spec = VLLM(BIG ", --x, 'a b'"), .warnings = at_item(3), .facts = kFirst},
      {.name = "of_a_later_operator", .spec = VLLM(BIG ", --x, 'a b'"), .facts = kLater},
      {.name = "what_the_kubelet_replaces", .spec = VLLM(BIG ", --model, $(MODEL)/$(NAME)")},
      {.name = "what_the_kubelet_replaces_and_more", .spec = VLLM(BIG ", --model, $(MODEL)*"), .warnings = at_item(3)},
      {.name = "of_data_parallelism", .spec = VLLM("--data-parallel-size, '16', --x, 'a|b'"), .warnings = at_item(3)},
      {.name = "of_sglang", .spec = SGLANG("--tp, '16', --x, " JSON), .warnings = at_item(3)},
      {.name = "of_sglang_in_a_script", .spec = SCRIPT("python3 -m dynamo.sglang --tp 16 --x \"a b\"")},
      {.name = "of_vllm_that_nothing_is_added_to", .spec = VLLM("--tensor-parallel-size, '8', --x, " JSON)},
      {.name = "ray_in_front_of_a_shell", .spec = SCRIPT("python3 -m dynamo.vllm --tensor-parallel-size 16"), .warnings = at_args()},
      {.name = "ray_in_front_of_a_shell_behind_a_wrapper", .spec = NODES(EIGHT, "command: [env, A=1, bash, -c], args: ['python3 -m dynamo.vllm --tensor-parallel-size 16']"), .warnings = at_args()},
      {.name = "ray_in_front_of_a_program_behind_a_wrapper", .spec = NODES(EIGHT, "command: [env, A=1, python3, -m, dynamo.vllm], args: [--tensor-parallel-size, '16', --x, 'a b']"), .warnings = at_item(3)},
      {.name = "ray_in_front_of_the_default_shell", .spec = NODES(EIGHT, "args: ['python3 -m dynamo.vllm --tensor-parallel-size 16']"), .warnings = at_args()},
      {.name = "replicas_in_a_shell", .spec = SCRIPT("python3 -m dynamo.vllm --data-parallel-size 16")},
      {.name = "of_mpi", .spec = TRTLLM("--x, " JSON), .warnings = at_item(1)},
      {.name = "mpi_with_double_quotes_in_a_script", .spec = SCRIPT("python3 -m dynamo.trtllm --x \"a b\"")},
      {.name = "mpi_with_a_script_behind_a_wrapper", .spec = NODES(EIGHT, "command: [env, bash, -c], args: ['python3 -m dynamo.trtllm --x \"a b\"']")},
      {.name = "mpi_with_a_script_behind_a_wrapper_in_the_command", .spec = NODES(EIGHT, "command: [env, bash, -c, 'python3 -m dynamo.trtllm']"), .warnings = {{in_main("command[3]"), ""}}},
      {.name = "mpi_with_single_quotes_in_a_script", .spec = SCRIPT("python3 -m dynamo.trtllm --x ''a b''"), .warnings = at_item(0)},
      {.name = "mpi_with_single_quotes_in_the_command", .spec = NODES(EIGHT, "command: [bash, -c, \"python3 -m dynamo.trtllm --x 'a'\"]"), .warnings = {{in_main("command[2]"), ""}}},
      {.name = "one_node", .spec = ONE_NODE("--x, " JSON)},
      {.name = "a_component", .spec = "{dynamoNamespace: x, componentType: worker, multinode: {nodeCount: 2}, resources: {" EIGHT "}, extraPodSpec: {mainContainer: {command: [python3, -m, dynamo.vllm], args: [" BIG ", 'a b']}}}",
       .warnings = {{"spec.extraPodSpec.mainContainer.args[2]", ""}}, .kind = kComponentDeployment},
  }}, VLLM(BIG ", --x, 'a b'"), VLLM(BIG ", --x, ab"), {}, at_item(3));
#undef JSON
#undef BIG
}

RuleTable leader_worker_set_container() {
  const api::ClusterFacts served{.grove_served = Fact::kNo, .leader_worker_set_served = Fact::kYes};
  const api::ClusterFacts served_to_the_first{.grove_served = Fact::kNo, .leader_worker_set_served = Fact::kYes, .operator_generation = OperatorGeneration::kFirst};
  const api::ClusterFacts served_to_a_later_one{.grove_served = Fact::kNo, .leader_worker_set_served = Fact::kYes, .operator_generation = OperatorGeneration::kLater};
  const api::ClusterFacts grove{.grove_served = Fact::kYes, .leader_worker_set_served = Fact::kYes};
  const api::ClusterFacts not_served{.grove_served = Fact::kNo, .leader_worker_set_served = Fact::kNo};
  const std::vector<Place> perhaps{{in_main("args"), ""}};
  const std::vector<Finding> denied{{kRequired, in_main("args")}};
#define ALL_IN_COMMAND(module) NODES(EIGHT, "command: [python3, -m, " module "]")
  return with_updates({"multinode.lws.container", kGraphDeployment, {
      {.name = "command_and_args", .spec = VLLM("--tensor-parallel-size, '16'"), .facts = served},
      {.name = "no_args", .spec = ALL_IN_COMMAND("dynamo.vllm"), .errors = denied, .facts = served},
      {.name = "no_args_perhaps", .spec = ALL_IN_COMMAND("dynamo.vllm"), .warnings = perhaps},
      {.name = "no_args_with_a_later_operator", .spec = ALL_IN_COMMAND("dynamo.vllm"), .errors = denied, .facts = served_to_a_later_one},
      {.name = "no_args_with_grove", .spec = ALL_IN_COMMAND("dynamo.vllm"), .facts = grove},
      {.name = "no_args_without_anything", .spec = ALL_IN_COMMAND("dynamo.vllm"), .facts = not_served},
      {.name = "no_args_on_one_node", .spec = SERVICE("extraPodSpec: {mainContainer: {command: [python3, -m, dynamo.vllm]}}"), .facts = served},
      {.name = "args_that_the_operator_adds", .spec = ALL_IN_COMMAND("dynamo.sglang"), .facts = served},
      {.name = "a_script_that_the_operator_makes", .spec = ALL_IN_COMMAND("dynamo.trtllm"), .facts = served},
      {.name = "no_place_for_args", .spec = "{backendFramework: sglang, services: {W: {componentType: worker, multinode: {nodeCount: 2}, resources: {" EIGHT "}, extraPodSpec: {mainContainer: {command: [/run.sh]}}}}}",
       .errors = denied, .facts = served},
      {.name = "nothing_but_the_default_shell", .spec = NODES(EIGHT, "image: i"), .errors = denied, .facts = served},
      {.name = "the_default_command_of_a_frontend", .spec = "{services: {W: {componentType: frontend, multinode: {nodeCount: 2}, resources: {" EIGHT "}}}}", .facts = served},
      {.name = "an_endpoint_picker_is_another_rules", .spec = "{services: {E: {componentType: epp, eppConfig: {configMapRef: {name: c}}, multinode: {nodeCount: 2}, resources: {" EIGHT "}}}}",
       .errors = {{kForbidden, "spec.services[E].multinode", "epp.single-node"}}, .facts = served},
      {.name = "a_command_that_a_checkpoint_moves", .spec = SERVICE("multinode: {nodeCount: 2}, resources: {" EIGHT "}, checkpoint: {enabled: true, checkpointRef: c}, extraPodSpec: {mainContainer: {command: [python3, -m, dynamo.vllm], args: [--tensor-parallel-size, '16']}}"),
       .errors = {{kRequired, in_main("command")}}, .facts = served_to_the_first},
      {.name = "a_command_that_a_checkpoint_moves_perhaps", .spec = SERVICE("multinode: {nodeCount: 2}, resources: {" EIGHT "}, checkpoint: {enabled: true, checkpointRef: c}, extraPodSpec: {mainContainer: {command: [python3, -m, dynamo.vllm], args: [--tensor-parallel-size, '16']}}"),
       .warnings = {{in_main("command"), ""}}, .facts = served},
      {.name = "a_command_that_a_checkpoint_of_a_later_operator_leaves", .spec = SERVICE("multinode: {nodeCount: 2}, resources: {" EIGHT "}, checkpoint: {enabled: true, checkpointRef: c}, extraPodSpec: {mainContainer: {command: [python3, -m, dynamo.vllm], args: [--tensor-parallel-size, '16']}}"),
       .facts = served_to_a_later_one},
      {.name = "no_gpus", .spec = NODES("limits: {cpu: '1'}", "command: [a], args: [b]"), .warnings = {{in_service("resources.limits.gpu"), ""}}, .facts = served},
      {.name = "no_gpus_with_a_later_operator", .spec = NODES("limits: {cpu: '1'}", "command: [a], args: [b]"), .facts = served_to_a_later_one},
      {.name = "no_gpus_perhaps", .spec = NODES("limits: {cpu: '1'}", "command: [a], args: [b]")},
      {.name = "a_component", .spec = "{dynamoNamespace: x, componentType: worker, multinode: {nodeCount: 2}, resources: {" EIGHT "}, extraPodSpec: {mainContainer: {command: [a]}}}",
       .errors = {{kRequired, "spec.extraPodSpec.mainContainer.args"}}, .kind = kComponentDeployment, .facts = served},
  }}, ALL_IN_COMMAND("dynamo.vllm"), VLLM("--tensor-parallel-size, '16'"), {}, perhaps);
#undef ALL_IN_COMMAND
}

RuleTable orchestrator_missing() {
  const api::ClusterFacts neither{.grove_served = Fact::kNo, .leader_worker_set_served = Fact::kNo};
  const std::vector<Place> warned{{in_service("multinode"), ""}};
#define TWO_NODES "multinode: {nodeCount: 2}"
#define WITHOUT_GROVE(fields) "{metadata: {name: a, namespace: default, annotations: {nvidia.com/enable-grove: 'false'}}, spec: " SERVICE(fields) "}"
  return {"cross.orchestrator-missing", kGraphDeployment, {
      {.name = "neither", .spec = SERVICE(TWO_NODES), .warnings = warned, .facts = neither},
      {.name = "one_node", .spec = SERVICE("multinode: {nodeCount: 1}"), .facts = neither},
      {.name = "grove", .spec = SERVICE(TWO_NODES), .facts = {.grove_served = Fact::kYes, .leader_worker_set_served = Fact::kNo}},
      {.name = "grove_that_is_switched_off", .warnings = warned, .object = WITHOUT_GROVE(TWO_NODES),
       .facts = {.grove_served = Fact::kYes, .leader_worker_set_served = Fact::kNo}},
      {.name = "grove_that_is_switched_off_where_nothing_is_known", .object = WITHOUT_GROVE(TWO_NODES)},
      {.name = "leader_worker_sets", .spec = SERVICE(TWO_NODES), .facts = {.grove_served = Fact::kNo, .leader_worker_set_served = Fact::kYes}},
      {.name = "grove_perhaps", .spec = SERVICE(TWO_NODES), .facts = {.leader_worker_set_served = Fact::kNo}},
      {.name = "leader_worker_sets_perhaps", .spec = SERVICE(TWO_NODES), .facts = {.grove_served = Fact::kNo}},
      {.name = "once_for_the_graph", .spec = "{services: {W: {" TWO_NODES "}, X: {" TWO_NODES "}}}", .warnings = warned, .facts = neither},
      {.name = "a_component_of_a_graph_is_its_operators", .spec = "{dynamoNamespace: x, componentType: worker, " TWO_NODES "}", .kind = kComponentDeployment, .facts = neither},
      {.name = "grove_is_switched_off", .warnings = warned, .object = WITHOUT_GROVE(TWO_NODES),
       .old_object = "{metadata: {name: a, namespace: default}, spec: " SERVICE(TWO_NODES) "}", .facts = {.grove_served = Fact::kYes, .leader_worker_set_served = Fact::kNo}},
      {.name = "it_stays_as_it_was", .spec = SERVICE("replicas: 2, " TWO_NODES), .old_spec = SERVICE(TWO_NODES), .facts = neither},
  }};
#undef TWO_NODES
#undef WITHOUT_GROVE
}

}  // namespace

std::vector<RuleTable> multinode_tables() {
  return {vllm_flag_form(), gpu_location(), no_injection(), unquoted_arguments(),
          leader_worker_set_container(), orchestrator_missing()};
}

}  // namespace dynamo::test

#undef NODES
#undef EIGHT
#undef VLLM
#undef SGLANG
#undef TRTLLM
#undef SCRIPT
#undef ONE_NODE
