#include "tests/validators/rule_table.hpp"

namespace dynamo::test {

// One row per line if it fits.
// clang-format off

using enum api::ErrorType;
using enum api::Kind;

namespace {

#define GUARDED(replicas) \
  "{services: {W: {" replicas "scalingAdapter: {enabled: true}}}}"
#define UNGUARDED(replicas) "{services: {W: {" replicas "scalingAdapter: {enabled: false}}}}"

const std::vector<Finding> kRefused{{kForbidden, "spec.services[W].replicas"}};

const api::Settings kNarrowed{
    .operator_version = "1.2.3",
    .operator_service_account =
        api::ServiceAccount{"dynamo-system", "x-dynamo-operator-controller-manager"},
    .restricted_namespace = ""};

// A planner that serves graphs in other namespaces.
const api::Settings kNamesPlanners{.operator_version = "1.2.3",
                                   .operator_service_account = std::nullopt,
                                   .restricted_namespace = "",
                                   .planner_service_accounts = {{"global", "planner"},
                                                                {"global", "second"}}};

// The same change of replicas by different users; `errors` is empty if the user may scale.
Row by(std::string_view name, std::optional<std::string_view> user, std::vector<Finding> errors,
       const api::Settings& settings = {}) {
  return {.name = name, .spec = GUARDED("replicas: 3, "), .old_spec = GUARDED("replicas: 2, "),
          .errors = std::move(errors), .user = user, .settings = settings};
}

RuleTable replicas_scaled_elsewhere() {
  return {"dgd.replicas.scaled-elsewhere", kGraphDeployment, {
      // Changes that count as scaling.
      {.name = "on_create", .spec = GUARDED("replicas: 3, ")},
      {.name = "unchanged", .spec = GUARDED("replicas: 2, "), .old_spec = GUARDED("replicas: 2, ")},
      {.name = "no_adapter", .spec = UNGUARDED("replicas: 3, "),
       .old_spec = UNGUARDED("replicas: 2, ")},
      {.name = "up", .spec = GUARDED("replicas: 3, "), .old_spec = GUARDED("replicas: 2, "),
       .errors = kRefused},
      {.name = "down", .spec = GUARDED("replicas: 1, "), .old_spec = GUARDED("replicas: 2, "),
       .errors = kRefused},
      {.name = "to_zero", .spec = GUARDED("replicas: 0, "), .old_spec = GUARDED("replicas: 1, "),
       .errors = kRefused},
      {.name = "absent_is_one", .spec = GUARDED(""), .old_spec = GUARDED("replicas: 1, ")},
      {.name = "to_absent", .spec = GUARDED(""), .old_spec = GUARDED("replicas: 2, "),
       .errors = kRefused},
      {.name = "from_absent", .spec = GUARDED("replicas: 2, "), .old_spec = GUARDED(""),
       .errors = kRefused},
      {.name = "while_enabling", .spec = GUARDED("replicas: 3, "),
       .old_spec = UNGUARDED("replicas: 2, "), .errors = kRefused},
      {.name = "while_disabling", .spec = UNGUARDED("replicas: 3, "),
       .old_spec = GUARDED("replicas: 2, "), .errors = kRefused},
      {.name = "disabling_alone", .spec = UNGUARDED("replicas: 2, "),
       .old_spec = GUARDED("replicas: 2, ")},
      // Users that may scale by the operator's conventions.
      by("the_operator", "system:serviceaccount:dynamo-system:x-dynamo-operator-controller-manager",
         {}),
      by("an_operator_of_another_namespace",
         "system:serviceaccount:team-a:y-dynamo-operator-controller-manager", {}),
      by("the_planner", "system:serviceaccount:default:planner-serviceaccount", {}),
      by("a_planner_with_a_prefix", "system:serviceaccount:default:my-planner-serviceaccount", {}),
      by("a_planner_of_another_namespace",
         "system:serviceaccount:team-b:planner-serviceaccount", kRefused),
      by("a_planner_of_another_namespace_with_a_prefix",
         "system:serviceaccount:team-b:my-planner-serviceaccount", kRefused),
      by("a_planner_that_is_named", "system:serviceaccount:global:second", {}, kNamesPlanners),
      by("a_planner_that_is_named_and_not_here", "system:serviceaccount:global:planner", kRefused),
      by("the_namesake_of_a_planner_that_is_named", "system:serviceaccount:team-b:planner",
         kRefused, kNamesPlanners),
      by("the_planner_beside_those_that_are_named",
         "system:serviceaccount:default:planner-serviceaccount", {}, kNamesPlanners),
      by("the_bare_operator_suffix",
         "system:serviceaccount:dynamo-system:dynamo-operator-controller-manager", kRefused),
      by("a_suffix_that_goes_on",
         "system:serviceaccount:dynamo-system:x-dynamo-operator-controller-manager-2", kRefused),
      by("another_account", "system:serviceaccount:default:deployer", kRefused),
      by("a_person", "jane@example.com", kRefused),
      by("a_person_named_like_the_operator", "x-dynamo-operator-controller-manager", kRefused),
      by("five_parts",
      "system:serviceaccount:dynamo-system:extra:planner-serviceaccount", kRefused),
      by("three_parts", "system:serviceaccount:planner-serviceaccount", kRefused),
      by("another_prefix", "system:serviceaccounts:default:planner-serviceaccount", kRefused),
      by("an_empty_name", "", kRefused),
      by("nobody", std::nullopt, kRefused),
      // Users that may scale if the operator's account is set.
      by("narrowed_the_operator",
         "system:serviceaccount:dynamo-system:x-dynamo-operator-controller-manager", {}, kNarrowed),
      by("narrowed_the_planner", "system:serviceaccount:default:planner-serviceaccount", {},
         kNarrowed),
      by("narrowed_the_planner_of_another_namespace",
         "system:serviceaccount:team-b:planner-serviceaccount", kRefused, kNarrowed),
      by("narrowed_the_operator_of_another_namespace",
         "system:serviceaccount:team-a:x-dynamo-operator-controller-manager", kRefused, kNarrowed),
      by("narrowed_another_operator",
         "system:serviceaccount:dynamo-system:y-dynamo-operator-controller-manager", kRefused,
         kNarrowed),
      by("narrowed_a_planner_with_a_prefix",
         "system:serviceaccount:default:my-planner-serviceaccount", kRefused, kNarrowed),
      by("narrowed_nobody", std::nullopt, kRefused, kNarrowed),
  }};
}

}  // namespace

std::vector<RuleTable> scaling_tables() { return {replicas_scaled_elsewhere()}; }

// clang-format on

}  // namespace dynamo::test

#undef GUARDED
#undef UNGUARDED
