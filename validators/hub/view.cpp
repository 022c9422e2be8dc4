#include "validators/hub/view.hpp"

#include <algorithm>
#include <string>

#include "validators/content/amount.hpp"

namespace dynamo::validators::hub {
namespace {

constexpr std::string_view kEnableGroveAnnotation = "nvidia.com/enable-grove";

bool equals_ignoring_case(std::string_view text, std::string_view lower) {
  return std::ranges::equal(text, lower, [](char left, char right) {
    return (left >= 'A' && left <= 'Z' ? static_cast<char>(left - 'A' + 'a') : left) == right;
  });
}

bool is_gpu_resource(std::string_view name) {
  return name == "gpu" || name.starts_with("gpu.") || name.ends_with("/gpu") ||
         name.find("/mig-") != name.npos;
}

// The amount of the first GPU resource in the order of names; absent if there is none.
json::Value gpu_amount(json::Value amounts) {
  std::string_view first;
  json::Value found;
  for (const json::Member amount : amounts.members()) {
    if (!is_gpu_resource(amount.name)) continue;
    if (found.exists() && first < amount.name) continue;
    first = amount.name;
    found = amount.value;
  }
  return found;
}

}  // namespace

api::Fact ObjectView::is_on_grove() const {
  if (!is_graph()) return api::Fact::kNo;
  if (const json::Value provider = annotation(kProviderAnnotation); provider.exists()) {
    return has_grove_provider() ? api::Fact::kYes : api::Fact::kNo;
  }
  if (equals_ignoring_case(annotation(kEnableGroveAnnotation).string_or_empty(), "false")) {
    return api::Fact::kNo;
  }
  return context().facts.grove_served;
}

bool is_true(json::Value value) {
  return value.boolean().value_or(false);
}

bool is_executor_backend(std::string_view name) {
  return equals_ignoring_case(name, "mp") || equals_ignoring_case(name, "ray");
}

bool is_endpoint_picker(json::Value component) {
  return component["type"].string_or_empty() == "epp";
}

std::int64_t node_count(json::Value component) {
  constexpr std::int64_t kDefault = 2;
  const json::Value multinode = component["multinode"];
  if (!multinode.is_object()) return 1;
  const json::Value count = multinode["nodeCount"];
  return count.is_nothing() ? kDefault : count.integer().value_or(1);
}

bool renders_scaling_group(json::Value component) {
  return is_multinode(component) || is_inter_pod(gpu_memory_of(component)) ||
         is_true(component["experimental"]["grove"]["forceScalingGroup"]);
}

json::Value pod_spec(json::Value component) {
  return component["podTemplate"]["spec"];
}

json::Value power_limit(json::Value component) {
  return component["podTemplate"]["metadata"]["annotations"][kPowerLimitAnnotation];
}

IndexedValue find_named(json::Value list, std::string_view name) {
  std::size_t index = 0;
  for (const json::Value element : list.elements()) {
    if (element["name"].string_or_empty() == name) return {element, index};
    ++index;
  }
  return {};
}

NameSet::NameSet(json::Value list) {
  for (const json::Value element : list.elements()) {
    names_.push_back(element["name"].string_or_empty());
  }
  std::ranges::sort(names_);
}

bool NameSet::contains(std::string_view name) const {
  return std::ranges::binary_search(names_, name);
}

IndexedValue main_container(json::Value component) {
  return find_named(pod_spec(component)["containers"], "main");
}

std::optional<std::uint64_t> gpu_count(json::Value component) {
  const json::Value resources = main_container(component).value["resources"];
  json::Value amount = gpu_amount(resources["limits"]);
  if (!amount.exists()) amount = gpu_amount(resources["requests"]);
  const auto count = amount_of(amount);
  if (!count || count->negative || !count->is_whole() || count->whole == 0) return std::nullopt;
  return count->whole;
}

bool are_same(json::Value left, json::Value right) {
  if (left.is_nothing() || right.is_nothing()) return left.is_nothing() == right.is_nothing();
  return json::equal(left, right);
}

void require_grove(const ObjectView& object, const api::FieldPath& path, Report& report) {
  switch (object.is_on_grove()) {
    case api::Fact::kYes:
      return;
    case api::Fact::kNo:
      report.add(api::ErrorType::kForbidden, path,
                 object.is_graph()
                     ? "must not be set unless Grove runs the graph; remove it, or create the "
                       "graph with Grove installed and not disabled"
                     : "must not be set here: Grove does not run a DynamoComponentDeployment; "
                       "remove it, or write a DynamoGraphDeployment");
      return;
    case api::Fact::kUnknown:
      report.also_warn(path, "works only if Grove runs the graph, which is not known here");
      return;
  }
}

std::string quoted_or(std::string_view text, std::string_view otherwise) {
  return text.empty() ? std::string(otherwise) : quoted(text);
}

}  // namespace dynamo::validators::hub
