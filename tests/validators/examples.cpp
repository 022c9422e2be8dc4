#include "tests/validators/examples.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>

#include "render/document/arena.hpp"
#include "tests/support/findings.hpp"
#include "tests/support/objects.hpp"
#include "validators/severities.hpp"
#include "validators/validate.hpp"

namespace dynamo::validators {

std::vector<const RuleText*> all_texts() {
  std::vector<const RuleText*> all;
  for (const std::span<const RuleText> group : text_groups()) {
    for (const RuleText& text : group) all.push_back(&text);
  }
  return all;
}

std::vector<std::string_view> split(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> parts;
  for (std::size_t at = text.find(separator); at != text.npos; at = text.find(separator)) {
    parts.push_back(text.substr(0, at));
    text.remove_prefix(at + separator.size());
  }
  parts.push_back(text);
  return parts;
}

std::vector<json::Document> documents(std::string_view example) {
  const std::vector<std::string_view> parts = split(example, "\n---\n");
  std::vector<json::Document> all(parts.size());  // never grows: a copy would not own its texts
  std::ranges::transform(parts, all.begin(), test::from_yaml);
  return all;
}

std::optional<api::Kind> kind_of(json::Value object) {
  const auto at =
      std::ranges::find(api::kKinds, object["kind"].string_or_empty(), &api::KindNames::name);
  if (at == api::kKinds.end()) return std::nullopt;
  return at->kind;
}

namespace {

// "# cluster: serves GROUP", or "does not serve".
struct Group {
  std::string_view name;
  api::Fact api::ClusterFacts::*fact;
};
constexpr Group kGroups[] = {
    {"inference.networking.k8s.io", &api::ClusterFacts::inference_pool_served},
    {"grove.io", &api::ClusterFacts::grove_served},
    {"leaderworkerset.x-k8s.io", &api::ClusterFacts::leader_worker_set_served},
    {"scheduling.run.ai", &api::ClusterFacts::kai_scheduler_served},
};

// The rest of a line after `start`, or nullopt.
std::optional<std::string_view> behind(std::string_view start, std::string_view line) {
  if (!line.starts_with(start)) return std::nullopt;
  return line.substr(start.size());
}

bool read_fact(std::string_view group, api::Fact fact, ExampleInputs& inputs) {
  const auto at = std::ranges::find(kGroups, group, &Group::name);
  if (at == std::end(kGroups)) return false;
  inputs.facts.*(at->fact) = fact;
  return true;
}

// "KIND NAME", "KIND NAME in NAMESPACE" or "KIND NAME with DOMAIN,DOMAIN".
bool read_object(std::string_view object, api::Fact there, ExampleInputs& inputs) {
  const std::vector<std::string_view> words = split(object, " ");
  const auto at = std::ranges::find(api::kLookupKindNames, words.front());
  const bool names_namespace = words.size() == 4 && words[2] == "in";
  const bool names_domains = words.size() == 4 && words[2] == "with";
  const bool is_complete = words.size() == 2 || names_namespace || names_domains;
  if (!is_complete || at == api::kLookupKindNames.end()) return false;
  inputs.objects.push_back(
      {.there = there,
       .kind = static_cast<api::LookupKind>(at - api::kLookupKindNames.begin()),
       .name = words[1],
       .namespace_name = names_namespace ? words[3] : std::string_view{}});
  if (names_domains) {
    for (const std::string_view domain : split(words[3], ",")) {
      inputs.objects.back().domains.emplace_back(domain);
    }
  }
  return true;
}

// "NAMESPACE/NAME"
api::ServiceAccount account(std::string_view text) {
  const std::size_t slash = std::min(text.find('/'), text.size() - 1);
  return {std::string(text.substr(0, slash)), std::string(text.substr(slash + 1))};
}

// A flag of the validating server.
bool read_flag(std::string_view flag, api::Settings& settings) {
  if (const auto name = behind("restricted-namespace=", flag)) {
    settings.restricted_namespace = *name;
  } else if (const auto version = behind("operator-version=", flag)) {
    settings.operator_version = *version;
  } else if (const auto of_operator = behind("operator-service-account=", flag)) {
    settings.operator_service_account = account(*of_operator);
  } else if (const auto of_planner = behind("planner-service-account=", flag)) {
    settings.planner_service_accounts.push_back(account(*of_planner));
  } else {
    return false;
  }
  return true;
}

// Applies a comment line of an example to `inputs`; texts.hpp lists the comments. False for any
// other line.
bool read_comment(std::string_view line, ExampleInputs& inputs) {
  if (line == "# before" || line == "# after") return true;
  if (const auto group = behind("# cluster: serves ", line)) {
    return read_fact(*group, api::Fact::kYes, inputs);
  }
  if (const auto group = behind("# cluster: does not serve ", line)) {
    return read_fact(*group, api::Fact::kNo, inputs);
  }
  if (const auto group = behind("# cluster: may serve ", line)) {
    return read_fact(*group, api::Fact::kUnknown, inputs);
  }
  if (const auto object = behind("# cluster: has no ", line)) {
    return read_object(*object, api::Fact::kNo, inputs);
  }
  if (const auto object = behind("# cluster: has ", line)) {
    return read_object(*object, api::Fact::kYes, inputs);
  }
  if (const auto minor = behind("# cluster: Kubernetes 1.", line)) {
    inputs.facts.kubernetes_minor = std::stoi(std::string(*minor));
  } else if (line == "# operator: finds services through the API server") {
    inputs.facts.kubernetes_discovery = api::Fact::kYes;
  } else if (line == "# operator: finds services through etcd") {
    inputs.facts.kubernetes_discovery = api::Fact::kNo;
  } else if (line == "# operator: does not discover GPUs") {
    inputs.facts.gpu_discovery = api::Fact::kNo;
  } else if (line == "# operator: runs without checkpoints") {
    inputs.facts.checkpoints_enabled = api::Fact::kNo;
  } else if (line == "# operator: of the first generation") {
    inputs.facts.operator_generation = api::OperatorGeneration::kFirst;
  } else if (line == "# operator: of a later generation") {
    inputs.facts.operator_generation = api::OperatorGeneration::kLater;
  } else if (line == "# operator: replaced without a controller of requests") {
    inputs.facts.operator_replaced = true;
    inputs.facts.requests_unserved = true;
  } else if (line == "# operator: replaced without a controller of checkpoints") {
    inputs.facts.operator_replaced = true;
    inputs.facts.checkpoints_unserved = true;
  } else if (line == "# operator: replaced by dynamo-reconciler") {
    inputs.facts.operator_replaced = true;
  } else if (const auto parameter = behind("# policy: ", line)) {
    admission::ReadPolicy read =
        admission::read_policy("version: 1\nparameters:\n  - " + std::string(*parameter) + "\n");
    if (!read.policy) return false;
    inputs.policy = *std::move(read.policy);
  } else if (const auto user = behind("# user: ", line)) {
    inputs.user = *user;
  } else if (const auto flag = behind("# server: --", line)) {
    return read_flag(*flag, inputs.settings);
  } else {
    return false;
  }
  return true;
}

}  // namespace

ExampleInputs inputs_of(std::string_view example) {
  ExampleInputs inputs;
  for (const std::string_view line : split(example, "\n")) {
    if (!line.starts_with("#")) continue;
    EXPECT_TRUE(read_comment(line, inputs)) << line;
  }
  return inputs;
}

api::ErrorList evaluate_rule(const Rule& rule, ExampleInputs inputs, json::Value object,
                             json::Value old) {
  const api::ObjectMeta metadata = api::Object{object}.metadata();
  const api::Kind kind = kind_of(object).value();
  const api::Parameters parameters =
      inputs.policy.parameters_for({kind, metadata.namespace_name(), metadata.name()});
  for (test::KnownObject& known : inputs.objects) {
    if (known.namespace_name.empty() && !api::is_cluster_scoped(known.kind)) {
      known.namespace_name = metadata.namespace_name();
    }
  }
  const test::KnownObjects objects_of_cluster{inputs.objects};
  if (phase_of(rule.function) == Phase::kHub) {
    const bool is_beta = object["apiVersion"].string_or_empty() == "nvidia.com/v1beta1";
    const api::OperatorGeneration generation = inputs.facts.operator_generation;
    if (generation == api::OperatorGeneration::kFirst) return {};
    if (generation == api::OperatorGeneration::kUnknown && !is_beta) return {};
    return test::evaluate_hub_rules({.kind = kind,
                                     .user = inputs.user,
                                     .settings = inputs.settings,
                                     .facts = inputs.facts,
                                     .parameters = parameters,
                                     .objects = &objects_of_cluster},
                                    object, old);
  }
  const api::Context context{
      .kind = kind,
      .operation = old.exists() ? api::Operation::kUpdate : api::Operation::kCreate,
      .namespace_name = metadata.namespace_name(),
      .object_name = metadata.name(),
      .user = inputs.user,
      .sub_resource = {},
      .settings = inputs.settings,
      .facts = inputs.facts,
      .parameters = &parameters,
      .objects = &objects_of_cluster};
  Severities severities = default_severities();
  if (rule.severity == Severity::kOff) severities.set(index_of(rule), Severity::kWarn);
  api::ErrorList found;
  render::Arena arena;
  validate(context, object, old, found, severities, arena);
  return found;
}

api::ErrorList evaluate_rule(const Rule& rule, std::string_view example,
                             std::optional<api::OperatorGeneration> generation) {
  const std::vector<json::Document> objects = documents(example);
  ExampleInputs inputs = inputs_of(example);
  if (generation) inputs.facts.operator_generation = *generation;
  const json::Value old = objects.size() == 2 ? objects.front().root() : json::Value{};
  return evaluate_rule(rule, std::move(inputs), objects.back().root(), old);
}

}  // namespace dynamo::validators
