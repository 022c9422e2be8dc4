#include "tests/validators/rule_table.hpp"

namespace dynamo::test {

// One row a line where it fits.
// clang-format off

using enum api::Kind;

namespace {

#define IGNORING(rules) "{metadata: {name: a, annotations: {dynamo-admission.nvidia.com/ignore: " rules "}}, spec: {services: {W: {}}}}"
#define SIXTEEN "res.gpu.missing, res.gpu.*, pod.*, pod.probe, *, dgd.*, dcd.*, dm.*, ckpt.*, storage.*, multinode.*, text.*, cross.*, schema.*, pod.image, pod.env, "

std::vector<Place> at_annotation(int times = 1) {
  return std::vector<Place>(static_cast<std::size_t>(times), Place{"metadata.annotations[dynamo-admission.nvidia.com/ignore]", ""});
}

RuleTable unknown_rule() {
  return {"ignore.unknown-rule", kGraphDeployment, {
      {.name = "no_annotation", .spec = "{services: {W: {}}}"},
      {.name = "an_id", .object = IGNORING("res.gpu.missing")},
      {.name = "ids_and_blanks", .object = IGNORING("' res.gpu.missing ,, pod.probe, '")},
      {.name = "globs", .object = IGNORING("'res.gpu.*, *.missing, dgd.?ame.*, *'")},
      {.name = "an_id_of_the_schema", .object = IGNORING("schema.unknown-field")},
      {.name = "its_own_id", .object = IGNORING("ignore.unknown-rule")},
      {.name = "an_empty_list", .object = IGNORING("''")},
      {.name = "only_separators", .object = IGNORING("' , '")},
      {.name = "not_a_string", .errors = {{api::ErrorType::kTypeInvalid, "metadata.annotations[dynamo-admission.nvidia.com/ignore]", "type.mismatch"}}, .object = IGNORING("[nothing.here]")},
      {.name = "a_misspelt_id", .warnings = at_annotation(), .object = IGNORING("res.gpu.mising")},
      {.name = "an_id_in_capitals", .warnings = at_annotation(), .object = IGNORING("RES.GPU.MISSING")},
      {.name = "a_glob_without_a_match", .warnings = at_annotation(), .object = IGNORING("'gpu.*'")},
      {.name = "an_id_of_a_default", .warnings = at_annotation(), .object = IGNORING("dgd.default.replicas")},
      {.name = "a_wrong_separator", .warnings = at_annotation(), .object = IGNORING("res.gpu.missing pod.probe")},
      {.name = "two_misspelt_ids", .warnings = at_annotation(2), .object = IGNORING("'res.gpu.mising, pod.probe, pod.prob'")},
      {.name = "the_same_twice", .warnings = at_annotation(), .object = IGNORING("'pod.prob, pod.prob'")},
      {.name = "beside_a_reason", .warnings = at_annotation(), .object = "{metadata: {name: a, annotations: {dynamo-admission.nvidia.com/ignore: x, dynamo-admission.nvidia.com/ignore-reason: later}}, spec: {services: {W: {}}}}"},
      {.name = "sixty_four_entries", .object = IGNORING("'" SIXTEEN SIXTEEN SIXTEEN SIXTEEN "'")},
      {.name = "sixty_five_entries", .warnings = at_annotation(), .object = IGNORING("'" SIXTEEN SIXTEEN SIXTEEN SIXTEEN "pod.probe'")},
      {.name = "a_component", .warnings = at_annotation(), .object = IGNORING("x"), .kind = kComponentDeployment},
      {.name = "a_model", .spec = "{modelName: m, baseModelName: m}", .kind = kModel},
      {.name = "a_request", .warnings = at_annotation(), .object = "{metadata: {name: a, annotations: {dynamo-admission.nvidia.com/ignore: x}}, spec: {model: m, backend: vllm, profilingConfig: {profilerImage: i, config: {}}}}", .kind = kGraphDeploymentRequest},
      {.name = "an_old_fault_stays", .object = IGNORING("'x, pod.probe'"), .old_object = IGNORING("x")},
      {.name = "a_new_fault", .warnings = at_annotation(), .object = IGNORING("'x, y'"), .old_object = IGNORING("x")},
      {.name = "a_new_annotation", .warnings = at_annotation(), .object = IGNORING("x"), .old_object = "{metadata: {name: a}, spec: {services: {W: {}}}}"},
  }};
}

}  // namespace

std::vector<RuleTable> ignore_tables() {
  return {unknown_rule()};
}

}  // namespace dynamo::test

#undef IGNORING
#undef SIXTEEN
